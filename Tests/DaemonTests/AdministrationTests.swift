import Foundation
import LocationHost
import LocationLink
import LocationModel
import TestSupport
import Testing

@testable import locationctl

/// The owner's command line against a real daemon.
@Suite("The owner of a daemon", .serialized)
struct AdministrationTests {
  static let app = DaemonTests.app

  /// Runs `locationctl` to its end, as somebody whose apps use this daemon.
  private func run(
    _ daemon: DaemonRun, _ words: String..., as user: String? = nil
  ) throws -> FinishedProgram {
    try FinishedProgram("locationctl", words, daemon.surroundings, as: user)
  }

  @Test(
    "ADMIN-11: says that the configuration on disk was refused, why, and that the former one is in force"
  )
  func refusedReload() async throws {
    let daemon = try await DaemonRun()
    #expect(try !run(daemon, "status").output.contains("the former one is in force"))
    let file = URL(fileURLWithPath: daemon.folder.file("locationd.conf"))
    let former = try Data(contentsOf: file)
    try (former + Data("source = nonsense\n".utf8)).write(to: file)
    daemon.program.signal(SIGHUP)
    _ = try await daemon.program.lines.next { $0.contains("not reloaded") }
    let status = try run(daemon, "status").output
    #expect(status.contains("the former one is in force; refused since "), "\(status)")
    #expect(status.contains("locationd.conf:3: "))
    #expect(try run(daemon, "status", "--json").output.contains("\"refused_reload\":{"))
    let found = try run(daemon, "doctor").output
    #expect(found.contains("locationd.conf:3: ") && found.contains("--check"), "\(found)")
    try former.write(to: file)
    daemon.program.signal(SIGHUP)
    _ = try await daemon.program.lines.next { $0.contains("serving") }
    #expect(try !run(daemon, "status").output.contains("the former one is in force"))
  }

  @Test("sees sources, clients, demand, and how old the last fix is; places only when asked")
  func status() async throws {
    let service = "ichnaea:http://127.0.0.1:9?key=k1x"
    let daemon = try await DaemonRun(sources: ["fixed:48.5,11.5,5", service])
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let text = try run(daemon, "status")
    #expect(text.status == 0)
    #expect(text.output.contains("fixed:‹private›") && !text.output.hasDegrees("48.5"))
    #expect(text.output.contains("last fix  ") && text.output.contains("within 5 m"))
    let object = try #require(try run(daemon, "status", "--json").objects().first)
    #expect(object["services_enabled"] as? Bool == true)
    let clients = try #require(object["clients"] as? [[String: Any]])
    let mine = try #require(clients.first { $0["app"] as? String == Self.app })
    #expect(mine["pid"] as? Int == Int(app.pid))
    #expect(mine["services"] as? [String] == ["updates"])
    let demand = try #require(object["demand"] as? [String: Any])
    #expect(demand["tier"] as? String == "satellite")
    let fix = try #require(object["last_fix"] as? [String: Any])
    #expect(fix["latitude"] == nil && fix["horizontal_accuracy"] as? Double == 5)
    let delivered = try #require(try run(daemon, "status", "--places", "--json").objects().first)
    #expect((delivered["last_fix"] as? [String: Any])?["latitude"] as? Double == 48.5)
    // The key of a service is shown to nobody.
    for words in [["status"], ["status", "--json"], ["status", "--places"], ["doctor"]] {
      let said = try FinishedProgram("locationctl", words, daemon.surroundings).output
      #expect(said.contains("ichnaea:") && !said.contains("k1x"), "\(words)")
      #expect(said.contains("48.5,11.5") == (words.last == "--places"), "\(words)")
    }
  }

  @Test("SETUP-13: says that its program was replaced since it began, and what starts the new one")
  func replacedProgram() async throws {
    let folder = try TemporaryFolder()
    let copy = folder.file("locationd")
    try FileManager.default.copyItem(atPath: BuiltProgram.path("locationd"), toPath: copy)
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let tool = URL(fileURLWithPath: BuiltProgram.path("locationctl")).resolvingSymlinksInPath().path
    // The copy runs as the last word of the wrapper's command.
    let daemon = try await DaemonRun(
      in: folder, configuration: ["owner-program = \(own)", "owner-program = \(tool)"],
      wrapper: ["/bin/sh", "-c", "shift; exec \"$0\" \"$@\"", copy])
    #expect(try !run(daemon, "status").output.contains("replaced since it began"))
    try FileManager.default.removeItem(atPath: copy)
    let status = try run(daemon, "status").output
    #expect(status.contains("its program was replaced since it began"), "\(status)")
    #expect(status.contains("systemctl --user restart locationd"))
    #expect(try run(daemon, "doctor").output.contains("its program was replaced since it began"))
  }

  @Test("authorizes apps that run and apps that do not, and lists them")
  func authorize() async throws {
    let daemon = try await DaemonRun()
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "status 0 on main" }
    let said = try run(daemon, "authorize", Self.app, "whenInUse")
    #expect(said.output == "\(Self.app): whenInUse (was: ask)\n")
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let own = try run(daemon, "authorize", "/bin/ls@\(getuid())", "always")
    #expect(own.status == 1 && own.error.contains("Next: locationctl authorize "))
    #expect(said.error.isEmpty)
    let other = try run(daemon, "authorize", "net.example.other", "always", "--precise", "no")
    #expect(other.status == 0 && other.error.contains("is registered or has asked yet"))
    let apps = try run(daemon, "apps", "--json").objects()
    #expect(apps.map { $0["app"] as? String } == ["net.example.other", Self.app])
    #expect(apps.map { $0["level"] as? String } == ["always", "whenInUse"])
    #expect(apps.map { $0["processes"] as? Int } == [0, 1])
    #expect(apps.map { $0["precise"] as? Bool } == [false, true])
    _ = try run(daemon, "authorize", Self.app, "never")
    _ = try await app.lines.next { $0 == "status 2 on main" }
  }

  @Test("AUTH-5: switches services off and on for all; running apps are notified")
  func services() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    #expect(try run(daemon, "services", "off").output == "location services are off\n")
    _ = try await app.lines.next { $0 == "status 2 on main" }
    #expect(try run(daemon, "services").output == "location services are off\n")
    #expect(try run(daemon, "doctor").error.contains("services_off"))
    #expect(try run(daemon, "services", "on").output == "location services are on\n")
    _ = try await app.lines.next { $0 == "status 4 on main" }
  }

  @Test("monitors places: receives each event once, also after the daemon was killed")
  func monitor() async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(in: folder)
    #expect(try run(daemon, "monitor", "add", "here", "48.5,11.5,200").status == 0)
    #expect(try run(daemon, "monitor", "add", "there", "49.5,11.5,200").status == 0)
    let events = try run(daemon, "monitor", "events", "--count", "2", "--timeout", "60", "--json")
    let states = try events.objects().map {
      "\($0["identifier"] as? String ?? "") \($0["state"] as? String ?? "")"
    }
    #expect(states.sorted() == ["here satisfied", "there unsatisfied"])
    daemon.kill()
    daemon = try await DaemonRun(in: folder)
    let again = try run(daemon, "monitor", "events", "--timeout", "3")
    #expect(again.output.isEmpty && again.status == 0)
    let list = try run(daemon, "monitor", "list", "--json").objects()
    #expect(list.map { $0["identifier"] as? String } == ["here", "there"])
    #expect(list.allSatisfy { $0["latitude"] == nil })
    #expect(try run(daemon, "monitor", "remove", "here").status == 0)
    let refused = try run(daemon, "monitor", "remove", "here")
    #expect(refused.status == 1 && refused.error.contains("nothing named here"))
    let places = try run(daemon, "monitor", "list", "--places", "--json").objects()
    #expect(places.map { $0["latitude"] as? Double } == [49.5])
  }

  @Test("ADMIN-7: what would not be monitored is refused, with the reason")
  func unmonitored() async throws {
    let daemon = try await DaemonRun()
    for number in 1...20 {
      #expect(try run(daemon, "monitor", "add", "p\(number)", "48.5,11.5,200").status == 0)
    }
    let surplus = try run(daemon, "monitor", "add", "p21", "48.5,11.5,200")
    #expect(surplus.status == 1 && surplus.output.isEmpty)
    #expect(surplus.error.contains("p21 is not monitored: you monitor 20 already"))
    #expect(try run(daemon, "monitor", "add", "p20", "48.5,11.5,300").status == 0, "replaced")
    let large = try run(daemon, "monitor", "add", "p1", "48.5,11.5,1e7")
    #expect(large.status == 1 && large.error.contains("the largest circle has 1000000 m"))
    let removed = try run(daemon, "monitor", "remove", "p20", "--json").objects()
    #expect(removed.map { $0["monitored"] as? Bool } == [false])
    #expect(try run(daemon, "monitor", "list", "--json").objects().count == 19, "p1 is there")
    _ = try run(daemon, "authorize", "locationctl", "never")
    let denied = try run(daemon, "monitor", "add", "q", "48.5,11.5,200")
    #expect(denied.status == 1 && denied.error.contains("locationctl authorize locationctl always"))
    let list = try run(daemon, "monitor", "list", "--json").objects()
    #expect(list.allSatisfy { $0["reason"] as? String == "authorizationDenied" })
    #expect(try run(daemon, "monitor", "list").output.contains("the app may not know the location"))
    _ = try run(daemon, "authorize", "locationctl", "always")
    let added = try run(daemon, "monitor", "add", "q", "48.5,11.5,200", "--json").objects()
    #expect(added.map { $0["identifier"] as? String } == ["q"])
    #expect(added.map { $0["monitored"] as? Bool } == [true])
    let again = try run(daemon, "monitor", "list", "--json").objects()
    #expect(again.allSatisfy { $0["reason"] == nil })
    let first = try run(daemon, "monitor", "events", "--count", "1", "--timeout", "60").output
    #expect(first.hasSuffix(": satisfied\n"))
  }

  /// 200 m around, without the place of the device.
  private static let yard = """
    {"type":"Feature","properties":{"name":"a yard"},"geometry":{"type":"Polygon","coordinates":
    [[[11.497,48.498],[11.503,48.498],[11.503,48.502],[11.497,48.502],[11.497,48.498]],
    [[11.499,48.4993],[11.501,48.4993],[11.501,48.5007],[11.499,48.5007],[11.499,48.4993]]]}}
    """

  @Test("ADMIN-7: monitors polygons of a file and as typed, also after the daemon was killed")
  func monitorPolygons() async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(in: folder)
    let file = folder.file("yard.geojson")
    try Data(Self.yard.utf8).write(to: URL(fileURLWithPath: file))
    let added = try run(daemon, "monitor", "add", "yard", "--polygon", file)
    #expect(added.output == "watching yard\n")
    let corners = "48.499,11.499 48.499,11.501 48.502,11.5"
    #expect(try run(daemon, "monitor", "add", "field", "--polygon", corners).status == 0)
    let events = try run(daemon, "monitor", "events", "--count", "2", "--timeout", "60", "--json")
    let states = try events.objects().map {
      "\($0["identifier"] as? String ?? "") \($0["kind"] as? String ?? "") "
        + "\($0["state"] as? String ?? "")"
    }
    #expect(states.sorted() == ["field polygon satisfied", "yard polygon unsatisfied"])
    let explained = try run(daemon, "explain", "field").output
    #expect(explained.contains("condition \"field\" of locationctl: satisfied, delivered "))
    daemon.kill()
    daemon = try await DaemonRun(in: folder)
    #expect(try run(daemon, "monitor", "events", "--timeout", "3").output.isEmpty)
    let list = try run(daemon, "monitor", "list", "--json")
    #expect(try list.objects().map { $0["positions"] as? Int } == [4, 10])
    // Dates may have the digits of a place.
    let named = try list.objects().flatMap(\.keys)
    #expect(!named.contains { ["polygon", "latitude", "longitude", "coordinates"].contains($0) })
    #expect(try run(daemon, "monitor", "list").output.contains("4 positions\n"))
    let table = try run(daemon, "monitor", "list", "--places").output
    #expect(table.contains("10 positions from 48.498, 11.497 to 48.502, 11.503"))
    let places = try run(daemon, "monitor", "list", "--places", "--json").objects()
    let polygon = try #require(places.last?["polygon"] as? [String: Any])
    #expect((polygon["coordinates"] as? [[[Double]]])?.map(\.count) == [5, 5])
    #expect(try run(daemon, "monitor", "remove", "yard").status == 0)
    #expect(try run(daemon, "monitor", "list", "--json").objects().count == 1)
  }

  @Test(
    "ADMIN-8: all polygons together have 20,000 positions at most, without one that is replaced")
  func mostPositions() async throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let daemon = try await DaemonRun(
      configuration: ["owner-program = \(own)", "conditions-per-app = unlimited"])
    let ring = (0...999).map { number in
      let turn = Double(number % 999) / 999 * 2 * Double.pi
      return Coordinate(latitude: 1 + 0.01 * sin(turn), longitude: 2 + 0.01 * cos(turn))
    }
    let outline = try PolygonOutline([[ring]])
    let caller = try DaemonCaller(at: daemon.socket)
    for number in 1...20 {
      _ = try caller.ask(.addPolygon(identifier: "\(number)", outline))
    }
    _ = try caller.ask(.addPolygon(identifier: "20", outline))
    let triangle = try PolygonOutline([[[ring[0], ring[300], ring[600], ring[0]]]])
    let refused = DaemonCaller.Fault.refused(
      "your polygons would have more than 20000 positions together",
      next: "remove one, or draw them with fewer")
    #expect(throws: refused) { try caller.ask(.addPolygon(identifier: "21", triangle)) }
    _ = try caller.ask(.addPolygon(identifier: "20", triangle))
    _ = try caller.ask(.addPolygon(identifier: "21", triangle))
    let list: [ConditionStatus] = try caller.ask(.conditions(places: true), "conditions")
    #expect(list.count == 21 && list.allSatisfy { $0.polygon != nil })
  }

  @Test("lists the events delivered to apps, and explains one, also after the daemon was killed")
  func explain() async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(in: folder)
    #expect(try run(daemon, "explain").output == "No event was delivered to an app.\n")
    _ = try run(daemon, "monitor", "add", "here", "48.5,11.5,200")
    _ = try run(daemon, "monitor", "add", "there", "49.5,11.5,200")
    _ = try run(daemon, "monitor", "events", "--count", "2", "--timeout", "60")
    let list = try run(daemon, "explain").output
    #expect(list.contains("condition  here") && list.contains("condition  there"))
    let here = try run(daemon, "explain", "here").output
    #expect(here.contains("condition \"here\" of locationctl: satisfied, delivered "))
    #expect(here.contains("% likely") && here.contains("m inside, good to"))
    daemon.kill()
    daemon = try await DaemonRun(in: folder)
    #expect(try run(daemon, "explain", "here").output == here)
    let all = try run(daemon, "explain", "--json")
    #expect(try all.objects().map { $0["event"] as? Int } == [1, 2])
    #expect(try all.objects().allSatisfy { $0["policy_delay"] as? Double != nil })
    for degrees in ["48.5", "49.5"] { #expect(!all.output.hasDegrees(degrees)) }
    // A distance may begin with 11.5 by chance.
    #expect(!all.output.split { !$0.isNumber && $0 != "." }.contains("11.5"))
    #expect(!all.output.contains("latitude") && !all.output.contains("longitude"))
    #expect(try run(daemon, "explain", "--app", "net.example.other", "--json").output.isEmpty)
    let none = try run(daemon, "explain", "7")
    #expect(none.status == 1 && none.error.contains("\"7\" is none of the 2 events"))
    _ = try run(daemon, "data", "erase", "--app", "locationctl")
    _ = try await daemon.program.lines.next { $0.contains("starting over") }
    #expect(try run(daemon, "explain", "--json").output.isEmpty)
  }

  @Test("doctor names the daemon's agents, and that they can ask nobody")
  func agents() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("conf")
    try "agent = program:/nonexistent\n".write(toFile: file, atomically: true, encoding: .utf8)
    let daemon = try await DaemonRun(arguments: ["--config", file], in: folder)
    let found = try run(daemon, "doctor", "--app", "net.example.other", "--json").objects()
    let codes = found.compactMap { $0["code"] as? String }
    #expect(codes.contains("no_agent") && codes.contains("agent_unusable"))
    let nobody = try #require(found.first { $0["code"] as? String == "no_agent" })
    let said = try #require(nobody["message"] as? String)
    #expect(said.contains("connected agents: none is connected"))
    #expect(said.contains("program:/nonexistent: "))
  }

  @Test("border 1: doctor and --check report that a registered program is not trusted")
  func untrusted() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("program")
    try FileManager.default.copyItem(atPath: BuiltProgram.path("HostProgram"), toPath: path)
    chmod(path, 0o777)
    let daemon = try await DaemonRun(in: folder, configuration: ["agent-program = \(path)"])
    let found = try run(daemon, "doctor", "--json").objects()
    let finding = try #require(found.first { $0["code"] as? String == "program_untrusted" })
    #expect(finding["next"] as? String == "chmod go-w \(path)")
    let check = try RunningProgram(
      BuiltProgram.path("locationd"), ["--check", "--config", folder.file("locationd.conf")])
    defer { check.end() }
    _ = try await check.lines.next { $0.contains("agent-program: \(path): it can be written") }
  }

  @Test("SIM-14: reads the log by category, follows it, and finds no place in it")
  func log() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let follower = try daemon.run(
      BuiltProgram.path("locationctl"), "log", "--follow", "--category", "client", "--json")
    defer { follower.end() }
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let line = try await follower.lines.next { $0.contains(" connected") && $0.contains(Self.app) }
    #expect(line.contains(#""pid":\#(app.pid)"#) && line.contains(#""category":"client""#))
    app.end()
    _ = try await follower.lines.next { $0.contains("disconnected") }
    let sources = try run(daemon, "log", "--category", "source", "--category", "demand", "--json")
    #expect(try Set(sources.objects().map { $0["category"] as? String }) == ["source", "demand"])
    #expect(sources.output.contains("working"))
    let all = try run(daemon, "log")
    #expect(all.output.contains("serving"))
    #expect(all.output.contains("fixed:‹private›: working"))
    #expect(!all.output.hasDegrees("48.5") && !all.output.hasDegrees("11.5"))
  }

  @Test("lists, exports, and erases everything, one app's or all; nothing of it stays on disk")
  func data() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let access = try run(daemon, "data", "access", "--app", Self.app, "--json").objects()
    #expect(access.contains { $0["service"] as? String == "updates" })
    app.end()
    try await daemon.answer("always", for: "net.example.other")
    let export = try run(daemon, "data", "export")
    #expect(try export.objects().contains { $0["kind"] as? String == "identity" })
    #expect(export.output.contains(#""grant":"whenInUse""#))
    #expect(try run(daemon, "data", "erase").status == 2)
    let unsure = try run(daemon, "data", "erase", "--all")
    #expect(unsure.status == 2 && unsure.error.contains("erase --all needs --yes"))
    #expect(try run(daemon, "data", "erase", "--app", Self.app, "--yes").status == 2)
    #expect(try run(daemon, "data", "export").output.contains(Self.app), "nothing was erased")
    let unknown = try run(daemon, "data", "erase", "--app", "com.example.unknown")
    #expect(unknown.output == "nothing is stored of com.example.unknown\n" && unknown.status == 0)
    _ = try await daemon.program.lines.next { $0.contains("starting over") }
    #expect(try run(daemon, "data", "erase", "--app", Self.app).status == 0)
    _ = try await daemon.program.lines.next { $0.contains("starting over") }
    let rest = try run(daemon, "data", "export", "--json")
    #expect(!rest.output.contains(Self.app) && rest.output.contains("net.example.other"))
    #expect(try run(daemon, "data", "erase", "--all", "--yes").status == 0)
    _ = try await daemon.program.lines.next { $0.contains("starting over") }
    #expect(try run(daemon, "apps", "--json").objects().isEmpty)
    for name in try FileManager.default.contentsOfDirectory(atPath: daemon.state) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(daemon.state)/\(name)"))
      #expect(bytes.range(of: Data("net.example.other".utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data(Self.app.utf8)) == nil, "\(name)")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: daemon.state)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test(
    "is root or the user the daemon runs as; everybody else gets an error",
    .enabled(if: getuid() == 0, "only root can become somebody else"))
  func otherUser() async throws {
    let daemon = try await DaemonRun()
    for words in [["status"], ["apps"], ["services", "off"], ["data", "export"], ["explain"]] {
      let refused = try FinishedProgram("locationctl", words, daemon.surroundings, as: "nobody")
      #expect(refused.status == 1)
      #expect(refused.error.contains("answers only root"), "\(refused.error)")
      #expect(refused.error.contains("Next:"))
    }
    #expect(try run(daemon, "services").output == "location services are on\n")
  }

  @Test("learns what to do when no daemon runs, or none that can be understood")
  func noDaemon() throws {
    let folder = try TemporaryFolder()
    let nowhere = ["LOCATIOND_SOCKET": "", "XDG_STATE_HOME": folder.path]
    let none = try FinishedProgram("locationctl", ["status"], nowhere)
    #expect(none.status == 1 && none.error.contains("no location daemon is running"))
    #expect(none.error.contains("systemctl start locationd.socket"))
    let gone = ["LOCATIOND_SOCKET": folder.file("none"), "XDG_STATE_HOME": folder.path]
    let silent = try FinishedProgram("locationctl", ["apps"], gone)
    #expect(silent.status == 1 && silent.error.contains("does not answer at"))
    let own = try FinishedProgram("locationctl", ["services", "off"], nowhere)
    #expect(own.output == "location services are off\n")
    #expect(
      try FinishedProgram("locationctl", ["data", "list"], nowhere).output.contains("settings"))
  }
}
