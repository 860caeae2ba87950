internal import LocationModel

/// A condition while it is registered, monitored or not.
struct WatchedCondition: Sendable {
  /// An observation of the condition, whether or not its app may know it.
  struct Observation: Hashable, Sendable {
    var state: ConditionState
    var date: UnixTime
    var refinement: BeaconIdentity?
    var evidence: CrossingEvidence?
  }

  /// An event under the number by which a loop acknowledges it.
  struct Delivered: Hashable, Sendable {
    var number: EventNumber
    var event: ConditionEvent
  }

  /// How the condition is watched.
  enum Watch: Hashable, Sendable {
    /// Over the limit; waits for room.
    case surplus
    /// Of a kind that is not supported.
    case unsupported
    /// Followed by the tracker.
    case area(ConditionTracker.Slot)
    /// A beacon; its state is an input.
    case beacon
    /// Of an app that may not know the location: nothing is measured for it (MON-42). Whether its state was confirmed
    /// by an engine before.
    case paused(isStored: Bool)
  }

  /// The number of the registration on this machine: earlier ones come first.
  var ordinal: UInt64
  var target: ConditionTarget
  var watch: Watch
  /// The events that a region requests; `nil` for conditions of a monitor.
  var notices: RegionNotices?
  /// The last event that the app has handled; for a region, the last one delivered.
  var lastEvent: ConditionEvent
  var observation: Observation
  /// Observed while an event waited for a monitor that was not open (MON-27).
  var later: Observation?
  /// The event that a loop has received and not acknowledged yet (MON-23).
  var delivered: Delivered?
  /// Whether the observation was made or confirmed since this engine started (MON-36).
  var isVerified: Bool

  /// Whether it counts as one of those its app has monitored.
  var isWatched: Bool {
    switch watch {
    case .area, .beacon, .paused: true
    case .surplus, .unsupported: false
    }
  }

  /// Returns the event that the app should have now, with its access as `diagnostics`.
  func currentEvent(
    diagnostics access: ConditionDiagnostics, since: UnixTime
  ) -> ConditionEvent {
    var event = lastEvent
    event.diagnostics = access
    switch watch {
    case .unsupported:
      event.diagnostics.insert(.conditionUnsupported)
    case .surplus:
      event.diagnostics.insert(.conditionLimitExceeded)
    case .area, .beacon, .paused:
      guard access.isEmpty, isVerified else { break }
      event.state = MonitoredState(observation.state)
      event.date = observation.date
      event.refinement = observation.state == .satisfied ? observation.refinement : nil
      // After diagnostics it is that of the crossing with this date, which may have been delivered before.
      event.evidence = event.state == lastEvent.state ? nil : observation.evidence
      return event
    }
    // What an app may not know, or nobody observes, is no state of before either.
    event.state = event.diagnostics == access ? .unknown : .unmonitored
    event.date = since
    event.evidence = nil
    return event
  }

  /// Whether an event differs from the last one of the app.
  func isUndelivered(_ event: ConditionEvent) -> Bool {
    if !isVerified, event.diagnostics.isEmpty { return false }
    return event.state != lastEvent.state || event.diagnostics != lastEvent.diagnostics
  }
}
