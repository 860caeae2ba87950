import CoreLocation
import LocationHost
import LocationModel
import Synchronization

/// From the write of an epoch to a serial port to the body of `for try await`, against gpspipe's
/// line for the same bytes through a real gpsd; both in turns, in one run, the time on the wall.
///
/// gpspipe's way has two hops more: gpsd to gpspipe over a socket, gpspipe to this process through
/// a pipe, with JSON on both; ours ends in the process that reads the port.
///
/// Twice: with each epoch written at once, and at the pace of a port of 115,200 baud, as a
/// receiver's bytes come.
func measureLive() async throws {
  let (ours, theirs) = (try Port(), try Port())
  let pipe = try Peers.program("gpspipe", from: "gpsd-clients")
  let gpsd = try Gpsd(reading: theirs.path)
  guard gpsd.isReady(within: 10) else { throw MissingPeer(text: "gpsd does not answer") }
  let client = try Child(pipe, ["-w", "127.0.0.1:\(gpsd.port)"])
  let arrivals = Arrivals()
  let reader = Task {
    try await Reader.read("nmea://\(ours.path)?baud=115200") {
      arrivals.note(.ours, $0.timestamp.timeIntervalSince1970)
      return true
    }
  }
  let output = client.output
  let lines = Thread {
    Child.readLines(from: output) { line in
      if let date = Arrivals.date(of: line) { arrivals.note(.theirs, date) }
      return true
    }
  }
  lines.start()
  defer {
    reader.cancel()
    _ = client.end()
    _ = gpsd.child.end()
  }
  for (name, baud) in [("live", nil), ("live.paced", 115_200)] {
    let turns = Turns(ours: ours, theirs: theirs, arrivals: arrivals, baud: baud)
    try report(name, try await onThread { try turns.run() })
  }
}

private func report(_ name: String, _ runs: [[Double]]) throws {
  let medians = runs.map { $0.median * 1e6 }
  let tails = runs.map { $0.quantile(0.99) * 1e6 }
  try Figure.report("\(name).median", medians[0], "us", "last byte to loop body, median")
  try Figure.report("\(name).p99", tails[0], "us", "last byte to loop body, p99")
  try Figure.report(
    "\(name).gpspipe.median", medians[1], "us",
    "last byte to gpspipe's line, median (two hops more, JSON)")
  try Figure.report("\(name).gpspipe.p99", tails[1], "us", "gpspipe's, p99")
  try Figure.report("\(name).ratio", medians[0] / medians[1], "", "our median over gpspipe's")
}

/// Writes one epoch at a time, to one port and then to the other.
private struct Turns: Sendable {
  let ours: Port
  let theirs: Port
  let arrivals: Arrivals
  /// Bits per second at which the bytes come; `nil` for all at once.
  let baud: Int?

  /// Epochs that are not counted: both learn the receiver's cycle, and gpspipe must have printed a
  /// position.
  private static let warmUp = 30
  private static let counted = 300
  /// Microseconds.
  private static let pause: UInt32 = 40_000

  func run() throws -> [[Double]] {
    let drive = Drive(from: HostClock.now.unixTime)
    var delays: [[Double]] = [[], []]
    var missed = 0
    for index in 0..<(Self.warmUp + Self.counted) {
      for (side, port) in [(Arrivals.Side.ours, ours), (.theirs, theirs)] {
        usleep(Self.pause)
        let delay = write(drive, to: port, side)
        guard index >= Self.warmUp else { continue }
        if let delay { delays[side.rawValue].append(delay) } else { missed += 1 }
      }
      if index == Self.warmUp, !arrivals.hasReceived(.theirs) {
        throw MissingPeer(text: "gpspipe prints no position")
      }
    }
    guard delays.allSatisfy({ $0.count > Self.counted * 9 / 10 }) else {
      throw InvalidMeasurement(
        text: "\(missed) of \(Self.counted * 2) epochs did not arrive in time")
    }
    guard delays.joined().allSatisfy({ $0 > 0 }) else {
      throw InvalidMeasurement(text: "an epoch arrived before it was written")
    }
    return delays
  }

  /// Seconds from the last byte to the arrival; `nil` when it does not come within a second.
  private func write(_ drive: Drive, to port: Port, _ side: Arrivals.Side) -> Double? {
    let now = HostClock.now.unixTime
    let time = UnixTime(milliseconds: now.nanoseconds / 1_000_000)
    let bytes = drive.epoch(at: time)
    arrivals.expect(side, time.seconds)
    let begin = port.write(bytes, baud: baud)
    return arrivals.wait(side).map { $0.seconds(since: begin) }
  }
}

/// When each side delivered the expected epoch.
private final class Arrivals: Sendable {
  enum Side: Int {
    case ours, theirs
  }

  private struct State {
    var expected = [0.0, 0.0]
    var arrived: [Instant?] = [nil, nil]
    var hasReceived = [false, false]
  }

  private let state = Mutex(State())
  private let signals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]

  func expect(_ side: Side, _ date: Double) {
    state.withLock {
      $0.expected[side.rawValue] = date
      $0.arrived[side.rawValue] = nil
    }
  }

  func note(_ side: Side, _ date: Double) {
    let now = HostClock.now.uptime
    let isExpected = state.withLock {
      $0.hasReceived[side.rawValue] = true
      let isNew = $0.arrived[side.rawValue] == nil
      guard isNew, abs($0.expected[side.rawValue] - date) < 0.000_9 else { return false }
      $0.arrived[side.rawValue] = now
      return true
    }
    if isExpected { signals[side.rawValue].signal() }
  }

  func hasReceived(_ side: Side) -> Bool { state.withLock { $0.hasReceived[side.rawValue] } }

  /// `nil` when it does not come within a second.
  func wait(_ side: Side) -> Instant? {
    let deadline = DispatchTime.now() + 1
    // A signal may be that of an epoch which came too late.
    while signals[side.rawValue].wait(timeout: deadline) == .success {
      if let arrived = state.withLock({ $0.arrived[side.rawValue] }) { return arrived }
    }
    return nil
  }

  /// The date of a TPV with a position.
  static func date(of line: Substring) -> Double? {
    guard line.contains("\"TPV\""), line.contains("\"lat\""),
      let key = line.range(of: "\"time\":\"")
    else { return nil }
    return UnixTime(iso8601: String(line[key.upperBound...].prefix { $0 != "\"" }))?.seconds
  }
}

extension Port {
  /// Writes as a serial port hands on what a receiver sends: as much at a time as its buffer holds.
  /// Says when it began to write the last piece.
  fileprivate func write(_ bytes: [UInt8], baud: Int?) -> Instant {
    guard let baud else { return write(bytes) }
    var begin = HostClock.now.uptime
    var rest = bytes[...]
    while !rest.isEmpty {
      // The last piece is a whole one: a line's end alone would come after the fix.
      let count = (rest.count - 1) % Self.bufferSize + 1
      usleep(UInt32(count * Self.bitsPerByte * 1_000_000 / baud))
      begin = write(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return begin
  }

  /// Bytes that a 16550 holds before it interrupts.
  private static let bufferSize = 14
  /// With start and stop bit.
  private static let bitsPerByte = 10
}
