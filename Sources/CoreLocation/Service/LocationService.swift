/// What the face asks of the location service: the one door between the public API and the engine.
///
/// The face holds no behavior of its own; whoever answers here decides everything.
protocol LocationService: Sendable {
  /// Whether hardware and providers support a feature, whatever the app may do (AVAIL-3).
  func supports(_ feature: LocationFeature) -> Bool
  /// What the manager ranges by the older, region based call.
  func rangedRegions(of manager: CLLocationManager) -> Set<CLRegion>
  /// What the manager ranges.
  func rangedConstraints(of manager: CLLocationManager) -> Set<CLBeaconIdentityConstraint>
  /// Takes one request of a manager; answers arrive later through `CLLocationManager.deliver`.
  func take(_ request: ManagerRequest, of manager: CLLocationManager)

  /// Answers one question for places, best first.
  func places(for question: GeocodingQuestion) async throws -> [CLPlacemark]
}

/// What a host may or may not have.
enum LocationFeature: Sendable {
  case heading, beaconRegions, ranging
}

/// One call of a location manager.
enum ManagerRequest {
  case startUpdatingHeading, stopUpdatingHeading, dismissHeadingCalibrationDisplay
  case startRanging(CLBeaconIdentityConstraint), stopRanging(CLBeaconIdentityConstraint)
  case startRangingRegion(CLBeaconRegion), stopRangingRegion(CLBeaconRegion)
}

/// What to find places for.
enum GeocodingQuestion: Sendable {
  case coordinate(CLLocation, Locale?)
  /// An address in one line, with a circle where it probably lies: center, and radius in meters.
  case address(String, near: (CLLocationCoordinate2D, CLLocationDistance)?, Locale?)
}
