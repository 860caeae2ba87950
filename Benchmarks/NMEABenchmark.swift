import Foundation
import LocationModel
import LocationProviders

/// Sentences a second on one core, from bytes to fixes, against gpsdecode on the same file.
func measureNMEA() throws {
  let epochs = 40_000
  let begin = UnixTime(seconds: 1_780_000_000)
  let drive = Drive(from: begin)
  let bytes = (0..<epochs).flatMap { drive.epoch(at: begin + .seconds($0)) }
  let sentences = Double(epochs * Drive.sentencesOfEpoch)

  var fixes = 0
  let ours = leastProcessorTime(of: 3) { fixes = play(bytes, from: begin) }
  precondition(fixes >= epochs - 2, "\(fixes) fixes of \(epochs) epochs")
  try Figure.report("nmea.rate", sentences / ours / 1000, "k/s", "sentences a second, one core")

  let decoder = try Peers.program("gpsdecode", from: "gpsd-clients")
  let folder = try Peers.folder("nmea")
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "drive.nmea").path
  try Data(bytes).write(to: URL(fileURLWithPath: file))
  var theirs = Double.infinity
  var reports = 0
  for _ in 0..<2 {
    let child = try Child("/bin/sh", ["-c", "exec '\(decoder)' -j < '\(file)'"])
    reports = 0
    child.readLines {
      if $0.contains("\"TPV\"") { reports += 1 }
      return true
    }
    theirs = min(theirs, child.wait().time)
  }
  precondition(reports >= epochs - 2, "gpsdecode told \(reports) of \(epochs) positions")
  try Figure.report("nmea.gpsdecode.rate", sentences / theirs / 1000, "k/s", "gpsdecode")
  try Figure.report("nmea.ratio", theirs / ours, "", "our rate over gpsdecode's")
}

/// Hands the bytes over in pieces, as a port would; the number of fixes.
private func play(_ bytes: [UInt8], from begin: UnixTime) -> Int {
  var receiver = NMEAReceiver()
  var now = Moment(uptime: .start, unixTime: begin)
  var fixes = 0
  for start in stride(from: 0, to: bytes.count, by: 4096) {
    let piece = Array(bytes[start..<min(start + 4096, bytes.count)])
    for case .fix in receiver.handle(.bytes(piece), at: now) { fixes += 1 }
    now.uptime = now.uptime + .milliseconds(1)
  }
  for case .fix in receiver.handle(.closed, at: now) { fixes += 1 }
  return fixes
}
