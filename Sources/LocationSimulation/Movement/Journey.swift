package import LocationModel

/// A way through the world: stretches at constant speed, one after the other.
package struct Journey: Hashable, Sendable {
  /// A straight stretch, or a stop where it begins and ends in one place.
  struct Stretch: Hashable, Sendable {
    var from: Coordinate
    var to: Coordinate
    /// Meters above mean sea level, where it begins and where it ends.
    var altitude: Double
    var endAltitude: Double
    /// Since the journey began.
    var start: Duration
    var duration: Duration
    /// Meters.
    var distance: Double
    /// Degrees from true north, at the beginning.
    var course: Double
    var sky: Sky

    var end: Duration { start + duration }
  }

  /// What of the file it was read from, or of what was asked for, was passed over, for people.
  package internal(set) var warnings: [String] = []
  private(set) var stretches: [Stretch] = []
  private var origin: Coordinate
  private var originAltitude: Double
  /// Meters above mean sea level of the ground floor, where it leads through a building; else `nil`.
  package var ground: Double?
  /// Turned since the last stretch; degrees.
  private var turned = 0.0

  /// Whether it begins again at its end, for good (SIM-9).
  package var goesRound = false

  /// Begins at a place.
  ///
  /// - Parameters:
  ///   - origin: the place.
  ///   - altitude: meters above mean sea level.
  ///   - floor: the floor of a building there, 0 for the ground floor; `nil` outdoors.
  package init(from origin: Coordinate, altitude: Double = 0, floor: Int? = nil) {
    self.origin = origin
    originAltitude = altitude
    ground = floor.map { altitude - Double($0) * Truth.story }
    if let fault = origin.fault { warn(fault) }
  }

  /// Whether it leads anywhere: not without a place on Earth.
  package var isSomewhere: Bool { destination.isValid }

  /// The place reached so far.
  package var destination: Coordinate { stretches.last?.to ?? origin }
  package var duration: Duration { stretches.last?.end ?? .zero }
  /// Meters.
  package var length: Double { stretches.reduce(0) { $0 + $1.distance } }
  private var altitude: Double { stretches.last?.endAltitude ?? originAltitude }
  private var course: Double { stretches.last?.course ?? 0 }
  /// Where straight on leads; degrees from true north.
  package var heading: Double { normalizedDegrees(course + turned) }

  // MARK: Building

  /// Moves in a straight line at so many meters per second; at the usual speed where they are no speed.
  package mutating func move(
    to place: Coordinate, speed: Double, altitude: Double? = nil, sky: Sky = .open
  ) {
    let isSpeed = speed > 0
    if !isSpeed { warn("\(speed) m/s is not a speed: \(Self.usualSpeed) m/s stand in for it") }
    let distance = place.isValid && isSomewhere ? destination.distance(to: place) : 0
    let seconds = distance / max(isSpeed ? speed : Self.usualSpeed, Self.slowest)
    move(
      to: place, in: .milliseconds(Int64((1000 * seconds).rounded())), altitude: altitude, sky: sky)
  }

  /// Moves in a straight line for so long; begins there where it has begun nowhere.
  package mutating func move(
    to place: Coordinate, in time: Duration, altitude: Double? = nil, sky: Sky = .open
  ) {
    if let fault = place.fault { return warn(fault) }
    guard isSomewhere else { return origin = place }
    let time = max(time, .zero)
    let line = Geodesic.inverse(from: destination, to: place)
    stretches.append(
      Stretch(
        from: destination, to: place, altitude: self.altitude,
        endAltitude: altitude ?? self.altitude, start: duration, duration: time,
        distance: line.distance, course: normalizedDegrees(line.initialAzimuth), sky: sky))
    turned = 0
  }

  /// Moves so many meters straight on towards a bearing.
  package mutating func move(
    _ meters: Double, towards bearing: Double, speed: Double, sky: Sky = .open
  ) {
    guard meters.isFinite, bearing.isFinite else {
      return warn("\(meters) m towards \(bearing) degrees lead to no place")
    }
    guard isSomewhere else { return }
    move(to: destination.moved(by: meters, towards: bearing), speed: speed, sky: sky)
  }

  /// Turns on the spot: degrees to the right.
  package mutating func turn(by degrees: Double) {
    guard degrees.isFinite else { return warn("\(degrees) degrees are not a turn") }
    turned += degrees
  }

  /// Stays where it is.
  package mutating func stay(for time: Duration, sky: Sky = .open) {
    guard isSomewhere else { return }
    stretches.append(
      Stretch(
        from: destination, to: destination, altitude: altitude, endAltitude: altitude,
        start: duration, duration: max(time, .zero), distance: 0, course: course, sky: sky))
  }

  /// Rises where it is, as on stairs and in lifts; sinks where the meters are negative.
  package mutating func climb(by meters: Double, in time: Duration, sky: Sky = .open) {
    guard meters.isFinite else { return warn("\(meters) m are not a climb") }
    guard isSomewhere else { return }
    stretches.append(
      Stretch(
        from: destination, to: destination, altitude: altitude, endAltitude: altitude + meters,
        start: duration, duration: max(time, .zero), distance: 0, course: course, sky: sky))
  }

  /// Keeps a warning, once; some hundred at most.
  private mutating func warn(_ text: String) {
    guard warnings.count < Self.mostWarnings, !warnings.contains(text) else { return }
    warnings.append(text)
  }

  /// Meters per second. Documented: of Apple's `simctl location start`.
  package static let usualSpeed = 20.0
  /// Meters per second. Chosen: once around the Earth in 1,300 years.
  private static let slowest = 0.001
  /// Chosen: more than a person reads.
  private static let mostWarnings = 100

  /// Goes another way after this one, from where that begins.
  package mutating func append(_ other: Journey) {
    let begin = duration
    for var stretch in other.stretches {
      stretch.start += begin
      stretches.append(stretch)
    }
  }

  /// The same way, round and round, or back and forth, until so long has passed (SIM-3).
  package func repeated(backAndForth: Bool, for length: Duration) -> Journey {
    guard duration > .zero else { return self }
    let round = backAndForth ? joined(with: reversed) : self
    var all = round
    while all.duration < length { all.append(round) }
    return all
  }

  private func joined(with other: Journey) -> Journey {
    var all = self
    all.append(other)
    return all
  }

  /// The way back, at the same pace.
  private var reversed: Journey {
    var back = Journey(from: destination, altitude: altitude)
    for stretch in stretches.reversed() {
      if stretch.distance == 0 {
        back.climb(
          by: stretch.altitude - stretch.endAltitude, in: stretch.duration, sky: stretch.sky)
      } else {
        back.move(
          to: stretch.from, in: stretch.duration, altitude: stretch.altitude, sky: stretch.sky)
      }
    }
    return back
  }

  // MARK: Reading

  /// The truth after so long; the end of a way that does not go round is held.
  package func truth(at time: Duration) -> Truth {
    var elapsed = time
    if goesRound, duration > .zero, time >= duration {
      elapsed = .nanoseconds(time.wholeNanoseconds % duration.wholeNanoseconds)
    }
    guard let index = index(at: elapsed) else {
      return Truth(
        destination, altitude: altitude, ground: ground, course: course,
        sky: stretches.last?.sky ?? .open)
    }
    let stretch = stretches[index]
    let share = (elapsed - stretch.start).inSeconds / max(stretch.duration.inSeconds, 1e-9)
    let place =
      stretch.distance == 0
      ? stretch.from : stretch.from.moved(by: stretch.distance * share, towards: stretch.course)
    return Truth(
      place, altitude: stretch.altitude + (stretch.endAltitude - stretch.altitude) * share,
      ground: ground, speed: stretch.distance / max(stretch.duration.inSeconds, 1e-9),
      course: stretch.course,
      sky: stretch.sky)
  }

  /// The stretch under way; `nil` before the beginning and from the end on.
  private func index(at elapsed: Duration) -> Int? {
    guard elapsed >= .zero, elapsed < duration else { return nil }
    var (low, high) = (0, stretches.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].end > elapsed { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Coordinate {
  /// Why it is not a place on Earth; `nil` where it is one.
  package var fault: String? {
    guard !isValid else { return nil }
    return latitude.magnitude <= 90
      ? "longitude \(longitude) is not a place" : "latitude \(latitude) is not a place"
  }
}
