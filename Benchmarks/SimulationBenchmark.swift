import Foundation
import LocationModel

/// How fast virtual time goes: a day with everything on, and a receiver's log against gpsfake.
func measureSimulation() async throws {
  let program = Peers.products.appending(path: "locationctl")
  guard FileManager.default.isExecutableFile(atPath: program.path) else {
    throw MissingPeer(text: "no \(program.path): swift build -c release --product locationctl")
  }
  let day = Peers.packageRoot.appending(path: "Examples/Scenarios/day.txt").path
  let wall = try shortestWall(of: 3, program, ["simulate", day, "--json"])
  try Figure.report("simulation.day", wall, "s", "24 hours at 1 Hz, all services, 20 circles")

  let folder = try Peers.folder("simulation")
  defer { try? FileManager.default.removeItem(at: folder) }
  let log = folder.appending(path: "drive.nmea")
  let seconds = 3600
  let drive = Drive(from: UnixTime(milliseconds: 1_767_600_000_000))
  var bytes: [UInt8] = []
  for second in 0..<seconds {
    bytes += drive.epoch(at: UnixTime(milliseconds: 1_767_600_000_000 + Int64(second) * 1000))
  }
  try Data(bytes).write(to: log)
  let ours = try shortestWall(of: 3, program, ["simulate", log.path, "--json"])
  let theirs = try gpsfakeWall(log, fixes: seconds)
  let rates = (ours: Double(seconds) / ours, theirs: Double(seconds) / theirs)
  try Figure.report("simulation.rate", rates.ours, "", "simulated seconds in one of an NMEA log")
  try Figure.report("simulation.gpsfake.rate", rates.theirs, "", "gpsfake's, as fast as it goes")
  try Figure.report("simulation.rate.ratio", rates.ours / rates.theirs, "", "ours over gpsfake's")
}

/// The whole process, in seconds; the shortest of several runs.
private func shortestWall(of rounds: Int, _ program: URL, _ words: [String]) throws -> Double {
  let clock = ContinuousClock()
  return try (0..<rounds).map { _ in
    try clock.measure { _ = try run(program, words) } / .seconds(1)
  }.min() ?? .infinity
}

/// Seconds that gpsfake needs to feed the same log through gpsd to a client, without any pause.
private func gpsfakeWall(_ log: URL, fixes: Int) throws -> Double {
  let gpsfake = URL(fileURLWithPath: try Peers.program("gpsfake", from: "gpsd-tools"))
  let clock = ContinuousClock()
  var told = ""
  let wall = try clock.measure {
    told =
      try run(
        gpsfake, ["-1", "-q", "-c", "0", "-P", String(freePort()), "-p", log.path]) ?? ""
  }
  let heard = told.split(separator: "\n").count { $0.contains("\"class\":\"TPV\"") }
  guard heard > fixes * 9 / 10 else {
    throw MissingPeer(text: "gpsfake told \(heard) of \(fixes) fixes")
  }
  return wall / .seconds(1)
}
