extension CLLocationManagerDelegate {
  /// Passes the newest location on to the oldest form, with the one before it (STD-8); the first
  /// one stands for both, as there is no `nil` here.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
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
  ///   - manager: The manager that has the news.
  ///   - newHeading: The heading.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - state: Inside, outside, or unknown.
  ///   - region: The region.
  public func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beacons: The beacons heard, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - beaconConstraint: Which beacons were ranged.
  public func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beaconConstraint: Which beacons were ranged.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

  /// Writes the error to standard error, as nobody else hears of it (STD-37).
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - error: The reason.
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    manager.mustHave("locationManager(_:didFailWithError:)", of: self)
    let line = "CoreLocation: \(error) (the delegate has no locationManager(_:didFailWithError:))\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  public func locationManager(
    _ manager: CLLocationManager, didStartMonitoringFor region: CLRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - visit: The place, and when the device came or went.
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - status: What the app may know now.
  public func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - beacons: The beacons heard, the nearest first, those of unknown distance last; empty when
  ///     none is near.
  ///   - region: The region.
  public func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - region: The region.
  ///   - error: The reason.
  public func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the news.
  ///   - newLocation: The newest location.
  ///   - oldLocation: The location that was delivered before it; the newest one where there is
  ///     none.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
  ) {}

  /// Passes the status on to the older form.
  ///
  /// - Parameter manager: The manager that has the news.
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
  }

  /// Does nothing.
  ///
  /// - Parameter manager: The manager that has the news.
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

  /// Does nothing.
  ///
  /// - Parameter manager: The manager that has the news.
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

  /// Declines.
  ///
  /// - Parameter manager: The manager that has the news.
  /// - Returns: No.
  public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
    false
  }
}

extension CLLocationManager {
  /// Ends the process when the answer to `requestLocation()` finds no method (STD-30).
  ///
  /// Swift cannot tell beforehand whether a delegate has a method of its own or this default, so
  /// it shows when the answer comes.
  fileprivate func mustHave(_ method: String, of delegate: any CLLocationManagerDelegate) {
    guard isAnswering, self.delegate === delegate else { return }
    fatalError("requestLocation() needs a delegate with \(method); \(type(of: delegate)) has none")
  }
}
