/// A solved position: always with coordinate, horizontal accuracy, and time.
///
/// Absence is `nil` here; the face turns it into Apple's sentinels.
package struct Fix: Hashable, Sendable {
  package var coordinate: Coordinate

  /// The radius of the circle that holds the true position, at 68 % confidence (LOC-5).
  ///
  /// Meters, greater than zero and finite.
  package var horizontalAccuracy: Double

  /// Meters above mean sea level; `nil` when the solution has no height.
  package var altitude: Double?

  /// Meters above the WGS 84 ellipsoid; `nil` when unknown.
  package var ellipsoidalAltitude: Double?

  /// Meters, greater than zero, at 68 % confidence; `nil` when the height is unknown.
  package var verticalAccuracy: Double?

  /// Meters per second over ground, not negative; `nil` when unknown.
  package var speed: Double?

  /// Meters per second, at 68 % confidence; `nil` when unknown.
  package var speedAccuracy: Double?

  /// Degrees clockwise from true north, in `0..<360`; `nil` when unknown or standing.
  package var course: Double?

  /// Degrees, in `0...180`, at 68 % confidence; `nil` when unknown.
  package var courseAccuracy: Double?

  /// The floor of a building, 0 at ground level; `nil` when unknown.
  package var floor: Int?

  /// When the receiver was there, by the receiver's own clock.
  package var time: UnixTime

  /// What kind of thing made the fix.
  package var origin: Origin

  package init(
    coordinate: Coordinate, horizontalAccuracy: Double, time: UnixTime,
    origin: Origin = Origin()
  ) {
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.time = time
    self.origin = origin
  }

  /// What an app may know of where a fix comes from (`CLLocationSourceInformation`).
  package struct Origin: Hashable, Sendable {
    /// Made by software: a simulation or a replay.
    package var isSimulated: Bool
    /// Made by an external accessory.
    package var isAccessory: Bool

    package init(isSimulated: Bool = false, isAccessory: Bool = false) {
      self.isSimulated = isSimulated
      self.isAccessory = isAccessory
    }
  }
}
