import LocationModel

/// A receiver of NMEA as gpsd's programs see it: its sentences, and reports of them.
struct GpsdServedReceiver: Sendable {
  /// What some bytes have brought.
  struct Seen: Sendable {
    /// Correct sentences and other lines, without their ends.
    var sentences: [[UInt8]] = []
    /// Lines of TPV and SKY.
    var reports: [[UInt8]] = []
  }

  let path: String
  /// When its channel was opened; `nil` while it is closed.
  private(set) var openSince: UnixTime?
  /// The last reports, for `?POLL`.
  private(set) var lastTPV, lastSKY: String?
  private var receiver = NMEAReceiver()
  private var lines = LineAssembler(limit: GpsdServedReceiver.longestLine)
  private var sky = GpsdServedSky()
  /// Sentences without a position, when a report said so last.
  private var unsolved = 0
  private var reportedUnsolved: Instant?

  init(path: String) { self.path = path }

  var isOpen: Bool { openSince != nil }
  var nextDeadline: Instant? { receiver.nextDeadline }

  mutating func settle(isOpen: Bool, at now: Moment) {
    self = GpsdServedReceiver(path: path)
    openSince = isOpen ? now.unixTime : nil
  }

  /// Forgets what the receiver has sent.
  mutating func forget() {
    let since = openSince
    self = GpsdServedReceiver(path: path)
    openSince = since
  }

  mutating func receive(_ bytes: [UInt8], isDatagram: Bool, at now: Moment) -> Seen {
    if !isOpen { openSince = now.unixTime }
    var seen = Seen()
    let end = isDatagram && bytes.last != UInt8(ascii: "\n") ? [10] : [UInt8]()
    lines.append(bytes + end) { line in
      guard case .line(let text) = line else { return }
      seen.sentences.append(text)
    }
    for sentence in seen.sentences { sky.add(sentence) }
    let outputs = receiver.handle(isDatagram ? .datagram(bytes) : .bytes(bytes), at: now)
    report(outputs, at: now, &seen)
    return seen
  }

  mutating func wake(at now: Moment) -> Seen {
    var seen = Seen()
    report(receiver.handle(.wake, at: now), at: now, &seen)
    return seen
  }

  private mutating func report(
    _ outputs: [NMEAReceiver.Output], at now: Moment, _ seen: inout Seen
  ) {
    var isSolved = false
    for output in outputs {
      switch output {
      case .fix(let fix, let dimensions):
        isSolved = true
        add(Self.tpv(fix, dimensions, path), &seen, at: \.lastTPV)
      case .satellites:
        if let report = sky.take(of: path) { add(report, &seen, at: \.lastSKY) }
      case .superseded, .heading, .rejected: break
      }
    }
    let count = receiver.status.sentencesWithoutPosition
    defer { unsolved = count }
    let isDue = reportedUnsolved.map { now.uptime - $0 >= Self.unsolvedInterval } ?? true
    guard !isSolved, count > unsolved, isDue else { return }
    reportedUnsolved = now.uptime
    add("{\"class\":\"TPV\",\"device\":\(GpsdWord.quoted(path)),\"mode\":1}", &seen, at: \.lastTPV)
  }

  private mutating func add(
    _ report: String, _ seen: inout Seen, at last: WritableKeyPath<Self, String?>
  ) {
    self[keyPath: last] = report
    seen.reports.append(GpsdWord.line(report))
  }

  private static func tpv(_ fix: Fix, _ dimensions: FixDimensions, _ path: String) -> String {
    var text = "{\"class\":\"TPV\",\"device\":\(GpsdWord.quoted(path))"
    if fix.origin.isSimulated { text += ",\"status\":8" }
    text += ",\"mode\":\(dimensions.rawValue),\"time\":\"\(fix.time.iso8601)\""
    func add(_ name: String, _ value: Double?, _ digits: Int) {
      guard let value, value.isFinite else { return }
      text += ",\"\(name)\":" + GpsdWord.number(value, digits)
    }
    add("lat", fix.coordinate.latitude, 9)
    add("lon", fix.coordinate.longitude, 9)
    add("altHAE", fix.ellipsoidalAltitude, 4)
    add("altMSL", fix.altitude, 4)
    add("alt", fix.altitude, 4)
    add("track", fix.course, 4)
    add("speed", fix.speed, 3)
    // Ours hold 68 %, gpsd's 95 %, in two dimensions and in one.
    add("eph", fix.horizontalAccuracy * 1.621, 3)
    add("epv", fix.verticalAccuracy.map { $0 * 1.96 }, 3)
    add("eps", fix.speedAccuracy.map { $0 * 1.96 }, 3)
    return text + "}"
  }

  /// Bytes. Chosen: more than any sentence that is read.
  static let longestLine = 512
  /// How often a receiver without a position is reported. Chosen: as often as receivers say it.
  private static let unsolvedInterval = Duration.seconds(1)
}
