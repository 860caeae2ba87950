import LocationModel

/// The words of `--accuracy`.
enum AccuracyLevel: String, CaseIterable, Sendable {
  case best
  case tenMeters = "10m"
  case hundredMeters = "100m"
  case kilometer = "1km"
  case threeKilometers = "3km"
  case reduced

  var desired: DesiredAccuracy {
    switch self {
    case .best: .best
    case .tenMeters: .meters(10)
    case .hundredMeters: .meters(100)
    case .kilometer: .meters(1000)
    case .threeKilometers: .meters(3000)
    case .reduced: .reduced
    }
  }
}

extension Invocation {
  var accuracyLevel: AccuracyLevel? { text(.accuracy).flatMap { AccuracyLevel(rawValue: $0) } }
}
