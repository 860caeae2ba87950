package import LocationModel
package import LocationProviders

/// A satellite receiver as the device sees it: bytes on a line, made from the truth.
package struct VirtualReceiver: Hashable, Sendable {
  /// What the receiver knows when it is switched on: seconds to the first fix.
  package enum Start: String, CaseIterable, Sendable {
    /// Nothing.
    case cold
    /// Time and rough place.
    case warm
    /// Everything.
    case hot

    /// Typical of single-frequency receivers' data sheets.
    package var timeToFirstFix: Duration {
      switch self {
      case .cold: .seconds(30)
      case .warm: .seconds(15)
      case .hot: .seconds(1)
      }
    }
  }

  /// What is wrong with it.
  package enum Fault: Hashable, Sendable {
    /// Claims such an accuracy (meters on one axis) while so many meters off towards a bearing.
    case lies(claim: Double, off: Double, towards: Double)
    /// Says nothing, though the line is open.
    case silent
    /// Not there any more.
    case unplugged
    /// Its clock is ahead by so much.
    case clock(Duration)
  }

  private enum State: Hashable, Sendable {
    case off
    /// Open; no fix before `fixFrom`; the next epoch is due at `due`.
    case running(fixFrom: Instant, due: Instant)
  }

  /// Its protocol.
  package enum Language: String, CaseIterable, Sendable {
    /// NMEA 0183, on a line of its own.
    case nmea
    /// The reports of gpsd, which serves it.
    case gpsd
  }

  package var start: Start
  /// Whether the device closes its line between the fixes that are needed (POW-6).
  package var mayRest = false
  package var language: Language
  /// Between two epochs; never below ``shortestInterval``.
  package var interval: Duration { didSet { interval = max(interval, Self.shortestInterval) } }
  package private(set) var fault: Fault?
  /// Stands in for the standard noise under any sky but none.
  package var noise: ReceiverNoise?
  /// Chosen: ten times the rate of the fastest receivers; without a bound, time would not advance.
  package static let shortestInterval = Duration.milliseconds(10)

  private var state = State.off
  private var walk: ErrorWalk

  package init(
    start: Start = .hot, language: Language = .nmea, interval: Duration = .seconds(1),
    seed: UInt64 = 1
  ) {
    self.start = start
    self.language = language
    self.interval = max(interval, Self.shortestInterval)
    walk = ErrorWalk(seed: seed)
  }

  package var isPlugged: Bool { fault != .unplugged }

  package mutating func set(_ fault: Fault?) {
    self.fault = fault
    if fault == .unplugged { state = .off }
  }

  package var nextDeadline: Instant? {
    guard case .running(_, let due) = state else { return nil }
    return due
  }

  /// Where its bytes come from.
  package func source(port: UInt16) -> Source {
    let source: Source =
      switch language {
      case .nmea: .nmeaTCP(host: "receiver", port: port)
      case .gpsd: .gpsd(host: "receiver", port: port)
      }
    return mayRest ? .resting(source) : source
  }

  /// Opens the connection; returns the bytes that are sent at once.
  package mutating func open(at now: Instant) -> [UInt8] {
    let fixFrom = now + start.timeToFirstFix
    state = .running(fixFrom: fixFrom, due: min(fixFrom, now + interval))
    // What it has learned it knows the next time.
    start = .hot
    return language == .gpsd && fault != .silent ? VirtualGpsd.greeting : []
  }

  /// Returns the answer to the bytes of a client.
  package func answer(to bytes: [UInt8]) -> [UInt8] {
    language == .gpsd && fault != .silent ? VirtualGpsd.answer(to: bytes) : []
  }

  package mutating func close() {
    state = .off
  }

  /// Returns the bytes that are due now; none between two epochs.
  package mutating func wake(at now: Moment, truth: Truth) -> [UInt8] {
    guard case .running(let fixFrom, let due) = state, now.uptime >= due else { return [] }
    state = .running(fixFrom: fixFrom, due: due + interval)
    guard fault != .silent else { return [] }
    var date = now.unixTime
    if case .clock(let ahead) = fault { date = date + ahead }
    let noise = truth.sky == .none ? nil : noise ?? ReceiverNoise.standard(under: truth.sky)
    guard now.uptime >= fixFrom, let noise, truth.coordinate.isValid else {
      return noFix(at: date)
    }
    let error = walk.step(noise, seconds: interval.inSeconds)
    if walk.chance(noise.loss) { return noFix(at: date) }
    return sentences(truth, off: error, noise, at: date)
  }

  private func sentences(
    _ truth: Truth, off error: (east: Double, north: Double), _ noise: ReceiverNoise,
    at date: UnixTime
  ) -> [UInt8] {
    var seen = truth
    var claim = noise.claim
    if let motion = noise.claimedMotion {
      seen.speed = motion.speed
      seen.course = motion.course ?? seen.course
    }
    seen.coordinate = truth.coordinate.moved(
      by: hypotenuse(error.east, error.north), towards: arctangent(error.east, error.north).degrees)
    if case .lies(let claimed, let off, let bearing) = fault {
      seen.coordinate = seen.coordinate.moved(by: off, towards: bearing)
      claim = claimed
    }
    guard seen.coordinate.isValid else { return noFix(at: date) }
    switch language {
    case .nmea: return Self.epoch(seen, deviation: claim, at: date)
    case .gpsd: return VirtualGpsd.report(seen, deviation: claim, at: date)
    }
  }

  private func noFix(at date: UnixTime) -> [UInt8] {
    switch language {
    case .nmea: Self.noFix(at: date)
    case .gpsd: VirtualGpsd.noFix(at: date)
    }
  }
}

// MARK: NMEA

extension VirtualReceiver {
  /// One epoch: RMC, GGA, and GST, marked as simulated (SIM-6).
  static func epoch(_ seen: Truth, deviation: Double, at date: UnixTime) -> [UInt8] {
    var writer = NMEAWriter()
    let place = seen.coordinate
    writer.sentence("GPRMC") {
      $0.time(of: date)
      $0.text("A")
      $0.place(place)
      $0.number(seen.speed / metersPerSecondOfKnot, decimals: 3)
      $0.number(seen.speed > 0 ? seen.course : nil, decimals: 2)
      $0.date(of: date)
      $0.empty()
      $0.empty()
      $0.text("S")
    }
    writer.sentence("GPGGA") {
      $0.time(of: date)
      $0.place(place)
      $0.text("8")
      $0.text("09")
      $0.text("1.0")
      $0.number(seen.altitude, decimals: 2)
      $0.text("M")
      $0.text("0.0")
      $0.text("M")
      $0.empty()
      $0.empty()
    }
    writer.sentence("GPGST") {
      $0.time(of: date)
      for _ in 0..<4 { $0.empty() }
      $0.number(deviation, decimals: 2)
      $0.number(deviation, decimals: 2)
      $0.number(deviation * 1.5, decimals: 2)
    }
    return writer.bytes
  }

  static func noFix(at date: UnixTime) -> [UInt8] {
    var writer = NMEAWriter()
    writer.sentence("GPRMC") {
      $0.time(of: date)
      $0.text("V")
      for _ in 0..<6 { $0.empty() }
      $0.date(of: date)
      $0.empty()
      $0.empty()
      $0.text("N")
    }
    return writer.bytes
  }

  private static var metersPerSecondOfKnot: Double { 1852.0 / 3600 }
}

extension NMEAWriter {
  fileprivate mutating func place(_ place: Coordinate) {
    angle(place.latitude, digits: 2, positive: "N", negative: "S")
    angle(place.longitude, digits: 3, positive: "E", negative: "W")
  }
}
