internal import LocationModel
package import LocationProviders
package import LocationRadio

/// What the owner does with the map of transmitters.
package enum MapRequest: Hashable, Sendable {
  case learn([RadioObservation])
  /// Stores what was learned now.
  case save
  case forget

  var input: RadioMap.Input {
    switch self {
    case .learn(let observations): .learn(observations)
    case .save: .save
    case .forget: .forget
    }
  }
}

extension Source {
  /// Whether the source receives transmitters, so that a map of them is learned.
  package var receivesTransmitters: Bool {
    switch receiver {
    case .iio, .fixed, .geoclue: false
    default: tier != .satellite
    }
  }
}
