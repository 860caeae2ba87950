import Foundation
import TestSupport
import Testing

@Suite("Who uses the location, as its owner follows it", .serialized, .timeLimit(.minutes(2)))
struct UseStreamTests {
  @Test("BGA-15: status --follow shows each app that begins and ends, and services that are off")
  func follow() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let command = try RunningProgram(
      BuiltProgram.path("locationctl"), ["status", "--follow"], environment: daemon.surroundings)
    defer { command.end() }
    _ = try await command.lines.next { $0 == "no app uses the location" }
    let path = try daemon.install("ClassicApp", as: DaemonTests.app, in: "a")
    let line = "\(DaemonTests.app) (\(path)) uses the location"
    let app = try daemon.run(path, "main")
    _ = try await command.lines.next { $0 == line }
    #expect(try daemon.control("services", "off").status == 0)
    _ = try await command.lines.next { $0 == "location services are off" }
    app.end()
    #expect(try daemon.control("services", "on").status == 0)
    _ = try await command.lines.next { $0 == "no app uses the location" }
    let log = try daemon.control("log", "--category", "authorization").text
    #expect(log.contains("\(DaemonTests.app) uses the location"))
    #expect(log.contains("\(DaemonTests.app) no longer uses the location"))
  }

  @Test("as JSON, with the verified program and the user, and without a place")
  func json() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let path = try daemon.install("ClassicApp", as: DaemonTests.app, in: "a")
    let app = try daemon.run(path, "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let text = try daemon.control("status", "--follow", "--json", "--timeout", "1").text
    let first = try #require(text.split(separator: "\n").first)
    let object = try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any]
    let apps = try #require(object?["apps"] as? [[String: Any]])
    #expect(apps.map { $0["program"] as? String } == [path])
    #expect(apps.map { $0["user"] as? Int } == [Int(getuid())])
    #expect(apps.map { $0["active"] as? Bool } == [true])
    #expect(!text.hasDegrees("48.5"))
  }
}
