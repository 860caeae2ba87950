import LocationModel

/// One element of a live sequence: a location, or the reason why there is none.
public struct CLLocationUpdate: Sendable {
  /// Where the device is; `nil` while it is unknown or the app may not know it.
  public let location: CLLocation?

  /// Whether the device is stationary; updates pause until it moves.
  public let stationary: Bool

  private let diagnostics: Diagnostics

  init(_ update: LiveUpdate) {
    location = update.fix.map { CLLocation($0) }
    stationary = update.stationary
    diagnostics = update.diagnostics
  }

  /// The older name of `stationary`.
  @available(*, deprecated, renamed: "stationary")
  public var isStationary: Bool { stationary }

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

  /// Whether the location cannot be determined now.
  public var locationUnavailable: Bool { diagnostics.contains(.locationUnavailable) }

  /// Whether the app has only reduced accuracy.
  public var accuracyLimited: Bool { diagnostics.contains(.accuracyLimited) }

  /// Whether the app would have to hold a `CLServiceSession`.
  public var serviceSessionRequired: Bool { diagnostics.contains(.serviceSessionRequired) }
}
