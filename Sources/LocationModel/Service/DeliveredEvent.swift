/// The evidence of an event. It has no coordinate.
package enum EventEvidence: Hashable, Sendable {
  /// A boundary was crossed: that of a circle, or that of the place of a visit which ended.
  case crossing(CrossingEvidence)
  /// The device stayed at one place: a visit began.
  case stay(StayEvidence)
}

/// One event of a condition, a region, or a visit, as delivered to an app.
package struct DeliveredEvent: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case condition, region, visit
  }

  package var kind: Kind
  /// Of the condition or the region; `nil` for a visit.
  package var identifier: String?
  /// `satisfied` and the like for a condition, `entered` or `exited` for a region, `arrived` or
  /// `departed` for a visit.
  package var state: String
  /// The beginning of the state, as far as it is known.
  package var date: UnixTime
  /// `nil` if no fix has decided it.
  package var evidence: EventEvidence?

  package init(
    _ kind: Kind, _ identifier: String?, _ state: String, since date: UnixTime,
    _ evidence: EventEvidence? = nil
  ) {
    self.kind = kind
    self.identifier = identifier
    self.state = state
    self.date = date
    self.evidence = evidence
  }

  package init(_ event: ConditionEvent) {
    self.init(
      .condition, event.identifier, event.state.rawValue, since: event.date,
      event.evidence.map { .crossing($0) })
  }

  package init(_ visit: Visit, at now: UnixTime) {
    self.init(
      .visit, nil, visit.departure == nil ? "arrived" : "departed",
      since: visit.departure ?? visit.arrival ?? now, visit.evidence)
  }

  /// Creates the event of a delivery; `nil` when it is no event.
  package init?(_ delivery: Delivery, at now: UnixTime) {
    func crossed(
      _ region: RegionDescription, _ state: String, _ evidence: CrossingEvidence?
    ) -> Self {
      Self(
        .region, region.identifier, state, since: evidence?.lastFix ?? now,
        evidence.map { .crossing($0) })
    }
    switch delivery {
    case .monitor(_, .event(_, let event)): self.init(event)
    case .pending(_, .region(let region, .entered(let evidence))):
      self = crossed(region, "entered", evidence)
    case .pending(_, .region(let region, .exited(let evidence))):
      self = crossed(region, "exited", evidence)
    case .pending(_, .visit(let visit)): self.init(visit, at: now)
    default: return nil
    }
  }

  /// The name to show to a person.
  package var name: String { identifier ?? kind.rawValue }
}

/// An event that was recorded when it was delivered to an app.
package struct EventRecord: Hashable, Sendable {
  /// Counted from 1, in the order of delivery, also across restarts.
  package var number: Int
  package var app: AppIdentity
  package var event: DeliveredEvent
  package var delivered: UnixTime

  package init(number: Int, app: AppIdentity, event: DeliveredEvent, delivered: UnixTime) {
    self.number = number
    self.app = app
    self.event = event
    self.delivered = delivered
  }
}
