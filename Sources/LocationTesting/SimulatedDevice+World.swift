public import CoreLocation
import LocationEngine
import LocationModel
import LocationSimulation

/// What a receiver sees of the sky.
public enum SimulatedSky: Sendable {
  /// Everything.
  case open
  /// Between buildings: reflections, outliers, gaps.
  case street
  /// In a building: seldom a fix, and a poor one.
  case indoors
  /// Nothing: a tunnel, a cellar.
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

/// A way through the world, made leg by leg.
///
/// Each leg is a straight line at one speed; a stop is a leg that stays where it is.
public struct Route: Sendable {
  var journey: Journey

  /// Begins at a place.
  ///
  /// - Parameters:
  ///   - place: Where.
  ///   - altitude: Meters above mean sea level.
  public init(from place: CLLocationCoordinate2D, altitude: CLLocationDistance = 0) {
    journey = Journey(from: Coordinate(place), altitude: altitude)
  }

  /// Goes through places, as `simctl location start` does (SIM-8).
  ///
  /// - Parameters:
  ///   - places: The way, one place at least; without one the process ends with a message.
  ///   - altitude: Meters above mean sea level.
  ///   - speed: Meters per second, greater than zero.
  public init(
    through places: [CLLocationCoordinate2D], altitude: CLLocationDistance = 0,
    speed: CLLocationSpeed = 20
  ) {
    guard let first = places.first else {
      preconditionFailure("a route without a place begins nowhere; give one at least")
    }
    self.init(from: first, altitude: altitude)
    for place in places.dropFirst() { move(to: place, speed: speed) }
  }

  /// How points of a GPX file are passed that have no times (SIM-2).
  public enum Pace: Sendable {
    /// At so many meters per second.
    case speed(CLLocationSpeed)
    /// One after the other, each after so long.
    case points(every: Duration)

    var pace: Journey.Pace {
      switch self {
      case .speed(let speed): .speed(speed)
      case .points(let interval): .interval(interval)
      }
    }
  }

  /// Follows the tracks, else the routes, else the waypoints of a GPX file (SIM-1, SIM-4).
  ///
  /// - Parameters:
  ///   - file: A file of GPX 1.0 or 1.1.
  ///   - pace: How points are passed that have no times (SIM-2).
  /// - Throws: What reading the file throws, or an error with the line and the cause when it is no
  ///   GPX file with a point. Damage further on is a warning.
  /// - Complexity: Linear in the length of the file.
  public init(gpx file: URL, withoutTimes pace: Pace = .speed(20)) throws {
    journey = try Journey(gpx: [UInt8](Data(contentsOf: file)), pace: pace.pace)
  }

  /// What of a GPX file was passed over, and in which line.
  public var warnings: [String] { journey.warnings }
  /// How long it takes.
  public var duration: Duration { journey.duration }
  /// Meters.
  public var length: CLLocationDistance { journey.length }
  /// Where it ends.
  public var destination: CLLocationCoordinate2D {
    CLLocationCoordinate2D(journey.destination)
  }

  /// Moves to a place.
  ///
  /// - Parameters:
  ///   - place: Where to.
  ///   - speed: Meters per second, greater than zero.
  ///   - sky: What covers the sky on the way.
  public mutating func move(
    to place: CLLocationCoordinate2D, speed: CLLocationSpeed, under sky: SimulatedSky = .open
  ) {
    journey.move(to: Coordinate(place), speed: speed, sky: sky.sky)
  }

  /// Moves towards a bearing.
  ///
  /// - Parameters:
  ///   - meters: How far, in meters.
  ///   - bearing: Degrees clockwise from true north.
  ///   - speed: Meters per second, greater than zero.
  ///   - sky: What covers the sky on the way.
  public mutating func move(
    _ meters: CLLocationDistance, towards bearing: CLLocationDirection,
    speed: CLLocationSpeed, under sky: SimulatedSky = .open
  ) {
    journey.move(meters, towards: bearing, speed: speed, sky: sky.sky)
  }

  /// Goes on in the same direction.
  ///
  /// - Parameters:
  ///   - meters: How far, in meters.
  ///   - speed: Meters per second, greater than zero.
  ///   - sky: What covers the sky on the way.
  public mutating func move(
    ahead meters: CLLocationDistance, speed: CLLocationSpeed, under sky: SimulatedSky = .open
  ) {
    journey.move(meters, towards: journey.heading, speed: speed, sky: sky.sky)
  }

  /// Turns on the spot.
  ///
  /// - Parameter degrees: Degrees to the right, negative to the left.
  public mutating func turn(_ degrees: CLLocationDirection) {
    journey.turn(by: degrees)
  }

  /// Stays where it is.
  ///
  /// - Parameters:
  ///   - duration: How long.
  ///   - sky: What covers the sky from now on.
  public mutating func stay(for duration: Duration, under sky: SimulatedSky = .open) {
    journey.stay(for: duration, sky: sky.sky)
  }
}

/// What a person answers to a question of the system.
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
  /// Yes, to full accuracy for a while.
  case allowFullAccuracy
  /// No, to full accuracy for a while.
  case keepReducedAccuracy
  /// Yes, the app may make this computer a Bluetooth beacon.
  case allowBeacon
  /// No, it may not.
  case doNotAllowBeacon
  /// The question goes away without an answer.
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
  /// A yes to one thing is none to another.
  fileprivate var isForBeacon: Bool? {
    switch self {
    case .allowBeacon, .doNotAllowBeacon: true
    case .allowFullAccuracy, .keepReducedAccuracy: false
    case .allowOnce, .allowWhileUsing, .doNotAllow, .changeToAlways, .keepWhileUsing, .dismiss: nil
    }
  }
}

/// What can be wrong with a receiver.
public enum ReceiverFault: Sendable {
  /// It claims such an accuracy while so many meters off towards a bearing.
  case lies(
    claim: CLLocationAccuracy, off: CLLocationDistance, towards: CLLocationDirection)
  /// It says nothing.
  case silent
  /// It is not there any more.
  case unplugged
  /// Its clock is ahead.
  case clockAhead(Duration)

  var fault: VirtualReceiver.Fault {
    switch self {
    // A claim is a radius of 68 %; receivers speak of one axis (LOC-5).
    case .lies(let claim, let off, let bearing):
      .lies(claim: claim / 1.51, off: off, towards: bearing)
    case .silent: .silent
    case .unplugged: .unplugged
    case .clockAhead(let time): .clock(time)
    }
  }
}

/// How a receiver is, when it is switched on.
public struct SimulatedReceiver: Sendable {
  /// What it knows at first.
  public enum Start: Sendable {
    /// Nothing: 30 seconds to the first fix.
    case cold
    /// Time and rough place: 15 seconds.
    case warm
    /// Everything: 1 second.
    case hot
  }

  /// What it speaks.
  public enum Language: Sendable {
    /// NMEA 0183, on a line of its own.
    case nmea
    /// The reports of gpsd.
    case gpsd
  }

  /// What it knows at first.
  public var start: Start
  /// What it speaks.
  public var language: Language
  /// Between two fixes; 10 milliseconds at least.
  public var interval: Duration
  /// Whether it is switched off between the fixes that apps need, as the receiver of a phone is.
  public var sleeps: Bool

  /// Makes a receiver.
  ///
  /// - Parameters:
  ///   - start: what it knows at first, which decides how long the first fix takes.
  ///   - language: what it speaks on its line to the device.
  ///   - interval: the time between two fixes while it works; at least 10 milliseconds.
  ///   - sleeps: whether it is switched off while nobody needs a fix for 20 seconds or more. A day
  ///     that is spent at few places then takes a tenth of the time to simulate. A receiver that does
  ///     not sleep has a fix in each interval, whoever needs it.
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
  /// Sets out on a route now.
  ///
  /// - Parameter route: The route; it begins where the route does.
  public func travel(_ route: Route) {
    does(.depart(route.journey))
  }

  /// Puts the device down at a place, at once.
  ///
  /// - Parameter place: Where.
  public func stay(at place: CLLocationCoordinate2D) {
    does(.depart(Journey(from: Coordinate(place))))
  }

  /// Covers or clears the sky, whatever the route says.
  ///
  /// - Parameter sky: What covers it; `nil` goes by the route.
  public func cover(_ sky: SimulatedSky?) {
    does(.sky(sky?.sky))
  }

  /// Breaks the receiver, or mends it.
  ///
  /// - Parameter fault: What is broken; `nil` for nothing.
  public func breakReceiver(_ fault: ReceiverFault?) {
    does(.fault(0, fault?.fault))
  }

  /// Sets the device's clock, without time passing.
  ///
  /// - Parameter duration: How far ahead; negative for back.
  public func stepClock(by duration: Duration) {
    change { world in world.perform(.date(world.now.unixTime + duration)) }
  }

  /// Where the device really is, whatever it says.
  public var truePlace: CLLocationCoordinate2D { CLLocationCoordinate2D(truth.coordinate) }
}

// MARK: People and system

extension SimulatedDevice {
  /// Lets the person answer each question from now on.
  ///
  /// - Parameters:
  ///   - answers: What they would say; the first of these that a question offers counts.
  ///   - delay: How long they take.
  public func person(answers: PersonsAnswer..., after delay: Duration = .seconds(1)) {
    does(
      .habit(
        answers.map { answer in
          var reply = Person.Reply(answer.answer, after: delay)
          reply.isForBeacon = answer.isForBeacon
          return reply
        }))
  }

  /// Turns location services on or off, for the whole device.
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
