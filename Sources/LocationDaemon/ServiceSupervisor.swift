import CSystemd
import Glibc
import LocationHost

/// What passes between the daemon and the service manager that has started it, by libsystemd.
package struct ServiceSupervisor: Sendable {
  /// How often it wants a sign of life; `nil` when never.
  package let watchdog: Duration?
  /// Sockets that listen already.
  package let sockets: [Int32]
  /// Whether it is systemd, which has started this very process.
  let isManager: Bool

  /// Reads what the environment of the process says.
  package init() {
    isManager = HostEnvironment.current.variables["SYSTEMD_EXEC_PID"] == String(getpid())
    var microseconds: UInt64 = 0
    let isWatched = sd_watchdog_enabled(0, &microseconds) > 0
    watchdog = isWatched ? .microseconds(Int64(clamping: microseconds)) : nil
    sockets = (0..<max(0, min(sd_listen_fds(0), 16))).map { Self.firstSocket + $0 }
  }

  /// What systemd tells the daemon alone, and nobody that it starts.
  static let variables = [
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    "LOCATIOND_OWN_SOCKET", "LOCATIOND_LOCK", "SYSTEMD_EXEC_PID",
  ]

  /// Where systemd puts the first socket.
  package static let firstSocket: Int32 = 3

  /// Tells the manager a state, such as `READY=1`; nothing where there is none.
  package func notify(_ state: String) { _ = sd_notify(0, state) }
}
