import Glibc
import LocationHost

/// What passes between a daemon and the one who started it, by systemd's protocols.
package struct ServiceSupervisor: Sendable {
  private let socket: String?
  /// How often it wants a sign of life; `nil` when never.
  package let watchdog: Duration?
  /// Sockets that listen already.
  package let sockets: [Int32]
  /// Whether it is systemd, which has started this very process.
  let isManager: Bool

  /// Reads what the environment of the process says.
  package init(_ variables: [String: String], pid: Int32 = getpid()) {
    socket = variables["NOTIFY_SOCKET"]
    func isMine(_ variable: String) -> Bool {
      variables[variable].map { $0 == String(pid) } ?? false
    }
    isManager = isMine("SYSTEMD_EXEC_PID")
    let isWatched = variables["WATCHDOG_PID"] == nil || isMine("WATCHDOG_PID")
    watchdog = variables["WATCHDOG_USEC"].flatMap { Int64($0) }
      .flatMap { isWatched && $0 > 0 ? .microseconds($0) : nil }
    let count = isMine("LISTEN_PID") ? variables["LISTEN_FDS"].flatMap { Int32($0) } ?? 0 : 0
    sockets = (0..<max(0, min(count, 16))).map { Self.firstSocket + $0 }
    for descriptor in sockets { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// What systemd tells the daemon alone, and nobody that it starts.
  static let variables = [
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    "LOCATIOND_OWN_SOCKET", "LOCATIOND_LOCK", "SYSTEMD_EXEC_PID",
  ]

  /// Where systemd puts the first socket.
  package static let firstSocket: Int32 = 3

  /// Tells it a state, such as `READY=1`.
  package func tell(_ state: String) {
    guard let socket, let first = socket.first, first == "/" || first == "@" else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(socket.utf8)
    if first == "@" { name[0] = 0 }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let offset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
    let length = socklen_t(offset + name.count)
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = state.withCString {
          sendto(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL), pointer, length)
        }
      }
    }
  }
}
