import Foundation
import TestSupport
import Testing

/// An app that ranges and monitors a beacon, in a process that is stopped, and a mock of bluetoothd.
@Suite("A stopped app that ranges beacons", .serialized, .timeLimit(.minutes(3)))
struct BeaconWakeTests {
  private static let app = "ranger"
  private static let identifier = "org.example.\(app)"
  private static let address = "C0:00:00:00:00:01"

  @Test(
    "BEACON-18: has no adapter discover for it, and ranges while it runs for the region that woke it",
    .enabled(if: MockMachine.isThere, "needs python-dbusmock and dbus-daemon"))
  func ranges() async throws {
    let folder = try TemporaryFolder()
    let lines = try AppLines(in: folder)
    let mock = try MockMachine()
    for command in ["bluetoothd start", "adapter"] { try mock.perform(command) }
    let daemon = try await DaemonRun(
      sources: ["bluez:"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": mock.address, "CORELOCATION_IN_USE": "observed"],
      in: folder, configuration: ["launch = \(folder.file("launch"))"])
    try await daemon.answer("always", for: Self.identifier)
    let log = KeptLines(daemon.program.lines) { $0 }
    let program = try daemon.install("CellApp", as: Self.identifier, in: "app")
    let command = [program, Self.app, lines.path, "beaconRegion,ranging"]
    let registration = "app = \(Self.identifier)\ncommand = \(command.joined(separator: " "))\n"
    try Data((registration + "continue = yes\n").utf8)
      .write(to: URL(fileURLWithPath: folder.file("launch") + "/\(Self.app).conf"))
    let job = try JobControl(environment: daemon.surroundings, in: folder)
    defer {
      job.end()
      daemon.program.end()
      for pid in lines.pids { kill(pid, SIGKILL) }
      lines.end()
    }
    try await job.run(command)
    try await job.front()
    try await lines.wait(for: "ready", of: Self.app)
    try mock.perform("await discovering")
    try await lines.wait(for: "outside", of: Self.app)
    let pid = try #require(lines.process(of: Self.app))
    try await job.behind()
    kill(pid, SIGSTOP)
    let stopped = try await log.first("stop") { $0.contains("\(Self.identifier) is suspended") }
    #expect(try mock.perform("await idle") == "ok")

    let mark = lines.count
    try mock.perform("beacon \(Self.address) 0215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
    #expect(try mock.perform("await found \(Self.address)") == "ok")
    let entered = try await lines.wait(for: "entered", of: Self.app, after: mark, by: pid)
    #expect(try mock.perform("await discovering") == "ok")
    try await lines.wait(for: "ranged", of: Self.app, after: entered, by: pid)
    // The time for the event is over, and the daemon stops it again (LIFE-3).
    try await log.first("second stop", after: stopped + 1) {
      $0.contains("\(Self.identifier) is suspended")
    }
    #expect(try mock.perform("await idle") == "ok")
  }
}
