import LocationModel

/// The scenarios that simulators are expected to know (SIM-9). The ways are made here, of straight
/// lines and corners: they have the pace of their names, and are not recorded from a person.
package enum BuiltInScenario: String, CaseIterable, Sendable {
  case cityRun = "City Run"
  case cityBicycleRide = "City Bicycle Ride"
  case freewayDrive = "Freeway Drive"
  case apple = "Apple"

  /// Its way; a loop for those that go round.
  package var journey: Journey {
    switch self {
    case .cityRun: Self.round(Self.run)
    case .cityBicycleRide: Self.round(Self.ride)
    case .freewayDrive: Self.freeway.journey
    case .apple: Journey(from: Self.campus)
    }
  }

  private static func round(_ road: Road) -> Journey {
    var journey = road.journey
    journey.goesRound = true
    return journey
  }

  /// The same as a scenario: an hour of it.
  package var scenario: Scenario {
    var scenario = Scenario()
    scenario.name = rawValue
    scenario.noise = .simulator(accuracy: 5)
    scenario.journey = journey
    scenario.origin = scenario.journey.truth(at: .zero).coordinate
    scenario.end = Self.length
    return scenario
  }

  /// Eight blocks of 200 by 100 m, five times round a corner to each side, one red light.
  private static var run: Road {
    var road = Road(from: cupertino, towards: 0, as: .run)
    for side in 0..<4 {
      road.straight(side.isMultiple(of: 2) ? 400 : 300)
      if side == 1 { road.stop(for: .seconds(20)) }
      road.straight(side.isMultiple(of: 2) ? 396 : 296)
      road.turn(90)
    }
    return road
  }

  /// A round of five kilometers with two lights and an underpass.
  private static var ride: Road {
    var road = Road(from: cupertino, towards: 90, as: .cycle)
    for side in 0..<4 {
      road.straight(800)
      if side == 0 || side == 2 { road.stop(for: .seconds(30)) }
      if side == 1 { road.tunnel(60) } else { road.straight(60) }
      road.straight(400)
      road.turn(90)
    }
    return road
  }

  /// A ramp, forty kilometers with long bends, a tunnel, and a ramp.
  private static var freeway: Road {
    var road = Road(from: cupertino, towards: 300, as: .drive)
    road.straight(500)
    road.turn(45, radius: 80)
    road.change(to: .freeway)
    for bend in 0..<10 {
      road.straight(3500)
      road.turn(bend.isMultiple(of: 2) ? -25 : 20, radius: 1200)
      if bend == 4 { road.tunnel(900) }
    }
    road.change(to: .drive)
    road.turn(60, radius: 80)
    road.straight(300)
    return road
  }

  /// A crossing in Cupertino, to five digits.
  private static let cupertino = Coordinate(latitude: 37.32295, longitude: -122.03218)
  /// Apple's first campus, to three digits, where it stands.
  private static let campus = Coordinate(latitude: 37.332, longitude: -122.031)
  /// Chosen: an hour shows everything twice.
  private static let length = Duration.seconds(3600)
}
