import Foundation
import LocationCoding
import LocationModel
import LocationSimulation
import TestSupport
import Testing

@testable import locationctl

@Suite("What happens in a day of the console")
struct ConsoleChangesTests {
  private static let begin = 1_777_876_200_000.0
  private static let story = """
    scenario A walk to the bakery
    date 2026-05-04T06:30:00Z
    place 48.137,11.575
    condition home 48.137,11.575 100
    condition bakery 48.143,11.575 80
    00:02:00 cycle to 48.143,11.575
    then     stay 2min
    +4min    cycle to 48.137,11.575
    then     stay 1min

    """

  private static func day() throws -> ConsoleDay {
    try ConsoleDay("walk.txt", Array(story.utf8))
  }

  private static func body(_ changes: [(minutes: Double, text: String)]) -> [UInt8] {
    JSON.array(
      changes.map {
        .fields(["time": (begin + $0.minutes * 60_000).json, "text": $0.text.json])
      }
    ).bytes
  }

  private static func fixes(_ day: ConsoleDay, _ minutes: ClosedRange<Double>) -> Int {
    day.track.count {
      minutes.contains(($0.time.milliseconds - begin) / 60_000)
    }
  }

  @Test("CONSOLE-13: the day is run again with what happens in it, and without it as it was")
  func permission() throws {
    var day = try Self.day()
    let before = (day.deliveries, day.track)
    #expect(Self.fixes(day, 2...4) > 90)
    try day.setChanges(Self.body([(5, "permission always"), (2, "permission never")]))
    #expect(Self.fixes(day, 2.1...4.9) == 0)
    #expect(Self.fixes(day, 8...10) > 90)
    #expect(day.changes.map(\.text) == ["permission never", "permission always"])
    #expect(day.way == before.1)
    try day.setChanges(Self.body([]))
    #expect(day.deliveries == before.0)
    #expect(day.track == before.1)
  }

  @Test("CONSOLE-13: a receiver fails, and the sky is covered, in a scenario")
  func faults() throws {
    var day = try Self.day()
    try day.setChanges(
      Self.body([
        (2, "receiver silent"), (3, "receiver well"), (8, "sky tunnel"), (9, "sky open"),
      ]))
    #expect(Self.fixes(day, 2.2...2.9) == 0)
    #expect(Self.fixes(day, 3.2...4) > 30)
    #expect(Self.fixes(day, 8.2...8.9) == 0)
    let json = String(decoding: day.json.bytes, as: UTF8.self)
    #expect(json.contains(#""changes":[{"time":1777876320000.0,"text":"receiver silent"}"#))
  }

  @Test(
    "CONSOLE-13: refuses what is no change, and keeps those that were",
    arguments: [
      "", "{}", "[1]", #"[{"time":1777876260000,"text":"walk to 48,11"}]"#,
      #"[{"time":1777876260000,"text":"end"}]"#, #"[{"time":1777876260000,"text":""}]"#,
      #"[{"time":1777876260000,"text":"sky tunnel\nend"}]"#, #"[{"time":0,"text":"sky tunnel"}]"#,
      #"[{"time":1e300,"text":"sky tunnel"}]"#, #"[{"text":"sky tunnel"}]"#,
      #"[{"time":1777876260000,"text":"permission maybe"}]"#,
      "["
        + Array(repeating: #"{"time":1777876260000,"text":"sky open"}"#, count: 201)
        .joined(separator: ",") + "]",
    ])
  func refused(text: String) throws {
    var day = try Self.day()
    try day.setChanges(Self.body([(1, "services off")]))
    #expect(throws: Failure.self) { try day.setChanges(Array(text.utf8)) }
    #expect(day.changes.map(\.text) == ["services off"])
  }

  @Test("CONSOLE-13: the receiver of a recording is what it was")
  func recording() throws {
    let gpx = """
      <gpx><trk><trkseg><trkpt lat="48" lon="11"><time>2026-05-04T06:30:00Z</time></trkpt>
      <trkpt lat="48.001" lon="11"><time>2026-05-04T06:32:00Z</time></trkpt></trkseg></trk></gpx>
      """
    var day = try ConsoleDay("way.gpx", Array(gpx.utf8))
    #expect(throws: Failure.self) { try day.setChanges(Self.body([(1, "receiver silent")])) }
    try day.setChanges(Self.body([(1, "services off")]))
    #expect(Self.fixes(day, 1.1...2) == 0)
  }

  @Test("CONSOLE-13: is exported in the lines of the scenario, and means the same there")
  func scenario() throws {
    var day = try Self.day()
    let changes = [(1.0, "permission never"), (3, "permission always"), (8, "receiver silent")]
    try day.setChanges(Self.body(changes))
    let exported = try ConsoleExport(day).scenario
    let again = try ConsoleDay("again.txt", Array(exported.utf8))
    #expect(again.deliveries == day.deliveries, "\(exported)")
    #expect(again.track == day.track)
    #expect(exported.contains("00:01:00 permission never\n00:02:00 cycle to 48.143,11.575\n"))
  }

  /// The file is compiled, and run, with the tests of LocationTesting.
  @Test("CONSOLE-13: is exported as a test in Swift, one that the tests of LocationTesting run")
  func test() throws {
    var day = try Self.day()
    try day.setChanges(
      Self.body([
        (0.1, "person answers whileUsing accept after 2s"), (0.2, "precise off"),
        (0.3, "precise on"), (0.4, "app background"), (0.5, "app foreground"),
        (0.6, "services off"), (0.8, "services on"), (0.9, "beacon declined"),
        (1, "advertise on"), (2.5, "receiver silent"), (2.7, "receiver well"),
        (5, "sky tunnel"), (6, "sky open"), (11, "clock 10min"),
      ]))
    let exported = ConsoleExport(day).test(named: "ChangedDayTests")
    for words in [
      "answers: .allowWhileUsing, .allowFullAccuracy, .allowBeacon, after: .seconds(2.0))",
      "app.setPreciseLocation(false)", "app.moveToBackground()",
      "device.turnLocationServices(on: false)", "app.setBeaconAdvertising(false)",
      "// Not in this test: advertise on", "device.stepClock(by: .seconds(600.0))",
      "device.breakReceiver(.silent)", "device.breakReceiver(nil)", "device.cover(.tunnel)",
    ] {
      #expect(exported.contains(words), "\(words)")
    }
    let url = SharedData.packageRoot.appending(
      path: "Tests/LocationTestingTests/ConsoleChangesTests.swift")
    if ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1" {
      try exported.write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(exported == (try String(contentsOf: url, encoding: .utf8)))
  }
}
