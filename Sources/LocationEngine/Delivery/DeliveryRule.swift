package import LocationModel

/// Decides what happens to an event, by its service, the app's authorization, and its lifecycle
/// state: section 16 of the behavior document, as one table with its overlays.
///
/// Nothing else decides this. The table prints itself as `docs/formats/delivery.md`.
package enum DeliveryRule {
  /// What the engine does with the event.
  package enum Action: String, CaseIterable, Sendable {
    case deliver = "Y"
    /// Queues the event until the app runs again (STD-50).
    case queue = "Q"
    /// Queues only the latest event.
    case queueLatest = "Q (latest)"
    /// Wakes the suspended app and delivers.
    case wake = "W"
    /// Launches the app and delivers.
    case launch = "L"
    /// Launches unless quitting by the person is honored (LIFE-4).
    case launchUnlessQuit = "L*"
    /// Tracks the state; the event is delivered when it may be.
    case hold = "H"
    /// As `hold`, and puts the second prompt (AUTH-33).
    case holdAndAsk = "H + prompt 2"
    case nothing = "–"
  }

  /// What the engine does with one event.
  package struct Verdict: Hashable, Sendable {
    package var action: Action
    /// Diagnostics that a modern service delivers with the event, or instead of it.
    package var flags: Diagnostics
    /// Whether the place in the event is the coarse one (AUTH-41).
    package var isCoarse: Bool

    package init(_ action: Action, flags: Diagnostics = [], isCoarse: Bool = false) {
      self.action = action
      self.flags = flags
      self.isCoarse = isCoarse
    }
  }

  /// The authorization and the lifecycle state of the app.
  package struct Circumstances: Hashable, Sendable {
    package var authorization: AuthorizationFacts
    package var session: DeliverySession
    /// Whether modern services wait for an explicit service session (SESS-10).
    package var needsSession: Bool
    package var life: AppLife
    package var use: AppUse
    /// Whether the person has stopped the app's use of the location for now (BGA-16).
    package var isStopped: Bool
    package var policy = LaunchPolicy()

    package init(
      authorization: AuthorizationFacts, session: DeliverySession, lifecycle: AppLifecycleState,
      needsSession: Bool = false
    ) {
      self.authorization = authorization
      self.session = session
      self.needsSession = needsSession
      life = lifecycle.mayReturn ? .background : lifecycle.life
      use = lifecycle.use
      isStopped = lifecycle.isStopped
    }
  }

  package static func decide(
    _ service: DeliveryService, _ circumstances: Circumstances
  ) -> Verdict {
    let facts = circumstances.authorization
    if service.isModern && circumstances.needsSession {
      return Verdict(.nothing, flags: facts.denial.union(.serviceSessionRequired))
    }
    guard !circumstances.isStopped || !service.endsWhenStopped else {
      let flags: Diagnostics = service.isModern ? .insufficientlyInUse : []
      return Verdict(.nothing, flags: facts.denial.union(flags))
    }
    let place = DeliveryPlace(life: circumstances.life, use: circumstances.use)
    let authority = DeliveryAuthority(circumstances, service: service)
    guard let row = DeliveryTable.row(service, authority) else {
      return Verdict(.nothing, flags: service.isModern ? facts.refusal(in: place) : [])
    }
    var verdict = row.verdict(in: place)
    if facts.report.accuracy == .reduced && facts.status.isGranted {
      verdict = reduced(verdict, of: service)
    }
    verdict.action = circumstances.policy.permitted(verdict.action)
    return verdict
  }

  /// The overlay of reduced accuracy (AUTH-43, MON-33).
  private static func reduced(_ verdict: Verdict, of service: DeliveryService) -> Verdict {
    switch service.coarseness {
    case .unaffected: return verdict
    case .coarsePlace:
      let flags: Diagnostics = service.isModern ? .accuracyLimited : []
      return Verdict(verdict.action, flags: verdict.flags.union(flags), isCoarse: true)
    case .none:
      let flags: Diagnostics = service.isModern ? .accuracyLimited : []
      return Verdict(.nothing, flags: verdict.flags.union(flags))
    }
  }
}

/// The conditions under which an app that does not run may be launched for an event.
package struct LaunchPolicy: Hashable, Sendable {
  /// The daemon's option `honor-force-quit` (LIFE-4).
  package var honorsQuit = false
  /// Whether the person lets the app be refreshed in the background (STD-53).
  package var allowsRefresh = true
  /// Whether the device was unlocked since it started (LIFE-7); `nil` while that is not known yet.
  package var isUnlocked: Bool? = true
  /// Whether the app registered a command to launch it with (LIFE-2).
  package var hasLaunchCommand = true

  package init() {}

  /// Returns the permitted action; where no launch is permitted, an absent app gets no event. Events
  /// wait until it is known whether the device was unlocked.
  package func permitted(_ action: DeliveryRule.Action) -> DeliveryRule.Action {
    let mayLaunch = allowsRefresh && isUnlocked != false && hasLaunchCommand
    let launch = isUnlocked == nil ? DeliveryRule.Action.queue : .launch
    switch action {
    case .launch: return mayLaunch ? launch : .nothing
    case .launchUnlessQuit: return mayLaunch && !honorsQuit ? launch : .nothing
    case .deliver, .queue, .queueLatest, .wake, .hold, .holdAndAsk, .nothing: return action
    }
  }
}

extension AuthorizationFacts {
  /// Returns the diagnostics of a modern service without a row (LIVE-13, LIVE-14).
  fileprivate func refusal(in place: DeliveryPlace) -> Diagnostics {
    var flags = denial
    guard status == .notDetermined else { return flags }
    if openPrompt == .whenInUse { flags.insert(.authorizationRequestInProgress) }
    if place != .foreground { flags.insert(.insufficientlyInUse) }
    return flags
  }
}
