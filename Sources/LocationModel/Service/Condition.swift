/// Identifies a condition on this machine.
package struct ConditionKey: Hashable, Comparable, Sendable {
  package var app: AppIdentity
  package var owner: ConditionOwner
  package var identifier: String

  package init(app: AppIdentity, owner: ConditionOwner, identifier: String) {
    self.app = app
    self.owner = owner
    self.identifier = identifier
  }

  package static func < (left: ConditionKey, right: ConditionKey) -> Bool {
    (left.app, left.owner, left.identifier) < (right.app, right.owner, right.identifier)
  }
}

/// The interface through which an app registered a condition.
package enum ConditionOwner: Hashable, Comparable, Sendable {
  /// A region of a location manager.
  case regions
  /// The monitor of this name.
  case monitor(String)
}

/// The object that a condition watches.
package enum ConditionTarget: Hashable, Sendable {
  case circle(Circle)
  case beacon(BeaconConstraint)
  /// Of the owner of the computer alone (ADMIN-7).
  indirect case polygon(PolygonOutline)
  /// A kind or a value that cannot be watched (MON-20).
  case unsupported

  package var isBeacon: Bool {
    if case .beacon = self { true } else { false }
  }

  /// What the device can be inside of; `nil` for a beacon.
  package var area: Area? {
    switch self {
    case .circle(let circle): .circle(circle)
    case .polygon(let outline): .polygon(outline.polygon)
    case .beacon, .unsupported: nil
    }
  }

  package var isPolygon: Bool {
    if case .polygon = self { true } else { false }
  }

  /// Whether it can be watched at all.
  package var isSupported: Bool {
    switch self {
    case .circle(let circle): circle.isValid
    case .beacon, .polygon: true
    case .unsupported: false
    }
  }
}

/// The events of a region that its app requests (REG-17, BEACON-24).
package struct RegionNotices: Hashable, Sendable {
  package var onEntry: Bool
  package var onExit: Bool
  /// The state again whenever the display turns on inside a beacon region.
  package var onDisplay: Bool

  package init(onEntry: Bool = true, onExit: Bool = true, onDisplay: Bool = false) {
    self.onEntry = onEntry
    self.onExit = onExit
    self.onDisplay = onDisplay
  }
}

/// Reasons for which events of a condition do not have its true state (MON-18, MON-20, MON-33,
/// MON-34).
package struct ConditionDiagnostics: OptionSet, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let authorizationDenied = ConditionDiagnostics(rawValue: 1 << 0)
  package static let authorizationDeniedGlobally = ConditionDiagnostics(rawValue: 1 << 1)
  package static let authorizationRestricted = ConditionDiagnostics(rawValue: 1 << 2)
  package static let authorizationRequestInProgress = ConditionDiagnostics(rawValue: 1 << 3)
  package static let insufficientlyInUse = ConditionDiagnostics(rawValue: 1 << 4)
  package static let serviceSessionRequired = ConditionDiagnostics(rawValue: 1 << 5)
  package static let accuracyLimited = ConditionDiagnostics(rawValue: 1 << 6)
  package static let conditionUnsupported = ConditionDiagnostics(rawValue: 1 << 7)
  package static let conditionLimitExceeded = ConditionDiagnostics(rawValue: 1 << 8)
  package static let persistenceUnavailable = ConditionDiagnostics(rawValue: 1 << 9)

  /// Converts the diagnostics of an app; those that do not concern conditions are left out.
  package init(_ diagnostics: Diagnostics) {
    let pairs: [(Diagnostics, ConditionDiagnostics)] = [
      (.authorizationDenied, .authorizationDenied),
      (.authorizationDeniedGlobally, .authorizationDeniedGlobally),
      (.authorizationRestricted, .authorizationRestricted),
      (.authorizationRequestInProgress, .authorizationRequestInProgress),
      (.insufficientlyInUse, .insufficientlyInUse),
      (.serviceSessionRequired, .serviceSessionRequired),
      (.accuracyLimited, .accuracyLimited),
    ]
    self = pairs.reduce(into: []) { if diagnostics.contains($1.0) { $0.insert($1.1) } }
  }
}

/// The state that an event reports.
package enum MonitoredState: String, Hashable, Sendable {
  case unknown
  case satisfied
  case unsatisfied
  /// It is not watched: there are too many, or its kind is unknown.
  case unmonitored

  package init(_ state: ConditionState) {
    switch state {
    case .unknown: self = .unknown
    case .satisfied: self = .satisfied
    case .unsatisfied: self = .unsatisfied
    }
  }
}

/// An event of a monitor's condition.
package struct ConditionEvent: Hashable, Sendable {
  package var identifier: String
  package var state: MonitoredState
  /// When the state was observed, not when it was delivered (MON-32).
  package var date: UnixTime
  /// The beacon seen; always `nil` for circles and when unsatisfied (MON-30, MON-31).
  package var refinement: BeaconIdentity?
  package var diagnostics: ConditionDiagnostics
  /// The evidence of the decision; `nil` for beacons, assumptions, and diagnostics.
  package var evidence: CrossingEvidence?

  package init(
    identifier: String, state: MonitoredState, date: UnixTime,
    diagnostics: ConditionDiagnostics = []
  ) {
    self.identifier = identifier
    self.state = state
    self.date = date
    self.diagnostics = diagnostics
  }
}

/// A condition of a monitor with the last event its app has handled (MON-9).
package struct ConditionRecord: Hashable, Sendable {
  package var target: ConditionTarget
  package var lastEvent: ConditionEvent

  package init(target: ConditionTarget, lastEvent: ConditionEvent) {
    self.target = target
    self.lastEvent = lastEvent
  }
}

/// An event of a location manager's region.
package enum RegionEvent: Hashable, Sendable {
  /// Monitoring has begun (REG-1).
  case started
  case failed(RegionFailure)
  /// The state, without an entry or exit that reports it (REG-24, REG-25); wakes no app.
  case determined(ConditionState)
  case entered(CrossingEvidence?)
  case exited(CrossingEvidence?)
}

/// The reason why a region is not monitored.
package enum RegionFailure: Hashable, CaseIterable, Sendable {
  /// Over the limit, too large, or not on earth (REG-2, REG-5, REG-16).
  case limitExceeded
  case radiusTooLarge
  case invalid
  /// This computer has no radio that receives beacons (AVAIL-4).
  case unavailable
  /// Not permitted, or only with reduced accuracy (REG-7, REG-36).
  case denied
}
