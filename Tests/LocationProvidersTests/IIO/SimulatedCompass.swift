import LocationModel
import LocationProviders

/// A device with both sensors in a magnetic field, for tests: it says what its files would say.
struct SimulatedCompass {
  /// Microtesla.
  var magnitude = 50.0
  /// Degrees the field points below the horizon.
  var inclination = 66.0
  /// Microtesla, root mean square of each axis.
  var fieldNoise = 0.0
  /// Meters per second squared, root mean square of each axis.
  var accelerationNoise = 0.0
  /// Microtesla, along the device's axes.
  var hardIron = DeviceVector(x: 0, y: 0, z: 0)
  var softIron = Matrix3.identity
  var random = SeededRandom(seed: 8)

  static let tree = IIODeviceTree([
    SysfsReading(path: "iio:device0/name", text: "hmc5843\n"),
    SysfsReading(path: "iio:device0/in_magn_x_raw", text: "0\n"),
    SysfsReading(path: "iio:device0/in_magn_y_raw", text: "0\n"),
    SysfsReading(path: "iio:device0/in_magn_z_raw", text: "0\n"),
    SysfsReading(path: "iio:device0/in_magn_scale", text: "0.000917\n"),
    SysfsReading(path: "iio:device1/name", text: "lis3dh\n"),
    SysfsReading(path: "iio:device1/in_accel_x_raw", text: "0\n"),
    SysfsReading(path: "iio:device1/in_accel_y_raw", text: "0\n"),
    SysfsReading(path: "iio:device1/in_accel_z_raw", text: "0\n"),
    SysfsReading(path: "iio:device1/in_accel_scale", text: "0.0095\n"),
  ])

  /// What the files say of a device turned to `heading`, its top raised by `pitch`, and its right
  /// edge lowered by `roll`; all in degrees.
  mutating func readings(heading: Double, pitch: Double, roll: Double) -> [SysfsReading] {
    let dip = Angle(degrees: inclination)
    let world = DeviceVector(x: 0, y: cos(dip), z: -sin(dip)) * magnitude
    let field = softIron * turned(world, (heading, pitch, roll)) + hardIron + noise(fieldNoise)
    let up = DeviceVector(x: 0, y: 0, z: 9.81)
    let acceleration = turned(up, (heading, pitch, roll)) + noise(accelerationNoise)
    return files("iio:device0/in_magn", field * (1 / (100 * 0.000917)))
      + files("iio:device1/in_accel", acceleration * (1 / 0.0095))
  }

  /// A vector of the world (east, north, up) along the device's axes.
  private func turned(
    _ world: DeviceVector, _ attitude: (heading: Double, pitch: Double, roll: Double)
  ) -> DeviceVector {
    let (c, s) = circle(attitude.heading)
    let yawed = DeviceVector(x: c * world.x - s * world.y, y: s * world.x + c * world.y, z: world.z)
    let (cp, sp) = circle(attitude.pitch)
    let pitched = DeviceVector(
      x: yawed.x, y: cp * yawed.y + sp * yawed.z, z: cp * yawed.z - sp * yawed.y)
    let (cr, sr) = circle(attitude.roll)
    return DeviceVector(
      x: cr * pitched.x - sr * pitched.z, y: pitched.y, z: cr * pitched.z + sr * pitched.x)
  }

  private func circle(_ degrees: Double) -> (Double, Double) {
    (cos(Angle(degrees: degrees)), sin(Angle(degrees: degrees)))
  }

  private func files(_ prefix: String, _ vector: DeviceVector) -> [SysfsReading] {
    zip(["x", "y", "z"], [vector.x, vector.y, vector.z]).map { axis, value in
      SysfsReading(path: "\(prefix)_\(axis)_raw", text: "\(Int(value.rounded()))\n")
    }
  }

  private mutating func noise(_ size: Double) -> DeviceVector {
    DeviceVector(x: gaussian(), y: gaussian(), z: gaussian()) * size
  }

  /// Twelve uniform numbers add up to nearly a normal one.
  private mutating func gaussian() -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
  }
}
