public import CoreLocation
import LocationEngine
import LocationModel
import LocationSimulation

/// How much of the sky a receiver sees.
public enum SimulatedSky: Sendable {
  /// The whole sky.
  case open
  /// The sky between buildings: reflections, outliers, gaps.
  case street
  /// The sky inside a building: fixes are rare and inaccurate.
  case indoors
  /// No sky: a tunnel, a cellar.
  case tunnel

  var sky: Sky {
    switch self {
    case .open: .open
    case .street: .street
    case .indoors: .indoors
    case .tunnel: .none
    }
  }
}

/// A path through the world, built leg by leg.
///
/// Each leg is a straight line at one speed; a stop is a leg that stays where it is.
public struct Route: Sendable {
  var journey: Journey

  /// Makes a route that begins at a place.
  ///
  /// - Parameters:
  ///   - place: The first place; where it is not on Earth, the route begins at the next one.
  ///   - altitude: Meters above mean sea level.
  ///   - floor: The floor of a building at the first place, 0 for the ground floor; `nil` outdoors. Each
  ///     3.5 meters of a climb are a floor.
  public init(
    from place: CLLocationCoordinate2D, altitude: CLLocationDistance = 0, floor: Int? = nil
  ) {
    journey = Journey(from: Coordinate(place), altitude: altitude, floor: floor)
  }

  /// Makes a route through places, as `simctl location start` does (SIM-8).
  ///
  /// - Parameters:
  ///   - places: The places in order, at least one; without one the process ends with a message. Those
  ///     that are not on Earth are left out, with a warning.
  ///   - altitude: Meters above mean sea level.
  ///   - floor: The floor of a building, 0 for the ground floor; `nil` outdoors.
  ///   - speed: Meters per second, greater than zero; for any other number 20, with a warning.
  /// - Complexity: Linear in the places.
  public init(
    through places: [CLLocationCoordinate2D], altitude: CLLocationDistance = 0, floor: Int? = nil,
    speed: CLLocationSpeed = 20
  ) {
    guard let first = places.first else {
      fatalError("a route without a place begins nowhere; give one at least")
    }
    self.init(from: first, altitude: altitude, floor: floor)
    for place in places.dropFirst() { move(to: place, speed: speed) }
  }

  /// The pace between points of a GPX file that have no times (SIM-2).
  public enum Pace: Sendable {
    /// A speed in meters per second.
    case speed(CLLocationSpeed)
    /// A fixed interval between one point and the next.
    case points(every: Duration)

    var pace: Journey.Pace {
      switch self {
      case .speed(let speed): .speed(speed)
      case .points(let interval): .interval(interval)
      }
    }
  }

  /// Reads a route from the tracks, else the routes, else the waypoints of a GPX file (SIM-1,
  /// SIM-4).
  ///
  /// - Parameters:
  ///   - file: A file of GPX 1.0 or 1.1.
  ///   - pace: The pace between points that have no times (SIM-2).
  /// - Throws: What reading the file throws, or an error with the line and the cause when it is no
  ///   GPX file with a point. Damage after that is a warning.
  /// - Complexity: Linear in the length of the file.
  public init(gpx file: URL, withoutTimes pace: Pace = .speed(20)) throws {
    journey = try Journey(gpx: [UInt8](Data(contentsOf: file)), pace: pace.pace)
  }

  /// The parts of a GPX file that were ignored, with their line numbers; and what is no place, speed, or
  /// turn (SIM-28). A hundred at most; ``SimulatedDevice/messages`` has those of routes that are followed.
  public var warnings: [String] { journey.warnings }
  /// How long the route takes.
  public var duration: Duration { journey.duration }
  /// The length in meters.
  public var length: CLLocationDistance { journey.length }
  /// The last place of the route.
  public var destination: CLLocationCoordinate2D {
    CLLocationCoordinate2D(journey.destination)
  }

  /// Appends a straight leg to a place.
  ///
  /// - Parameters:
  ///   - place: The end of the leg.
  ///   - speed: Meters per second, greater than zero; for any other number 20, with a warning.
  ///   - sky: What covers the sky on the way.
  public mutating func move(
    to place: CLLocationCoordinate2D, speed: CLLocationSpeed, under sky: SimulatedSky = .open
  ) {
    journey.move(to: Coordinate(place), speed: speed, sky: sky.sky)
  }

  /// Appends a straight leg towards a bearing.
  ///
  /// - Parameters:
  ///   - meters: How far, in meters.
  ///   - bearing: Degrees clockwise from true north.
  ///   - speed: Meters per second, greater than zero; for any other number 20, with a warning.
  ///   - sky: What covers the sky on the way.
  public mutating func move(
    _ meters: CLLocationDistance, towards bearing: CLLocationDirection,
    speed: CLLocationSpeed, under sky: SimulatedSky = .open
  ) {
    journey.move(meters, towards: bearing, speed: speed, sky: sky.sky)
  }

  /// Appends a straight leg in the current direction.
  ///
  /// - Parameters:
  ///   - meters: How far, in meters.
  ///   - speed: Meters per second, greater than zero; for any other number 20, with a warning.
  ///   - sky: What covers the sky on the way.
  public mutating func move(
    ahead meters: CLLocationDistance, speed: CLLocationSpeed, under sky: SimulatedSky = .open
  ) {
    journey.move(meters, towards: journey.heading, speed: speed, sky: sky.sky)
  }

  /// Changes the direction without moving.
  ///
  /// - Parameter degrees: Degrees to the right, negative to the left.
  public mutating func turn(_ degrees: CLLocationDirection) {
    journey.turn(by: degrees)
  }

  /// Appends a change of the altitude at the current place: stairs, or a lift.
  ///
  /// - Parameters:
  ///   - meters: How far up, in meters; negative for down.
  ///   - duration: How long it takes.
  ///   - sky: What covers the sky meanwhile.
  public mutating func climb(
    _ meters: CLLocationDistance, in duration: Duration, under sky: SimulatedSky = .open
  ) {
    journey.climb(by: meters, in: duration, sky: sky.sky)
  }

  /// Appends a stop at the current place.
  ///
  /// - Parameters:
  ///   - duration: How long.
  ///   - sky: What covers the sky from now on.
  public mutating func stay(for duration: Duration, under sky: SimulatedSky = .open) {
    journey.stay(for: duration, sky: sky.sky)
  }
}

/// The person's answer to a prompt of the system.
public enum PersonsAnswer: Sendable {
  /// Allow Once.
  case allowOnce
  /// Allow While Using App.
  case allowWhileUsing
  /// Don't Allow.
  case doNotAllow
  /// Change to Always Allow.
  case changeToAlways
  /// Keep Only While Using.
  case keepWhileUsing
  /// Yes, the app may have full accuracy temporarily.
  case allowFullAccuracy
  /// No, the app keeps reduced accuracy.
  case keepReducedAccuracy
  /// Yes, the app may make this computer a Bluetooth beacon.
  case allowBeacon
  /// No, it may not make this computer a Bluetooth beacon.
  case doNotAllowBeacon
  /// The prompt is dismissed without an answer.
  case dismiss

  var answer: PromptAnswer {
    switch self {
    case .allowOnce: .once
    case .allowWhileUsing: .whileUsing
    case .doNotAllow: .deny
    case .changeToAlways: .always
    case .keepWhileUsing: .keepWhileUsing
    case .allowFullAccuracy, .allowBeacon: .accept
    case .keepReducedAccuracy, .doNotAllowBeacon: .decline
    case .dismiss: .dismissed
    }
  }
}

extension PersonsAnswer {
  /// Whether the answer is for a beacon prompt; `nil` where it cannot be mistaken for another
  /// prompt's.
  fileprivate var isForBeacon: Bool? {
    switch self {
    case .allowBeacon, .doNotAllowBeacon: true
    case .allowFullAccuracy, .keepReducedAccuracy: false
    case .allowOnce, .allowWhileUsing, .doNotAllow, .changeToAlways, .keepWhileUsing, .dismiss: nil
    }
  }
}

/// A fault of a receiver.
public enum ReceiverFault: Sendable {
  /// It reports this accuracy while its fixes are off by so many meters towards a bearing.
  case lies(
    claim: CLLocationAccuracy, off: CLLocationDistance, towards: CLLocationDirection)
  /// It sends nothing.
  case silent
  /// It is disconnected.
  case unplugged
  /// Its clock is ahead by this time.
  case clockAhead(Duration)

  var fault: VirtualReceiver.Fault {
    switch self {
    // A claim is a radius of 68 %; receivers report the deviation of one axis (LOC-5).
    case .lies(let claim, let off, let bearing):
      .lies(claim: claim / 1.51, off: off, towards: bearing)
    case .silent: .silent
    case .unplugged: .unplugged
    case .clockAhead(let time): .clock(time)
    }
  }
}

/// The properties of a simulated receiver.
public struct SimulatedReceiver: Sendable {
  /// What the receiver knows when it is turned on.
  public enum Start: Sendable {
    /// Nothing: the first fix takes 30 seconds.
    case cold
    /// The time and the approximate place: the first fix takes 15 seconds.
    case warm
    /// Everything: the first fix takes 1 second.
    case hot
  }

  /// The protocol of the receiver.
  public enum Language: Sendable {
    /// NMEA 0183, over a serial line of its own.
    case nmea
    /// The reports of gpsd.
    case gpsd
  }

  /// What the receiver knows when it is turned on.
  public var start: Start
  /// The protocol of the receiver.
  public var language: Language
  /// The time between two fixes; at least 10 milliseconds.
  public var interval: Duration
  /// Whether it is off between the fixes that apps need, like the receiver of a phone.
  public var sleeps: Bool

  /// Makes a receiver.
  ///
  /// - Parameters:
  ///   - start: What it knows at first, which decides how long the first fix takes.
  ///   - language: The protocol in which it reports to the device.
  ///   - interval: The time between two fixes while it works; at least 10 milliseconds.
  ///   - sleeps: Whether it is off while no app needs a fix for 20 seconds or more. Simulating a
  ///     day that is spent at few places then takes a tenth of the time. A receiver that does not
  ///     sleep has a fix in each interval, whether or not an app needs it.
  public init(
    start: Start = .hot, language: Language = .nmea, interval: Duration = .seconds(1),
    sleeps: Bool = true
  ) {
    self.start = start
    self.language = language
    self.interval = interval
    self.sleeps = sleeps
  }

  func receiver(seed: UInt64) -> VirtualReceiver {
    let start: VirtualReceiver.Start =
      switch self.start {
      case .cold: .cold
      case .warm: .warm
      case .hot: .hot
      }
    var receiver = VirtualReceiver(
      start: start, language: language == .gpsd ? .gpsd : .nmea, interval: interval, seed: seed)
    receiver.mayRest = sleeps
    return receiver
  }
}

// MARK: Movement and sky

extension SimulatedDevice {
  /// Starts to follow a route now.
  ///
  /// - Parameter route: The route; the device jumps to its first place. It stays where it is for a route
  ///   without a place on Earth.
  public func travel(_ route: Route) {
    guard accepts(route.journey) else { return }
    does(.depart(route.journey))
  }

  /// Moves the device to a place at once; it stays there, in the same building if it was in one.
  ///
  /// - Parameters:
  ///   - place: The place; for one that is not on Earth, nothing changes, and ``messages`` says so.
  ///   - altitude: Meters above mean sea level; `nil` to keep that which it has.
  public func stay(at place: CLLocationCoordinate2D, altitude: CLLocationDistance? = nil) {
    guard accepts(place, otherwise: Self.staying) else { return }
    change { world in
      let truth = world.truth
      var journey = Journey(from: Coordinate(place), altitude: altitude ?? truth.altitude)
      journey.ground = truth.ground
      return world.perform(.depart(journey))
    }
  }

  static let staying = "the device stays where it is"

  /// Covers or clears the sky, regardless of the route.
  ///
  /// - Parameter sky: What covers it; `nil` to follow the route.
  public func cover(_ sky: SimulatedSky?) {
    does(.sky(sky?.sky))
  }

  /// Makes the receiver faulty, or repairs it.
  ///
  /// - Parameter fault: The fault; `nil` for none.
  public func breakReceiver(_ fault: ReceiverFault?) {
    does(.fault(0, fault?.fault))
  }

  /// Sets the device's clock, without time passing.
  ///
  /// - Parameter duration: How far ahead; negative for back.
  public func stepClock(by duration: Duration) {
    change { world in world.perform(.date(world.now.unixTime + duration)) }
  }

  /// Where the device really is, whatever its fixes report; not valid while it has no position.
  public var truePlace: CLLocationCoordinate2D {
    let place = truth.coordinate
    return place.isValid ? CLLocationCoordinate2D(place) : kCLLocationCoordinate2DInvalid
  }

  /// How high the device really is in meters above mean sea level, whatever its fixes report.
  public var trueAltitude: CLLocationDistance { truth.altitude }

  /// The floor on which the device really is, by its route, whatever its fixes report; `nil` where the
  /// route names none.
  public var trueFloor: Int? { truth.floor }
}

// MARK: People and system

extension SimulatedDevice {
  /// Sets how the person answers each prompt from now on.
  ///
  /// - Parameters:
  ///   - answers: The person's answers; the first one that a prompt offers is given.
  ///   - delay: How long the person takes to answer.
  public func person(answers: PersonsAnswer..., after delay: Duration = .seconds(1)) {
    does(
      .habit(
        answers.map { answer in
          var reply = Person.Reply(answer.answer, after: delay)
          reply.isForBeacon = answer.isForBeacon
          return reply
        }))
  }

  /// Turns location services on or off for the whole device.
  ///
  /// - Parameter on: Whether they are on.
  public func turnLocationServices(on: Bool) {
    does(.input(.setting(.services(on: on))))
  }
}

extension Coordinate {
  init(_ coordinate: CLLocationCoordinate2D) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}

extension CLLocationCoordinate2D {
  init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}
