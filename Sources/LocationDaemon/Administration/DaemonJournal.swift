import CSystemd
import Glibc
import LocationHost
package import LocationLink
import LocationModel
import Synchronization

/// The log of a daemon: keeps the last records, writes them where the system collects them, and
/// hands them to those who follow.
///
/// Under systemd each record goes to the journal with fields of its own (`LOCATION_CATEGORY`,
/// `LOCATION_APP`, `LOCATION_PID`); else it is a line on standard error.
///
/// What programs cause has its quota (`LogQuota`), and only makes room for itself: the record that
/// goes for a new one is the oldest of the user who has most of them, so nobody's flood takes away
/// what others did, or what the daemon says of itself.
package final class DaemonJournal: Sendable {
  fileprivate struct State {
    var records: [(record: LogRecord, user: UInt32?)] = []
    var quota = LogQuota()
    var follower: (@Sendable (LogRecord) -> Void)?
  }

  private let state = Mutex(State())
  private let isJournal: Bool
  /// Records kept for those who ask later. Chosen: a few days of a quiet machine.
  private static let kept = 1000
  /// Characters of a message. Chosen: two paths, and a sentence.
  private static let longest = 10_000

  package init(_ variables: [String: String]) {
    isJournal = variables["JOURNAL_STREAM"].map { Self.isStandardError($0) } ?? false
  }

  /// Calls `follower` with each record from now on, on the thread that writes it.
  func follow(_ follower: @escaping @Sendable (LogRecord) -> Void) {
    state.withLock { $0.follower = follower }
  }

  /// The newest records of some kind, the oldest of them first.
  package func last(_ count: Int, where wanted: (LogRecord) -> Bool) -> [LogRecord] {
    state.withLock { state in
      state.records.map(\.record).filter(wanted).suffix(max(0, count))
    }
  }

  /// Writes a record; one that a program has caused, if its quota allows. The name of what it is about
  /// is told to those who follow, and neither written nor kept: it may say where somebody is.
  ///
  /// What apps have said stands in it escaped, so that no name makes a line or a field of its own.
  package func write(
    _ record: LogRecord, naming name: String? = nil, from caller: LogCaller? = nil
  ) {
    var record = record
    record.message = record.message.escapedForDisplay(limit: Self.longest)
    record.app = record.app?.escapedForDisplay(limit: Self.longest)
    guard let caller else { return put(record, naming: name, of: nil) }
    switch state.withLock({ $0.quota.admit(caller, at: HostClock.now.uptime) }) {
    case .write(leftOut: 0): put(record, naming: name, of: caller.user)
    case .write(let leftOut):
      put(remark("\(leftOut) more lines about \(caller) were left out"), of: caller.user)
      put(record, naming: name, of: caller.user)
    case .leaveOut(isFirst: true):
      put(remark("more lines about \(caller) are left out for a while"), of: caller.user)
    case .leaveOut(isFirst: false): break
    }
  }

  /// Writes what has just happened.
  package func write(
    _ category: LogCategory, _ message: String, isFault: Bool = false,
    from caller: LogCaller? = nil
  ) {
    write(
      LogRecord(category, message, at: HostClock.now.unixTime, isFault: isFault), from: caller)
  }

  private func remark(_ text: String) -> LogRecord {
    let message = text.escapedForDisplay(limit: Self.longest)
    return LogRecord(.client, message, at: HostClock.now.unixTime, isFault: true)
  }

  private func put(_ record: LogRecord, naming name: String? = nil, of user: UInt32?) {
    let follower = state.withLock { state in
      state.records.append((record, user))
      state.shrink(to: Self.kept)
      return state.follower
    }
    if isJournal { send(record) } else { printLine(record) }
    var delivered = record
    delivered.name = name
    follower?(delivered)
  }

  private func printLine(_ record: LogRecord) {
    let line = "locationd: \(record.message)\n"
    _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }

  // MARK: The system's journal

  /// Whether standard error is the stream that systemd has named: its device and its inode.
  private static func isStandardError(_ stream: String) -> Bool {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// The priorities of syslog.
  private static let (warning, information) = (4, 6)

  private func send(_ record: LogRecord) {
    var fields = [
      "MESSAGE=\(record.message)", "SYSLOG_IDENTIFIER=locationd",
      "PRIORITY=\(record.isFault ? Self.warning : Self.information)",
      "LOCATION_CATEGORY=\(record.category.rawValue)",
    ]
    if let app = record.app { fields.append("LOCATION_APP=\(app)") }
    if let pid = record.pid { fields.append("LOCATION_PID=\(pid)") }
    let texts = fields.map { strdup($0) }
    defer { for text in texts { free(text) } }
    let vectors = texts.map { iovec(iov_base: $0, iov_len: $0.map { strlen($0) } ?? 0) }
    if sd_journal_sendv(vectors, Int32(vectors.count)) < 0 { printLine(record) }
  }
}

extension DaemonJournal.State {
  /// Lets the oldest record go of the user who has most; of several, the one who came first.
  fileprivate mutating func shrink(to count: Int) {
    while records.count > count {
      let counts = records.reduce(into: [:]) { $0[$1.user, default: 0] += 1 }
      let most = counts.values.max() ?? 0
      guard let oldest = records.firstIndex(where: { counts[$0.user] == most }) else { return }
      records.remove(at: oldest)
    }
  }
}

extension LogCaller {
  /// What all apps together need of the hardware, which any of them may change.
  static let demand = LogCaller(user: getuid(), program: "the demand of all apps")

  init(_ payer: Payer) {
    let program = payer.program.map { "the program \($0.device):\($0.inode)" }
    self.init(user: payer.user, program: program ?? "a program")
  }

  /// By the name of an app, which has its user behind it unless that is the daemon's.
  init(app: String) {
    self.init(user: AppIdentity(app).user ?? getuid(), program: app)
  }
}
