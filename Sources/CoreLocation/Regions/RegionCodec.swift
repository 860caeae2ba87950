import LocationModel

extension RegionDescription {
  /// Converts a region to the engine's type; one of an unknown class cannot be monitored.
  init(_ region: CLRegion) {
    var notices = RegionNotices(onEntry: region.notifyOnEntry, onExit: region.notifyOnExit)
    let target: ConditionTarget
    switch region {
    case let circle as CLCircularRegion:
      target = .circle(Circle(center: Coordinate(circle.center), radius: circle.radius))
    case let beacon as CLBeaconRegion:
      notices.onDisplay = beacon.notifyEntryStateOnDisplay
      target = .beacon(
        BeaconConstraint(
          uuid: BeaconUUID(beacon.uuid), major: beacon.major?.uint16Value,
          minor: beacon.minor?.uint16Value))
    default: target = .unsupported
    }
    self.init(identifier: region.identifier, target: target, notices: notices)
  }
}

extension CLRegion {
  /// Makes a new object for a region that an app described (REG-10).
  static func make(_ description: RegionDescription) -> CLRegion {
    let region: CLRegion
    switch description.target {
    case .circle(let circle):
      region = CLCircularRegion(
        center: CLLocationCoordinate2D(circle.center), radius: circle.radius,
        identifier: description.identifier)
    case .beacon(let constraint):
      let beacon = CLBeaconRegion(constraint, identifier: description.identifier)
      beacon.notifyEntryStateOnDisplay = description.notices.onDisplay
      region = beacon
    case .polygon, .unsupported: region = CLRegion(identifier: description.identifier)
    }
    region.notifyOnEntry = description.notices.onEntry
    region.notifyOnExit = description.notices.onExit
    return region
  }
}

extension CLBeaconRegion {
  convenience init(_ constraint: BeaconConstraint, identifier: String) {
    let uuid = UUID(constraint.uuid)
    switch (constraint.major, constraint.minor) {
    case (let major?, let minor?):
      self.init(uuid: uuid, major: major, minor: minor, identifier: identifier)
    case (let major?, nil): self.init(uuid: uuid, major: major, identifier: identifier)
    case (nil, _): self.init(uuid: uuid, identifier: identifier)
    }
  }
}

extension CLRegionState {
  init(_ state: ConditionState) {
    switch state {
    case .unknown: self = .unknown
    case .satisfied: self = .inside
    case .unsatisfied: self = .outside
    }
  }
}

extension CLVisit {
  /// Converts a visit for the app: absent dates become Apple's distant ones (VISIT-2, VISIT-4).
  convenience init(_ visit: Visit) {
    var values = Values()
    if let arrival = visit.arrival { values.arrivalDate = Date(arrival) }
    if let departure = visit.departure { values.departureDate = Date(departure) }
    values.coordinate = CLLocationCoordinate2D(visit.coordinate)
    values.horizontalAccuracy = visit.horizontalAccuracy
    self.init(values)
  }
}
