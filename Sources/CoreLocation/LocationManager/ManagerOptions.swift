import LocationModel

/// The options of a manager.
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

/// The state of a manager: its options, and what was last delivered.
struct ManagerState: Sendable {
  /// The app's current request to the standard service.
  enum Wanted: Sendable {
    case nothing, updates, oneLocation
  }

  var options = ManagerOptions()
  var wanted = Wanted.nothing
  /// Whether significant changes were requested.
  var hearsChanges = false
  /// Whether visits were requested, whose errors are delivered, too (VISIT-14).
  var watchesVisits = false
  /// Whether the delegate is receiving the answer to a request for one location.
  var isAnswering = false
  /// The location delivered last; `nil` before the first.
  var delivered: CLLocation?
  /// The last pending event that was delivered to the delegate.
  var lastEvent = EventNumber.none
  /// Whether the authorization is new and no delegate has received that yet.
  var hasNewAuthorization = false
  var wantsHeadings = false
  var ranged = RangedBeacons()
  /// `nil` before the first heading (HEAD-13).
  var heading: CLHeading.Values?
}
