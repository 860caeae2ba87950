import LocationModel

/// One report of a live sequence: a location, or why there is none.
public struct CLLocationUpdate: Sendable {
  /// Where the device is; `nil` while it is not known or must not be told.
  public let location: CLLocation?

  /// Whether the device stays where it is; reports pause until it moves.
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

  /// Whether nothing can tell now where the device is.
  public var locationUnavailable: Bool { diagnostics.contains(.locationUnavailable) }

  /// Whether the app may know only roughly.
  public var accuracyLimited: Bool { diagnostics.contains(.accuracyLimited) }

  /// Whether the app would have to hold a `CLServiceSession`.
  public var serviceSessionRequired: Bool { diagnostics.contains(.serviceSessionRequired) }
}
