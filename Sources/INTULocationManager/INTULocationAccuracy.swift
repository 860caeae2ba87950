public import CoreLocation

/// How accurate and how recent a location is, or has to be.
///
/// Both limits of a level are inclusive (INTU-9).
public enum INTULocationAccuracy: Int, CaseIterable, Comparable, Sendable {
  /// Worse than `city`: a level that a location can have, never one to request (INTU-10).
  case none = 0
  /// Within 5,000 meters, at most ten minutes old.
  case city
  /// Within 1,000 meters, at most five minutes old.
  case neighborhood
  /// Within 100 meters, at most one minute old.
  case block
  /// Within 15 meters, at most fifteen seconds old.
  case house
  /// Within 5 meters, at most five seconds old.
  case room

  /// Compares two levels.
  ///
  /// - Parameters:
  ///   - left: The left side.
  ///   - right: The right side.
  /// - Returns: Whether the left level demands less than the right one.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Meters within which a location is of the level `city`.
public let kINTUHorizontalAccuracyThresholdCity: CLLocationAccuracy = 5_000
/// Meters within which a location is of the level `neighborhood`.
public let kINTUHorizontalAccuracyThresholdNeighborhood: CLLocationAccuracy = 1_000
/// Meters within which a location is of the level `block`.
public let kINTUHorizontalAccuracyThresholdBlock: CLLocationAccuracy = 100
/// Meters within which a location is of the level `house`.
public let kINTUHorizontalAccuracyThresholdHouse: CLLocationAccuracy = 15
/// Meters within which a location is of the level `room`.
public let kINTUHorizontalAccuracyThresholdRoom: CLLocationAccuracy = 5

/// Seconds until a location is too old for the level `city`.
public let kINTUUpdateTimeStaleThresholdCity: TimeInterval = 600
/// Seconds until a location is too old for the level `neighborhood`.
public let kINTUUpdateTimeStaleThresholdNeighborhood: TimeInterval = 300
/// Seconds until a location is too old for the level `block`.
public let kINTUUpdateTimeStaleThresholdBlock: TimeInterval = 60
/// Seconds until a location is too old for the level `house`.
public let kINTUUpdateTimeStaleThresholdHouse: TimeInterval = 15
/// Seconds until a location is too old for the level `room`.
public let kINTUUpdateTimeStaleThresholdRoom: TimeInterval = 5

extension INTULocationAccuracy {
  /// The largest error, in meters, and the greatest age, in seconds; `nil` for `none`.
  package var limits: (distance: CLLocationAccuracy, age: TimeInterval)? {
    switch self {
    case .none: nil
    case .city: (kINTUHorizontalAccuracyThresholdCity, kINTUUpdateTimeStaleThresholdCity)
    case .neighborhood:
      (
        kINTUHorizontalAccuracyThresholdNeighborhood,
        kINTUUpdateTimeStaleThresholdNeighborhood
      )
    case .block: (kINTUHorizontalAccuracyThresholdBlock, kINTUUpdateTimeStaleThresholdBlock)
    case .house: (kINTUHorizontalAccuracyThresholdHouse, kINTUUpdateTimeStaleThresholdHouse)
    case .room: (kINTUHorizontalAccuracyThresholdRoom, kINTUUpdateTimeStaleThresholdRoom)
    }
  }

  /// The best level both of whose limits the location meets (INTU-11).
  ///
  /// A location dated after `now` is graded by the size of the difference, like an old one.
  package init(of location: CLLocation?, at now: Date) {
    guard let location else {
      self = .none
      return
    }
    let age = now.timeIntervalSince(location.timestamp).magnitude
    let level = Self.allCases.last { level in
      guard let limits = level.limits else { return true }
      return location.horizontalAccuracy <= limits.distance && age <= limits.age
    }
    self = level ?? .none
  }

  /// The accuracy that is requested from a location manager, in meters (INTU-12).
  var managerAccuracy: CLLocationAccuracy {
    switch self {
    case .none, .city: kCLLocationAccuracyThreeKilometers
    case .neighborhood: kCLLocationAccuracyKilometer
    case .block: kCLLocationAccuracyHundredMeters
    case .house: kCLLocationAccuracyNearestTenMeters
    case .room: kCLLocationAccuracyBest
    }
  }
}
