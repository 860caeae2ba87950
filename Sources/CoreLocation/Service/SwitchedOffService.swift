/// The location service of a host whose switch is off and that has no receivers.
///
/// It answers as Core Location does there: nothing is available (AVAIL-3), starting fails with the
/// documented error or stays silent (AVAIL-4), and the modern sequences say why (AVAIL-7).
struct SwitchedOffService: LocationService {

  func supports(_ feature: LocationFeature) -> Bool { false }
  func rangedRegions(of manager: CLLocationManager) -> Set<CLRegion> { [] }
  func rangedConstraints(of manager: CLLocationManager) -> Set<CLBeaconIdentityConstraint> { [] }

  func take(_ request: ManagerRequest, of manager: CLLocationManager) {
    switch request {
    case .startRanging(let constraint):
      manager.deliver {
        $1.locationManager(
          $0, didFailRangingFor: constraint, error: CLError(.rangingUnavailable))
      }
    case .startRangingRegion(let region):
      manager.deliver {
        $1.locationManager(
          $0, rangingBeaconsDidFailFor: region, withError: CLError(.rangingUnavailable))
      }
    case .startUpdatingHeading, .stopUpdatingHeading, .dismissHeadingCalibrationDisplay,
      .stopRanging, .stopRangingRegion:
      break
    }
  }

  func places(for question: GeocodingQuestion) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }
}
