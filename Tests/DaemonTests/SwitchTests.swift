import Foundation
import TestSupport
import Testing

/// The switches of the owner's configuration, through a real daemon and a real app.
@Suite("The owner's switches", .serialized)
struct SwitchTests {
  private static let app = DaemonTests.app
  private static let home = "fixed:48.5,11.5,5"
  private static let away = "fixed:49.5,11.5,5"

  /// A daemon that has a line of configuration, and an app that is registered to be started.
  private struct Stage {
    let daemon: DaemonRun
    private let folder: TemporaryFolder
    private let line: String
    private let app: String
    private let service: String

    init(_ service: String, _ line: String) async throws {
      folder = try TemporaryFolder()
      (self.line, self.service) = (line, service)
      let file = folder.file("locationd.conf")
      let launch = folder.file("launch")
      try Self.lines(SwitchTests.home, launch, line)
        .write(toFile: file, atomically: true, encoding: .utf8)
      daemon = try await DaemonRun(sources: [], arguments: ["--config", file], in: folder)
      try await daemon.answer("always", for: SwitchTests.app)
      app = try daemon.install("LaunchedApp", as: SwitchTests.app, in: "a")
      try "app = \(SwitchTests.app)\ncommand = \(app) \(service)\n".write(
        toFile: launch + "/app.conf", atomically: true, encoding: .utf8)
    }

    private static func lines(_ source: String, _ launch: String, _ line: String) -> String {
      "source = \(source)\nlaunch = \(launch)\nagent = none\n\(line)\n"
    }

    /// Has the app monitor a region, and end; and the owner monitor the same place.
    func leave(after line: String) async throws {
      let process = try daemon.run(app, service)
      _ = try await process.lines.next { $0 == line }
      process.end()
      #expect(try daemon.control("monitor", "add", "home", "48.5,11.5,200").status == 0)
      #expect(try events().contains(": satisfied"))
    }

    /// Another source, from which the daemon learns that the device has left.
    func move() throws {
      try Self.lines(SwitchTests.away, folder.file("launch"), line).write(
        toFile: folder.file("locationd.conf"), atomically: true, encoding: .utf8)
      daemon.program.signal(SIGHUP)
    }

    func events() throws -> String {
      try daemon.control("monitor", "events", "--count", "1", "--timeout", "60").text
    }
  }

  @Test(
    "STD-53, LIFE-4: an app for which the switch is set is not started for an event",
    arguments: [
      ("no-background-refresh = \(app)", "region", "background refresh", "noBackgroundRefresh"),
      ("honor-force-quit = yes", "quits", "start after force-quit", "forceQuit"),
    ])
  func withheld(_ line: String, _ service: String, _ words: String, _ code: String) async throws {
    let stage = try await Stage(service, line)
    try await stage.leave(after: "home is inside")
    #expect(try stage.daemon.control("apps").text.contains(words))
    #expect(try stage.daemon.control("apps", "--json").text.contains("\"withheld\":\"\(code)\""))
    try stage.move()
    _ = try await stage.daemon.program.lines.next { $0.contains("starting over") }
    #expect(try stage.events().contains(": unsatisfied"))
    stage.daemon.program.signal(SIGHUP)
    // Everything that was started by then has said so before the daemon starts over.
    let first = try await stage.daemon.program.lines.next {
      $0 == "started location" || $0.contains("starting over")
    }
    #expect(first.contains("starting over"))
    stage.daemon.program.terminate()
  }

  @Test(
    "LIFE-1, LIFE-4: an app is started for an event, also after the person has ended it",
    arguments: [
      ("no-background-refresh = a.b", "region"), ("honor-force-quit = no", "quits"),
    ])
  func started(_ line: String, _ service: String) async throws {
    let stage = try await Stage(service, line)
    try await stage.leave(after: "home is inside")
    try stage.move()
    _ = try await stage.daemon.program.lines.next { $0 == "started location" }
    stage.daemon.program.terminate()
  }

  @Test("STD-42, SLC-11, AUTH-38: the switches of services are shown by locationctl apps")
  func shown() async throws {
    let daemon = try await DaemonRun(configuration: [
      "pause-needs-restart = yes", "significant-change-heartbeat = 15m", "remind-after = 3d",
      "restrict = \(Self.app)",
    ])
    try await daemon.answer("always", for: Self.app)
    let text = try daemon.control("apps").text
    #expect(text.contains("paused until restarted, a change every 15 min at rest"))
    #expect(text.contains("reminder after 3 days"))
    let json = try daemon.control("apps", "--json").text
    #expect(json.contains("\"settings\":\"pauseNeedsRestart, heartbeat 900, remindAfter 3\""))
    let doctor = try daemon.control("doctor", "--app", Self.app).text
    #expect(doctor.contains("the configuration of locationd withholds its location"))
  }

  @Test("AUTH-38: the person is reminded of an app that uses Always in the background")
  func reminder() async throws {
    let daemon = try await DaemonRun(configuration: ["agent = none", "remind-after = 1d"])
    try await daemon.answer("always", for: Self.app)
    let path = try daemon.install("LaunchedApp", as: Self.app, in: "a")
    let list = """
      <plist><dict><key>CFBundleIdentifier</key><string>\(Self.app)</string>
      <key>NSLocationWhenInUseUsageDescription</key><string>To test.</string>
      <key>NSLocationAlwaysAndWhenInUseUsageDescription</key><string>To test.</string>
      <key>UIBackgroundModes</key><array><string>location</string></array></dict></plist>
      """
    try Data(list.utf8).write(to: URL(fileURLWithPath: path + ".plist"))
    let app = try daemon.run(path, "background")
    _ = try await daemon.program.lines.next {
      $0.contains("has used your location in the background. Go on?")
    }
    app.end()
  }

  @Test("AUTH-7: the owner resets what every app may know, whether it runs or not")
  func reset() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("always", for: Self.app)
    #expect(try daemon.control("authorize", "org.example.absent", "never").status == 0)
    #expect(try daemon.control("monitor", "add", "home", "48.5,11.5,200").status == 0)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let unsure = try daemon.control("authorize", "--reset-all")
    #expect(unsure.status == 2 && unsure.text.contains("--yes"))
    #expect(try daemon.control("authorize", "--list").text.contains("org.example.absent: never"))
    let reset = try daemon.control("authorize", "--reset-all", "--yes")
    #expect(reset.status == 0 && reset.text.contains("reset what 2 apps may know"))
    _ = try await app.lines.next { $0 == "status 0 on main" }
    let list = try daemon.control("authorize", "--list").text
    #expect(list.contains("org.example.absent: ask") && !list.contains("never"))
    #expect(list.contains("locationctl: always"), "the owner keeps what it watches")
    #expect(try daemon.control("authorize", "--reset-all", "--yes").text.contains("0 apps"))
    app.end()
  }
}
