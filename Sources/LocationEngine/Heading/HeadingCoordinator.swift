import LocationModel

/// The providers that have a compass, and the one that is used.
struct HeadingCoordinator: Sendable {
  /// Sorted: the first one named in the configuration is the best.
  private var compasses: [ProviderID] = []

  var hasCompass: Bool { !compasses.isEmpty }

  mutating func settle(_ provider: ProviderID, hasCompass: Bool) {
    compasses.removeAll { $0 == provider }
    guard hasCompass else { return }
    compasses.append(provider)
    compasses.sort()
  }

  /// Whether headings of this provider are used: two compasses never agree.
  func listens(to provider: ProviderID) -> Bool { compasses.first == provider }
}

/// The angle from magnetic to true north at a place, cached until the place changes.
struct LocalDeclination: Sendable {
  private var last: (place: Coordinate, time: UnixTime, degrees: Double?)?

  /// Degrees east; `nil` without a place, or outside the years of the model.
  mutating func degrees(at fix: Fix?, time: UnixTime) -> Double? {
    guard let fix else { return nil }
    if let last, Self.isNear(last.place, fix.coordinate),
      abs(time.seconds(since: last.time)) < Self.lifetime
    {
      return last.degrees
    }
    let degrees = MagneticModel.field(at: fix.coordinate, time: time)?.declination
    last = (fix.coordinate, time, degrees)
    return degrees
  }

  /// Chosen: a kilometer changes declination by 0.02 degrees, except around the poles.
  private static func isNear(_ one: Coordinate, _ other: Coordinate) -> Bool {
    abs(one.latitude - other.latitude) < 0.01 && abs(one.longitude - other.longitude) < 0.01
  }

  /// Seconds. Chosen: declination drifts by 0.001 degrees a day at most.
  private static let lifetime = 86_400.0
}
