package import LocationModel

/// Where the device really is, and what it really sees of the sky.
package struct Truth: Hashable, Sendable {
  package var coordinate: Coordinate
  /// Meters above mean sea level.
  package var altitude: Double
  /// Meters above mean sea level of the ground floor of the building around; `nil` where there is none.
  package var ground: Double?
  /// Meters per second, not negative.
  package var speed: Double
  /// Degrees clockwise from true north, in `0..<360`; keeps its value while standing.
  package var course: Double
  package var sky: Sky

  package init(
    _ coordinate: Coordinate, altitude: Double = 0, ground: Double? = nil, speed: Double = 0,
    course: Double = 0, sky: Sky = .open
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.ground = ground
    self.speed = speed
    self.course = course
    self.sky = sky
  }

  /// The floor of the building around, 0 for the ground floor; `nil` where there is none.
  package var floor: Int? {
    ground.flatMap { Int(exactly: ((altitude - $0) / Self.story).rounded()) }
  }

  /// Meters from floor to floor. Chosen: between a dwelling and an office.
  package static let story = 3.5
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
