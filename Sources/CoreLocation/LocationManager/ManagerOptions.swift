import LocationModel

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
  /// What the app has asked of the standard service, and not taken back.
  enum Wanted: Sendable {
    case nothing, updates, oneLocation
  }

  var options = ManagerOptions()
  var wanted = Wanted.nothing
  /// Whether significant changes were asked for.
  var hearsChanges = false
  /// Whether the delegate hears the answer to a request for one location at this moment.
  var isAnswering = false
  /// The location that the delegate heard of last; `nil` before the first.
  var delivered: CLLocation?
  /// The last event that the app was owed and the delegate has heard.
  var lastHeard = EventNumber.none
  var wantsHeadings = false
  var ranged = RangedBeacons()
  /// `nil` before the first heading (HEAD-13).
  var heading: CLHeading.Values?
}
