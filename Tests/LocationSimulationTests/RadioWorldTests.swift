import LocationEngine
import LocationModel
import LocationSimulation
import Testing

/// What an app receives in a world with radios, beside the truth.
@Suite("A world with radios")
struct RadioWorldTests {
  /// A position that the app received, and where the device was then.
  private struct Position {
    var at: Duration
    var fix: Fix
    var truth: Truth

    var error: Double { fix.coordinate.distance(to: truth.coordinate) }
  }

  private func run(_ story: String) throws -> (positions: [Position], hash: UInt64) {
    let scenario = try ScenarioReader.read(story)
    var simulation = Simulation(scenario.world())
    var positions: [Position] = []
    simulation.run(until: scenario.end) { event, now in
      guard case .update(let update) = event, let fix = update.fix else { return }
      let at = now.uptime - .start
      positions.append(Position(at: at, fix: fix, truth: scenario.journey.truth(at: at)))
    }
    return (positions, simulation.summary.hash)
  }

  private func median(_ values: [Double]) -> Double {
    values.isEmpty ? .infinity : values.sorted()[values.count / 2]
  }

  private static let cells = """
    cell 52.5260,13.4000
    cell 52.5180,13.4250
    cell 52.5300,13.4350
    cell 52.5120,13.4100
    cell 52.5250,13.4150

    """

  /// A walk to and fro in the open, and back on the same way without satellites.
  private static func story(_ headings: String, seed: Int = 3) -> String {
    """
    scenario cells
    place 52.5200,13.4050
    seed \(seed)
    \(headings)
    00:00:30 walk to 52.5200,13.4350
    then walk to 52.5200,13.4050
    then sky tunnel
    +10s walk to 52.5200,13.4350
    then end
    """
  }

  @Test(
    "SIM-17, SIM-22: cells that were learned in the open give positions without satellites and Wi-Fi"
  )
  func cells() throws {
    let (positions, hash) = try run(Self.story(Self.cells))
    let open = positions.filter { $0.at < .seconds(2900) }
    #expect(open.count > 2500 && open.allSatisfy { $0.fix.origin.method == .receiver })
    let covered = positions.filter { $0.at > .seconds(2960) }
    #expect(covered.count > 60)
    #expect(covered.allSatisfy { $0.fix.origin.method == .cells })
    #expect(median(covered.map(\.error)) < 600)
    #expect(covered.allSatisfy { $0.error < 2000 && $0.fix.horizontalAccuracy < 1500 })
    #expect(try run(Self.story(Self.cells)).hash == hash)
    #expect(try run(Self.story(Self.cells, seed: 4)).hash != hash)
    #expect(try run(Self.story("")).positions.allSatisfy { $0.at < .seconds(2960) })
  }

  /// 1.4 km in the open, and back without satellites; what is received alone decides.
  private static func ride(_ heading: String, _ events: String = "") -> String {
    """
    scenario ride
    place 52.5200,13.4050
    \(heading)
    \(events)
    00:00:30 walk to 52.5200,13.4250
    then sky tunnel
    +10s walk to 52.5200,13.4050
    then end
    """
  }

  @Test("SIM-18: the map learns that a hotspot travels, and finds no position by it")
  func bus() throws {
    func found(_ heading: String) throws -> [Position] {
      try run(Self.ride(heading)).positions.filter { $0.fix.origin.method == .accessPoints }
    }
    #expect(try found("hotspot").isEmpty)
    // The same at a fixed place is a position, where the way begins and ends.
    #expect(try found("accesspoint 52.5200,13.4050").count > 1)
  }

  @Test("SIM-18: beside a hotspot, the access points of the street give the position")
  func busInStreet() throws {
    let street = (0...40).map { number in
      "accesspoint \(52.5201 + Double(number % 2) * 0.0002),\(13.405 + Double(number) * 0.0005)"
    }.joined(separator: "\n")
    let found = try run(Self.ride("hotspot\n" + street)).positions
      .filter { $0.fix.origin.method == .accessPoints }
    #expect(found.count > 60)
    #expect(median(found.map(\.error)) < 40)
    #expect(found.allSatisfy { $0.error < 300 })
  }

  @Test("SIM-18: a hotspot is there only while the device is in the bus")
  func alight() throws {
    /// Away for 1.4 km and back without satellites, at the beginning and at the end with the hotspot, if
    /// so; it then seems to stand there.
    func found(_ change: String) throws -> Int {
      try run(
        """
        scenario stop
        place 52.5200,13.4050
        hotspot
        00:00:00 hotspot \(change)
        00:01:30 hotspot off
        00:01:30 walk to 52.5200,13.4250
        then sky tunnel
        +10s walk to 52.5200,13.4050
        then hotspot \(change)
        then stay 2min
        """
      ).positions.count { $0.fix.origin.method == .accessPoints }
    }
    #expect(try found("on") > 1)
    #expect(try found("off") == 0)
    #expect(throws: ScenarioFault.self) {
      try run(Self.ride("", "00:00:00 hotspot on"))
    }
  }

  @Test("SIM-25, SIM-26: a survey gives positions their floors, and without it they have none")
  func floors() throws {
    let accessPoints = (0..<10).map { number in
      let (latitude, longitude) = (
        52.52005 - Double(number % 2) * 0.0001, 13.4050 + Double(number % 5) * 0.0002
      )
      return "accesspoint \(latitude),\(longitude) altitude \(number < 5 ? 0 : 3.5)"
    }
    func positions(_ surveys: [String]) throws -> [Position] {
      try run(
        """
        scenario floors
        place 52.5200,13.4050
        \((accessPoints + surveys).joined(separator: "\n"))
        00:00:00 sky tunnel
        00:00:00 walk to 52.5200,13.4058 at 1
        then climb 3.5 in 20s
        then walk to 52.5200,13.4050 at 1
        then stay 2min
        """
      ).positions
    }
    let surveys = (0...1).map { "survey \($0) 52.5200,13.4050 52.5200,13.4058" }
    let found = try positions(surveys)
    let below = found.filter { $0.at < .seconds(50) }.map(\.fix.floor)
    #expect(below.count > 3 && below.allSatisfy { $0 == 0 }, "\(below)")
    // A minute after the climb at the latest.
    let above = found.filter { $0.at > .seconds(135) }.map(\.fix.floor)
    #expect(above.count > 5 && above.allSatisfy { $0 == 1 }, "\(above)")
    // Only one floor is known.
    let ground = try positions([surveys[0]])
    #expect(!ground.isEmpty && ground.allSatisfy { $0.fix.floor == 0 })
    #expect(try positions([]).isEmpty)
  }

  @Test("SIM-20: with a barometer, the altitude follows a climb also without satellites")
  func climb() throws {
    let leg = "then walk to 52.5200,13.4060 at 0.5\nthen walk to 52.5200,13.4050 at 0.5\n"
    let walk = String(repeating: leg, count: 4)
    func positions(_ heading: String) throws -> ArraySlice<Position> {
      let positions = try run(
        """
        scenario lift
        place 52.5200,13.4050 120
        accesspoint 52.5201,13.4050
        accesspoint 52.5200,13.4054
        accesspoint 52.5198,13.4048
        \(heading)
        \(walk)
        then sky tunnel
        +30s climb 10.5 in 20s
        \(walk)
        """
      ).positions
      // Above, and once a scan was made there.
      return positions.filter { $0.truth.altitude == 130.5 && $0.truth.speed > 0 }.dropFirst(2)
    }
    let all = try positions("barometer 1005")
    try #require(all.count > 50)
    for position in all {
      #expect(position.fix.origin.method == .accessPoints)
      let altitude = try #require(position.fix.altitude)
      #expect(abs(altitude - 130.5) < 3, "\(altitude)")
    }
    let without = try positions("")
    #expect(!without.isEmpty && without.allSatisfy { $0.fix.altitude == nil })
  }
}
