import LocationModel

extension ConditionTarget {
  /// Converts a condition to the engine's type; `.unsupported` for an unknown type (MON-20).
  init(_ condition: any CLCondition) {
    switch condition {
    case let circle as CLMonitor.CircularGeographicCondition:
      self = .circle(Circle(center: Coordinate(circle.center), radius: circle.radius))
    case let beacon as CLMonitor.BeaconIdentityCondition:
      self = .beacon(
        BeaconConstraint(
          uuid: BeaconUUID(beacon.uuid), major: beacon.major, minor: beacon.minor))
    default: self = .unsupported
    }
  }

  /// The condition as the app's type; `nil` for an unknown kind, and a polygon, which no app has.
  var condition: (any CLCondition)? {
    switch self {
    case .circle(let circle):
      CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(circle.center), radius: circle.radius)
    case .beacon(let constraint): CLMonitor.BeaconIdentityCondition(constraint)
    case .polygon, .unsupported: nil
    }
  }
}

extension CLMonitor.BeaconIdentityCondition {
  init(_ constraint: BeaconConstraint) {
    let uuid = UUID(constraint.uuid)
    switch (constraint.major, constraint.minor) {
    case (let major?, let minor?): self.init(uuid: uuid, major: major, minor: minor)
    case (let major?, nil): self.init(uuid: uuid, major: major)
    case (nil, _): self.init(uuid: uuid)
    }
  }
}

extension ConditionState {
  init(_ state: CLMonitor.Event.State) {
    switch state {
    case .satisfied: self = .satisfied
    case .unsatisfied: self = .unsatisfied
    default: self = .unknown
    }
  }
}

extension CLMonitor.Event {
  init(_ event: ConditionEvent) {
    identifier = event.identifier
    refinement = event.refinement.map {
      CLMonitor.BeaconIdentityCondition(
        uuid: UUID($0.uuid), major: $0.major, minor: $0.minor)
    }
    state =
      switch event.state {
      case .unknown: .unknown
      case .satisfied: .satisfied
      case .unsatisfied: .unsatisfied
      case .unmonitored: .unmonitored
      }
    date = Date(event.date)
    diagnostics = event.diagnostics
  }
}

extension BeaconUUID {
  init(_ uuid: UUID) {
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    self.init(high: Self.number(bytes[..<8]), low: Self.number(bytes[8...]))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension UUID {
  init(_ uuid: BeaconUUID) {
    self = NSUUID(uuidBytes: uuid.bytes) as UUID
  }
}

extension CLLocationCoordinate2D {
  init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}
