public import CoreLocation

/// A location and its accuracy level: what a request for one location returns.
public struct INTUGradedLocation: Sendable {
  /// Where the device is.
  public let location: CLLocation
  /// The best level whose limits the location meets; `none` when it does not even meet those of
  /// `city`.
  public let achievedAccuracy: INTULocationAccuracy
  /// Whether the request timed out before there was a location of the desired accuracy; this one is
  /// then the best there was.
  public let isTimedOut: Bool
}

/// Why a request for one location returned none.
public struct INTULocationError: Error, Sendable {
  /// What happened; `timedOut` when the request timed out before there was any location.
  public let status: INTULocationStatus
  /// What location services reported; `nil` unless the status is `error`.
  public let underlyingError: CLError?
}

/// One element of a location subscription.
public struct INTULocationUpdate: Sendable {
  /// Where the device is; `nil` unless the status is `success`.
  public let location: CLLocation?
  /// The best level whose limits the location meets; `none` without a location.
  public let achievedAccuracy: INTULocationAccuracy
  /// Whether there is a location or, if not, why.
  public let status: INTULocationStatus
  /// What location services reported; `nil` unless the status is `error`.
  public let underlyingError: CLError?
}

/// One element of a heading subscription.
public struct INTUHeadingUpdate: Sendable {
  /// Where the device points.
  public struct Heading: Sendable {
    /// Degrees clockwise from magnetic north.
    public let magneticHeading: CLLocationDirection
    /// Degrees clockwise from true north; `nil` while it is unknown because there is no location.
    public let trueHeading: CLLocationDirection?
    /// The possible error of the heading in degrees.
    public let accuracy: CLLocationDirection
    /// When the heading was determined.
    public let timestamp: Date
  }

  /// Where the device points; `nil` unless the status is `success`.
  public let heading: Heading?
  /// Whether there is a heading or, if not, why.
  public let status: INTUHeadingStatus
}

extension INTUGradedLocation {
  static func result(_ answer: LocationAnswer) -> Result<Self, any Error> {
    guard answer.status.carriesLocation, let location = answer.location else {
      return .failure(INTULocationError(status: answer.status, underlyingError: answer.error))
    }
    return .success(
      Self(
        location: location, achievedAccuracy: answer.achievedAccuracy,
        isTimedOut: answer.status == .timedOut))
  }
}

extension INTULocationUpdate {
  init(_ answer: LocationAnswer) {
    self.init(
      location: answer.location, achievedAccuracy: answer.achievedAccuracy, status: answer.status,
      underlyingError: answer.error)
  }
}

extension INTUHeadingUpdate {
  init(_ heading: CLHeading?, _ status: INTUHeadingStatus) {
    self.init(
      heading: heading.map { heading in
        Heading(
          magneticHeading: heading.magneticHeading,
          trueHeading: heading.trueHeading >= 0 ? heading.trueHeading : nil,
          accuracy: heading.headingAccuracy, timestamp: heading.timestamp)
      },
      status: status)
  }
}
