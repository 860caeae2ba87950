import Foundation
import TestSupport
import Testing

@testable import locationctl

@Suite("locationctl explain")
struct ExplainTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "meridian-explain-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func file(_ text: String, _ name: String = "events.jsonl") throws -> String {
    let url = folder.appending(path: name)
    try text.write(to: url, atomically: true, encoding: .utf8)
    return url.path
  }

  private static let event = """
    {"type":"condition","identifier":"home","state":"unsatisfied",\
    "date":"2026-01-01T08:00:50.000Z","delivered":"2026-01-01T08:01:00.000Z",\
    "evidence":{"fixes":4,"probability":0.987,"distance":62.5,"spread":10,\
    "first_fix":"2026-01-01T08:00:12.000Z","last_fix":"2026-01-01T08:00:50.000Z",\
    "crossed":"2026-01-01T08:00:10.000Z","decided":"2026-01-01T08:00:52.500Z"}}
    """
  private static let beacon = """
    {"type":"region","identifier":"door","state":"entered","date":"2026-01-01T08:00:50.000Z",\
    "delivered":"2026-01-01T08:00:50.000Z"}
    """

  @Test("tells the fixes, the probability, the crossing, and the parts of the delay")
  func text() throws {
    let run = try Run(["explain", "home", "--events", file(Self.event)])
    #expect(run.status == 0, "\(run.error)")
    #expect(
      run.output == """
        1. condition "home": unsatisfied, delivered 2026-01-01T08:01:00.000Z
           crossed   2026-01-01T08:00:10.000Z, between a fix on this side and one on that
           decided   2026-01-01T08:00:52.500Z, 98.7 % likely
           fixes     4, from 2026-01-01T08:00:12.000Z to 2026-01-01T08:00:50.000Z
           the last  62.5 m outside, good to 10 m
           delay     50 s: sensing 2 s, policy 40.5 s, delivery 7.5 s

        """)
  }

  @Test("RADIO-53: tells the sources of a fused fix")
  func fused() throws {
    let event = Self.event.replacingOccurrences(
      of: "\"spread\":10,", with: "\"spread\":10,\"fused\":\"accessPoints receiver\",")
    let run = try Run(["explain", "home", "--events", file(event)])
    #expect(
      run.output.contains(
        "the last  62.5 m outside, good to 10 m, by access points and satellites\n"))
    let json = try Run(["explain", "home", "--json", "--events", file(event)])
    #expect(json.output.contains("\"fused\":\"accessPoints receiver\""))
  }

  private static let visit = """
    {"type":"visit","arrival_date":"2026-01-01T08:00:00.000Z","departure_date":null,\
    "latitude":1,"longitude":2,"horizontal_accuracy":30,"delivered":"2026-01-01T08:02:50.000Z",\
    "evidence":{"fixes":120,"scatter":4.25,"place":"new","dwell_seconds":165,\
    "first_fix":"2026-01-01T08:00:00.000Z","last_fix":"2026-01-01T08:02:00.000Z",\
    "decided":"2026-01-01T08:02:45.000Z"}}
    """

  @Test("tells of an arrival how long the device had stayed, and at what place")
  func visit() throws {
    let run = try Run(["explain", "visit", "--events", file(Self.visit)])
    #expect(
      run.output == """
        1. visit: arrived, delivered 2026-01-01T08:02:50.000Z
           stayed    since 2026-01-01T08:00:00.000Z, at a new place
           decided   2026-01-01T08:02:45.000Z, as it is a visit there after 165 s
           fixes     120, to 2026-01-01T08:02:00.000Z, on average 4.3 m from their middle
           delay     170 s: policy 165 s, delivery 5 s

        """)
  }

  @Test("lists the events when none is named")
  func list() throws {
    let events = try file([Self.beacon, Self.event, Self.visit].joined(separator: "\n"))
    let run = try Run(["explain", "--events", events])
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.first?.prefix(5) == ["EVENT", "APP", "KIND", "NAME", "STATE"])
    #expect(lines.dropFirst().map { $0[2] } == ["region", "condition", "visit"])
  }

  @Test("gives the same as JSON, and chooses by identifier and by number")
  func json() throws {
    let events = try file([Self.beacon, Self.event].joined(separator: "\n"))
    for name in ["home", "2"] {
      let run = try Run(["explain", name, "--events", events, "--json"])
      let object = try #require(try run.objects().first)
      #expect(try run.objects().count == 1)
      #expect(object["event"] as? Int == 2)
      #expect(object["probability"] as? Double == 0.987)
      #expect(object["sensing_delay"] as? Double == 2)
      #expect(object["policy_delay"] as? Double == 40.5)
      #expect(object["delivery_delay"] as? Double == 7.5)
    }
    let door = try Run(["explain", "door", "--events", events])
    #expect(door.output.contains("no fix decided it"))
  }

  @Test("says what is missing, and where a line is broken")
  func failures() throws {
    let none = try Run(["explain", "office", "--events", file(Self.event)])
    #expect(none.status == 1)
    #expect(none.error.contains("\"office\" is none of the 1 events"))
    let broken = try Run(["explain", "--events", file("{\"type\":\"update\"}\nno JSON")])
    #expect(broken.status == 2)
    #expect(broken.error.contains("events.jsonl:2: this is no line of simulate --json"))
    let lacking = try Run(["explain", "--events", file("{\"type\":\"condition\"}")])
    #expect(lacking.status == 2)
  }

  @Test("explains every event of a simulated walk, its delays adding up to the whole")
  func simulated() throws {
    let scenario = SharedData.packageRoot.appending(path: "Examples/Scenarios/walk-home.txt").path
    let simulated = try Run(["simulate", scenario, "--json"])
    #expect(simulated.status == 0, "\(simulated.error)")
    let events = try simulated.objects().filter {
      ["condition", "region", "visit"].contains($0["type"] as? String)
    }
    let run = try Run(["explain", "--json", "--events", file(simulated.output)])
    let explained = try run.objects()
    #expect(!explained.isEmpty && explained.count == events.count)
    for object in explained where object["probability"] != nil {
      #expect(try #require(object["policy_delay"] as? Double) >= 0)
      #expect(try #require(object["delivery_delay"] as? Double) >= 0)
    }
    #expect(explained.contains { $0["crossed"] != nil })
    let visits = explained.filter { $0["kind"] as? String == "visit" }
    #expect(!visits.isEmpty && visits.allSatisfy { $0["policy_delay"] != nil })
  }
}
