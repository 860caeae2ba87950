/// The options of standard updates (STD).
package struct UpdateOptions: Hashable, Sendable {
  package var accuracy: DesiredAccuracy
  /// Meters, not negative; `nil` delivers every fix (STD-17).
  package var distanceFilter: Double?
  package var activity: ActivityKind
  /// Whether updates pause while the device is still (STD-39).
  package var pausesAutomatically: Bool
  /// `allowsBackgroundLocationUpdates` (STD-47, STD-49).
  package var allowsBackground: Bool
  /// `showsBackgroundLocationIndicator` (STD-52).
  package var showsIndicator: Bool

  package init(
    accuracy: DesiredAccuracy = .best, distanceFilter: Double? = nil,
    activity: ActivityKind = .other, pausesAutomatically: Bool = false
  ) {
    self.accuracy = accuracy
    self.distanceFilter = distanceFilter
    self.activity = activity
    self.pausesAutomatically = pausesAutomatically
    self.allowsBackground = false
    self.showsIndicator = false
  }
}

/// How exact positions should be: a target, not a filter (STD-19, STD-20).
package enum DesiredAccuracy: Hashable, Sendable {
  case bestForNavigation
  case best
  /// Meters, greater than zero.
  case meters(Double)
  /// The coarse place of reduced accuracy (AUTH-45).
  case reduced

  /// The radius that satisfies a one-shot request (STD-25); meters.
  package var radius: Double {
    switch self {
    case .bestForNavigation, .best: 10
    case .meters(let meters): meters
    case .reduced: .infinity
    }
  }

  /// The hardware that achieves it (STD-21, POW-1).
  package var tier: PositionTier {
    switch self {
    case .bestForNavigation: .navigation
    case .best: .satellite
    case .meters(let meters): meters < 100 ? .satellite : meters < 1000 ? .network : .cell
    case .reduced: .cell
    }
  }
}

/// The activity of the person, as the app declares it (STD-22, LIVE-5).
package enum ActivityKind: Hashable, Sendable, CaseIterable {
  case other
  case automotiveNavigation
  case fitness
  case otherNavigation
  case airborne
}

/// A request of a manager for standard updates.
package enum UpdatesRequest: Hashable, Sendable {
  case start(UpdateOptions)
  /// Applies to later fixes, without a restart (STD-18).
  case change(UpdateOptions)
  case stop
  /// `requestLocation` (STD-24).
  case once(UpdateOptions)
  /// `allowDeferredLocationUpdates` (STD-54).
  case deferUpdates(until: DeferralEnd)
  /// `disallowDeferredLocationUpdates`.
  case endDeferral
}

/// The limits of a deferral (STD-57).
package struct DeferralEnd: Hashable, Sendable {
  /// Meters from the place where it began; `nil` for any distance.
  package var distance: Double?
  /// `nil` for any time.
  package var timeout: Duration?

  package init(distance: Double?, timeout: Duration?) {
    self.distance = distance
    self.timeout = timeout
  }
}

/// The reason why a deferral ended early (STD-54, STD-55).
package enum DeferralFault: Hashable, CaseIterable, Sendable {
  case notUpdating
  case accuracyTooLow
  case distanceFiltered
  case canceled
}

/// A delivery of standard updates.
package enum UpdatesDelivery: Hashable, Sendable {
  /// Never empty; newest last (STD-6).
  case fixes([Fix])
  case failed(Failure)
  case paused
  case resumed
  /// Once for each deferral; `nil` when it reached its limit (STD-54).
  case deferralFinished(DeferralFault?)
}

/// A failure that a client receives.
package enum Failure: Hashable, CaseIterable, Sendable {
  /// No position can be computed now (STD-32).
  case positionUnknown
  /// Not authorized, or location services are off (STD-12).
  case denied
  /// The network that positioning needs is missing (STD-33).
  case network
}

/// The configuration of live updates (LIVE-5).
package struct LiveOptions: Hashable, Sendable {
  package var activity: ActivityKind

  package init(activity: ActivityKind = .other) {
    self.activity = activity
  }
}

/// A request for live updates.
package enum LiveRequest: Hashable, Sendable {
  case start(LiveOptions)
  case stop
}

/// One element of live updates.
package struct LiveUpdate: Hashable, Sendable {
  /// `nil` while there is no location to give (LIVE-4).
  package var fix: Fix?
  package var stationary: Bool
  package var diagnostics: Diagnostics

  package init(fix: Fix?, stationary: Bool = false, diagnostics: Diagnostics = []) {
    self.fix = fix
    self.stationary = stationary
    self.diagnostics = diagnostics
  }

  /// Whether nothing but the location is new, so that it may be dropped for a later one (LIVE-30,
  /// LIVE-31).
  package func isPlain(after earlier: LiveUpdate) -> Bool {
    fix != nil && earlier.fix != nil && diagnostics == earlier.diagnostics
      && stationary == earlier.stationary
  }
}

extension Request {
  /// Asks for locations: live updates without options, else those of a manager, or one of these.
  package static func locations(
    _ subscriber: SubscriberID, _ options: UpdateOptions?, isOnce: Bool
  ) -> Request {
    guard let options else { return .live(subscriber, .start(LiveOptions())) }
    return .updates(subscriber, isOnce ? .once(options) : .start(options))
  }
}

extension Delivery {
  /// The locations of a delivery, or that there is none, in its order; empty for one of anything else.
  package var liveUpdates: [LiveUpdate] {
    switch self {
    case .live(_, let update): [update]
    case .updates(_, .fixes(let fixes)): fixes.map { LiveUpdate(fix: $0) }
    case .updates(_, .failed(let failure)):
      [
        LiveUpdate(
          fix: nil,
          diagnostics: failure == .denied ? .authorizationDenied : .locationUnavailable)
      ]
    default: []
    }
  }
}

extension Diagnostics {
  /// The flags that bar all locations.
  package static let barring: Diagnostics = [
    .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted,
    .authorizationRequestInProgress, .insufficientlyInUse, .serviceSessionRequired,
  ]
}
