public import CoreLocation
import LocationModel
import LocationSimulation

/// The scenarios of Apple's simulator by name (SIM-9). The routes are this library's own.
public enum SimulatedScenario: String, CaseIterable, Sendable {
  /// Around the blocks at 3.2 meters per second, with a red light.
  case cityRun = "City Run"
  /// Around a part of town at 6 meters per second, with lights and an underpass.
  case cityBicycleRide = "City Bicycle Ride"
  /// Up a ramp, along a freeway at 30 meters per second, through a tunnel, and down.
  case freewayDrive = "Freeway Drive"
  /// Stationary at one place.
  case apple = "Apple"

  var builtIn: BuiltInScenario {
    switch self {
    case .cityRun: .cityRun
    case .cityBicycleRide: .cityBicycleRide
    case .freewayDrive: .freewayDrive
    case .apple: .apple
    }
  }
}

/// What happens at the end of a route (SIM-3).
public enum RouteEnd: Sendable {
  /// The device stays at the last place.
  case hold
  /// The route begins again.
  case loop
  /// The device goes back the same way, then forward again, and so on.
  case reverse
}

// MARK: The verbs of `simctl location`

extension SimulatedDevice {
  /// Sets the exact position (SIM-7).
  ///
  /// - Parameters:
  ///   - place: Where the device is; for one that is not on Earth, nothing changes, and ``messages``
  ///     says so.
  ///   - altitude: Meters above mean sea level.
  ///   - horizontalAccuracy: The reported accuracy in meters.
  ///   - speed: Meters per second; `nil` for none (SIM-10).
  ///   - course: Degrees clockwise from true north; `nil` for none. It is reported only with a
  ///     speed of at least 0.5 meters per second: below, receivers know no course.
  public func setLocation(
    _ place: CLLocationCoordinate2D, altitude: CLLocationDistance = 0,
    horizontalAccuracy: CLLocationAccuracy = 5, speed: CLLocationSpeed? = nil,
    course: CLLocationDirection? = nil
  ) {
    guard accepts(place, otherwise: Self.staying) else { return }
    simulate(
      Journey(from: Coordinate(place), altitude: altitude),
      as: .simulator(accuracy: horizontalAccuracy, speed: speed, course: course))
  }

  /// Moves through places at a speed (SIM-8); speed and course of the fixes are those of the
  /// motion.
  ///
  /// - Parameters:
  ///   - places: The places in order; the device jumps to the first. Those that are not on Earth are
  ///     left out.
  ///   - altitude: Meters above mean sea level.
  ///   - speed: Meters per second, greater than zero.
  ///   - interval: The time between two updates; not less than 10 milliseconds.
  ///   - distance: The meters between two updates, in place of `interval`; `nil` for the interval, as
  ///     is a distance that takes no time.
  ///   - horizontalAccuracy: The reported accuracy in meters.
  /// - Complexity: Linear in the places.
  public func startLocation(
    through places: [CLLocationCoordinate2D], altitude: CLLocationDistance = 0,
    speed: CLLocationSpeed = 20, interval: Duration = .seconds(1),
    distance: CLLocationDistance? = nil, horizontalAccuracy: CLLocationAccuracy = 5
  ) {
    let seconds = (distance ?? 0) / (speed > 0 ? speed : Journey.usualSpeed)
    let pace = seconds > 0 ? Duration.seconds(min(seconds, Self.longestPace)) : interval
    let route = Route(through: places, altitude: altitude, speed: speed)
    guard accepts(route.journey) else { return }
    simulate(route.journey, as: .simulator(accuracy: horizontalAccuracy), every: pace)
  }

  /// Seconds between two updates: a year.
  private static let longestPace = 31_536_000.0

  /// Plays a scenario (SIM-9); round trips begin again at their end.
  ///
  /// - Parameter scenario: The scenario.
  public func runScenario(_ scenario: SimulatedScenario) {
    simulate(scenario.builtIn.journey, as: .simulator(accuracy: 5))
  }

  /// Ends whatever was set, started, or run, and removes the position (SIM-9, SIM-11).
  public func clearLocation() {
    does(.sky(Sky.none))
    does(.tune(0, nil, every: .seconds(1)))
  }

  /// Starts a journey with a receiver as exact as a simulator's.
  private func simulate(
    _ journey: Journey, as noise: ReceiverNoise, every pace: Duration = .seconds(1)
  ) {
    does(.sky(nil))
    does(.tune(0, noise, every: pace))
    does(.depart(journey))
  }
}

extension Route {
  /// Makes a route that follows a road: corners are round and taken slowly.
  ///
  /// - Parameter road: The road.
  /// - Complexity: Linear in the parts of the road.
  public init(_ road: RoadRoute) { journey = road.road.journey }

  /// Repeats the route in a loop, or back and forth (SIM-3).
  ///
  /// - Parameters:
  ///   - end: What happens at the end of the route.
  ///   - duration: The total duration.
  /// - Returns: The longer route; this one unchanged for `hold`.
  /// - Complexity: Linear in the legs of the result.
  public func repeated(_ end: RouteEnd, for duration: Duration) -> Route {
    var route = self
    switch end {
    case .hold: break
    case .loop: route.journey = journey.repeated(backAndForth: false, for: duration)
    case .reverse: route.journey = journey.repeated(backAndForth: true, for: duration)
    }
    return route
  }
}

/// A route along roads, built piece by piece: corners are round and taken slowly, and the traveler
/// accelerates and brakes.
///
/// ```swift
/// var road = RoadRoute(from: home, towards: 90, by: .car)
/// road.straight(400)
/// road.turn(-90)
/// road.tunnel(250)
/// road.stop(for: .seconds(30))
/// device.travel(Route(road))
/// ```
public struct RoadRoute: Sendable {
  /// The means of travel.
  public enum Means: Sendable {
    /// 1.4 meters per second.
    case foot
    /// 3.2 meters per second.
    case run
    /// 6 meters per second.
    case bicycle
    /// 13.9 meters per second.
    case car
    /// 30 meters per second, in wide bends.
    case freeway

    var manner: Road.Manner {
      switch self {
      case .foot: .walk
      case .run: .run
      case .bicycle: .cycle
      case .car: .drive
      case .freeway: .freeway
      }
    }
  }

  var road: Road

  /// Makes a road that begins at a place, at rest.
  ///
  /// - Parameters:
  ///   - place: The first place.
  ///   - bearing: Degrees clockwise from true north.
  ///   - means: The means of travel.
  public init(
    from place: CLLocationCoordinate2D, towards bearing: CLLocationDirection, by means: Means
  ) {
    road = Road(from: Coordinate(place), towards: bearing, as: means.manner)
  }

  /// Appends a straight piece.
  ///
  /// - Parameter meters: How far, in meters.
  public mutating func straight(_ meters: CLLocationDistance) { road.straight(meters) }

  /// Appends a corner.
  ///
  /// - Parameters:
  ///   - degrees: Degrees to the right, negative to the left.
  ///   - radius: Meters, at least 0.5; `nil` for the usual radius of the means of travel.
  public mutating func turn(_ degrees: CLLocationDirection, radius: CLLocationDistance? = nil) {
    road.turn(degrees, radius: radius)
  }

  /// Appends a stop: brakes, stands, and goes on.
  ///
  /// - Parameter duration: How long it stands.
  public mutating func stop(for duration: Duration) { road.stop(for: duration) }

  /// Appends a straight piece below ground.
  ///
  /// - Parameter meters: How far, in meters.
  public mutating func tunnel(_ meters: CLLocationDistance) { road.tunnel(meters) }

  /// Covers the sky from here on.
  ///
  /// - Parameter sky: What covers it.
  public mutating func cover(_ sky: SimulatedSky) { road.cover(sky.sky) }

  /// Changes the means of travel from here on.
  ///
  /// - Parameter means: The means of travel.
  public mutating func change(to means: Means) { road.change(to: means.manner) }
}
