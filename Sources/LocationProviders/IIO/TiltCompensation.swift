package import LocationModel

/// Turns a magnetic field and gravity, both along the device's axes, into a heading.
package struct TiltCompensation: Hashable, Sendable {
  /// Degrees clockwise from magnetic north, in `0..<360`.
  package var magneticHeading: Double
  /// Degrees the field points below the horizon.
  package var inclination: Double
  /// The horizontal part of the field, in its unit.
  package var horizontalField: Double

  /// `acceleration` points up at rest, as the kernel defines it; `nil` when the field is vertical.
  ///
  /// The reference is the device's top edge. As the device is raised, its back takes over step by
  /// step, so that a device held upright points to where its camera looks.
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

  /// Steeper than 87 degrees, a field says nothing of north.
  private static let verticalShare = 0.05
}
