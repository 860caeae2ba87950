/// A place on the WGS 84 ellipsoid.
///
/// A coordinate can reveal where a person is: it prints as `‹private›`, and only code that passes it
/// to its owner reads the two numbers.
package struct Coordinate: Hashable, Sendable {
  /// Degrees north of the equator, in `-90...90`.
  package var latitude: Double
  /// Degrees east of Greenwich, in `-180...180`.
  package var longitude: Double

  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both numbers are finite and within range.
  package var isValid: Bool {
    latitude.magnitude <= 90 && longitude.magnitude <= 180
  }
}

extension Coordinate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "‹private›" }
  package var debugDescription: String { "‹private›" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
