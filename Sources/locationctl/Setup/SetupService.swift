import Glibc
import LocationHost

/// The service of the daemon and its socket, as systemd has them.
struct SetupService: Sendable {
  /// Whether systemd runs here.
  let isThere: Bool
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

  /// Finds the units that ``start()`` is the first to enable.
  ///
  /// - Parameter earlier: those that an earlier setup was the first to enable.
  /// - Returns: both kinds.
  func unitsToEnable(with earlier: [String]) -> [String] {
    Self.units.filter { earlier.contains($0) || isThere && !isEnabled($0) }
  }

  /// Enables both units and starts the service, with the configuration as it is now.
  func start() throws(Failure) {
    // Enabled, the service starts with the machine: what it does without an app waits for none.
    if isThere { try run(["enable", "--quiet"] + Self.units) }
    try restart()
  }

  /// Starts the service with the configuration as it is now.
  func restart() throws(Failure) {
    guard isThere else {
      throw .refused("systemd does not run here, so no service is started", next: "locationd &")
    }
    try run(["restart", Self.service])
  }

  /// Ends the service and its socket.
  func end() throws(Failure) {
    guard isThere else { return }
    try run(["stop"] + Self.units)
  }

  /// Disables units, and no other.
  ///
  /// - Parameter enabled: those that setup has enabled, as its configuration has them.
  /// - Returns: those of the service that were disabled.
  /// - Throws: that systemd has refused it.
  func disable(_ enabled: [String]) throws(Failure) -> [String] {
    let units = Self.units.filter { enabled.contains($0) }
    guard isThere, !units.isEmpty else { return [] }
    let others = Self.units.filter { !units.contains($0) && isEnabled($0) }
    try run(["disable", "--quiet"] + units)
    // The socket is disabled with the service, whose unit names it.
    let lost = others.filter { !isEnabled($0) }
    if !lost.isEmpty { try run(["enable", "--quiet"] + lost) }
    return units
  }

  private func isEnabled(_ unit: String) -> Bool {
    systemctl(["--quiet", "is-enabled", unit]) == 0
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
