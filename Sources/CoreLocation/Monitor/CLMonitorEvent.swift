import LocationModel

extension CLMonitor {
  /// A change of what is known about a condition.
  public struct Event: Sendable {
    /// Whether a condition holds.
    public typealias State = __CLMonitoringState

    /// The name of the condition within its monitor.
    public let identifier: String

    /// The condition that was met exactly, such as a full beacon identity (MON-30); otherwise
    /// `nil`.
    public let refinement: (any CLCondition)?

    /// Whether the condition holds.
    public let state: State

    /// When this was observed, not when it was delivered (MON-32).
    public let date: Date

    let diagnostics: ConditionDiagnostics

    /// Whether the person denied the app authorization.
    public var authorizationDenied: Bool { diagnostics.contains(.authorizationDenied) }

    /// Whether location services are switched off.
    public var authorizationDeniedGlobally: Bool {
      diagnostics.contains(.authorizationDeniedGlobally)
    }

    /// Whether a policy forbids the app to use locations.
    public var authorizationRestricted: Bool { diagnostics.contains(.authorizationRestricted) }

    /// Whether the person is being asked for authorization.
    public var authorizationRequestInProgress: Bool {
      diagnostics.contains(.authorizationRequestInProgress)
    }

    /// Whether the app would have to be in use, and is not.
    public var insufficientlyInUse: Bool { diagnostics.contains(.insufficientlyInUse) }

    /// Whether the app has only reduced accuracy, which does not suffice (MON-33).
    public var accuracyLimited: Bool { diagnostics.contains(.accuracyLimited) }

    /// Whether this host cannot monitor such a condition (MON-20).
    public var conditionUnsupported: Bool { diagnostics.contains(.conditionUnsupported) }

    /// Whether there are too many conditions (MON-18).
    public var conditionLimitExceeded: Bool { diagnostics.contains(.conditionLimitExceeded) }

    /// Whether the condition cannot be stored for later launches.
    public var persistenceUnavailable: Bool { diagnostics.contains(.persistenceUnavailable) }

    /// Whether the app would have to hold a `CLServiceSession`.
    public var serviceSessionRequired: Bool { diagnostics.contains(.serviceSessionRequired) }
  }
}
