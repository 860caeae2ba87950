/// Who hears of what a `CLLocationManager` finds.
///
/// Every method is optional: a default stands in for it. A newer method that is missing passes its
/// news on to the older one.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// The device was at these places, oldest first.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

  /// The device points another way.
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

  /// It is known whether the device is in a region.
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  )

  /// These beacons are near, nearest first (BEACON-8); none is news, too (BEACON-7).
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  )

  /// Ranging failed (BEACON-16).
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  )

  /// The device has entered a region.
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

  /// The device has left a region.
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

  /// A location or heading could not be told (STD-32 to STD-36).
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

  /// A region cannot be monitored (REG-5 to REG-7).
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  )

  /// A region is monitored from now on (REG-1).
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

  /// Deferring has ended; it never begins (AVAIL-5).
  func locationManager(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  )

  /// The device has arrived at a place or left it (VISIT-2, VISIT-3).
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

  /// The older form of `locationManagerDidChangeAuthorization(_:)`.
  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  )

  /// The older form of `locationManager(_:didRange:satisfying:)` (BEACON-19).
  func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  )

  /// The older form of `locationManager(_:didFailRangingFor:error:)` (BEACON-19).
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  )

  /// The oldest form of `locationManager(_:didUpdateLocations:)`.
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
  )

  /// What the app may know has changed, or the manager is new.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

  /// Updates pause.
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

  /// Updates go on.
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

  /// Whether the calibration display may be shown (HEAD-9); no unless implemented.
  func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
}
