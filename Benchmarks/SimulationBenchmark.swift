import Foundation
import LocationModel

/// How fast virtual time goes: a day with everything on, and one log against gpsfake.
func measureSimulation() async throws {
  let program = Peers.products.appending(path: "locationctl")
  guard FileManager.default.isExecutableFile(atPath: program.path) else {
    throw MissingPeer(text: "no \(program.path): swift build -c release --product locationctl")
  }
  let day = Peers.packageRoot.appending(path: "Examples/Scenarios/day.txt").path
  let wall = try bestInTurns([
    { try wallOfLines(program, ["simulate", day, "--json"], naming: "\"update\"", 1) }
  ])
  try Figure.report("simulation.day", wall[0], "s", "24 hours at 1 Hz, all services, 20 circles")
  try compareWithGpsfake(program)
}

/// Simulated seconds per second of the wall, whole processes, on twenty minutes of NMEA at 1 Hz.
///
/// Both read the log, print their reports as lines of JSON, and end; the time on the wall counts.
/// gpsfake pays for more: it starts a Python and a gpsd, hands the log over through a pseudo
/// terminal, reads the reports back over a socket, and waits for gpsd to finish; it is asked to
/// pause nowhere. Ours reads the file in one process.
private func compareWithGpsfake(_ program: URL) throws {
  let seconds = 1200
  let begin = UnixTime(seconds: 1_780_000_000)
  let drive = Drive(from: begin)
  let folder = try Peers.folder("simulation")
  defer { try? FileManager.default.removeItem(at: folder) }
  let log = folder.appending(path: "drive.log").path
  try Data((0..<seconds).flatMap { drive.epoch(at: begin + .seconds($0)) })
    .write(to: URL(fileURLWithPath: log))

  let gpsfake = try Peers.program("gpsfake", from: "gpsd-clients")
  let words = ["WRITE_PAD=0", gpsfake, "-1", "-q", "-p", "-W", "600", "-s", "115200", log]
  let best = try bestInTurns([
    { try wallOfLines(program, ["simulate", log, "--json"], naming: "\"update\"", seconds - 2) },
    {
      try wallOfLines(
        URL(fileURLWithPath: "/usr/bin/env"), words, naming: "\"TPV\"", seconds - 2)
    },
  ])
  let (ours, theirs) = (Double(seconds) / best[0], Double(seconds) / best[1])
  try Figure.report(
    "simulation.rate", ours, "s/s", "simulated seconds a second, 20 minutes of NMEA")
  try Figure.report(
    "simulation.gpsfake.rate", theirs, "s/s",
    "gpsfake (starts Python and gpsd, through a pseudo terminal and a socket)")
  try Figure.report("simulation.ratio", ours / theirs, "", "our rate over gpsfake's")
}

/// A whole process from its start to its end, its lines read: seconds on the wall.
///
/// So many of its lines at least must hold `text`.
private func wallOfLines(
  _ program: URL, _ words: [String], naming text: String, _ least: Int
) throws -> Double {
  var reports = 0
  let seconds = try wallTime {
    let child = try Child(program.path, words)
    child.readLines {
      if $0.contains(text) { reports += 1 }
      return true
    }
    _ = child.wait()
  }
  guard reports >= least else {
    throw MissingPeer(text: "\(program.lastPathComponent) printed \(reports) of \(least) positions")
  }
  return seconds
}
