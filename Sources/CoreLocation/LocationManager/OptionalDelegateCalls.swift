/// The methods of a delegate that share the name `locationManager`, as one callable value.
///
/// Code written for Apple's optional methods says `delegate?.locationManager?(…)`: the question
/// mark asks this value, which is always there, and the call reaches the delegate's method.
public struct OptionalDelegateCalls {
  let delegate: any CLLocationManagerDelegate

  /// The device was at these places, oldest first.
  public func callAsFunction(
    _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
  ) {
    delegate.locationManager(manager, didUpdateLocations: locations)
  }

  /// The device points another way.
  public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    delegate.locationManager(manager, didUpdateHeading: newHeading)
  }

  /// It is known whether the device is in a region.
  public func callAsFunction(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    delegate.locationManager(manager, didDetermineState: state, for: region)
  }

  /// These beacons are near, nearest first (BEACON-8); none is news, too (BEACON-7).
  public func callAsFunction(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    delegate.locationManager(manager, didRange: beacons, satisfying: beaconConstraint)
  }

  /// Ranging failed (BEACON-16).
  public func callAsFunction(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    delegate.locationManager(manager, didFailRangingFor: beaconConstraint, error: error)
  }

  /// The device has entered a region.
  public func callAsFunction(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    delegate.locationManager(manager, didEnterRegion: region)
  }

  /// The device has left a region.
  public func callAsFunction(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    delegate.locationManager(manager, didExitRegion: region)
  }

  /// A location or heading could not be told (STD-32 to STD-36).
  public func callAsFunction(_ manager: CLLocationManager, didFailWithError error: any Error) {
    delegate.locationManager(manager, didFailWithError: error)
  }

  /// A region cannot be monitored (REG-5 to REG-7).
  public func callAsFunction(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
  }

  /// A region is monitored from now on (REG-1).
  public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    delegate.locationManager(manager, didStartMonitoringFor: region)
  }

  /// Deferring has ended; it never begins (AVAIL-5).
  public func callAsFunction(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  ) {
    delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
  }

  /// The device has arrived at a place or left it (VISIT-2, VISIT-3).
  public func callAsFunction(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    delegate.locationManager(manager, didVisit: visit)
  }

  /// The older form of `locationManagerDidChangeAuthorization(_:)`.
  public func callAsFunction(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {
    delegate.locationManager(manager, didChangeAuthorization: status)
  }

  /// The older form of `locationManager(_:didRange:satisfying:)` (BEACON-19).
  public func callAsFunction(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {
    delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
  }

  /// The older form of `locationManager(_:didFailRangingFor:error:)` (BEACON-19).
  public func callAsFunction(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {
    delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
  }

  /// The oldest form of `locationManager(_:didUpdateLocations:)`.
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
