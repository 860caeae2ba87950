package import LocationModel

/// Computes a heading from a magnetic field and gravity, both along the device's axes.
package struct TiltCompensation: Hashable, Sendable {
  /// Degrees clockwise from magnetic north, in `0..<360`.
  package var magneticHeading: Double
  /// Degrees by which the field points below the horizon.
  package var inclination: Double
  /// The horizontal part of the field, in its unit.
  package var horizontalField: Double

  /// Computes the heading; `nil` when the field is vertical. `acceleration` points up at rest, as
  /// the kernel defines it.
  ///
  /// The reference is the device's top edge. As the device is raised, its back gradually becomes
  /// the reference, so that the heading of an upright device is the direction of its camera.
  package init?(field: DeviceVector, acceleration: DeviceVector) {
    guard acceleration.magnitude > 0, field.magnitude > 0 else { return nil }
    let up = acceleration * (1 / acceleration.magnitude)
    let east = field.cross(up)
    horizontalField = east.magnitude
    guard horizontalField > Self.verticalShare * field.magnitude else { return nil }
    let north = up.cross(east)
    let rise = max(0, up.y)
    let reference = DeviceVector(x: 0, y: 1, z: -rise)
    let heading = arctangent(reference.dot(east), reference.dot(north))
    magneticHeading = normalizedDegrees(heading.degrees)
    inclination = arctangent(-field.dot(up), horizontalField).degrees
  }

  /// Steeper than 87 degrees, a field gives no direction to north.
  private static let verticalShare = 0.05
}
