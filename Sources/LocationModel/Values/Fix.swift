/// A solved position: always with coordinate, horizontal accuracy, and time.
///
/// Absence is `nil` here; the face turns it into Apple's sentinels.
package struct Fix: Hashable, Sendable {
  /// One element: a fix is copied about a hundred times between receiver and app, and its copies share
  /// this storage until one of them is changed.
  private var solution: [Solution]

  private struct Solution: Hashable, Sendable {
    var coordinate: Coordinate
    var horizontalAccuracy: Double
    var altitude: Double?
    var ellipsoidalAltitude: Double?
    var verticalAccuracy: Double?
    var speed: Double?
    var speedAccuracy: Double?
    var course: Double?
    var courseAccuracy: Double?
    var floor: Int?
    var time: UnixTime
    var origin: Origin
  }

  package var coordinate: Coordinate {
    get { solution[0].coordinate }
    set { solution[0].coordinate = newValue }
  }

  /// The radius of the circle that holds the true position, at 68 % confidence (LOC-5).
  ///
  /// Meters, greater than zero and finite.
  package var horizontalAccuracy: Double {
    get { solution[0].horizontalAccuracy }
    set { solution[0].horizontalAccuracy = newValue }
  }

  /// Meters above mean sea level; `nil` when the solution has no height.
  package var altitude: Double? {
    get { solution[0].altitude }
    set { solution[0].altitude = newValue }
  }

  /// Meters above the WGS 84 ellipsoid; `nil` when unknown.
  package var ellipsoidalAltitude: Double? {
    get { solution[0].ellipsoidalAltitude }
    set { solution[0].ellipsoidalAltitude = newValue }
  }

  /// Meters, greater than zero, at 68 % confidence; `nil` when the height is unknown.
  package var verticalAccuracy: Double? {
    get { solution[0].verticalAccuracy }
    set { solution[0].verticalAccuracy = newValue }
  }

  /// Meters per second over ground, not negative; `nil` when unknown.
  package var speed: Double? {
    get { solution[0].speed }
    set { solution[0].speed = newValue }
  }

  /// Meters per second, at 68 % confidence; `nil` when unknown.
  package var speedAccuracy: Double? {
    get { solution[0].speedAccuracy }
    set { solution[0].speedAccuracy = newValue }
  }

  /// Degrees clockwise from true north, in `0..<360`; `nil` when unknown or standing.
  package var course: Double? {
    get { solution[0].course }
    set { solution[0].course = newValue }
  }

  /// Degrees, in `0...180`, at 68 % confidence; `nil` when unknown.
  package var courseAccuracy: Double? {
    get { solution[0].courseAccuracy }
    set { solution[0].courseAccuracy = newValue }
  }

  /// The floor of a building, 0 at ground level; `nil` when unknown.
  package var floor: Int? {
    get { solution[0].floor }
    set { solution[0].floor = newValue }
  }

  /// The time of the position, by the receiver's own clock.
  package var time: UnixTime {
    get { solution[0].time }
    set { solution[0].time = newValue }
  }

  /// The kind of source that made the fix.
  package var origin: Origin {
    get { solution[0].origin }
    set { solution[0].origin = newValue }
  }

  package init(
    coordinate: Coordinate, horizontalAccuracy: Double, time: UnixTime,
    origin: Origin = Origin()
  ) {
    solution = [
      Solution(
        coordinate: coordinate, horizontalAccuracy: horizontalAccuracy, time: time, origin: origin)
    ]
  }

  /// The origin of a fix, as far as an app may know it (`CLLocationSourceInformation`).
  package struct Origin: Hashable, Sendable {
    /// Made by software: a simulation or a replay.
    package var isSimulated: Bool
    /// Made by an external accessory.
    package var isAccessory: Bool
    /// How the position was found. No app learns it.
    package var method: PositionMethod
    /// How the fixes were found on which it rests, the most accurate first; `nil` for a fix of one
    /// source. No app learns it.
    package var fused: [PositionMethod]?

    package init(
      isSimulated: Bool = false, isAccessory: Bool = false, method: PositionMethod = .receiver
    ) {
      self.isSimulated = isSimulated
      self.isAccessory = isAccessory
      self.method = method
    }
  }
}
