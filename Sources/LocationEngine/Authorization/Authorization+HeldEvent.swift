import LocationModel

/// Why an event that needed Always was dropped.
package enum DropReason: String, Sendable {
  /// A newer event replaced it (AUTH-36).
  case displaced
  /// It waited longer than `provisionalHold` (AUTH-36).
  case tooOld
  /// The person has chosen less than Always (AUTH-35).
  case notAuthorized
}

/// The newest event held for the answer to the second prompt (AUTH-32).
struct HeldEvent: Hashable, Sendable {
  var event: EventNumber
  var expiry: Instant
  /// Whether the second prompt was put for it.
  var hasAsked = false

  /// Chosen (AUTH-36, `provisionalHold`).
  static let timeout = Duration.seconds(600)
}

extension Authorization {
  mutating func take(event: EventNumber, at now: Moment) -> [Output] {
    guard isProvisional && status.isGranted && use == .none else {
      return [isEffective ? .release(event: event) : .drop(event: event, .notAuthorized)]
    }
    let displaced = held.map { Output.drop(event: $0.event, .displaced) }
    held = HeldEvent(
      event: event, expiry: now.uptime + HeldEvent.timeout,
      hasAsked: open?.prompt.kind == .upgrade)
    return displaced.map { [$0] } ?? []
  }

  /// Releases or drops the held event when the answer, the use of the app, or its age decides.
  mutating func settleHeldEvent(at now: Moment) -> [Output] {
    guard let held else { return [] }
    if now.uptime >= held.expiry {
      self.held = nil
      return [.drop(event: held.event, .tooOld)]
    }
    let isAnswered = record.grant == .whenInUse
    if isEffective && !isAnswered {
      self.held = nil
      return [.release(event: held.event)]
    }
    guard !isProvisional || !status.isGranted else { return [] }
    self.held = nil
    return [.drop(event: held.event, .notAuthorized)]
  }
}
