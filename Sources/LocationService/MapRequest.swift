package import LocationModel
package import LocationProviders
package import LocationRadio

/// What the owner does with the map of transmitters.
package enum MapRequest: Hashable, Sendable {
  case learn([RadioObservation])
  /// Stores what was learned now.
  case save
  case forget
  /// Forgets what is known within a circle.
  case forgetNear(Circle)

  /// Returns the import of a survey.
  ///
  /// - Parameter findings: what was received at each place, and the floor where the place has one.
  /// - Returns: the request.
  package static func survey(
    _ findings: [(scan: RadioScan, place: Coordinate, floor: Int?)]
  ) -> MapRequest {
    .learn(
      findings.map {
        .scan($0.scan, at: $0.place, floor: $0.floor.flatMap { Int8(exactly: $0) })
      })
  }

  /// Whether places are to be forgotten.
  var forgets: Bool {
    switch self {
    case .forget, .forgetNear: true
    case .learn, .save: false
    }
  }

  package var input: RadioMap.Input {
    switch self {
    case .learn(let observations): .learn(observations)
    case .save: .save
    case .forget: .forget
    case .forgetNear(let circle): .forgetNear(circle)
    }
  }
}

extension Source {
  /// Whether the source receives transmitters, so that a map of them is learned.
  package var receivesTransmitters: Bool {
    switch receiver {
    case .iio, .fixed: false
    default: tier != .satellite
    }
  }
}
