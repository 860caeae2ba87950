/// A vector along a device's axes: x to the right of the screen, y to its top, z out of it.
package struct DeviceVector: Hashable, Sendable {
  package var x: Double
  package var y: Double
  package var z: Double

  package init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  package var magnitude: Double { dot(self).squareRoot() }
  package var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

  package func dot(_ other: DeviceVector) -> Double { x * other.x + y * other.y + z * other.z }

  package func cross(_ other: DeviceVector) -> DeviceVector {
    DeviceVector(
      x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  package static func + (left: DeviceVector, right: DeviceVector) -> DeviceVector {
    DeviceVector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }

  package static func - (left: DeviceVector, right: DeviceVector) -> DeviceVector {
    DeviceVector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  package static func * (vector: DeviceVector, factor: Double) -> DeviceVector {
    DeviceVector(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
  }
}

/// One sample of a compass.
package struct HeadingSample: Hashable, Sendable {
  /// Degrees clockwise from magnetic north, in `0..<360`, of the device's top edge.
  package var magneticHeading: Double

  /// Degrees at 68 % confidence, greater than zero; `nil` when the compass is not calibrated.
  package var accuracy: Double?

  /// Microtesla along the device's axes, not smoothed: the field around the device, without the
  /// device's own magnetism as calibrated, as in Apple's range of ±128; `nil` from a compass that
  /// reports only the heading.
  package var field: DeviceVector?

  /// Degrees the field points below the horizon; `nil` when unknown.
  package var inclination: Double?

  /// Degrees. Chosen, for a compass that states none: phones log 11 to 16 (shared heading log).
  package static let unstatedAccuracy = 15.0

  /// When the device pointed there.
  package var time: UnixTime

  package init(
    magneticHeading: Double, accuracy: Double?, field: DeviceVector? = nil,
    inclination: Double? = nil, time: UnixTime
  ) {
    self.magneticHeading = magneticHeading
    self.accuracy = accuracy
    self.field = field
    self.inclination = inclination
    self.time = time
  }
}
