/// How a manager was told to work.
struct ManagerOptions: Equatable, Sendable {
  var activityType = CLActivityType.other
  /// Meters; `kCLDistanceFilterNone` for every movement.
  var distanceFilter = kCLDistanceFilterNone
  /// Meters, or one of the constants below zero.
  var desiredAccuracy = kCLLocationAccuracyBest
  var pausesLocationUpdatesAutomatically = true
  var allowsBackgroundLocationUpdates = false
  var showsBackgroundLocationIndicator = false
  /// Degrees; `kCLHeadingFilterNone` for every turn.
  var headingFilter: CLLocationDegrees = 1
  var headingOrientation = CLDeviceOrientation.portrait
}

/// What a manager remembers: its options, and what it was last told.
struct ManagerState: Sendable {
  var options = ManagerOptions()
  /// `nil` before the first fix.
  var location: CLLocation?
  /// `nil` before the first heading (HEAD-13).
  var heading: CLHeading.Values?
}
