/// What the face asks of the location service: the one door between the public API and the engine.
///
/// The face holds no behavior of its own; whoever answers here decides everything.
protocol LocationService: Sendable {
  /// Meters; -1 when regions cannot be monitored (REG-6).
  var maximumRegionMonitoringDistance: CLLocationDistance { get }
  /// Whether hardware and providers support a feature, whatever the app may do (AVAIL-3).
  func supports(_ feature: LocationFeature) -> Bool
  /// The regions the app monitors, as new objects (REG-10).
  func monitoredRegions() -> Set<CLRegion>
  /// What the manager ranges by the older, region based call.
  func rangedRegions(of manager: CLLocationManager) -> Set<CLRegion>
  /// What the manager ranges.
  func rangedConstraints(of manager: CLLocationManager) -> Set<CLBeaconIdentityConstraint>
  /// Takes one request of a manager; answers arrive later through `CLLocationManager.deliver`.
  func take(_ request: ManagerRequest, of manager: CLLocationManager)

  /// Opens the monitor of a name.
  func openMonitor(_ name: String) -> any MonitorService
  /// Opens a session; it lasts until it is invalidated or let go.
  func openSession(_ kind: SessionKind) -> any SessionService
  /// Answers one question for places, best first.
  func places(for question: GeocodingQuestion) async throws -> [CLPlacemark]
}

/// What a host may or may not have.
enum LocationFeature: Sendable {
  case heading, significantChanges, circularRegions, beaconRegions, ranging
}

/// One call of a location manager.
enum ManagerRequest {
  case startUpdatingHeading, stopUpdatingHeading, dismissHeadingCalibrationDisplay
  case startSignificantChanges, stopSignificantChanges
  case startVisits, stopVisits
  case startMonitoring(CLRegion), stopMonitoring(CLRegion), requestState(CLRegion)
  case startRanging(CLBeaconIdentityConstraint), stopRanging(CLBeaconIdentityConstraint)
  case startRangingRegion(CLBeaconRegion), stopRangingRegion(CLBeaconRegion)
}

/// What a session was opened for.
enum SessionKind: Sendable {
  /// `CLServiceSession`, with the purpose for which full accuracy is needed, if it is.
  case service(AuthorizationNeed, fullAccuracyPurposeKey: String?)
  /// `CLBackgroundActivitySession`.
  case backgroundActivity
}

/// How much a session needs the app to be allowed.
enum AuthorizationNeed: Sendable {
  case none, whenInUse, always
}

/// An open monitor.
protocol MonitorService: Sendable {
  /// In the order in which they were added.
  var identifiers: [String] { get }
  func record(for identifier: String) -> CLMonitor.Record?
  func add(_ condition: any CLCondition, identifier: String, assuming state: CLMonitor.Event.State)
  func remove(_ identifier: String)
  /// The events of one iteration, which never end by themselves.
  func events() -> AsyncThrowingStream<CLMonitor.Event, any Error>
}

/// An open session.
protocol SessionService: Sendable {
  /// The diagnostics of one iteration, which end when the session does.
  func diagnostics() -> AsyncThrowingStream<ServiceDiagnostics, any Error>
  func invalidate()
}

/// What to find places for.
enum GeocodingQuestion: Sendable {
  case coordinate(CLLocation, Locale?)
  /// An address in one line, with a circle where it probably lies: center, and radius in meters.
  case address(String, near: (CLLocationCoordinate2D, CLLocationDistance)?, Locale?)
}

/// Why a service cannot give what it was asked for.
struct ServiceDiagnostics: OptionSet, Hashable, Sendable {
  let rawValue: UInt16

  static let authorizationDenied = Self(rawValue: 1 << 0)
  static let authorizationDeniedGlobally = Self(rawValue: 1 << 1)
  static let authorizationRestricted = Self(rawValue: 1 << 2)
  static let authorizationRequestInProgress = Self(rawValue: 1 << 3)
  static let insufficientlyInUse = Self(rawValue: 1 << 4)
  static let serviceSessionRequired = Self(rawValue: 1 << 5)
  static let accuracyLimited = Self(rawValue: 1 << 6)
  static let locationUnavailable = Self(rawValue: 1 << 7)
  static let conditionUnsupported = Self(rawValue: 1 << 8)
  static let conditionLimitExceeded = Self(rawValue: 1 << 9)
  static let persistenceUnavailable = Self(rawValue: 1 << 10)
  static let fullAccuracyDenied = Self(rawValue: 1 << 11)
  static let alwaysAuthorizationDenied = Self(rawValue: 1 << 12)
}
