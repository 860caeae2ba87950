internal import LocationModel

/// A condition while it is registered, monitored or not.
struct WatchedCondition: Sendable {
  /// What was seen of the condition, whether its app may know or not.
  struct Observation: Hashable, Sendable {
    var state: ConditionState
    var date: UnixTime
    var refinement: BeaconIdentity?
    var evidence: CrossingEvidence?
  }

  /// How far the condition has come.
  enum Watch: Hashable, Sendable {
    /// Over the limit, waiting for room.
    case surplus
    /// Of no kind that can be watched.
    case unsupported
    /// Followed by the tracker.
    case circle(ConditionTracker.Slot)
    /// Told from outside.
    case beacon
  }

  /// Counts registrations on this machine: earlier ones come first.
  var ordinal: UInt64
  var target: ConditionTarget
  var watch: Watch
  /// What regions ask for; `nil` for conditions of a monitor.
  var notices: RegionNotices?
  /// What the app has handled; for a region, what it was last told.
  var lastEvent: ConditionEvent
  var observation: Observation
  /// Seen while an event waited for a monitor that nobody had open (MON-27).
  var later: Observation?
  /// Whether the observation was made, or made again, since this engine started (MON-36).
  var isVerified: Bool

  /// Whether it is followed, so that its state can be seen.
  var isWatched: Bool {
    switch watch {
    case .circle, .beacon: true
    case .surplus, .unsupported: false
    }
  }

  /// What the app should know now, if it may know what `diagnostics` allow.
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
    case .circle, .beacon:
      guard access.isEmpty, isVerified else { break }
      event.state = MonitoredState(observation.state)
      event.date = observation.date
      event.refinement = observation.state == .satisfied ? observation.refinement : nil
      // Diagnostics that end leave the state as it was told: no crossing explains that (MON-37a).
      event.evidence = event.state == lastEvent.state ? nil : observation.evidence
      return event
    }
    if event.diagnostics != access { event.state = .unmonitored }
    event.date = since
    event.evidence = nil
    return event
  }

  /// Whether there is news for the app.
  func isNews(_ event: ConditionEvent) -> Bool {
    if !isVerified, event.diagnostics.isEmpty { return false }
    return event.state != lastEvent.state || event.diagnostics != lastEvent.diagnostics
  }
}
