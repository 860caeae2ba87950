import LocationModel

/// Turns an NMEA receiver's bytes into observations of a source, both live and from a recording.
struct NMEAListener: Sendable {
  private var receiver: NMEAReceiver
  /// Whether a compass has sent headings on this connection.
  private(set) var hasCompass = false
  /// The receiver's last satellite counts.
  private(set) var satellites: SatelliteSummary?

  init(origin: Fix.Origin) {
    receiver = NMEAReceiver(origin: origin)
  }

  var nextDeadline: Instant? { receiver.nextDeadline }
  /// The satellites that the receiver sent last.
  var sky: [Satellite] { receiver.satellites }
  var status: NMEAReceiverStatus { receiver.status }

  var rejections: [SourceRejection] {
    status.rejected.map { SourceRejection(reason: "\($0.reason)", count: $0.count) }
  }

  var evidence: SourceEvidence {
    var evidence = SourceEvidence(diagnosis: status.diagnosis)
    evidence.bytes = status.bytes
    evidence.satellites = satellites
    return evidence
  }

  mutating func receive(_ input: NMEAReceiver.Input, at now: Moment) -> [SourceOutput] {
    if case .opened = input { satellites = nil }
    var seen: [SourceOutput] = []
    for output in receiver.handle(input, at: now) {
      switch output {
      case .fix(let fix, _): seen.append(.fix(fix))
      case .superseded(let fix): seen.append(.superseded(fix))
      case .heading(let heading): point(heading, at: now, to: &seen)
      case .satellites(let summary): satellites = summary
      case .rejected: break
      }
    }
    return seen
  }

  /// Handles a heading. One without magnetic north comes from a gyrocompass and is not used.
  private mutating func point(
    _ heading: NMEAHeading, at now: Moment, to seen: inout [SourceOutput]
  ) {
    guard let degrees = heading.magnetic else { return }
    if !hasCompass { seen.append(.compass(true)) }
    hasCompass = true
    let sample = HeadingSample(
      magneticHeading: degrees, accuracy: HeadingSample.unstatedAccuracy, time: now.unixTime)
    seen.append(.heading(sample))
  }

  /// Notes that the connection, and with it the compass, is gone.
  mutating func loseCompass() -> [SourceOutput] {
    guard hasCompass else { return [] }
    hasCompass = false
    return [.compass(false)]
  }
}
