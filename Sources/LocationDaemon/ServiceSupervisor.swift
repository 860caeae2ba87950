import CSystemd
import Glibc
import LocationHost

/// The daemon's connection to the service manager that has started it, through libsystemd.
package struct ServiceSupervisor: Sendable {
  /// The interval within which a sign of life is expected; `nil` for none.
  package let watchdog: Duration?
  /// Sockets that already listen.
  package let sockets: [Int32]
  /// Whether systemd has started this very process.
  let isManager: Bool

  /// Reads the environment of the process.
  package init() {
    isManager = HostEnvironment.current.variables["SYSTEMD_EXEC_PID"] == String(getpid())
    var microseconds: UInt64 = 0
    let isWatched = sd_watchdog_enabled(0, &microseconds) > 0
    watchdog = isWatched ? .microseconds(Int64(clamping: microseconds)) : nil
    sockets = (0..<max(0, min(sd_listen_fds(0), 16))).map { Self.firstSocket + $0 }
  }

  /// The descriptor of systemd's first socket.
  package static let firstSocket: Int32 = 3

  /// Sends a state, such as `READY=1`, to the manager; does nothing if there is no manager.
  package func notify(_ state: String) { _ = sd_notify(0, state) }
}
