import LocationModel
import LocationSimulation
import Testing

@Suite("A scenario")
struct ScenarioReaderTests {
  private static let head = "scenario test\nplace 52,13\n"

  @Test("reads access points with and without a level, and says what is wrong with others")
  func accessPoints() throws {
    let text = "scenario A\nplace 1,2\naccesspoint 1,2\naccesspoint 1,2.001 -35.5\n+1s end"
    let scenario = try ScenarioReader.read(text)
    #expect(scenario.accessPoints.map(\.level) == [-40, -35.5])
    #expect(Set(scenario.accessPoints.map(\.address)).count == 2)
    // A hotspot changes the address of none.
    let mixed = text.replacing("accesspoint 1,2\n", with: "hotspot\naccesspoint 1,2\n")
    let beside = try ScenarioReader.read(mixed).accessPoints
    #expect(beside.filter { $0.place != nil } == scenario.accessPoints)
    #expect(Set(beside.map(\.address)).count == 3)
    for bad in ["accesspoint", "accesspoint x", "accesspoint 1,2 -200", "accesspoint 1,2 -40 3"] {
      #expect(throws: ScenarioFault.self) {
        try ScenarioReader.read("scenario A\nplace 1,2\n\(bad)\n+1s end")
      }
    }
  }

  @Test("reads hotspots, cells, floors, a list, churn, surveys, and a barometer")
  func radios() throws {
    let scenario = try ScenarioReader.read(
      """
      scenario A
      place 1,2 35.5
      accesspoint 1,2 altitude 7
      accesspoint 1,2 -35 altitude -3.5
      accesspoints my city.csv
      churn 12.5% in 30d
      survey 2 1,2 1,2.001 1,2.002
      survey -1 1,2 altitude 30
      hotspot
      hotspot -50
      cell 1,2.01
      cell 1,2.02 10
      barometer
      00:00:00 hotspot off
      then climb 7 in 20s under indoors
      then walk to 1,2.001
      +1s end
      """)
    #expect(scenario.accessPoints.map(\.altitude) == [7, -3.5, nil, nil])
    #expect(scenario.accessPoints.map(\.level) == [-40, -35, -40, -50])
    #expect(scenario.accessPoints.map { $0.place == nil } == [false, false, true, true])
    #expect(scenario.accessPointList == "my city.csv")
    #expect(scenario.churn == AccessPointChurn(share: 0.125, in: .seconds(30 * 86_400)))
    let surveyed = scenario.surveys.map { $0.truth(at: .seconds(100_000)) }
    #expect(surveyed.map(\.floor) == [2, -1] && surveyed.map(\.altitude) == [42.5, 30])
    #expect(surveyed.map(\.coordinate.longitude) == [2.002, 2])
    #expect(scenario.cells.map(\.level) == [0, 10])
    #expect(Set(scenario.cells.map(\.identity)).count == 2)
    #expect(scenario.pressureAtSea == 1013.25)
    let altitudes = [0, 10, 20, 30].map { scenario.journey.truth(at: .seconds($0)).altitude }
    #expect(altitudes == [35.5, 39, 42.5, 42.5])
    #expect(scenario.journey.truth(at: .seconds(10)).sky == .indoors)
    guard case .hotspot(false)? = scenario.events.first?.worldEvent else {
      Issue.record("\(scenario.events)")
      return
    }
  }

  @Test(
    "names the line of each mistake, and what was expected",
    arguments: [
      ("place 52;13", 2, "LATITUDE,LONGITUDE"),
      ("place 52,13\n00:00:01 fly to 1,2", 3, "one of walk"),
      ("place 52,13\n00:01:00 stay 5min\n00:00:30 stay 1s", 4, "not before"),
      ("place 52,13\nnoon stay 5min", 3, "HH:MM:SS"),
      ("place 52,13\nthen stay 5", 3, "90s, 10min, or 2h"),
      ("place 52,13\nthen walk 1,2", 3, "\"to\""),
      ("place 52,13\nthen person answers maybe", 3, "once"),
      ("place 52,13\nthen receiver broken", 3, "unplugged"),
      ("place 52,13\nthen stay 5min please", 3, "the line's end"),
      ("place 52,13\ncondition home 52,13 -5", 3, "a radius in meters"),
      ("date tomorrow", 2, "2026-01-31T08:00:00Z"),
      ("# nothing", 2, "place 52.52,13.40"),
      ("scenario two", 2, "one scenario"),
      ("place 52,13\nthen stay 1s\nplace 52,14", 4, "before anything happens"),
      ("place 52,13\nthen end\n+1s stay 1s", 4, "nothing after"),
      ("condition a 52,13 50\ncondition a 52,14 50", 3, "another identifier"),
      ("receiver tepid", 2, "one of cold, warm, hot"),
      ("receiver hot gpsd every", 2, "90s"),
      ("place 52,13\nthen move 100 at 5", 3, "\"towards\""),
      ("place 52,13\nthen walk to 52,13 at 0", 3, "0.01 to 1000"),
      ("place 52,13\nthen services maybe", 3, "on or off"),
      ("place 52,13\nthen app asleep", 3, "one of"),
      ("place 95,13", 2, "LATITUDE,LONGITUDE"),
      ("seed many", 2, "a whole number"),
      ("place 52,13\n00:00:00 walk to 52.01,13\n00:05:00 stay 5min", 4, "then, or a later time"),
      ("seed 1.5", 2, "a whole number"),
      ("place 52,13\nthen app terminated", 3, "one of foreground, background, suspended"),
      ("place 52,13\nthen app quit", 3, "one of foreground, background, suspended"),
      ("place 52,13\nthen clock 3650d\nthen clock 1s", 4, "3650d"),
      ("receiver hot nmea every 0s", 2, "0.01s"),
      ("receiver hot gpsd every 0.001s", 2, "0.01s"),
      ("place 52,13\n00:00:01 clock 200000d", 3, "3650d"),
      ("place 52,13\n+200000d end", 3, "3650d"),
      ("place 52,13\n+3650d sky open\n+1s end", 4, "3650d"),
      ("place 52,13\nthen move 1e7 towards 0 at 0.01", 3, "3650d"),
      ("place 52,13 9001", 2, "an altitude in meters"),
      ("accesspoint 52,13 altitude", 2, "an altitude in meters"),
      ("accesspoint 52,13 -40 floor 2", 2, "\"altitude\""),
      ("accesspoints", 2, "the file"),
      ("accesspoints a.csv\naccesspoints b.csv", 3, "one list"),
      ("churn 10 in 30d", 2, "from 0% to 99%"),
      ("churn 100% in 30d", 2, "from 0% to 99%"),
      ("churn nan% in 30d", 2, "from 0% to 99%"),
      ("churn 10% 30d", 2, "\"in\""),
      ("churn 10% in 59min", 2, "1h or more"),
      ("survey 0 52,13", 2, "a line with place before"),
      ("place 52,13\nsurvey 0", 3, "a place"),
      ("place 52,13\nsurvey 0.5 52,13", 3, "a whole number"),
      ("place 52,13\nsurvey 121 52,13", 3, "a floor, from"),
      ("place 52,13\nsurvey 1 52,13 altitude", 3, "an altitude in meters"),
      ("place 52,13\nsurvey 1 52,13 then", 3, "LATITUDE,LONGITUDE"),
      ("cell 52,13 31", 2, "a level in dBm"),
      ("hotspot -10", 2, "a level in dBm"),
      ("barometer 500", 2, "a pressure at sea level"),
      ("place 52,13\nthen climb 5", 3, "\"in\""),
      ("place 52,13\nthen climb 1001 in 1h", 3, "-1000.0 to 1000.0"),
      ("place 52,13\nthen climb 5 in 9s under water", 3, "a sky"),
      ("place 52,13\nthen hotspot on", 3, "a line such as: hotspot"),
      ("place 52,13\nhotspot\nthen hotspot maybe", 4, "on or off"),
      ("date 2262-04-11T23:40:00Z", 2, "from 1980 to 2199"),
      ("date 1960-01-01T00:00:00Z", 2, "from 1980 to 2199"),
    ])
  func mistakes(text: String, line: Int, expectation: String) {
    #expect {
      _ = try ScenarioReader.read("scenario test\n" + text)
    } throws: { error in
      let fault = error as? ScenarioFault
      return fault?.line == line && fault?.expectation.contains(expectation) == true
    }
  }

  @Test("is recognized by its first line even if that is not the right one")
  func firstLine() {
    #expect(ScenarioReader.isScenario("\n# a comment\nplace 52,13\n"))
    #expect(!ScenarioReader.isScenario("$GPRMC,,V*00\n"))
    #expect {
      _ = try ScenarioReader.read("place 52,13\n")
    } throws: { error in
      (error as? ScenarioFault)?.line == 1
        && (error as? ScenarioFault)?.expectation.contains("scenario A walk home") == true
    }
  }

  @Test("puts the way and the events on one time line")
  func timeLine() throws {
    let scenario = try ScenarioReader.read(
      Self.head + "00:01:00 move 140 towards 90 at 1.4\nthen stay 5min\n+1h services off\n+1s end")
    #expect(scenario.journey.duration == .seconds(60 + 100 + 300))
    #expect(scenario.events.map(\.at) == [.seconds(160 + 3600)])
    #expect(scenario.end == .seconds(160 + 3601))
  }

  @Test("says how long the way lasts that somebody would leave too early")
  func tooEarly() {
    let text = Self.head + "00:00:10 move 1400 towards 0 at 1.4\n00:05:00 walk to 52,13"
    let fault = #expect(throws: ScenarioFault.self) { try ScenarioReader.read(text) }
    #expect(fault?.problem == "the way lasts until 00:16:50")
  }

  @Test("sets the clock further ahead with each line that does")
  func clockTwice() throws {
    let scenario = try ScenarioReader.read(Self.head + "then clock 1h\n+1min clock 1h\n+1s end")
    let dates = scenario.events.compactMap { event -> UnixTime? in
      guard case .date(let date) = event.worldEvent else { return nil }
      return date
    }
    let start = Scenario.standardDate
    #expect(dates == [start + .seconds(3600), start + .seconds(7260)])
  }

  @Test("ends in the middle of the way if the scenario ends there")
  func cut() throws {
    let scenario = try ScenarioReader.read(Self.head + "then stay 1h\n00:10:00 end")
    #expect(scenario.end == .seconds(600))
    #expect(scenario.truth.count == 601)
  }
}

@Suite("A simulation")
struct SimulationTests {
  private func run(_ text: String, seed: UInt64? = nil) throws -> (Simulation.Summary, [String]) {
    let scenario = try ScenarioReader.read(text)
    var simulation = Simulation(scenario.world(seed: seed), circles: scenario.circles)
    var story: [String] = []
    simulation.run(until: scenario.end) { event, _ in
      guard case .condition(let event) = event else { return }
      story.append("\(event.identifier) \(event.state.rawValue)")
    }
    return (simulation.summary, story)
  }

  private static let walk = """
    scenario walk
    place 52.52,13.40
    condition goal 52.5227,13.40 80
    00:00:10 walk to 52.5227,13.40
    then stay 5min
    """

  @Test("tells of one arrival, and gives the same hash each time")
  func arrival() throws {
    let (summary, story) = try run(Self.walk)
    #expect(story.filter { $0 == "goal satisfied" }.count == 1)
    #expect(try run(Self.walk).0 == summary)
    #expect(try run(Self.walk, seed: 2).0.hash != summary.hash)
  }

  @Test("keeps the rules in random worlds with faults", arguments: UInt64(1)...5)
  func soak(seed: UInt64) throws {
    #expect(try Soak.run(seed: seed, legs: 2).deliveries > 0)
  }
}
