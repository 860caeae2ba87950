package import LocationModel

/// Where the device really is, and what it really sees of the sky.
package struct Truth: Hashable, Sendable {
  package var coordinate: Coordinate
  /// Meters above mean sea level.
  package var altitude: Double
  /// Meters per second, not negative.
  package var speed: Double
  /// Degrees clockwise from true north, in `0..<360`; keeps its value while standing.
  package var course: Double
  package var sky: Sky

  package init(
    _ coordinate: Coordinate, altitude: Double = 0, speed: Double = 0, course: Double = 0,
    sky: Sky = .open
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.speed = speed
    self.course = course
    self.sky = sky
  }
}

/// How much of the sky a receiver sees.
package enum Sky: String, CaseIterable, Sendable {
  case open
  /// Between buildings: fewer satellites, and reflections.
  case street
  /// In a building: seldom a fix, and a poor one.
  case indoors
  /// No satellite at all: a tunnel, a cellar.
  case none = "tunnel"
}
