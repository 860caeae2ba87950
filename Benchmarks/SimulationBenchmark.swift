import Foundation
import LocationModel

/// How fast virtual time goes: a day with everything on, and one log against gpsfake.
func measureSimulation() async throws {
  let program = Peers.products.appending(path: "locationctl")
  guard FileManager.default.isExecutableFile(atPath: program.path) else {
    throw MissingPeer(text: "no \(program.path): swift build -c release --product locationctl")
  }
  let day = Peers.packageRoot.appending(path: "Examples/Scenarios/day.txt").path
  let wall = try shortestWall(of: 3, program, ["simulate", day, "--json"])
  try Figure.report("simulation.day", wall, "s", "24 hours at 1 Hz, all services, 20 circles")
  try compareWithGpsfake(program)
}

/// Simulated seconds per second of the wall, whole processes, on twenty minutes of NMEA at 1 Hz.
///
/// gpsfake gives the log to a gpsd and prints what that reports; it is told to pause nowhere.
private func compareWithGpsfake(_ program: URL) throws {
  let seconds = 1200
  let begin = UnixTime(seconds: 1_780_000_000)
  let drive = Drive(from: begin)
  let folder = try Peers.folder("simulation")
  defer { try? FileManager.default.removeItem(at: folder) }
  let log = folder.appending(path: "drive.log").path
  try Data((0..<seconds).flatMap { drive.epoch(at: begin + .seconds($0)) })
    .write(to: URL(fileURLWithPath: log))

  let ours = Double(seconds) / (try shortestWall(of: 5, program, ["simulate", log, "--json"]))
  try Figure.report(
    "simulation.rate", ours, "s/s", "simulated seconds a second, 20 minutes of NMEA")
  let theirs = Double(seconds) / (try shortestWallOfGpsfake(on: log, of: seconds))
  try Figure.report("simulation.gpsfake.rate", theirs, "s/s", "gpsfake")
  try Figure.report("simulation.ratio", ours / theirs, "", "our rate over gpsfake's")
}

private func shortestWallOfGpsfake(on log: String, of seconds: Int) throws -> Double {
  let gpsfake = try Peers.program("gpsfake", from: "gpsd-clients")
  let words = ["WRITE_PAD=0", gpsfake, "-1", "-q", "-p", "-W", "600", "-s", "115200", log]
  return try (0..<2).map { _ in
    let began = ContinuousClock.now
    let child = try Child("/usr/bin/env", words)
    var reports = 0
    child.readLines {
      if $0.contains("\"TPV\"") { reports += 1 }
      return true
    }
    _ = child.wait()
    guard reports >= seconds - 2 else {
      throw MissingPeer(text: "gpsfake told \(reports) of \(seconds) positions")
    }
    return (ContinuousClock.now - began) / .seconds(1)
  }.min() ?? .infinity
}

/// The whole process, in seconds; the shortest of several runs.
private func shortestWall(of rounds: Int, _ program: URL, _ words: [String]) throws -> Double {
  let clock = ContinuousClock()
  return try (0..<rounds).map { _ in
    try clock.measure { _ = try run(program, words) } / .seconds(1)
  }.min() ?? .infinity
}
