package import LocationModel

/// Converts a magnetometer's field into the Earth's: corrects hard iron, then soft iron.
package struct CompassCalibration: Hashable, Sendable {
  /// Microtesla; the field of iron that is fixed to the device.
  package var offset: DeviceVector
  /// The inverse of the distortion of the field by nearby iron.
  package var shape: Matrix3
  /// Microtesla; the magnitude of the field after calibration.
  package var radius: Double
  /// Microtesla; how much the magnitude still varies with the attitude, root mean square.
  package var spread: Double

  package init(offset: DeviceVector, shape: Matrix3, radius: Double, spread: Double) {
    self.offset = offset
    self.shape = shape
    self.radius = radius
    self.spread = spread
  }

  package func field(_ raw: DeviceVector) -> DeviceVector { shape * (raw - offset) }

  /// Microtesla; how far the calibrated points are from the sphere, root mean square.
  package func spread(of points: [DeviceVector]) -> Double {
    let squares = points.map { point in
      let error = field(point).magnitude - radius
      return error * error
    }
    return (squares.reduce(0, +) / Double(max(1, points.count))).squareRoot()
  }

  /// The JSON that the store keeps: an array of fourteen numbers.
  package var encoded: [UInt8] {
    let numbers = [offset.x, offset.y, offset.z] + shape.numbers + [radius, spread]
    return Array("[\(numbers.map { "\($0)" }.joined(separator: ","))]".utf8)
  }

  /// Reads what `encoded` wrote; `nil` for anything else.
  package init?(encoded bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.first == "[", text.last == "]" else { return nil }
    let fields = text.dropFirst().dropLast().split(
      separator: ",", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { Double(trimmed: $0) }
    guard fields.count == 14, numbers.count == 14, let shape = Matrix3(Array(numbers[3..<12]))
    else { return nil }
    self.init(
      offset: DeviceVector(x: numbers[0], y: numbers[1], z: numbers[2]), shape: shape,
      radius: numbers[12], spread: numbers[13])
  }
}
