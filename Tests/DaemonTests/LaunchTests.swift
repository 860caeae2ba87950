import CLinux
import Foundation
import TestSupport
import LocationDaemon
import LocationHost
import LocationModel
import Testing

/// Apps that have ended, and have a pending event.
@Suite("An app that does not run", .serialized)
struct LaunchTests {
  private static let app = DaemonTests.app

  /// A daemon whose source is its configuration's, and an app that has registered a command.
  private struct Stage {
    private(set) var daemon: DaemonRun
    let program: String
    let service: String
    let mark: String
    private let file: String
    private let folder: TemporaryFolder

    init(_ service: String, source: String) async throws {
      self.service = service
      folder = try TemporaryFolder()
      file = folder.file("locationd.conf")
      mark = folder.file("crash")
      let launch = folder.file("launch")
      try "source = \(source)\nlaunch = \(launch)\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      daemon = try await DaemonRun(sources: [], arguments: ["--config", file], in: folder)
      try await daemon.answer("always", for: LaunchTests.app)
      program = try daemon.install("LaunchedApp", as: LaunchTests.app, in: "a")
      try "app = \(LaunchTests.app)\ncommand = \(program) \(service) \(mark)\n".write(
        toFile: launch + "/app.conf", atomically: true, encoding: .utf8)
    }

    /// Registers this instead.
    func register(_ lines: String) throws {
      try lines.write(
        toFile: folder.file("launch") + "/app.conf", atomically: true, encoding: .utf8)
    }

    /// Another source, as the daemon finds out that starts over.
    func change(source: String) throws {
      try "source = \(source)\nlaunch = \(folder.file("launch"))\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      daemon.program.signal(SIGHUP)
    }

    /// The computer is switched off, and on again where another source speaks.
    mutating func reboot(source: String) async throws {
      daemon.kill()
      try "source = \(source)\nlaunch = \(folder.file("launch"))\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      daemon = try await DaemonRun(sources: [], arguments: ["--config", file], in: folder)
    }

    /// Starts the app by hand, waits until it has received this, and ends it.
    func run(until line: String) async throws {
      let app = try daemon.run(program, service)
      _ = try await app.lines.next { $0 == "started by hand" }
      _ = try await app.lines.next { $0 == line }
      app.end()
    }

    /// What the app says that the daemon has started, from its start to this line.
    func launched(until line: String) async throws -> [String] {
      _ = try await daemon.program.lines.next { $0 == "started location" }
      var said: [String] = []
      while said.last != line { said.append(try await next()) }
      return said
    }

    private func next() async throws -> String {
      try await daemon.program.lines.next { line in
        ["home", "visit", "change", "started", "crashes"].contains { line.hasPrefix($0) }
      }
    }

    func end() { daemon.program.terminate() }
  }

  private static let home = "fixed:48.5,11.5,5"
  private static let away = "fixed:49.5,11.5,5"

  @Test(
    "MON-38, REG-31: is started once for an event, watches again, and gets the event",
    arguments: [("monitor", "home in"), ("region", "home is inside")])
  func launched(_ service: String, _ atHome: String) async throws {
    let stage = try await Stage(service, source: Self.home)
    try await stage.run(until: atHome)
    try stage.change(source: Self.away)
    #expect(try await stage.launched(until: "home out").count { $0 != "home is outside" } == 1)
    stage.end()
  }

  @Test("REG-13: has its region watched on when the owner says that a new version is the app")
  func adopted() async throws {
    let stage = try await Stage("region", source: Self.home)
    try await stage.run(until: "home is inside")
    let new = try stage.daemon.install("LaunchedApp", as: Self.app, in: "b")
    let twin = try stage.daemon.run(new, "brief", "list")
    #expect(try await twin.lines.next { $0.hasPrefix("watches") } == "watches ")
    twin.end()
    let adopted = try stage.daemon.control("apps", "adopt", new)
    #expect(adopted.status == 0, "\(adopted.text)")
    try stage.register("app = \(Self.app)\ncommand = \(new) region\n")
    try stage.change(source: Self.away)
    #expect(try await stage.launched(until: "home out").count { $0 != "home is outside" } == 1)
    stage.end()
  }

  @Test(
    "is started again after a pause when it crashes before it has taken the event",
    arguments: [("monitor", "home in"), ("region", "home is inside")])
  func crashes(_ service: String, _ atHome: String) async throws {
    let stage = try await Stage(service, source: Self.home)
    try await stage.run(until: atHome)
    try "".write(toFile: stage.mark, atomically: true, encoding: .utf8)
    try stage.change(source: Self.away)
    let said = try await stage.launched(until: "home out").filter { $0 != "home is outside" }
    #expect(said == ["crashes", "started location", "home out"])
    stage.end()
  }

  @Test("border 4: is not started by a registration for another program than holds its identifier")
  func anotherProgram() async throws {
    let stage = try await Stage("monitor", source: Self.home)
    try await stage.run(until: "home in")
    let other = try stage.daemon.install("LaunchedApp", as: Self.app, in: "b")
    let words = "\(other) monitor \(stage.mark)"
    try stage.register("app = \(Self.app)\ncommand = \(words)\n")
    try stage.change(source: Self.away)
    let line = try await stage.daemon.program.lines.next { $0.contains("cannot be started") }
    #expect(line.contains("\(stage.program) is \(Self.app), and \(other) is registered"))
    // The owner says which program is meant: what is started may then be another one.
    try stage.register(
      "app = \(Self.app)=\(stage.program)\ncommand = /usr/bin/env \(stage.program) monitor\n")
    try stage.change(source: Self.away)
    #expect(try await stage.launched(until: "home out").contains("home out"))
    stage.end()
  }

  @Test("LIFE-9, REG-31: is started for what happens after the computer was switched off and on")
  func reboot() async throws {
    var stage = try await Stage("region", source: Self.home)
    try await stage.run(until: "home is inside")
    try await stage.reboot(source: Self.away)
    #expect(try await stage.launched(until: "home out").last == "home out")
    stage.end()
  }

  @Test("VISIT-7: is started for the end of a visit that it knows, and needs only a manager")
  func visits() async throws {
    let folder = try TemporaryFolder()
    let commuter = Commuter(log: folder.file("receiver.log"))
    try commuter.travel(from: 0, to: Commuter.stay)
    let stage = try await Stage("visits", source: commuter.source)
    try await stage.run(until: "visit begins")
    try commuter.travel(from: Commuter.stay, to: 2 * Commuter.stay + Commuter.way)
    try stage.change(source: commuter.source)
    let said = try await stage.launched(until: "visit ends that began")
    #expect(said.allSatisfy { $0.hasPrefix("visit") }, "it is started once")
    stage.end()
  }

  @Test("SLC-8: is started for the position that it waits for")
  func changes() async throws {
    let server = try Server()
    let stage = try await Stage("changes", source: "nmea+tcp://127.0.0.1:\(server.port)")
    let app = try stage.daemon.run(stage.program, stage.service)
    _ = try await app.lines.next { $0 == "started by hand" }
    _ = try await server.arrivals.next()
    app.end()
    let receiver = Receiver { server.write($0) }
    let said = try await stage.launched(until: "change to \(Receiver.latitude)")
    #expect(said.count == 1)
    withExtendedLifetime(receiver) {}
    stage.end()
  }

  /// The children that a process has not reaped.
  private func children(of process: Int32) throws -> [Int32] {
    let tasks = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
      try String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)
        .split(separator: " ").compactMap { Int32($0) }
    }
  }

  @Test("is gone when it has ended, also after the daemon has started over meanwhile")
  func startedOver() async throws {
    let stage = try await Stage("monitor", source: Self.home)
    try await stage.run(until: "home in")
    try stage.change(source: Self.away)
    _ = try await stage.launched(until: "home out")
    let program = stage.daemon.program
    let child = try #require(children(of: program.pid).first)
    program.signal(SIGHUP)
    _ = try await program.lines.next { $0.contains("starting over") }
    _ = try await program.lines.next { $0.contains("\(Self.app) connected") }
    kill(child, SIGKILL)
    let caller = try LinkCaller(stage.daemon.socket)
    // Each try is a turn for the daemon; it needs a few.
    let isGone = try (0..<5000).contains { _ in
      _ = try caller.call("org.varlink.service.GetInfo")
      return try children(of: program.pid).isEmpty
    }
    #expect(isGone)
    stage.end()
  }

  @Test("ends with its test, also when the daemon has gone before it")
  func leftBehind() async throws {
    var stage: Stage? = try await Stage("monitor", source: Self.home)
    try await stage?.run(until: "home in")
    try stage?.change(source: Self.away)
    _ = try await stage?.launched(until: "home out")
    let child = try #require(stage.map { try children(of: $0.daemon.program.pid) }?.first)
    let held = linux_open_process(child)
    defer { close(held) }
    stage?.end()
    stage = nil
    var end = pollfd(fd: held, events: Int16(POLLIN), revents: 0)
    #expect(poll(&end, 1, 10_000) == 1, "process \(child) runs on")
  }

  @Test("LIFE-2: is started once it is registered by locationctl, and not after that is taken back")
  func registered() async throws {
    let stage = try await Stage("monitor", source: Self.home)
    func apps(_ arguments: String..., status: Int32 = 0) throws -> String {
      let run = try FinishedProgram(
        "locationctl", ["apps"] + arguments, stage.daemon.surroundings)
      #expect(run.status == status, "\(run.text)")
      return run.text
    }
    try stage.register("app = a.b\nunit = none.service\n")
    #expect(
      try apps("register", stage.program, "monitor", stage.mark)
        .contains("\(Self.app) is started by \(stage.program) monitor"))
    #expect(try apps("register", stage.program, "monitor", stage.mark).contains("replaced"))
    let list = try apps()
    #expect(list.contains("STARTED BY") && list.contains("\(stage.program) monitor"))
    #expect(list.contains("unit none.service"))
    #expect(
      try apps("register", stage.program, "--continue", "--", "monitor", stage.mark)
        .contains("replaced"))
    #expect(try apps("--continue", status: 2).contains("register"))
    #expect(try apps("register", stage.program, "a b", status: 1).contains("--unit"))
    #expect(try apps("register", "/none", status: 1).contains("no file"))
    #expect(try apps("register", "/usr", status: 1).contains("/usr is no program"))
    try await stage.run(until: "home in")
    try stage.change(source: Self.away)
    _ = try await stage.launched(until: "home out")
    #expect(try apps("unregister", Self.app).contains("no longer started"))
    #expect(try apps("unregister", Self.app, status: 1).contains("there is no registration"))
    #expect(try !apps().contains("\(stage.program) monitor"))
    stage.end()
  }

  @Test("LIFE-2: is registered by its entry in the desktop's menu that says so, the owner's first")
  func desktopEntries() throws {
    let folder = try TemporaryFolder()
    for name in ["own", "menu"] { mkdir(folder.file(name), 0o755) }
    func write(_ name: String, _ lines: String, mode: mode_t = 0o644) throws {
      let file = folder.file(name)
      try lines.write(toFile: file, atomically: true, encoding: .utf8)
      chmod(file, mode)
    }
    func entry(_ command: String, _ more: String = "X-Meridian-Launch=true") -> String {
      "[Desktop Entry]\nType=Application\n# a note\nExec=\(command)\n\(more)\n"
        + "[Desktop Action new]\nExec=/bin/false\n"
    }
    let tool = folder.file("tool")
    for name in ["tool", "other", "third"] {
      try FileManager.default.copyItem(atPath: "/bin/true", toPath: folder.file(name))
    }
    try write(
      "tool.plist",
      "<plist><dict><key>CFBundleIdentifier</key><string>a.tool</string></dict></plist>")
    try write("menu/tool.desktop", entry("\"\(tool)\" --name \"two words\" 100%% %U"))
    try write("menu/silent.desktop", entry(folder.file("third"), ""))
    try write(
      "menu/hidden.desktop", entry(folder.file("third"), "X-Meridian-Launch=true\nHidden=true"))
    try write("menu/open.desktop", entry(folder.file("third")), mode: 0o666)
    try write("menu/gone.desktop", entry("/none/program"))
    try write("menu/quote.desktop", entry("\"/bin/true"))
    try write("menu/other.desktop", entry(folder.file("other")))
    try write("own/other.conf", "app = \(folder.file("other"))\nunit = other.service\n")
    let notes = Events<String>()
    let launcher = AppLauncher(
      folders: [
        .registrations(folder.file("own")), .registrations(folder.file("none")),
        .desktopEntries(folder.file("menu")),
      ], socket: "/none", manager: .user(startsCommands: false)
    ) { notes.add("\($0)") }
    let registrations = launcher.registrations()
    #expect(registrations.map(\.app.name).sorted() == ["a.tool", folder.file("other")].sorted())
    let entry = try #require(registrations.first { $0.app.name == "a.tool" })
    #expect(entry.holder == tool)
    #expect(entry.method == .command([tool, "--name", "two words", "100%"]))
    #expect(launcher.starters()[AppIdentity(folder.file("other"))] == "unit other.service")
  }

  @Test("is started by the daemon, or by the manager of services that the daemon belongs to")
  func starters() {
    func words(_ method: LaunchRegistration.Method, _ manager: AppLauncher.Starter) -> String {
      AppLauncher(folders: [], socket: "/s", manager: manager) { _ in }.words(of: method)
        .joined(separator: " ")
    }
    let unit = LaunchRegistration.Method.unit("a.service")
    let command = LaunchRegistration.Method.command(["/a", "-b$1"])
    #expect(words(unit, .system) == "systemctl --no-block start a.service")
    #expect(words(command, .system) == "/a -b$1")
    for startsCommands in [false, true] {
      let user = AppLauncher.Starter.user(startsCommands: startsCommands)
      #expect(words(unit, user) == "systemctl --user --no-block start a.service")
    }
    #expect(words(command, .user(startsCommands: false)) == "/a -b$1")
    #expect(
      words(command, .user(startsCommands: true))
        == "systemd-run --user --quiet --collect --setenv=LOCATIOND_SOCKET=/s "
        + "--setenv=LOCATIOND_LAUNCH=location -- /a -b$$1")
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
    try write("unit.conf", "app = a.c\nunit = app.service\ncontinue = yes\n", mode: 0o644)
    try write("doubt.conf", "app = a.h\nunit = app.service\ncontinue = maybe\n", mode: 0o644)
    try write("open.conf", "app = a.d\ncommand = /bin/true\n", mode: 0o666)
    try write("relative.conf", "app = a.e\ncommand = true\n", mode: 0o600)
    try write("both.conf", "app = a.f\ncommand = /bin/true\nunit = x.service\n", mode: 0o600)
    try write("ignored.txt", "app = a.g\ncommand = /bin/true\n", mode: 0o600)
    let launcher = AppLauncher(
      folders: [.registrations(folder.file(""))], socket: "/none", manager: .system
    ) { _ in }
    let registrations = launcher.registrations()
    #expect(registrations.map(\.app.name) == ["a.b", "a.c"])
    #expect(registrations.first?.method == .command(["/bin/true", "--background"]))
    #expect(registrations.last?.method == .unit("app.service"))
    #expect(!launcher.mayContinue(AppIdentity("a.b")) && launcher.mayContinue(AppIdentity("a.c")))
    #expect(!launcher.mayContinue(AppIdentity("a.none")))
    chmod(folder.file(""), 0o777)
    #expect(launcher.registrations().isEmpty)
  }

  @Test("border 12: is started by one of the first 2,048 files of a folder, and by none beyond")
  func mostFiles() throws {
    let folder = try TemporaryFolder()
    for number in 0..<(AppLauncher.mostFiles + 100) {
      let text = "app = a.n\(number + 10_000)\ncommand = /bin/true\n"
      let file = folder.file("\(number + 10_000).conf")
      let isWritten = FileManager.default.createFile(
        atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
      #expect(isWritten)
    }
    let launcher = AppLauncher(
      folders: [.registrations(folder.file(""))], socket: "/none", manager: .system
    ) { _ in }
    let apps = launcher.registrations().map(\.app.name)
    #expect(apps.count == AppLauncher.mostFiles)
    #expect(apps.last == "a.n\(10_000 + AppLauncher.mostFiles - 1)")
  }
}
