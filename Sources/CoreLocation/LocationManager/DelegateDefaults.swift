extension CLLocationManagerDelegate {
  /// Passes the newest location to the oldest form, with the previous one (STD-8); the first
  /// location is passed as both, as there is no `nil` here.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - locations: At least one location, the oldest first.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
  ) {
    manager.mustHave("locationManager(_:didUpdateLocations:)", of: self)
    guard let newest = locations.last else { return }
    let older = locations.dropLast().last ?? manager.delivered ?? newest
    locationManager(manager, didUpdateTo: newest, from: older)
  }

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - newHeading: The heading.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - state: Inside, outside, or unknown.
  ///   - region: The region.
  public func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beacons: The beacons found, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - beaconConstraint: The identity of the ranged beacons.
  public func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beaconConstraint: The identity of the ranged beacons.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

  /// Writes the error to standard error, because nothing else handles it (STD-37).
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - error: The reason.
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    manager.mustHave("locationManager(_:didFailWithError:)", of: self)
    let line = "CoreLocation: \(error) (the delegate has no locationManager(_:didFailWithError:))\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  public func locationManager(
    _ manager: CLLocationManager, didStartMonitoringFor region: CLRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - visit: The place, and the times of arrival and departure.
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - status: The new authorization status.
  public func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - beacons: The beacons found, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - region: The region.
  public func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - region: The region.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that reports the event.
  ///   - newLocation: The newest location.
  ///   - oldLocation: The location that was delivered before it; the newest one where there is
  ///     none.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
  ) {}

  /// Passes the status to the older form.
  ///
  /// - Parameter manager: The manager that reports the event.
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
  }

  /// Does nothing.
  ///
  /// - Parameter manager: The manager that reports the event.
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

  /// Does nothing.
  ///
  /// - Parameter manager: The manager that reports the event.
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

  /// Declines.
  ///
  /// - Parameter manager: The manager that reports the event.
  /// - Returns: Always false.
  public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
    false
  }
}

extension CLLocationManager {
  /// Ends the process when the delegate lacks the method for the answer to `requestLocation()`
  /// (STD-30).
  ///
  /// Swift cannot check beforehand whether a delegate has a method of its own or this default, so
  /// the check happens when the answer is delivered.
  fileprivate func mustHave(_ method: String, of delegate: any CLLocationManagerDelegate) {
    guard isAnswering, self.delegate === delegate else { return }
    fatalError("requestLocation() needs a delegate with \(method); \(type(of: delegate)) has none")
  }
}
