import Foundation
import LocationCoding
import LocationModel
import LocationProviders

/// Sentences a second on one core: the decoder alone, and as a program against gpsdecode.
///
/// Both programs start, read the same file, decode every sentence, print lines of JSON, and end;
/// their processor time counts. gpsdecode prints more: positions and the satellites in view; ours
/// prints positions.
func measureNMEA() throws {
  let epochs = 40_000
  let begin = UnixTime(seconds: 1_780_000_000)
  let drive = Drive(from: begin)
  let bytes = (0..<epochs).flatMap { drive.epoch(at: begin + .seconds($0)) }
  let sentences = Double(epochs * Drive.sentencesOfEpoch)

  var fixes = 0
  let alone = try leastProcessorTime { play(bytes, from: begin) { _ in fixes += 1 } }
  precondition(fixes >= (epochs - 2) * rounds, "\(fixes) fixes of \(epochs) epochs a round")
  try Figure.report(
    "nmea.rate", sentences / alone / 1000, "k/s",
    "sentences a second, one core: bytes to fixes in memory, nothing printed")

  let gpsdecode = try Peers.program("gpsdecode", from: "gpsd-clients")
  let folder = try Peers.folder("nmea")
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "drive.nmea").path
  try Data(bytes).write(to: URL(fileURLWithPath: file))
  let best = try bestInTurns([
    { try decoding([Peers.own, Decoder.name, file], naming: "\"latitude\"", epochs - 2) },
    {
      try decoding(
        ["/bin/sh", "-c", "exec '\(gpsdecode)' -j < '\(file)'"], naming: "\"TPV\"", epochs - 2)
    },
  ])
  try Figure.report(
    "nmea.program.rate", sentences / best[0] / 1000, "k/s", "the same as a program that prints JSON"
  )
  try Figure.report(
    "nmea.gpsdecode.rate", sentences / best[1] / 1000, "k/s",
    "gpsdecode, a program too (prints satellites as well)")
  try Figure.report("nmea.ratio", best[1] / best[0], "", "our program's rate over gpsdecode's")
}

/// Processor time of a program that decodes, in seconds; so many of its lines hold `text`.
private func decoding(_ words: [String], naming text: String, _ least: Int) throws -> Double {
  let child = try Child(words[0], Array(words.dropFirst()))
  var reports = 0
  child.readLines {
    if $0.contains(text) { reports += 1 }
    return true
  }
  let time = child.wait().time
  guard reports >= least else {
    throw InvalidMeasurement(text: "\(words[0]) printed \(reports) of \(least) positions")
  }
  return time
}

/// What gpsdecode is, of our parts: also runs as a program of its own.
enum Decoder {
  static let name = "--decode"

  /// `--decode FILE`: prints a line of JSON for each fix.
  static func run(_ file: String) throws -> Never {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var waiting: [UInt8] = []
    func flush() {
      _ = waiting.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      waiting.removeAll(keepingCapacity: true)
    }
    play(bytes, from: UnixTime(seconds: 1_780_000_000)) { fix in
      waiting += fix.json.bytes + [UInt8(ascii: "\n")]
      if waiting.count > 60_000 { flush() }
    }
    flush()
    exit(0)
  }
}

/// Hands the bytes over in pieces, as a port would.
private func play(_ bytes: [UInt8], from begin: UnixTime, _ take: (Fix) -> Void) {
  var receiver = NMEAReceiver()
  var now = Moment(uptime: .start, unixTime: begin)
  for start in stride(from: 0, to: bytes.count, by: 4096) {
    let piece = Array(bytes[start..<min(start + 4096, bytes.count)])
    for case .fix(let fix, _) in receiver.handle(.bytes(piece), at: now) { take(fix) }
    now.uptime = now.uptime + .milliseconds(1)
  }
  for case .fix(let fix, _) in receiver.handle(.closed, at: now) { take(fix) }
}
