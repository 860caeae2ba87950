/// Receives the results of a `CLLocationManager`.
///
/// Every method is optional and has a default. The default of a newer method calls the older one.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// Delivers locations to the delegate.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - locations: At least one location, the oldest first.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

  /// Delivers a heading to the delegate.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - newHeading: The heading.
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

  /// Tells the delegate whether the device is in a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - state: Inside, outside, or unknown.
  ///   - region: The region.
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  )

  /// Delivers ranged beacons to the delegate (BEACON-8), also when none is near (BEACON-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beacons: The beacons found, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - beaconConstraint: The identity of the ranged beacons.
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  )

  /// Tells the delegate that ranging failed (BEACON-16).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beaconConstraint: The identity of the ranged beacons.
  ///   - error: `CLError`: `rangingUnavailable`, `rangingFailure`, or `denied`.
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  )

  /// Tells the delegate that the device has entered a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

  /// Tells the delegate that the device has left a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

  /// Tells the delegate that a location or heading could not be delivered (STD-32 to STD-36).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - error: `CLError`: `locationUnknown`, `denied`, `network`, or `headingFailure`.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

  /// Tells the delegate that a region cannot be monitored (REG-5 to REG-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region; never `nil` on this platform.
  ///   - error: `CLError`: `regionMonitoringDenied` or `regionMonitoringFailure`.
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  )

  /// Tells the delegate that a region is monitored from now on (REG-1).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

  /// Tells the delegate that a deferral has ended, which in fact never began (AVAIL-5).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - error: `CLError`: `deferredNotUpdatingLocation`, `deferredAccuracyTooLow`,
  ///     `deferredDistanceFiltered`, or `deferredCanceled`; `nil` when the distance or the time was
  ///     reached (STD-54 to STD-57).
  func locationManager(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  )

  /// Tells the delegate that the device has arrived at a place or left it (VISIT-2, VISIT-3).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - visit: The place, and the times of arrival and departure.
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

  /// Reports the same as `locationManagerDidChangeAuthorization(_:)`; older form.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - status: The new authorization status.
  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  )

  /// Reports the same as `locationManager(_:didRange:satisfying:)`; older form (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beacons: The beacons found, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - region: The region.
  func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  )

  /// Reports the same as `locationManager(_:didFailRangingFor:error:)`; older form (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  ///   - error: `CLError`: `rangingUnavailable`, `rangingFailure`, or `denied`.
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  )

  /// Reports the same as `locationManager(_:didUpdateLocations:)`; oldest form.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - newLocation: The newest location.
  ///   - oldLocation: The location that was delivered before it; the newest one where there is
  ///     none.
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
  )

  /// Tells the delegate that the authorization has changed, or that the manager is new.
  ///
  /// - Parameter manager: The manager that reports the event.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

  /// Tells the delegate that updates pause.
  ///
  /// - Parameter manager: The manager that reports the event.
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

  /// Tells the delegate that updates resume.
  ///
  /// - Parameter manager: The manager that reports the event.
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

  /// Asks whether the calibration display may be shown (HEAD-9).
  ///
  /// - Parameter manager: The manager that reports the event.
  /// - Returns: Whether it may; no unless implemented.
  func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
}
