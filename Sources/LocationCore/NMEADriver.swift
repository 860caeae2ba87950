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
    case (.needed(true), .idle): return open()
    case (.needed(false), .opening), (.needed(false), .open): return rest() + [.close]
    case (.needed(false), .waiting): return rest()
    case (.needed, _): return []
    case (.channel(.opened), _):
      state = .open
      wasReached = true
      satellites = nil
      _ = receiver.handle(.opened, at: now)
      return []
    case (.channel(.bytes(let bytes)), .open):
      return observations(of: receiver.handle(.bytes(bytes), at: now))
    case (.channel(.closed(let end)), .opening), (.channel(.closed(let end)), .open):
      let last = observations(of: receiver.handle(.closed, at: now))
      state = .waiting(until: retry.next(after: now.uptime))
      return last + say(.unavailable(end.reason))
    case (.channel, _): return []
    case (.wake, .waiting(let until)):
      return now.uptime >= until ? open() : []
    case (.wake, .open): return observations(of: receiver.handle(.wake, at: now))
    case (.wake, .idle), (.wake, .opening): return []
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

  private mutating func observations(of outputs: [NMEAReceiver.Output]) -> [SourceOutput] {
    var seen: [SourceOutput] = []
    for output in outputs {
      switch output {
      case .fix(let fix, _):
        seen += say(.working)
        seen.append(.fix(fix))
        retry.reset()
      case .satellites(let summary): satellites = summary
      case .superseded, .heading, .rejected: break
      }
    }
    return seen.isEmpty ? doubt() : seen
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
