/// The methods of a delegate that share the name `locationManager`, as one callable value.
///
/// Code written for Apple's optional methods says `delegate?.locationManager?(…)`: the question
/// mark asks this value, which is always there, and the call reaches the delegate's method.
public struct OptionalDelegateCalls {
  let delegate: any CLLocationManagerDelegate

  /// Tells the delegate where the device was.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - locations: At least one location, the oldest first.
  public func callAsFunction(
    _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
  ) {
    delegate.locationManager(manager, didUpdateLocations: locations)
  }

  /// Tells the delegate that the device points another way.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - newHeading: The heading.
  public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    delegate.locationManager(manager, didUpdateHeading: newHeading)
  }

  /// Tells the delegate whether the device is in a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - state: Inside, outside, or unknown.
  ///   - region: The region.
  public func callAsFunction(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    delegate.locationManager(manager, didDetermineState: state, for: region)
  }

  /// Tells the delegate how near beacons are (BEACON-8); that none is near is news, too (BEACON-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beacons: The beacons heard, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - beaconConstraint: Which beacons were ranged.
  public func callAsFunction(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    delegate.locationManager(manager, didRange: beacons, satisfying: beaconConstraint)
  }

  /// Tells the delegate that ranging failed (BEACON-16).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beaconConstraint: Which beacons were ranged.
  ///   - error: `CLError`: `rangingUnavailable`, `rangingFailure`, or `denied`.
  public func callAsFunction(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    delegate.locationManager(manager, didFailRangingFor: beaconConstraint, error: error)
  }

  /// Tells the delegate that the device has entered a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  public func callAsFunction(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    delegate.locationManager(manager, didEnterRegion: region)
  }

  /// Tells the delegate that the device has left a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  public func callAsFunction(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    delegate.locationManager(manager, didExitRegion: region)
  }

  /// Tells the delegate that a location or heading could not be delivered (STD-32 to STD-36).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - error: `CLError`: `locationUnknown`, `denied`, `network`, or `headingFailure`.
  public func callAsFunction(_ manager: CLLocationManager, didFailWithError error: any Error) {
    delegate.locationManager(manager, didFailWithError: error)
  }

  /// Tells the delegate that a region cannot be monitored (REG-5 to REG-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region; never `nil` on this platform.
  ///   - error: `CLError`: `regionMonitoringDenied` or `regionMonitoringFailure`.
  public func callAsFunction(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
  }

  /// Tells the delegate that a region is monitored from now on (REG-1).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    delegate.locationManager(manager, didStartMonitoringFor: region)
  }

  /// Tells the delegate that a deferral has ended; it never began (AVAIL-5).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - error: `CLError`: `deferredNotUpdatingLocation`, `deferredAccuracyTooLow`,
  ///     `deferredDistanceFiltered`, or `deferredCanceled`; `nil` when the distance or the time was
  ///     reached (STD-54 to STD-57).
  public func callAsFunction(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  ) {
    delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
  }

  /// Tells the delegate that the device has arrived at a place or left it (VISIT-2, VISIT-3).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - visit: The place, and when the device came or went.
  public func callAsFunction(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    delegate.locationManager(manager, didVisit: visit)
  }

  /// Tells the same as `locationManagerDidChangeAuthorization(_:)`, in its older form.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - status: What the app may know now.
  public func callAsFunction(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {
    delegate.locationManager(manager, didChangeAuthorization: status)
  }

  /// Tells the same as `locationManager(_:didRange:satisfying:)`, in its older form (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beacons: The beacons heard, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - region: The region.
  public func callAsFunction(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {
    delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
  }

  /// Tells the same as `locationManager(_:didFailRangingFor:error:)`, in its older form
  /// (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  ///   - error: `CLError`: `rangingUnavailable`, `rangingFailure`, or `denied`.
  public func callAsFunction(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {
    delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
  }

  /// Tells the same as `locationManager(_:didUpdateLocations:)`, in its oldest form.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - newLocation: The newest location.
  ///   - oldLocation: The location that was delivered before it; the newest one where there is
  ///     none.
  public func callAsFunction(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
  ) {
    delegate.locationManager(manager, didUpdateTo: newLocation, from: oldLocation)
  }
}

extension CLLocationManagerDelegate {
  /// The methods of this name, for `delegate?.locationManager?(…)`; never `nil`.
  @_disfavoredOverload
  public var locationManager: OptionalDelegateCalls? { OptionalDelegateCalls(delegate: self) }

  /// The method of this name, for `delegate?.locationManagerDidChangeAuthorization?(…)`;
  /// never `nil`.
  @_disfavoredOverload
  public var locationManagerDidChangeAuthorization: ((CLLocationManager) -> Void)? {
    { manager in self.locationManagerDidChangeAuthorization(manager) }
  }

  /// The method of this name, for `delegate?.locationManagerDidPauseLocationUpdates?(…)`;
  /// never `nil`.
  @_disfavoredOverload
  public var locationManagerDidPauseLocationUpdates: ((CLLocationManager) -> Void)? {
    { manager in self.locationManagerDidPauseLocationUpdates(manager) }
  }

  /// The method of this name, for `delegate?.locationManagerDidResumeLocationUpdates?(…)`;
  /// never `nil`.
  @_disfavoredOverload
  public var locationManagerDidResumeLocationUpdates: ((CLLocationManager) -> Void)? {
    { manager in self.locationManagerDidResumeLocationUpdates(manager) }
  }

  /// The method of this name, for `delegate?.locationManagerShouldDisplayHeadingCalibration?(…)`;
  /// never `nil`.
  @_disfavoredOverload
  public var locationManagerShouldDisplayHeadingCalibration: ((CLLocationManager) -> Bool)? {
    { manager in self.locationManagerShouldDisplayHeadingCalibration(manager) }
  }
}
