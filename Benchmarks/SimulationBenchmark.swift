import Foundation

/// How fast virtual time goes: a day with everything on.
func measureSimulation() async throws {
  let program = Peers.products.appending(path: "locationctl")
  guard FileManager.default.isExecutableFile(atPath: program.path) else {
    throw MissingPeer(text: "no \(program.path): swift build -c release --product locationctl")
  }
  let day = Peers.packageRoot.appending(path: "Examples/Scenarios/day.txt").path
  let wall = try shortestWall(of: 3, program, ["simulate", day, "--json"])
  try Figure.report("simulation.day", wall, "s", "24 hours at 1 Hz, all services, 20 circles")
}

/// The whole process, in seconds; the shortest of several runs.
private func shortestWall(of rounds: Int, _ program: URL, _ words: [String]) throws -> Double {
  let clock = ContinuousClock()
  return try (0..<rounds).map { _ in
    try clock.measure { _ = try run(program, words) } / .seconds(1)
  }.min() ?? .infinity
}
