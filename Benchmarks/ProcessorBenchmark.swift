import Foundation
import LocationHost
import LocationModel
import Synchronization

/// What one fix costs, from the read to the loop body: instructions under callgrind, and processor
/// time, against gpsd together with a minimal client of libgps in C.
///
/// Both ways end with a line of text for each fix. Starting does not count. gpsd serves any number
/// of clients of any language for its price: it writes JSON of positions and satellites, which the
/// client reads.
func measureProcessorTime() async throws {
  let folder = try Peers.folder("cpu")
  defer { try? FileManager.default.removeItem(at: folder) }
  let client = try Peers.libgpsClient(in: folder)
  let cost = Cost(client: client, callgrind: try Callgrind(in: folder), folder: folder)

  print("processor time, \(rounds) rounds of \(Cost.timed) fixes at 50 a second, in turns")
  let best = try await bestInTurns(waiting: [
    { try await cost.timeOfReader() }, { try await cost.timeOfGpsd() },
    { try await cost.timeOfReader(recording: true) },
  ]).map { $0 * 1e6 }
  try Figure.report("cpu.time", best[0], "us", "processor time of a fix, one process")
  try Figure.report(
    "cpu.gpsd.time", best[1], "us",
    "gpsd's and its client's: two processes, JSON between them, satellites reported as well")
  try Figure.report("cpu.time.ratio", best[0] / best[1], "", "our time over theirs")
  try Figure.report("cpu.recorded.time", best[2], "us", "ours, with the flight recorder")

  print("instructions, under callgrind")
  let mine = try await cost.instructionsOfReader()
  let gpsd = try await cost.instructionsOfGpsd()
  try Figure.report("cpu.instructions", mine / 1000, "k", "instructions of a fix")
  try Figure.report("cpu.gpsd.instructions", gpsd / 1000, "k", "gpsd's and its client's")
  try Figure.report("cpu.instructions.ratio", mine / gpsd, "", "our instructions over theirs")
  let recording = try await cost.instructionsOfReader(recording: true)
  try Figure.report(
    "cpu.recorded.instructions", recording / 1000, "k", "ours, with the flight recorder")
}

/// Runs one side or the other over a port, and counts.
private struct Cost {
  let client: String
  let callgrind: Callgrind
  let folder: URL

  static let timed = 200
  /// Two lengths of a run under callgrind: their difference is free of what starting costs.
  private static let counted = [50, 250]

  // MARK: Processor time

  /// Seconds for a fix: from the first fix on, so that starting does not count.
  func timeOfReader(recording: Bool = false) async throws -> Double {
    let port = try Port()
    let child = try Child(callgrind.own, words(port, 100_000, recording))
    defer { _ = child.end(SIGKILL) }
    return try await time(of: [child], lines: child, feeding: port)
  }

  func timeOfGpsd() async throws -> Double {
    let port = try Port()
    let gpsd = try Gpsd(reading: port.path)
    guard gpsd.isReady(within: 10) else { throw MissingPeer(text: "gpsd is not there") }
    let child = try Child(client, [String(gpsd.port), "100000"])
    defer {
      _ = child.end(SIGKILL)
      _ = gpsd.child.end()
    }
    return try await time(of: [gpsd.child, child], lines: child, feeding: port)
  }

  private func time(
    of children: [Child], lines child: Child, feeding port: Port
  ) async throws -> Double {
    let feeder = Feeder(port, every: 20_000)
    defer { feeder.end() }
    let counter = LineCounter(of: child)
    try await counter.wait(for: 50)
    let (firstFix, begin) = (counter.count, children.reduce(0) { $0 + $1.processorTime })
    try await counter.wait(for: firstFix + Self.timed)
    let end = children.reduce(0) { $0 + $1.processorTime }
    return (end - begin) / Double(counter.count - firstFix)
  }

  // MARK: Instructions

  func instructionsOfReader(recording: Bool = false) async throws -> Double {
    try await slope { count in
      let port = try Port()
      let words = [callgrind.own] + words(port, count, recording)
      let (tool, file) = try callgrind.words("reader")
      let preload = "LD_PRELOAD=\(try Peers.suspendingLibrary(in: folder))"
      let child = try Child("/usr/bin/env", [preload] + tool + words)
      let feeder = Feeder(port, every: 60_000)
      defer { feeder.end() }
      try await ended(child)
      return try callgrind.instructions(in: file)
    }
  }

  func instructionsOfGpsd() async throws -> Double {
    try await slope { count in
      let port = try Port()
      let (gpsdTool, gpsdFile) = try callgrind.words("gpsd")
      let gpsd = try Gpsd(reading: port.path, under: gpsdTool)
      guard gpsd.isReady(within: 60) else {
        throw MissingPeer(text: "gpsd does not answer under valgrind")
      }
      let (tool, file) = try callgrind.words("client")
      let child = try Child(tool[0], tool.dropFirst() + [client, String(gpsd.port), String(count)])
      let feeder = Feeder(port, every: 60_000)
      defer { feeder.end() }
      try await ended(child)
      _ = gpsd.child.end()
      return try callgrind.instructions(in: gpsdFile) + callgrind.instructions(in: file)
    }
  }

  private func words(_ port: Port, _ count: Int, _ recording: Bool) -> [String] {
    let file = folder.appending(path: "\(UUID()).rec").path
    return [Reader.name, "nmea://\(port.path)?baud=115200", String(count)]
      + (recording ? [file] : [])
  }

  /// Instructions for each further fix.
  private func slope(_ run: (Int) async throws -> Double) async throws -> Double {
    var totals: [Double] = []
    for count in Self.counted { totals.append(try await run(count)) }
    return (totals[1] - totals[0]) / Double(Self.counted[1] - Self.counted[0])
  }

  /// Lets other work go on while the child runs to its end.
  private func ended(_ child: Child) async throws {
    let counter = LineCounter(of: child)
    try await counter.wait(for: .max)
    guard child.wait().status == 0 else { throw Callgrind.didNotSurvive }
  }
}

/// Writes an epoch now and then until it is asked to end.
private final class Feeder: Sendable {
  private let isOver = Mutex(false)

  /// `pause` is microseconds.
  init(_ port: Port, every pause: UInt32) {
    let drive = Drive(from: HostClock.now.unixTime)
    Thread.detachNewThread { [self] in
      while !isOver.withLock({ $0 }) {
        let now = HostClock.now.unixTime
        port.write(drive.epoch(at: UnixTime(milliseconds: now.nanoseconds / 1_000_000)))
        usleep(pause)
      }
    }
  }

  func end() { isOver.withLock { $0 = true } }
}
