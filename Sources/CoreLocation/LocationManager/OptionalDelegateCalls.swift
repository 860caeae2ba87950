/// The methods of a delegate that share the name `locationManager`, as one callable value.
///
/// Supports code written for Apple's optional methods, `delegate?.locationManager?(…)`: the
/// question mark tests this value, which is never `nil`, and the call reaches the delegate's
/// method.
public struct OptionalDelegateCalls {
  let delegate: any CLLocationManagerDelegate

  /// Delivers locations to the delegate.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - locations: At least one location, the oldest first.
  public func callAsFunction(
    _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
  ) {
    delegate.locationManager(manager, didUpdateLocations: locations)
  }

  /// Delivers a heading to the delegate.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - newHeading: The heading.
  public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    delegate.locationManager(manager, didUpdateHeading: newHeading)
  }

  /// Tells the delegate whether the device is in a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - state: Inside, outside, or unknown.
  ///   - region: The region.
  public func callAsFunction(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    delegate.locationManager(manager, didDetermineState: state, for: region)
  }

  /// Delivers ranged beacons to the delegate (BEACON-8), also when none is near (BEACON-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beacons: The beacons found, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - beaconConstraint: The identity of the ranged beacons.
  public func callAsFunction(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    delegate.locationManager(manager, didRange: beacons, satisfying: beaconConstraint)
  }

  /// Tells the delegate that ranging failed (BEACON-16).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beaconConstraint: The identity of the ranged beacons.
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
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  public func callAsFunction(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    delegate.locationManager(manager, didEnterRegion: region)
  }

  /// Tells the delegate that the device has left a region.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  public func callAsFunction(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    delegate.locationManager(manager, didExitRegion: region)
  }

  /// Tells the delegate that a location or heading could not be delivered (STD-32 to STD-36).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - error: `CLError`: `locationUnknown`, `denied`, `network`, or `headingFailure`.
  public func callAsFunction(_ manager: CLLocationManager, didFailWithError error: any Error) {
    delegate.locationManager(manager, didFailWithError: error)
  }

  /// Tells the delegate that a region cannot be monitored (REG-5 to REG-7).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
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
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    delegate.locationManager(manager, didStartMonitoringFor: region)
  }

  /// Tells the delegate that a deferral has ended, which in fact never began (AVAIL-5).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
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
  ///   - manager: The manager that reports the event.
  ///   - visit: The place, and the times of arrival and departure.
  public func callAsFunction(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    delegate.locationManager(manager, didVisit: visit)
  }

  /// Calls the older form of `locationManagerDidChangeAuthorization(_:)`.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - status: The new authorization status.
  public func callAsFunction(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {
    delegate.locationManager(manager, didChangeAuthorization: status)
  }

  /// Calls the older form of `locationManager(_:didRange:satisfying:)` (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beacons: The beacons found, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - region: The region.
  public func callAsFunction(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {
    delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
  }

  /// Calls the older form of `locationManager(_:didFailRangingFor:error:)` (BEACON-19).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  ///   - error: `CLError`: `rangingUnavailable`, `rangingFailure`, or `denied`.
  public func callAsFunction(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {
    delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
  }

  /// Calls the oldest form of `locationManager(_:didUpdateLocations:)`.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
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
