import LocationModel
import LocationSimulation
import Testing

@Suite("What is to be simulated")
struct SimulationInputTests {
  private static let scenario = "cenario walk\nplace 52,13\n"

  private func isScenario(_ text: String, path: String = "walk.txt") throws -> Bool {
    guard case .scenario = try SimulationInput(path: path, bytes: Array(text.utf8)) else {
      return false
    }
    return true
  }

  private func simulated(_ input: SimulationInput) -> Simulation {
    let (world, end) = input.world(seed: nil)
    var simulation = Simulation(world)
    simulation.run(until: end) { _, _ in }
    return simulation
  }

  @Test("is a scenario also after a byte order mark, and with letters cut in two")
  func scenarios() throws {
    #expect(try isScenario("s" + Self.scenario))
    #expect(try isScenario("\u{FEFF}s" + Self.scenario))
    for length in 0..<4 {
      let comment = "# " + String(repeating: "x", count: length)
      let text = "s" + Self.scenario + comment + String(repeating: "ü", count: 3000)
      #expect(try isScenario(text))
    }
    #expect(try !isScenario("$GPRMC,,V*00\n"))
  }

  @Test("is said to begin wrongly rather than taken for a log")
  func capital() throws {
    let fault = #expect(throws: ScenarioFault.self) { try isScenario("S" + Self.scenario) }
    #expect(fault?.line == 1)
  }

  @Test("is a track by its name in whatever case", arguments: ["a.gpx", "A.GPX"])
  func tracks(path: String) throws {
    let bytes = Array(#"<gpx><wpt lat="1" lon="2"/></gpx>"#.utf8)
    let input = try SimulationInput(path: path, bytes: bytes)
    #expect(simulated(input).summary.fixes > 0)
  }

  @Test("is complained of when there is no sentence in it")
  func noSentence() throws {
    let input = try SimulationInput(path: "notes.txt", bytes: Array("Dear diary,\n".utf8))
    let complaint = input.complaint(of: simulated(input))
    #expect(complaint?.contains("no NMEA sentence") == true)
    #expect(complaint?.contains("scenario") == true)
  }
}
