import CLinux
import Glibc
import LocationHost

/// The terminal on which a process asks a person, and the processes that can type there.
package struct PeerTerminal {
  private let process: ProcessFacts
  private let user: UInt32
  private let judge: AncestryJudge<RunningProcesses>
  /// The process and its parents.
  private let chain: [ProcessFacts]

  init(
    _ chain: [ProcessFacts], _ process: ProcessFacts, user: UInt32,
    judge: AncestryJudge<RunningProcesses>
  ) {
    (self.chain, self.process, self.user, self.judge) = (chain, process, user, judge)
  }

  /// Why input there may not come from a person of that user; `nil` if nothing indicates that.
  ///
  /// No app may share the session of the terminal, because it could type there, nor hold the other
  /// side of a pseudo terminal.
  var fault: String? {
    guard process.terminal != 0 else { return "it has no terminal" }
    guard process.foreground == process.group else {
      return "it is not in the foreground of its terminal"
    }
    let device = Self.device(process.terminal)
    var status = stat()
    guard let path = device.path, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
      status.st_rdev == dev_t(UInt32(bitPattern: process.terminal))
    else { return "its terminal cannot be seen" }
    guard user == 0 || status.st_uid == user else {
      return "its terminal \(path) belongs to user \(status.st_uid)"
    }
    return typists(path, device.pseudo, [user, status.st_uid])
  }

  /// Returns why one of the processes that can type there is an app.
  private func typists(_ path: String, _ pseudo: Int32?, _ users: Set<UInt32>) -> String? {
    let parents = Set(chain.map(\.pid))
    var (budget, holders) = (Self.mostDescriptors, [Int32]())
    let candidates = Self.candidates(RunningProcesses.numbers, of: users, or: parents) {
      RunningProcesses.status(of: $0)?.user
    }
    guard let candidates else {
      return "too many processes of its user run to find who can type on its terminal \(path)"
    }
    for pid in candidates where pid != process.pid {
      if judge.table.facts(of: pid)?.session == process.session,
        let fault = judge.fault(of: pid, evenIfIdle: true)
      {
        return "an app can type on its terminal \(path): \(fault)"
      }
      guard let pseudo else { continue }
      switch linux_holds_terminal(pid, pseudo, &budget) {
      case 1: holders.append(pid)
      case -EMFILE: return "too many descriptors are open to find who holds its terminal \(path)"
      default: continue
      }
    }
    for holder in holders {
      guard let fault = judge.fault(of: holder, evenIfIdle: true) else { continue }
      return "its terminal \(path) is held by an app: \(fault)"
    }
    guard pseudo != nil, holders.isEmpty, !isLogin else { return nil }
    return "it cannot be seen who holds its terminal \(path)"
  }

  /// Returns which of these processes could type there: those of its users, and its parents; `nil` if they
  /// are too many. Other users' do not count, so that none of them keeps an agent out.
  package static func candidates(
    _ numbers: [Int32], of users: Set<UInt32>, or parents: Set<Int32>,
    user: (Int32) -> UInt32?
  ) -> [Int32]? {
    var found: [Int32] = []
    for pid in numbers {
      guard let owner = user(pid), users.contains(owner) || parents.contains(pid) else { continue }
      guard found.count < mostProcesses else { return nil }
      found.append(pid)
    }
    return found
  }

  /// Whether another user, such as root's server of remote logins, has opened the session: the
  /// leader's parent is that user's, or is hidden and was itself started by another user.
  private var isLogin: Bool {
    guard let leader = chain.firstIndex(where: { $0.pid == process.session }),
      chain.indices.contains(leader + 1), chain[leader + 1].pid != 1
    else { return false }
    let opener = chain[leader + 1]
    if judge.table.user(of: opener.pid) != user { return true }
    guard judge.table.program(of: opener.pid) == nil, chain.indices.contains(leader + 2),
      chain[leader + 2].pid != 1
    else { return false }
    return judge.table.user(of: chain[leader + 2].pid) != user
  }

  /// Returns the path of a terminal from its number in `/proc/PID/stat`; `pseudo` is the index of
  /// one that another process holds.
  static func device(_ number: Int32) -> (path: String?, pseudo: Int32?) {
    let major = number >> 8 & 0xfff
    let minor = number & 0xff | (number >> 12 & 0xfff00)
    if major == pseudoMajor { return ("/dev/pts/\(minor)", minor) }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/sys/dev/char/\(major):\(minor)", &bytes, bytes.count)
    let link = String(
      decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (link.split(separator: "/").last.map { "/dev/\($0)" }, nil)
  }

  /// The device number that Linux gives to the terminals of `/dev/pts`.
  private static let pseudoMajor: Int32 = 136

  /// The most processes of a terminal's users to look at. Chosen: a second or two.
  package static let mostProcesses = 16_384

  /// The most descriptors to look through. Chosen: some hundred milliseconds.
  package static let mostDescriptors: Int32 = 65_536
}
