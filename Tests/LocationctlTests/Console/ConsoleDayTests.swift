import Foundation
import LocationCoding
import LocationModel
import LocationSimulation
import TestSupport
import Testing

@testable import locationctl

@Suite("A day of the console")
struct ConsoleDayTests {
  private static let story = """
    scenario A walk to the bakery
    date 2026-05-04T06:30:00Z
    place 48.137,11.575
    condition home 48.137,11.575 100
    condition bakery 48.143,11.575 80
    00:20:00 walk to 48.143,11.575
    then stay 20min
    then walk to 48.137,11.575
    then stay 20min

    """

  private static func day(_ story: String = story) throws -> ConsoleDay {
    try ConsoleDay("walk.txt", Array(story.utf8))
  }

  /// A way to the north and back, at 5 m/s, a point a second.
  private static let gpx: [UInt8] = {
    let points = (0...1200).map { second in
      let meters = 5 * Double(min(second, 1200 - second))
      let (minute, rest) = (second / 60, second % 60)
      let time = "2026-05-04T06:\(minute < 10 ? "0" : "")\(minute):\(rest < 10 ? "0" : "")\(rest)Z"
      return
        "<trkpt lat=\"\(48.137 + meters / 111_200)\" lon=\"11.575\"><time>\(time)</time></trkpt>"
    }
    return Array(("<gpx><trk><trkseg>" + points.joined() + "</trkseg></trk></gpx>").utf8)
  }()

  private static let fences = Array(
    """
    [{"identifier":"home","latitude":48.137,"longitude":11.575,"radius":150},
     {"identifier":"far","latitude":48.155,"longitude":11.575,"radius":200}]
    """.utf8)

  private static func changes(_ day: ConsoleDay) -> [String] {
    day.deliveries.map { "\($0.fence) \($0.state)" }
  }

  @Test("CONSOLE-9: has the events of simulate, each with its explanation")
  func sameAsSimulate() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("walk.txt")
    try Data(Self.story.utf8).write(to: URL(fileURLWithPath: file))
    let lines = try Run(["simulate", file, "--json"])
    let day = try Self.day()
    let explained = try Run(["explain", "--events", "-", "--json"], input: lines.output).objects()
    let events = try #require(
      try JSONSerialization.jsonObject(with: Data(day.json.bytes)) as? [String: Any])
    let numbered = (events["events"] as? [[String: Any]] ?? []).filter { $0["number"] != nil }
    #expect(numbered.count == explained.count)
    #expect(numbered.map { $0["state"] as? String } == explained.map { $0["state"] as? String })
    #expect(
      day.track.count
        == (try lines.objects().filter { $0["type"] as? String == "update" }.filter {
          $0["latitude"] != nil
        }.count))
    let text = numbered.compactMap { $0["text"] as? String }.joined()
    #expect(text.contains("\"bakery\": satisfied"))
    #expect(text.contains("% likely"))
  }

  @Test("CONSOLE-12: has lanes of what each service needs, of motion, and of beliefs")
  func lanes() throws {
    let day = try Self.day()
    func values(_ kind: String, _ name: String) -> [String] {
      day.marks.filter { $0["kind"] == kind.json && $0["name"] == name.json }
        .compactMap { try? String(json: $0["value"] ?? .null) }
    }
    #expect(Set(values("motion", "")) == ["at rest", "moves"])
    #expect(values("belief", "bakery").contains("satisfied"))
    #expect(values("belief", "bakery").last == "", "nothing is open at the end")
    #expect(values("share", "\(Simulation.app.name)/live") != [])
    let levels = day.marks.filter { $0["name"] == "bakery".json && $0["threshold"] != nil }
    #expect(levels.count > 3)
  }

  @Test("CONSOLE-9: is run again with other fences")
  func otherFences() throws {
    var day = try ConsoleDay("way.gpx", Self.gpx)
    #expect(Self.changes(day).isEmpty)
    try day.setFences(Self.fences)
    #expect(
      Self.changes(day) == [
        "home satisfied", "far unsatisfied", "home unsatisfied", "far satisfied", "far unsatisfied",
        "far satisfied", "far unsatisfied", "home satisfied",
      ])
    try day.setFences(Array("[]".utf8))
    #expect(Self.changes(day).isEmpty)
  }

  @Test(
    "CONSOLE-9: refuses fences that are none",
    arguments: [
      "", "{}", "[1]", #"[{"identifier":"a","latitude":91,"longitude":0,"radius":5}]"#,
      #"[{"identifier":"a","latitude":1,"longitude":0,"radius":-5}]"#,
      "["
        + Array(repeating: #"{"identifier":"a","latitude":1,"longitude":0,"radius":5}"#, count: 501)
        .joined(
          separator: ",") + "]",
    ])
  func wrongFences(text: String) throws {
    var day = try Self.day()
    let before = Self.changes(day)
    #expect(throws: Failure.self) { try day.setFences(Array(text.utf8)) }
    #expect(Self.changes(day) == before)
  }

  @Test("CONSOLE-9: gives its fixes as numbers, the least significant byte first")
  func track() throws {
    let day = try Self.day()
    let first = try #require(day.track.first)
    let bytes = day.trackBytes
    #expect(bytes.count == 32 * day.track.count)
    let numbers = (0..<4).map { at in
      Double(
        bitPattern: (0..<8).reduce(UInt64(0)) {
          $0 | UInt64(bytes[8 * at + $1]) << (8 * UInt64($1))
        })
    }
    #expect(
      numbers == [
        first.time.milliseconds, first.coordinate.latitude, first.coordinate.longitude,
        first.accuracy,
      ])
  }

  @Test("CONSOLE-9: a story that is too long is cut, and says so")
  func tooLong() throws {
    let day = try Self.day(
      "scenario Long\nplace 48,11\nreceiver cold every 3600s\n00:00:00 stay 40d\n")
    let json = String(decoding: day.json.bytes, as: UTF8.self)
    #expect(json.contains(#""cut":true"#))
  }

  @Test("CONSOLE-10: is exported as a scenario with the same fences and the same events")
  func scenario() throws {
    var day = try ConsoleDay("way.gpx", Self.gpx)
    try day.setFences(Self.fences)
    let exported = try ConsoleExport(day).scenario
    #expect(exported.hasPrefix("scenario way.gpx\ndate 2026-05-04T06:00:00.000Z\nplace 48.137"))
    let legs = exported.split(separator: "\n").count
    #expect(legs < 60, "\(legs) lines")
    let again = try ConsoleDay("exported.txt", Array(exported.utf8))
    #expect(again.fences.map(\.identifier) == ["home", "far"])
    #expect(Self.changes(again) == Self.changes(day))
  }

  @Test("CONSOLE-10: a scenario is exported with its own words, and the fences that were drawn")
  func ownWords() throws {
    var day = try Self.day()
    try day.setFences(Self.fences)
    let exported = try ConsoleExport(day).scenario
    #expect(exported.contains("00:20:00 walk to 48.143,11.575"))
    #expect(
      exported.contains("place 48.137,11.575\ncondition home 48.137,11.575 150\ncondition far"))
    #expect(!exported.contains("bakery 48"))
    #expect(try ConsoleDay("again.txt", Array(exported.utf8)).fences.count == 2)
  }

  /// The file is compiled, and run, with the tests of LocationTesting.
  @Test("CONSOLE-10: is exported as a test in Swift, the one that the tests of LocationTesting run")
  func test() throws {
    var day = try ConsoleDay("way.gpx", Self.gpx)
    try day.setFences(Self.fences)
    let url = SharedData.packageRoot.appending(
      path: "Tests/LocationTestingTests/ConsoleDayTests.swift")
    let exported = ConsoleExport(day).test()
    if ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1" {
      try exported.write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(exported == (try String(contentsOf: url, encoding: .utf8)))
  }

  @Test("CONSOLE-10: a name cannot leave the text of a test, nor the line of a scenario")
  func names() throws {
    var day = try ConsoleDay("a\"\n#b.gpx", Self.gpx)
    try day.setFences(
      Array(
        #"[{"identifier":"x\"\\\n #y","latitude":48.137,"longitude":11.575,"radius":150}]"#.utf8))
    let test = ConsoleExport(day).test()
    #expect(test.contains(#"("x\"\\\u{a} #y", "#))
    let again = try ConsoleDay("again.txt", Array(try ConsoleExport(day).scenario.utf8))
    #expect(again.fences.count == 1)
  }
}
