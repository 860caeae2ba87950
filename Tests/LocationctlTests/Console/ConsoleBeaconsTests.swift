import Foundation
import LocationCoding
import LocationModel
import LocationSimulation
import TestSupport
import Testing

@testable import locationctl

@Suite("Beacons and questions in a day of the console")
struct ConsoleBeaconsTests {
  private static let story = """
    scenario A walk past a shop
    date 2026-05-04T06:30:00Z
    place 48.137,11.575
    condition home 48.137,11.575 100
    condition end 48.146,11.575 80
    00:02:00 walk to 48.146,11.575
    then stay 2min

    """
  private static let beacons = Array(
    #"""
    [{"identifier":"shop","latitude":48.143,"longitude":11.57502},
     {"identifier":"kiosk","latitude":48.15,"longitude":11.59}]
    """#.utf8)

  private static func day() throws -> ConsoleDay { try ConsoleDay("walk.txt", Array(story.utf8)) }

  private static func changes(_ day: ConsoleDay) -> [String] {
    day.deliveries.map { "\($0.fence) \($0.state)" }
  }

  @Test("CONSOLE-15: a beacon on the way is monitored, and without it the day is as it was")
  func placed() throws {
    var day = try Self.day()
    let before = (Self.changes(day), day.track)
    try day.setBeacons(Self.beacons)
    #expect(Self.changes(day).contains("shop satisfied"))
    #expect(day.beacons.map(\.number) == [1, 2])
    let json = String(decoding: day.json.bytes, as: UTF8.self)
    #expect(json.contains(#""beacons":[{"identifier":"shop","latitude":48.143,"#))
    try day.setBeacons(Array("[]".utf8))
    #expect(Self.changes(day) == before.0)
    #expect(day.track == before.1)
  }

  @Test(
    "CONSOLE-15: refuses what is no beacon, and names that are taken",
    arguments: [
      "", "{}", "[1]", #"[{"identifier":"a","latitude":91,"longitude":0}]"#,
      #"[{"identifier":"home","latitude":1,"longitude":0}]"#,
      #"[{"identifier":"a","latitude":1,"longitude":0},{"identifier":"a","latitude":2,"longitude":0}]"#,
      "["
        + (0..<21).map { #"{"identifier":"b\#($0)","latitude":1,"longitude":0}"# }
        .joined(separator: ",") + "]",
    ])
  func wrong(text: String) throws {
    var day = try Self.day()
    #expect(throws: Failure.self) { try day.setBeacons(Array(text.utf8)) }
    #expect(day.beacons.isEmpty)
  }

  @Test("CONSOLE-15: the radio of a recording is what it was")
  func recording() throws {
    let gpx = """
      <gpx><trk><trkseg><trkpt lat="48" lon="11"><time>2026-05-04T06:30:00Z</time></trkpt>
      <trkpt lat="48.001" lon="11"><time>2026-05-04T06:32:00Z</time></trkpt></trkseg></trk></gpx>
      """
    var day = try ConsoleDay("way.gpx", Array(gpx.utf8))
    #expect(throws: Failure.self) { try day.setBeacons(Self.beacons) }
  }

  @Test("CONSOLE-15: is exported in the lines of the scenario, and means the same there")
  func scenario() throws {
    var day = try Self.day()
    try day.setBeacons(Self.beacons)
    let exported = try ConsoleExport(day).scenario
    #expect(
      exported.contains(
        "condition end 48.146,11.575 80\nbeacon shop 48.143,11.57502\nbeacon kiosk"))
    let again = try ConsoleDay("again.txt", Array(exported.utf8))
    #expect(again.beacons == day.beacons)
    #expect(Self.changes(again) == Self.changes(day))
    var without = again
    try without.setBeacons(Array("[]".utf8))
    #expect(try !ConsoleExport(without).scenario.contains("beacon"))
  }

  @Test(
    "a scenario has a beacon with a name of its own",
    arguments: ["beacon", "beacon shop", "beacon home 48,11", "beacon shop 48,11 5"])
  func wrongLine(line: String) {
    let story = Self.story.replacing("00:02:00 walk", with: line + "\n00:02:00 walk")
    #expect(throws: ScenarioFault.self) { try ScenarioReader.read(story) }
  }

  /// The file is compiled, and run, with the tests of LocationTesting.
  @Test("CONSOLE-15: is exported as a test in Swift, with an answer, that LocationTesting runs")
  func test() throws {
    var day = try Self.day()
    try day.setBeacons(Self.beacons)
    let begin = day.begin.milliseconds
    try day.setChanges(
      JSON.array(
        [(80.0, "person answers whileUsing keepWhileUsing after 2s"), (90, "permission ask")].map {
          .fields(["time": (begin + $0.0 * 1000).json, "text": $0.1.json])
        }
      ).bytes)
    let questions = day.events.filter { $0["kind"] == "question".json }
    #expect(!questions.isEmpty)
    #expect(Self.changes(day).contains("shop satisfied"))
    let exported = ConsoleExport(day).test(named: "BeaconDayTests")
    for words in [
      #"("shop", 48.143, 11.57502, 1),"#, "CLMonitor.BeaconIdentityCondition(",
      "answers: .allowWhileUsing, .keepWhileUsing, after: .seconds(2.0))",
      "app.setPermission(.ask)",
    ] {
      #expect(exported.contains(words), "\(words)")
    }
    let url = SharedData.packageRoot.appending(
      path: "Tests/LocationTestingTests/ConsoleBeaconsTests.swift")
    if ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1" {
      try exported.write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(exported == (try String(contentsOf: url, encoding: .utf8)))
  }
}
