import Foundation
import HostTesting
import LocationHost
import LocationModel
import Testing

/// Apps that have ended, and are owed an event.
@Suite("An app that does not run", .serialized)
struct LaunchTests {
  private static let app = DaemonTests.app

  /// A daemon whose place is its configuration's, and an app that has registered a command.
  private struct Stage {
    let daemon: DaemonRun
    let program: String
    let mark: String
    private let file: String
    private let folder: TemporaryFolder

    init() async throws {
      folder = try TemporaryFolder()
      file = folder.file("locationd.conf")
      mark = folder.file("crash")
      let launch = folder.file("launch")
      try "source = fixed:48.5,11.5,5\nlaunch = \(launch)\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      daemon = try await DaemonRun(sources: [], arguments: ["--config", file], in: folder)
      try await daemon.answer("always", for: LaunchTests.app)
      program = try daemon.install("MonitorApp", as: LaunchTests.app, in: "a")
      try "app = \(LaunchTests.app)\ncommand = \(program) \(mark)\n".write(
        toFile: launch + "/app.conf", atomically: true, encoding: .utf8)
    }

    /// The device is elsewhere, as the daemon that starts over finds out.
    func move() throws {
      try "source = fixed:49.5,11.5,5\nlaunch = \(folder.file("launch"))\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      daemon.program.signal(SIGHUP)
    }

    /// Starts the app by hand, has it hear that it is at home, and ends it.
    func visitHome() async throws {
      let app = try daemon.run(program)
      _ = try await app.lines.next { $0 == "started by hand" }
      _ = try await app.lines.next { $0 == "event home in" }
      app.end()
    }
  }

  @Test("MON-38: is started for an event of its monitor, opens it again, and gets the event")
  func launched() async throws {
    let stage = try await Stage()
    try await stage.visitHome()
    try stage.move()
    let lines = stage.daemon.program.lines
    _ = try await lines.next { $0 == "started location" }
    let event = try await lines.next { $0.hasPrefix("event") || $0.hasPrefix("started") }
    #expect(event == "event home out")
    stage.daemon.program.terminate()
  }

  @Test("is started again after a pause when it crashes before it has taken the event")
  func crashes() async throws {
    let stage = try await Stage()
    try await stage.visitHome()
    try "".write(toFile: stage.mark, atomically: true, encoding: .utf8)
    try stage.move()
    let lines = stage.daemon.program.lines
    _ = try await lines.next { $0 == "crashes" }
    _ = try await lines.next { $0 == "started location" }
    _ = try await lines.next { $0 == "event home out" }
    stage.daemon.program.terminate()
  }

  @Test("is not started by what somebody else could have written")
  func registrations() throws {
    let folder = try TemporaryFolder()
    func write(_ name: String, _ text: String, mode: Int) throws {
      try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: folder.file(name))
    }
    try write("good.conf", "# mine\napp = a.b\ncommand = /bin/true --background\n", mode: 0o600)
    try write("unit.conf", "app = a.c\nunit = app.service\n", mode: 0o644)
    try write("open.conf", "app = a.d\ncommand = /bin/true\n", mode: 0o666)
    try write("relative.conf", "app = a.e\ncommand = true\n", mode: 0o600)
    try write("both.conf", "app = a.f\ncommand = /bin/true\nunit = x.service\n", mode: 0o600)
    try write("ignored.txt", "app = a.g\ncommand = /bin/true\n", mode: 0o600)
    let launcher = AppLauncher(folder: folder.file(""), socket: "/none") { _ in }
    let registrations = launcher.registrations()
    #expect(registrations.map(\.app.name) == ["a.b", "a.c"])
    #expect(registrations.first?.method == .command(["/bin/true", "--background"]))
    #expect(registrations.last?.method == .unit("app.service"))
    chmod(folder.file(""), 0o777)
    #expect(launcher.registrations().isEmpty)
  }
}
