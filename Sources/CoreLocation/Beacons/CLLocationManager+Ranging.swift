import LocationModel

/// The constraints and regions that a manager ranges, for each of the two interfaces (BEACON-19).
struct RangedBeacons: Sendable {
  var constraints: [BeaconConstraint] = []
  var regions: [RegionDescription] = []

  func wants(_ constraint: BeaconConstraint) -> Bool {
    constraints.contains(constraint) || regions.contains { $0.target == .beacon(constraint) }
  }
}

extension CLLocationManager {
  func startRanging(_ constraint: BeaconConstraint) {
    remember {
      if !$0.ranged.constraints.contains(constraint) { $0.ranged.constraints.append(constraint) }
    }
    link.send(.start(constraint))
  }

  func startRanging(_ region: CLBeaconRegion) {
    let earlier = forgetRanging(region.identifier)
    remember { $0.ranged.regions.append(RegionDescription(region)) }
    link.send(.start(BeaconConstraint(region.beaconIdentityConstraint)))
    earlier.forEach(stopUnlessWanted)
  }

  func stopRanging(_ constraint: BeaconConstraint) {
    remember { state in state.ranged.constraints.removeAll { $0 == constraint } }
    stopUnlessWanted(constraint)
  }

  func stopRanging(_ region: CLBeaconRegion) {
    forgetRanging(region.identifier).forEach(stopUnlessWanted)
  }

  /// Removes the region with a name; returns the constraints ranged for it, which need not be those
  /// of another region of that name.
  private func forgetRanging(_ identifier: String) -> [BeaconConstraint] {
    let forgotten = ranged.regions.filter { $0.identifier == identifier }
    remember { state in state.ranged.regions.removeAll { $0.identifier == identifier } }
    return forgotten.compactMap {
      guard case .beacon(let constraint) = $0.target else { return nil }
      return constraint
    }
  }

  private func stopUnlessWanted(_ constraint: BeaconConstraint) {
    if !ranged.wants(constraint) { link.send(.stop(constraint)) }
  }

  /// Delivers ranged beacons to the delegate; runs where the manager's callbacks run.
  func take(_ delivery: RangingDelivery) {
    switch delivery {
    case .ranged(let constraint, let ranged):
      let beacons = ranged.map { CLBeacon(CLBeacon.Values($0)) }
      forEachInterface(of: constraint) {
        delegate?.locationManager(
          self, didRange: beacons, satisfying: CLBeaconIdentityConstraint(constraint))
      } region: {
        delegate?.locationManager(self, didRangeBeacons: beacons, in: $0)
      }
    case .failed(let constraint, let failure):
      let error = CLError(ranging: failure)
      forEachInterface(of: constraint) {
        delegate?.locationManager(
          self, didFailRangingFor: CLBeaconIdentityConstraint(constraint), error: error)
      } region: {
        delegate?.locationManager(self, rangingBeaconsDidFailFor: $0, withError: error)
      }
    }
  }

  /// Calls one closure for the constraint itself, the other for each region with it (BEACON-19).
  private func forEachInterface(
    of constraint: BeaconConstraint, _ deliver: () -> Void,
    region deliverRegion: (CLBeaconRegion) -> Void
  ) {
    let ranged = ranged
    if ranged.constraints.contains(constraint) { deliver() }
    for region in ranged.regions where region.target == .beacon(constraint) {
      if let region = CLRegion.make(region) as? CLBeaconRegion { deliverRegion(region) }
    }
  }
}

extension ManagerLink {
  func send(_ request: RangingRequest) {
    client.send(.ranging(subscriber, request))
  }
}

extension BeaconConstraint {
  init(_ constraint: CLBeaconIdentityConstraint) {
    self.init(
      uuid: BeaconUUID(constraint.uuid), major: constraint.major, minor: constraint.minor)
  }
}

extension CLBeaconIdentityConstraint {
  convenience init(_ constraint: BeaconConstraint) {
    let uuid = UUID(constraint.uuid)
    switch (constraint.major, constraint.minor) {
    case (let major?, let minor?): self.init(uuid: uuid, major: major, minor: minor)
    case (let major?, nil): self.init(uuid: uuid, major: major)
    case (nil, _): self.init(uuid: uuid)
    }
  }
}

extension CLBeacon.Values {
  /// Converts a ranged beacon; absent values become Apple's -1 and 0 (BEACON-10).
  init(_ beacon: RangedBeacon) {
    self.init(
      uuid: UUID(beacon.identity.uuid), major: beacon.identity.major, minor: beacon.identity.minor,
      proximity: CLProximity(beacon.proximity), accuracy: beacon.accuracy ?? -1,
      rssi: beacon.rssi ?? 0, timestamp: Date(beacon.time))
  }
}

extension CLProximity {
  init(_ proximity: Proximity) {
    switch proximity {
    case .immediate: self = .immediate
    case .near: self = .near
    case .far: self = .far
    case .unknown: self = .unknown
    }
  }
}

extension CLError {
  /// Converts a ranging failure to Apple's code (BEACON-16).
  init(ranging failure: RangingFailure) {
    switch failure {
    case .unavailable: self.init(.rangingUnavailable)
    case .failing: self.init(.rangingFailure)
    case .denied: self.init(.denied)
    }
  }
}
