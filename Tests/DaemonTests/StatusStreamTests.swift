import Foundation
import LocationCoding
import LocationLink
import LocationModel
import TestSupport
import Testing

@Suite("The status, as its owner follows it", .serialized, .timeLimit(.minutes(2)))
struct StatusStreamTests {
  private static let follow = "org.meridian.administration.FollowStatus"
  private static let places = JSON.fields(["places": true.json])

  private func change(_ reply: LinkReply) throws -> StatusChange {
    #expect(reply.error == nil && reply.continues)
    return try StatusChange(json: try #require(reply.parameters["change"]))
  }

  /// Reads until a change is as expected.
  private func next(
    of caller: LinkCaller, where isWanted: (StatusChange) -> Bool
  ) throws -> StatusChange {
    while true {
      let change = try change(try caller.reply())
      if isWanted(change) { return change }
    }
  }

  @Test("ADMIN-4: everything comes once, and then each part that has changed")
  func stream() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let caller = try LinkCaller(daemon.socket)
    let first = try change(try caller.call(Self.follow, Self.places, more: true))
    #expect(first.status != nil && first.conditions == [] && first.apps != nil)
    #expect(first.events == [] && first.access == [])
    #expect(first.status?.sources.first?.fix == nil)
    let path = try daemon.install("ClassicApp", as: DaemonTests.app, in: "a")
    let app = try daemon.run(path, "main")
    let fixed = try next(of: caller) { $0.status?.lastFix?.place != nil }
    let own = try #require(fixed.status?.sources.first?.fix)
    #expect(own.use == "current" && own.place?.latitude == 48.5 && own.accuracy == 5)
    #expect(fixed.status?.coarse?.accuracy == 5000)
    #expect(fixed.status?.shares?.isEmpty == false)
    _ = try next(of: caller) { $0.access?.isEmpty == false }
    app.end()
    _ = try next(of: caller) { $0.status?.clients.contains { $0.app != nil } == false }
    #expect(try daemon.control("services", "off").status == 0)
    _ = try next(of: caller) { $0.status?.servicesEnabled == false }
  }

  @Test("ADMIN-2: without `places` there is none in it, nor anything that gives one away")
  func withoutPlaces() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let path = try daemon.install("ClassicApp", as: DaemonTests.app, in: "a")
    let app = try daemon.run(path, "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let caller = try LinkCaller(daemon.socket)
    let reply = try caller.call(Self.follow, more: true)
    let first = try change(reply)
    #expect(first.status?.lastFix != nil && first.status?.coarse != nil)
    let text = String(decoding: reply.json.bytes, as: UTF8.self)
    for word in ["48.5", "latitude", "azimuth", "trueHeading", #""beacons":["#] {
      #expect(!text.contains(word), "\(word)")
    }
  }

  @Test("ADMIN-5: one that does not read keeps nothing waiting, stays, and gets the newest")
  func slow() async throws {
    let daemon = try await DaemonRun()
    let (slow, fast) = (try LinkCaller(daemon.socket), try LinkCaller(daemon.socket))
    slow.ask(Self.follow, more: true)
    _ = try fast.call(Self.follow, more: true)
    let owner = try LinkCaller(daemon.socket)
    let rounds = 60
    for round in 1...rounds {
      let on = round.isMultiple(of: 2)
      let method = "org.meridian.administration.SetServices"
      #expect(try owner.call(method, .fields(["on": on.json])).error == nil)
      _ = try next(of: fast) { $0.status?.servicesEnabled == on }
    }
    #expect(try daemon.control("monitor", "add", "last", "48.5,11.5,100").status == 0)
    _ = try next(of: fast) { $0.conditions?.isEmpty == false }
    var read = 0
    let last = try next(of: slow) {
      read += 1
      return $0.conditions?.isEmpty == false
    }
    #expect(last.conditions?.map(\.identifier) == ["last"])
    #expect(read < rounds / 2, "\(read) replies were kept of \(rounds) changes")
  }

  @Test("ADMIN-6: status --changes prints each change, as JSON one line each")
  func command() async throws {
    let daemon = try await DaemonRun()
    let command = try RunningProgram(
      BuiltProgram.path("locationctl"), ["status", "--changes", "--json"],
      environment: daemon.surroundings)
    defer { command.end() }
    _ = try await command.lines.next {
      $0.hasPrefix(#"{"type":"status","#) && $0.contains(#""services_enabled":true"#)
    }
    #expect(try daemon.control("services", "off").status == 0)
    _ = try await command.lines.next {
      $0.hasPrefix(#"{"type":"status","#) && $0.contains(#""services_enabled":false"#)
    }
    #expect(try daemon.control("services", "on").status == 0)
    #expect(try daemon.control("monitor", "add", "home", "48.5,11.5,100").status == 0)
    let line = try await command.lines.next { $0.hasPrefix(#"{"type":"condition","#) ? $0 : nil }
    #expect(line.contains(#""identifier":"home""#) && !line.hasDegrees("48.5"))
  }

  @Test("ADMIN-6: it ends after --timeout, and --follow beside it is refused")
  func commandEnds() async throws {
    let daemon = try await DaemonRun()
    let changes = try daemon.control("status", "--changes", "--timeout", "1")
    #expect(changes.status == 0 && changes.text.hasPrefix("locationd, process "))
    let both = try daemon.control("status", "--changes", "--follow")
    #expect(both.status == 2 && both.text.contains("--follow and --changes"))
  }
}
