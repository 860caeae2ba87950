import Glibc
import LocationHost

/// The service of the daemon and its socket, as systemd has them.
struct SetupService: Sendable {
  /// Whether systemd runs here.
  private let isThere: Bool
  /// Runs `systemctl` with these words, and returns its exit status.
  private let systemctl: @Sendable ([String]) -> Int32
  private let command: String

  /// The service of the machine, or that of the user.
  init(isSystem: Bool) {
    let words = isSystem ? ["systemctl"] : ["systemctl", "--user"]
    isThere = access("/run/systemd/system", F_OK) == 0
    command = words.joined(separator: " ")
    systemctl = { ChildProgram.run(words + $0, HostEnvironment.current.variables) }
  }

  /// A service of a systemd whose commands `systemctl` carries out.
  init(isThere: Bool = true, systemctl: @escaping @Sendable ([String]) -> Int32) {
    (self.isThere, self.systemctl, command) = (isThere, systemctl, "systemctl")
  }

  /// Ends the service and its socket, where they run: no receiver is held, and nobody starts it.
  ///
  /// - Returns: the units that ran.
  func stop() -> [String] {
    guard isThere else { return [] }
    let running = Self.units.filter { systemctl(["--quiet", "is-active", $0]) == 0 }
    guard !running.isEmpty else { return [] }
    _ = systemctl(["stop"] + running)
    return running
  }

  /// Starts what ``stop()`` has ended, with the configuration as it is.
  ///
  /// - Returns: whether it runs.
  func resume(_ units: [String]) -> Bool {
    units.isEmpty || systemctl(["start"] + units) == 0
  }

  /// Enables and starts the service, with the configuration as it is now.
  func start() throws(Failure) {
    guard isThere else {
      throw .refused("systemd does not run here, so no service is started", next: "locationd &")
    }
    try run(["enable", "--quiet", Self.socket])
    try run(["restart", Self.service])
  }

  /// Ends the service and its socket, and has them start no more.
  func end() throws(Failure) {
    guard isThere else { return }
    try run(["disable", "--quiet", "--now"] + Self.units)
    Output.standard.line("the service is stopped and disabled: there was no configuration before")
  }

  private func run(_ words: [String]) throws(Failure) {
    guard systemctl(words) != 0 else { return }
    throw .refused(
      "\(command) \(words.joined(separator: " ")) failed",
      next: "journalctl -u locationd, or: locationd &")
  }

  private static let service = "locationd.service"
  private static let socket = "locationd.socket"
  /// The socket first: otherwise a program that connects starts the service again.
  private static let units = [socket, service]
}
