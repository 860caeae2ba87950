import CoreLocation

/// The words of `--accuracy`.
enum AccuracyLevel: String, CaseIterable, Sendable {
  case best
  case tenMeters = "10m"
  case hundredMeters = "100m"
  case kilometer = "1km"
  case threeKilometers = "3km"
  case reduced

  var accuracy: CLLocationAccuracy {
    switch self {
    case .best: kCLLocationAccuracyBest
    case .tenMeters: kCLLocationAccuracyNearestTenMeters
    case .hundredMeters: kCLLocationAccuracyHundredMeters
    case .kilometer: kCLLocationAccuracyKilometer
    case .threeKilometers: kCLLocationAccuracyThreeKilometers
    case .reduced: kCLLocationAccuracyReduced
    }
  }
}

extension Invocation {
  var accuracyLevel: AccuracyLevel? { text(.accuracy).flatMap { AccuracyLevel(rawValue: $0) } }
}
