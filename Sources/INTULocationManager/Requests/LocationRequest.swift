package import CoreLocation

/// The time of an input to the coordinator.
package struct RequestTime: Hashable, Sendable {
  /// Time since some start; never jumps; timeouts are measured in it.
  package var uptime: Duration
  /// The date, which may jump; the age of a location is measured with it.
  package var date: Date

  package init(uptime: Duration, date: Date) {
    self.uptime = uptime
    self.date = date
  }
}

/// A request of an app.
package struct LocationRequest: Hashable, Sendable {
  package var id: INTULocationRequestID
  package var mode: Mode
  /// What the person does; used for standard updates only.
  package var activityType: CLActivityType
  /// The authorization to request, if the person has not yet answered.
  package var authorizationType: INTUAuthorizationType

  package init(
    _ id: INTULocationRequestID, _ mode: Mode, activityType: CLActivityType = .other,
    asking authorizationType: INTUAuthorizationType = .auto
  ) {
    self.id = id
    self.mode = mode
    self.activityType = activityType
    self.authorizationType = authorizationType
  }

  package enum Mode: Hashable, Sendable {
    /// One location of an accuracy, or the best there is when the timeout ends.
    case once(INTULocationAccuracy, Timeout)
    /// Every location; the accuracy is requested from the hardware.
    case updates(INTULocationAccuracy)
    /// Every location, while the hardware reports only moves of about 500 m.
    case significantChanges
  }

  package enum Timeout: Hashable, Sendable {
    case unlimited
    /// Counted from the request, or optionally from the person's permission (INTU-19).
    case limited(Duration, fromAuthorization: Bool)

    /// Reads a timeout in seconds: zero, negative, or endless is no limit (INTU-18).
    init(timeout: TimeInterval, delayUntilAuthorized: Bool) {
      guard timeout > 0, timeout < Self.longest else {
        self = .unlimited
        return
      }
      self = .limited(.seconds(timeout), fromAuthorization: delayUntilAuthorized)
    }

    /// Reads a timeout; `nil` is no limit.
    init(timeout: Duration?, delayUntilAuthorized: Bool) {
      let seconds = timeout.map { max($0 / .seconds(1), .leastNonzeroMagnitude) }
      self.init(timeout: seconds ?? 0, delayUntilAuthorized: delayUntilAuthorized)
    }

    /// Seconds: a hundred years, beyond which clocks overflow. Chosen.
    private static let longest: TimeInterval = 100 * 365 * 86_400
  }
}

/// The answer to a request.
package struct LocationAnswer: Hashable, Sendable {
  /// `nil` unless the status carries a location, and when there is none yet.
  package var location: CLLocation?
  package var achievedAccuracy: INTULocationAccuracy
  package var status: INTULocationStatus
  /// Why location services failed; `nil` unless the status is `error`.
  package var error: CLError?
}

/// The part of a heading that decides whether it is valid.
package struct HeadingReading: Hashable, Sendable {
  /// Degrees clockwise from true north; negative while unknown.
  package var trueHeading: CLLocationDirection
  /// Degrees; negative while the heading is invalid.
  package var accuracy: CLLocationDirection

  package init(trueHeading: CLLocationDirection, accuracy: CLLocationDirection) {
    self.trueHeading = trueHeading
    self.accuracy = accuracy
  }
}
