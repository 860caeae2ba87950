import CLinux
import Glibc
import LocationHost
import LocationLink

/// The process at the other end of a connection, as the kernel knows it.
///
/// Nothing here comes from a message of the process itself.
package struct Peer: Sendable {
  package var pid: Int32
  /// The start time of the process, in ticks of the kernel since boot.
  var start: UInt64 = 0
  package var user: UInt32
  /// The absolute path of the program it runs, links resolved.
  package var executable: String

  /// The sandbox it runs in; `nil` for none.
  var sandbox: FlatpakSandbox?

  /// The installed package that the program is part of, else the publisher who has signed it; `nil` for
  /// neither, and where it declares no identifier.
  var package: String?

  /// Whether nobody but root and the daemon's user can write the program, and the manifest that
  /// names it.
  var isProtected = false

  /// Where it stood among other processes when it was identified; why that cannot be seen otherwise.
  var descent: Result<Descent, Fault> = .failure(Fault(description: "its parents were not seen"))

  /// Where a process stands among others. Many files are read for it, so never on the queue.
  struct Descent: Hashable, Sendable {
    var session: Int32
    var controlGroup: String?
    var ancestors: Set<ProcessMark>
    var began: UInt64
  }

  /// Looks where it stands.
  mutating func lookAtDescent() {
    do throws(AccessRefusal) {
      let (chain, table) = (try TrustCheck.chain(of: self), RunningProcesses())
      guard let first = chain.first else { return }
      descent = .success(
        Descent(
          session: first.session, controlGroup: table.controlGroup(of: pid),
          ancestors: Set(chain.dropFirst().map(\.mark)),
          began: ProgramAncestry.begin(of: chain, in: table)))
    } catch { descent = .failure(Fault(description: error.reason)) }
  }

  /// Identifies the process, and no later one with the same number.
  var mark: ProcessMark { ProcessMark(pid: pid, start: start) }

  /// Why a peer cannot be identified.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package var description: String
  }

  /// Identifies the process that has opened the connection.
  ///
  /// A descriptor holds the process meanwhile, so that its number cannot pass to another one. Its
  /// program must be the very file that now lies at its path: one that was replaced, or that exists
  /// only in a private view of the file system, is refused.
  ///
  /// `flatpaks` are folders in which Flatpak installs apps, beside the system's and the user's.
  package init(of connection: Int32, flatpaks: [String] = []) throws(Fault) {
    var (pid, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
    let code = linux_peer_credentials(connection, &pid, &user, &group)
    guard code == 0, pid > 0 else { throw Fault(description: "its process cannot be seen") }
    let process = linux_peer_process(connection, pid)
    guard process >= 0 else { throw Fault(description: "process \(pid) has ended") }
    defer { close(process) }
    try self.init(pid, of: user, holding: process, flatpaks: flatpaks)
  }

  /// Identifies the process of a connection to the bus, which says whose it is (SECURITY.md).
  init(of caller: BusCaller, flatpaks: [String]) throws(Fault) {
    var (user, tracer): (UInt32, Int32) = (0, 0)
    guard linux_process_status(caller.pid, &user, &tracer) == 0, user == caller.user else {
      throw Fault(description: "process \(caller.pid) is not one of user \(caller.user)")
    }
    try self.init(caller.pid, of: caller.user, holding: caller.process, flatpaks: flatpaks)
  }

  /// Identifies a process that a descriptor holds.
  private init(
    _ pid: Int32, of user: UInt32, holding process: Int32, flatpaks: [String]
  ) throws(Fault) {
    (self.pid, self.user, executable) = (pid, user, "")
    start = RunningProcesses().facts(of: pid)?.mark.start ?? 0
    let path = try Self.program(of: pid)
    if Self.isFile(at: path, runBy: pid) {
      executable = path
    } else {
      sandbox = try FlatpakSandbox(of: pid, running: path, user: user, flatpaks)
      guard let sandbox else {
        if let refusal = ClosedPlace.refusal(ofProgram: path) {
          throw Fault(description: "process \(pid) cannot be served: \(refusal)")
        }
        throw Fault(description: "the program of process \(pid) is not the file at \(path)")
      }
      executable = sandbox.executable
    }
    if sandbox == nil, let fault = PeerIsolation.namespaceFault(of: pid) {
      throw Fault(description: "\(fault), which may show any program as its own")
    }
    if let refusal = ClosedPlace.refusal(ofPropertyListsBeside: executable) {
      throw Fault(description: "process \(pid) cannot be served: \(refusal)")
    }
    guard linux_is_running(process) != 0 else {
      throw Fault(description: "process \(pid) has ended")
    }
  }

  /// Returns the path of the program that a process runs, in the process's own view.
  private static func program(of pid: Int32) throws(Fault) -> String {
    let link = "/proc/\(pid)/exe"
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &bytes, bytes.count)
    guard count > 0 else {
      let cause = Errno(last: "readlink")
      // A client that has waited long may be gone when its turn comes.
      guard cause.code != Errno.noEntry else {
        throw Fault(description: "process \(pid) has ended")
      }
      throw Fault(
        description: "the program of process \(pid) cannot be seen (\(cause)); "
          + "a daemon of the system needs CAP_SYS_PTRACE for that")
    }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func isFile(at path: String, runBy pid: Int32) -> Bool {
    var (running, present) = (stat(), stat())
    return stat("/proc/\(pid)/exe", &running) == 0 && stat(path, &present) == 0
      && running.st_dev == present.st_dev && running.st_ino == present.st_ino
  }
}
