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
  let gpsfake = try Peers.program("gpsfake", from: "gpsd-clients")
  let words = ["WRITE_PAD=0", gpsfake, "-1", "-q", "-p", "-W", "600", "-s", "115200", log]
  let theirs =
    Double(seconds)
    / (try shortestWall(of: 2, URL(fileURLWithPath: "/usr/bin/env"), words) { printed in
      let reports = printed.split(separator: "\n").count { $0.contains("\"TPV\"") }
      return reports >= seconds - 2
    })
  try Figure.report("simulation.gpsfake.rate", theirs, "s/s", "gpsfake")
  try Figure.report("simulation.ratio", ours / theirs, "", "our rate over gpsfake's")
}

/// The whole process, in seconds; the shortest of several runs.
private func shortestWall(
  of rounds: Int, _ program: URL, _ words: [String], check: (String) -> Bool = { !$0.isEmpty }
) throws -> Double {
  try (0..<rounds).map { _ in
    let began = ContinuousClock.now
    let printed = try run(program, words)
    let wall = (ContinuousClock.now - began) / .seconds(1)
    guard let printed, check(printed) else {
      throw MissingPeer(text: "\(program.path) \(words) does not tell all that it should")
    }
    return wall
  }.min() ?? .infinity
}
