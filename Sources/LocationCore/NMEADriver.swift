import LocationModel
import LocationProviders

/// An NMEA receiver behind a serial port or a socket, opened again whenever it went away.
struct NMEADriver: SourceDriver {
  private enum State: Hashable, Sendable {
    /// Nobody needs it.
    case idle
    case opening
    case open
    case waiting(until: Instant)
  }

  private let channel: Channel
  private var receiver: NMEAReceiver
  private var state = State.idle
  private var retry = Retry()
  private var status = ProviderStatus.idle
  /// Whether a compass was heard on this connection.
  private var hasCompass = false
  /// What the receiver last said of the sky.
  private var satellites: SatelliteSummary?
  /// Whether the receiver's channel was ever open.
  private var wasReached = false

  init(channel: Channel, origin: Fix.Origin = Fix.Origin()) {
    self.channel = channel
    receiver = NMEAReceiver(origin: origin)
  }

  var rejections: [SourceRejection] {
    receiver.status.rejected.map { SourceRejection(reason: "\($0.reason)", count: $0.count) }
  }

  var evidence: SourceEvidence {
    guard wasReached else { return SourceEvidence() }
    var evidence = SourceEvidence(diagnosis: receiver.status.diagnosis)
    evidence.bytes = receiver.status.bytes
    evidence.satellites = satellites
    return evidence
  }

  var nextDeadline: Instant? {
    guard case .waiting(let until) = state else { return receiver.nextDeadline }
    return until
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch (input, state) {
    case (.demand(let demand), _):
      return settle(needed: demand.needsPosition || demand.magnetometer && hasCompass)
    case (.stored, _): return []
    case (.channel(.opened), _):
      state = .open
      wasReached = true
      satellites = nil
      _ = receiver.handle(.opened, at: now)
      return []
    case (.channel(.bytes(let bytes)), .open):
      return observations(of: receiver.handle(.bytes(bytes), at: now), at: now)
    case (.channel(.closed(let end)), .opening), (.channel(.closed(let end)), .open):
      let last = observations(of: receiver.handle(.closed, at: now), at: now)
      state = .waiting(until: retry.next(after: now.uptime))
      return last + loseCompass() + say(.unavailable(end.reason))
    case (.channel, _): return []
    case (.wake, .waiting(let until)):
      return now.uptime >= until ? open() : []
    case (.wake, .open): return observations(of: receiver.handle(.wake, at: now), at: now)
    case (.wake, .idle), (.wake, .opening): return []
    }
  }

  private mutating func settle(needed: Bool) -> [SourceOutput] {
    switch (needed, state) {
    case (true, .idle): open()
    case (false, .opening), (false, .open): rest() + [.close]
    case (false, .waiting): rest()
    case (true, _), (false, .idle): []
    }
  }

  private mutating func open() -> [SourceOutput] {
    state = .opening
    guard case .unavailable = status else { return say(.searching) + [.open(channel)] }
    return [.open(channel)]
  }

  private mutating func rest() -> [SourceOutput] {
    state = .idle
    retry.reset()
    return say(.idle)
  }

  private mutating func observations(
    of outputs: [NMEAReceiver.Output], at now: Moment
  ) -> [SourceOutput] {
    var seen: [SourceOutput] = []
    for output in outputs {
      switch output {
      case .fix(let fix, _):
        seen += say(.working)
        seen.append(.fix(fix))
        retry.reset()
      case .heading(let heading): seen += point(heading, at: now)
      case .satellites(let summary): satellites = summary
      case .superseded, .rejected: break
      }
    }
    return seen.isEmpty ? doubt() : seen
  }

  /// A heading from magnetic north; a gyrocompass, which knows only true north, is not one.
  private mutating func point(_ heading: NMEAHeading, at now: Moment) -> [SourceOutput] {
    guard let degrees = heading.magnetic else { return [] }
    let isNews = !hasCompass
    hasCompass = true
    let sample = HeadingSample(
      magneticHeading: degrees, accuracy: HeadingSample.unstatedAccuracy, time: now.unixTime)
    return (isNews ? [.compass(true)] : []) + [.heading(sample)]
  }

  private mutating func loseCompass() -> [SourceOutput] {
    guard hasCompass else { return [] }
    hasCompass = false
    return [.compass(false)]
  }

  /// Whether what comes cannot be the language of this receiver.
  private mutating func doubt() -> [SourceOutput] {
    guard status != .working, receiver.status.bytes >= Self.enoughToJudge else { return [] }
    switch receiver.status.diagnosis {
    case .noText, .noSentences: return say(.unavailable(.garbled))
    case .silent, .noPosition, .noPositionSentences, .working: return say(.searching)
    }
  }

  private mutating func say(_ status: ProviderStatus) -> [SourceOutput] {
    guard status != self.status else { return [] }
    self.status = status
    return [.status(status)]
  }

  /// Bytes. Chosen: two seconds of a slow receiver.
  private static let enoughToJudge = 1000
}
