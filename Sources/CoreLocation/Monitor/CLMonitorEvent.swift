import LocationModel

extension CLMonitor {
  /// What became known of a condition.
  public struct Event: Sendable {
    /// Whether a condition holds.
    public typealias State = __CLMonitoringState

    /// Which condition.
    public let identifier: String

    /// What exactly was met, such as the full identity of a beacon (MON-30); otherwise `nil`.
    public let refinement: (any CLCondition)?

    /// Whether the condition holds.
    public let state: State

    /// When this was observed, not when the app learned of it (MON-32).
    public let date: Date

    let diagnostics: ConditionDiagnostics

    /// Whether the person denied the app.
    public var authorizationDenied: Bool { diagnostics.contains(.authorizationDenied) }

    /// Whether location services are switched off.
    public var authorizationDeniedGlobally: Bool {
      diagnostics.contains(.authorizationDeniedGlobally)
    }

    /// Whether a policy forbids the app to know.
    public var authorizationRestricted: Bool { diagnostics.contains(.authorizationRestricted) }

    /// Whether the person is being asked.
    public var authorizationRequestInProgress: Bool {
      diagnostics.contains(.authorizationRequestInProgress)
    }

    /// Whether the app would have to be in use.
    public var insufficientlyInUse: Bool { diagnostics.contains(.insufficientlyInUse) }

    /// Whether the app may know only roughly, which is not enough (MON-33).
    public var accuracyLimited: Bool { diagnostics.contains(.accuracyLimited) }

    /// Whether this host cannot watch such a condition (MON-20).
    public var conditionUnsupported: Bool { diagnostics.contains(.conditionUnsupported) }

    /// Whether there are too many conditions (MON-18).
    public var conditionLimitExceeded: Bool { diagnostics.contains(.conditionLimitExceeded) }

    /// Whether the condition cannot be kept over launches.
    public var persistenceUnavailable: Bool { diagnostics.contains(.persistenceUnavailable) }

    /// Whether the app would have to hold a `CLServiceSession`.
    public var serviceSessionRequired: Bool { diagnostics.contains(.serviceSessionRequired) }
  }
}
