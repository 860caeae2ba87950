/// Who hears of what a `CLLocationManager` finds.
///
/// Every method is optional: a default stands in for it. A newer method that is missing passes its
/// news on to the older one.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// Tells the delegate where the device was.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - locations: At least one location, the oldest first.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

  /// Tells the delegate that the device points another way.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - newHeading: The heading.
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

  /// Tells the delegate whether the device is in a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - state: Inside, outside, or unknown.
  ///   - region: The region.
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  )

  /// Tells the delegate how near beacons are (BEACON-8); that none is near is news, too (BEACON-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beacons: The beacons heard, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - beaconConstraint: Which beacons were ranged.
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  )

  /// Tells the delegate that ranging failed (BEACON-16).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beaconConstraint: Which beacons were ranged.
  ///   - error: `CLError`: `rangingUnavailable`, `rangingFailure`, or `denied`.
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  )

  /// Tells the delegate that the device has entered a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

  /// Tells the delegate that the device has left a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

  /// Tells the delegate that a location or heading could not be delivered (STD-32 to STD-36).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - error: `CLError`: `locationUnknown`, `denied`, `network`, or `headingFailure`.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

  /// Tells the delegate that a region cannot be monitored (REG-5 to REG-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region; never `nil` on this platform.
  ///   - error: `CLError`: `regionMonitoringDenied` or `regionMonitoringFailure`.
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  )

  /// Tells the delegate that a region is monitored from now on (REG-1).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

  /// Tells the delegate that a deferral has ended; it never began (AVAIL-5).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - error: `CLError`: `deferredNotUpdatingLocation`, `deferredAccuracyTooLow`,
  ///     `deferredDistanceFiltered`, or `deferredCanceled`; `nil` when the distance or the time was
  ///     reached (STD-54 to STD-57).
  func locationManager(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  )

  /// Tells the delegate that the device has arrived at a place or left it (VISIT-2, VISIT-3).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - visit: The place, and when the device came or went.
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

  /// Tells the same as `locationManagerDidChangeAuthorization(_:)`, in its older form.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - status: What the app may know now.
  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  )

  /// Tells the same as `locationManager(_:didRange:satisfying:)`, in its older form (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beacons: The beacons heard, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - region: The region.
  func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  )

  /// Tells the same as `locationManager(_:didFailRangingFor:error:)`, in its older form
  /// (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  ///   - error: `CLError`: `rangingUnavailable`, `rangingFailure`, or `denied`.
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  )

  /// Tells the same as `locationManager(_:didUpdateLocations:)`, in its oldest form.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - newLocation: The newest location.
  ///   - oldLocation: The location that was delivered before it; the newest one where there is
  ///     none.
  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
  )

  /// Tells the delegate that what the app may know has changed, or that the manager is new.
  ///
  /// - Parameter manager: The manager that has the news.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

  /// Tells the delegate that updates pause.
  ///
  /// - Parameter manager: The manager that has the news.
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

  /// Tells the delegate that updates go on.
  ///
  /// - Parameter manager: The manager that has the news.
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

  /// Asks whether the calibration display may be shown (HEAD-9).
  ///
  /// - Parameter manager: The manager that has the news.
  /// - Returns: Whether it may; no unless implemented.
  func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
}
