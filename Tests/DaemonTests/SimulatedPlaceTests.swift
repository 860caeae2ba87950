import Foundation
import TestSupport
import Testing

/// `locationctl location`, with real daemons, apps, and commands.
@Suite("A place that is set from outside", .serialized, .timeLimit(.minutes(2)))
struct SimulatedPlaceTests {
  static let app = DaemonTests.app
  /// The lines of a configuration that let this process administer.
  static func owned(_ lines: String...) throws -> [String] {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ["owner-program = \(own)"] + lines
  }

  private func daemon() async throws -> DaemonRun {
    let daemon = try await DaemonRun(configuration: Self.owned("allow-simulation = yes"))
    try await daemon.answer("whenInUse", for: Self.app)
    return daemon
  }

  @Test("SIM-7, SIM-15: overrides the source from set to clear, and status says so")
  func set() async throws {
    let daemon = try await daemon()
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let set = try daemon.control("location", "set", "-33.86,151.2")
    #expect(set.text == "the place is set until: locationctl location clear\n")
    _ = try await app.lines.next { $0 == "location -33.86 on main" }
    #expect(try daemon.control("status").text.contains("set from outside"))
    #expect(try daemon.control("status", "--json").text.contains("\"simulated\":true"))
    #expect(try daemon.control("doctor").text.contains("next: locationctl location clear"))
    #expect(try daemon.control("location", "clear").status == 0)
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    #expect(!(try daemon.control("status").text.contains("set from outside")))
    #expect(try daemon.control("location", "clear").text == "no place was set\n")
  }

  @Test("SIM-8, SIM-15: a way ends with its command, and the source is back")
  func start() async throws {
    let daemon = try await daemon()
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let command = try RunningProgram(
      BuiltProgram.path("locationctl"),
      ["location", "start", "--speed", "1000", "10,20", "20,20"], environment: daemon.surroundings)
    _ = try await app.lines.next { $0.hasPrefix("location 10.000") }
    _ = try await app.lines.next { $0.hasPrefix("location 10.009") }
    command.end()
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
  }

  @Test("SIM-15: clear, and set, end a way whose command still runs, and that command says so")
  func replaced() async throws {
    let daemon = try await daemon()
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    for (words, place) in [
      (["location", "clear"], "location 48.5 on main"),
      (["location", "set", "-33.86,151.2"], "location -33.86 on main"),
    ] {
      let command = try RunningProgram(
        BuiltProgram.path("locationctl"), ["location", "start", "10,20", "20,20"],
        environment: daemon.surroundings)
      defer { command.end() }
      _ = try await app.lines.next { $0.hasPrefix("location 10.000") }
      #expect(try FinishedProgram("locationctl", words, daemon.surroundings).status == 0)
      _ = try await command.lines.next { $0.contains("set or cleared the place") }
      #expect(try await command.lines.next() == "Next: start it again")
      _ = try await app.lines.next { $0 == place }
    }
    #expect(try daemon.control("status").text.contains("set from outside"))
  }

  @Test("SIM-9: a GPX file is played to its end")
  func run() async throws {
    let daemon = try await daemon()
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let file = daemon.folder.file("way.gpx")
    let points = ["10.0", "10.0001"].map { "<wpt lat=\"\($0)\" lon=\"20\"></wpt>" }.joined()
    try Data("<gpx version=\"1.1\">\(points)</gpx>".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try daemon.control("location", "run", file).text.contains("Ctrl-C gives it back"))
    _ = try await app.lines.next { $0.hasPrefix("location 10.000") }
    _ = try await app.lines.next { $0.hasPrefix("location 10.000") }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
  }

  @Test("SIM-15: the daemon of the machine refuses without its owner's consent")
  func optIn() async throws {
    let daemon = try await DaemonRun(arguments: ["--system"], configuration: Self.owned())
    let refused = try daemon.control("location", "set", "10,20")
    #expect(refused.status == 1)
    #expect(refused.text.contains("allow-simulation = yes"))
    #expect(!(try daemon.control("status").text.contains("set from outside")))
  }

  @Test("SIM-15: no one but the owner sets it", .enabled(if: getuid() == 0, "needs root"))
  func owner() async throws {
    let daemon = try await daemon()
    let refused = try FinishedProgram(
      "locationctl", ["location", "set", "10,20"], daemon.surroundings, as: "nobody")
    #expect(refused.status == 1)
    #expect(refused.text.contains("refuses"))
    #expect(try daemon.control("location", "clear").text == "no place was set\n")
  }

  @Test("what is no place, no way, and no file is said")
  func usage() async throws {
    let daemon = try await daemon()
    for words in [
      ["location", "set", "91,0"], ["location", "set"], ["location", "start", "10,20"],
      ["location", "run", "/nonexistent.gpx"], ["location", "run"], ["location", "clear", "now"],
      ["location", "jump", "10,20"], ["location", "set", "10,20", "--speed", "3"],
      ["location", "run", "City Run", "--speed", "3"], ["location", "run", "City Rum"],
      ["location", "start", "10,20", "10,21", "--altitude", "3"], ["location", "list", "all"],
      ["location", "start", "1,2", "1,3", "--distance", "3", "--interval", "3"],
    ] {
      #expect(try FinishedProgram("locationctl", words, daemon.surroundings).status == 2)
    }
  }

  // MARK: In process

  /// An app with an engine of its own, and what reaches it.
  private struct LoneApp {
    let folder: TemporaryFolder
    let program: RunningProgram
    var surroundings: [String: String]

    init() async throws {
      folder = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: folder.file("run"), withIntermediateDirectories: true)
      surroundings = [
        "LOCATIOND_SOCKET": "", "CORELOCATION_SOURCES": "fixed:48.5,11.5,5",
        "XDG_STATE_HOME": folder.file("state"), "XDG_RUNTIME_DIR": folder.file("run"),
      ]
      let path = folder.file("LoneApp")
      try FileManager.default.copyItem(atPath: BuiltProgram.path("ClassicApp"), toPath: path)
      let list = [
        "CFBundleIdentifier": DaemonTests.app, "NSLocationWhenInUseUsageDescription": "To test.",
      ]
      try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        .write(to: URL(fileURLWithPath: path + ".plist"))
      let grant = try RunningProgram(
        BuiltProgram.path("HostProgram"),
        ["grant", "whenInUse", DaemonTests.app, folder.file("state") + "/meridian"])
      defer { grant.end() }
      _ = try await grant.lines.next { $0 == "granted" }
      program = try RunningProgram(path, ["main"], environment: surroundings)
      _ = try await program.lines.next { $0 == "location 48.5 on main" }
    }

    func control(_ words: String...) throws -> FinishedProgram {
      try FinishedProgram("locationctl", words, surroundings)
    }
  }

  @Test("SIM-15: one app's place, by its name or its process, over a socket of its user alone")
  func inProcess() async throws {
    let app = try await LoneApp()
    defer { app.program.end() }
    let socket = app.folder.file("run/meridian/\(app.program.pid).sock")
    let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let set = try app.control("location", "set", "10,20", "--app", "LoneApp")
    #expect(set.text == "the place is set until: locationctl location clear --app LoneApp\n")
    _ = try await app.program.lines.next { $0 == "location 10.0 on main" }
    #expect(try app.control("location", "clear", "--app", "\(app.program.pid)").status == 0)
    _ = try await app.program.lines.next { $0 == "location 48.5 on main" }
    let command = try RunningProgram(
      BuiltProgram.path("locationctl"), ["location", "run", "City Run", "--app", "LoneApp"],
      environment: app.surroundings)
    _ = try await app.program.lines.next { $0.hasPrefix("location 37.3") }
    command.end()
    _ = try await app.program.lines.next { $0 == "location 48.5 on main" }
    let absent = try app.control("location", "set", "10,20", "--app", "another")
    #expect(absent.status == 1 && absent.text.contains("\(app.program.pid)"))
  }

  @Test(
    "SIM-15: another user is not heard, although the socket was opened to all",
    .enabled(if: getuid() == 0, "needs root"))
  func foreignUser() async throws {
    let app = try await LoneApp()
    defer { app.program.end() }
    let run = app.folder.file("run")
    for path in [app.folder.file(""), run, run + "/meridian"] { chmod(path, 0o755) }
    chmod(run + "/meridian/\(app.program.pid).sock", 0o666)
    let refused = try FinishedProgram(
      "locationctl", ["location", "set", "10,20", "--app", "\(app.program.pid)"],
      app.surroundings, as: "nobody")
    #expect(refused.status == 1)
    let none = try app.control("location", "clear", "--app", "LoneApp")
    #expect(none.text == "no place was set\n")
  }

  @Test("SIM-15: a program in a sandbox sets no place", .enabled(if: isInstalled("bwrap")))
  func sandboxed() async throws {
    let app = try await LoneApp()
    defer { app.program.end() }
    for more in [[], ["--unshare-user"]] {
      let tool = [
        BuiltProgram.path("locationctl"), "location", "set", "10,20",
        "--app", "\(app.program.pid)",
      ]
      let program = try RunningProgram(
        "/usr/bin/bwrap", ["--dev-bind", "/", "/"] + more + ["--"] + tool,
        environment: app.surroundings)
      defer { program.end() }
      let refused = try await program.lines.next { $0.hasPrefix("locationctl: ") }
      #expect(refused.contains("sandbox") || refused.contains("cannot be seen"), "\(refused)")
    }
    let none = try app.control("location", "clear", "--app", "LoneApp")
    #expect(none.text == "no place was set\n")
  }
}
