import LocationModel

/// Drives an NMEA receiver on a serial port or a socket; opens it again after it was lost.
struct NMEADriver: SourceDriver {
  private var channel: KeptChannel
  private var listener: NMEAListener
  /// Whether the receiver's channel was ever open.
  private var wasReached = false
  /// Number of datagrams from senders that are not permitted.
  private var unknownSenders = 0

  init(channel: Channel, origin: Fix.Origin = Fix.Origin()) {
    self.channel = KeptChannel(channel)
    listener = NMEAListener(origin: origin)
  }

  var rejections: [SourceRejection] {
    guard unknownSenders > 0 else { return listener.rejections }
    let reason = "datagrams of senders that from= does not name"
    return listener.rejections + [SourceRejection(reason: reason, count: unknownSenders)]
  }
  var evidence: SourceEvidence { wasReached ? listener.evidence : SourceEvidence() }
  var sky: [Satellite] { listener.sky }

  var nextDeadline: Instant? {
    channel.state == .open ? listener.nextDeadline : channel.nextAttempt
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand):
      let needsCompass = demand.magnetometer && listener.hasCompass
      return channel.settle(needed: demand.needsPosition || needsCompass)
    case .channel(.opened):
      channel.noteOpened()
      wasReached = true
      return listener.receive(.opened, at: now)
    case .channel(.bytes(let bytes)): return observe(.bytes(bytes), at: now)
    case .channel(.datagram(let bytes)): return observe(.datagram(bytes), at: now)
    case .channel(.unknownSenders(let count)):
      unknownSenders += count
      return []
    case .channel(.closed(let end)):
      guard channel.isRequested else { return [] }
      return observe(.closed, at: now) + listener.loseCompass() + channel.lose(end, at: now)
    case .wake: return channel.state == .open ? observe(.wake, at: now) : channel.wake(at: now)
    case .stored, .channel, .kernel, .scan: return []
    }
  }

  private mutating func observe(_ input: NMEAReceiver.Input, at now: Moment) -> [SourceOutput] {
    guard channel.state == .open else { return [] }
    let seen = listener.receive(input, at: now)
    guard seen.contains(where: \.isFix) else { return seen.isEmpty ? doubt() : seen }
    channel.noteSuccess()
    return channel.status == .working ? seen : channel.report(.working) + seen
  }

  /// Checks whether the received bytes can be NMEA at all, and reports the result as status.
  private mutating func doubt() -> [SourceOutput] {
    guard channel.status != .working, listener.status.bytes >= Self.enoughToJudge else { return [] }
    switch listener.status.diagnosis {
    case .noText, .noSentences: return channel.report(.unavailable(.garbled))
    case .silent, .noPosition, .noPositionSentences, .working: return channel.report(.searching)
    }
  }

  /// Bytes. Chosen: two seconds of a slow receiver.
  private static let enoughToJudge = 1000
}
