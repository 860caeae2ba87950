import LocationModel

/// Drives an NMEA receiver on a serial port or a socket; opens it again after it was lost.
struct NMEADriver: SourceDriver {
  private enum State: Hashable, Sendable {
    /// No client needs positions.
    case idle
    case opening
    case open
    case waiting(until: Instant)
  }

  private let channel: Channel
  private var listener: NMEAListener
  private var state = State.idle
  private var retry = Retry()
  private var status = ProviderStatus.idle
  /// Whether the receiver's channel was ever open.
  private var wasReached = false
  /// Number of datagrams from senders that are not permitted.
  private var unknownSenders = 0

  init(channel: Channel, origin: Fix.Origin = Fix.Origin()) {
    self.channel = channel
    listener = NMEAListener(origin: origin)
  }

  var rejections: [SourceRejection] {
    guard unknownSenders > 0 else { return listener.rejections }
    let reason = "datagrams of senders that from= does not name"
    return listener.rejections + [SourceRejection(reason: reason, count: unknownSenders)]
  }
  var evidence: SourceEvidence { wasReached ? listener.evidence : SourceEvidence() }

  var nextDeadline: Instant? {
    switch state {
    case .waiting(let until): until
    case .open: listener.nextDeadline
    case .idle, .opening: nil
    }
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch (input, state) {
    case (.demand(let demand), _):
      return settle(needed: demand.needsPosition || demand.magnetometer && listener.hasCompass)
    case (.stored, _): return []
    case (.channel(.opened), _):
      state = .open
      wasReached = true
      return listener.receive(.opened, at: now)
    case (.channel(.bytes(let bytes)), .open):
      return observe(.bytes(bytes), at: now)
    case (.channel(.datagram(let bytes)), .open):
      return observe(.datagram(bytes), at: now)
    case (.channel(.unknownSenders(let count)), _):
      unknownSenders += count
      return []
    case (.channel(.closed(let end)), .opening), (.channel(.closed(let end)), .open):
      let last = state == .open ? observe(.closed, at: now) : []
      state = .waiting(until: retry.next(after: now.uptime))
      return last + listener.loseCompass() + report(.unavailable(end.reason))
    case (.channel, _), (.kernel, _), (.scan, _): return []
    case (.wake, .waiting(let until)):
      return now.uptime >= until ? open() : []
    case (.wake, .open): return observe(.wake, at: now)
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
    guard case .unavailable = status else { return report(.searching) + [.open(channel)] }
    return [.open(channel)]
  }

  private mutating func rest() -> [SourceOutput] {
    state = .idle
    retry.reset()
    return report(.idle)
  }

  private mutating func observe(_ input: NMEAReceiver.Input, at now: Moment) -> [SourceOutput] {
    let seen = listener.receive(input, at: now)
    guard seen.contains(where: \.isFix) else { return seen.isEmpty ? doubt() : seen }
    retry.reset()
    return status == .working ? seen : report(.working) + seen
  }

  /// Checks whether the received bytes can be NMEA at all, and reports the result as status.
  private mutating func doubt() -> [SourceOutput] {
    guard status != .working, listener.status.bytes >= Self.enoughToJudge else { return [] }
    switch listener.status.diagnosis {
    case .noText, .noSentences: return report(.unavailable(.garbled))
    case .silent, .noPosition, .noPositionSentences, .working: return report(.searching)
    }
  }

  private mutating func report(_ status: ProviderStatus) -> [SourceOutput] {
    guard status != self.status else { return [] }
    self.status = status
    return [.status(status)]
  }

  /// Bytes. Chosen: two seconds of a slow receiver.
  private static let enoughToJudge = 1000
}
