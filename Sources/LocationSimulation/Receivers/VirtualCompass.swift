package import LocationModel
package import LocationProviders

/// A magnetometer and an accelerometer as the kernel shows them, in the Earth's field and in what
/// disturbs it, of a device that is carried or driven as fast as it moves.
package struct VirtualCompass: Hashable, Sendable {
  /// Degrees from true north, of the device's top edge; `nil` where it goes by the way.
  package var heading: Double?
  /// Degrees by which the top is raised, and the right edge lowered.
  package var pitch = 0.0
  package var roll = 0.0
  /// Microtesla towards east, north, and up: iron or a magnet beside the device.
  package var disturbance = DeviceVector(x: 0, y: 0, z: 0)
  /// Microtesla along the device's axes: iron that turns with it.
  package var hardIron = DeviceVector(x: 0, y: 0, z: 0)

  /// What is measured in place of the field around the device; `nil` for that field.
  package var setting: Setting?

  /// A field that a script sets.
  package struct Setting: Hashable, Sendable {
    /// Microtesla along the device's axes.
    package var field: DeviceVector
    /// Degrees at 68 %; `nil` when the compass is not calibrated.
    package var accuracy: Double?

    package init(field: DeviceVector, accuracy: Double?) {
      self.field = field
      self.accuracy = accuracy
    }
  }

  private var chance: NormalNoise
  /// The noise of readings of the accelerometer alone: they change no heading.
  private var shake: NormalNoise
  private var local: LocalField?

  /// The Earth's field around a place.
  private struct LocalField: Hashable, Sendable {
    var place: Coordinate
    /// Microtesla towards east, north, and up.
    var vector: DeviceVector
  }

  package init(seed: UInt64 = 1) {
    chance = NormalNoise(seed: seed ^ 0x00C0_4A55)
    shake = NormalNoise(seed: seed ^ 0x5AA4E)
  }

  /// The contents of the kernel's files; for a survey, of all of them.
  package mutating func answer(
    _ query: SensorQuery, truth: Truth, date: UnixTime
  ) -> [SysfsReading] {
    let weight = DeviceVector(x: 0, y: 0, z: Self.gravity + swing(of: truth, date))
    if case .files(let paths) = query, !paths.contains(where: Self.isOfMagnetometer) {
      let noise = Self.noise(Self.accelerationNoise, &shake)
      return Self.files(turned(weight, truth) + noise).filter { paths.contains($0.path) }
    }
    let world = field(at: truth.coordinate, date) + disturbance
    let magnetic =
      turned(world, truth) + hardIron + Self.noise(Self.fieldNoise, &chance)
    let up = turned(weight, truth) + Self.noise(Self.accelerationNoise, &chance)
    let values = Self.axes("in_magn", magnetic * (1 / Self.fieldStep)) + Self.files(up)
    switch query {
    case .survey: return Self.description + values
    case .files(let paths): return values.filter { paths.contains($0.path) }
    }
  }

  /// Whether a query is one for the field, in whose place something was set.
  package func isSet(for query: SensorQuery) -> Bool {
    guard setting != nil, case .files(let paths) = query else { return false }
    return paths.contains(where: Self.isOfMagnetometer)
  }

  /// The heading in the field that was set; `nil` where none was, or where it is vertical.
  package func settingSample(truth: Truth, date: UnixTime) -> HeadingSample? {
    guard let setting, setting.field.magnitude.isFinite else { return nil }
    let up = turned(DeviceVector(x: 0, y: 0, z: Self.gravity), truth)
    let accuracy = setting.accuracy.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    return TiltCompensation(field: setting.field, acceleration: up).map {
      HeadingSample(
        magneticHeading: $0.magneticHeading, accuracy: accuracy, field: setting.field,
        inclination: $0.inclination, time: date)
    }
  }

  /// Meters per second squared, up: what steps, or a road, add to gravity. As it points the same way,
  /// it changes no heading.
  private mutating func swing(of truth: Truth, _ date: UnixTime) -> Double {
    let turn = 2 * Double.pi * Self.seconds(of: date)
    switch truth.speed {
    case ..<0.2: return 0
    case ..<2.5: return 1.5 * sine(1.8 * turn)
    case ..<4: return 4.8 * sine(2.8 * turn)
    default: return min(max(shake.normal(), -3), 3)
    }
  }

  /// What the store holds of a compass that was calibrated at a place.
  package mutating func calibration(at place: Coordinate, _ date: UnixTime) -> StateEntry {
    let radius = field(at: place, date).magnitude
    let calibration = CompassCalibration(
      offset: hardIron, shape: .identity, radius: radius, spread: Self.fieldNoise)
    let key = StateKey(domain: IIOCompass.domain, owner: "", name: Self.name)
    return StateEntry(key: key, value: calibration.encoded)
  }

  private mutating func field(at place: Coordinate, _ date: UnixTime) -> DeviceVector {
    if let local, Self.isNear(local.place, place) { return local.vector }
    let field = place.isValid ? MagneticModel.field(at: place, time: date) : nil
    // Outside the model's years, and without a place: straight north, as steep as in Berlin.
    let vector = DeviceVector(
      x: (field?.east ?? 0) / 1000, y: (field?.north ?? 19_000) / 1000,
      z: -(field?.down ?? 45_000) / 1000)
    local = LocalField(place: place, vector: vector)
    return vector
  }

  private static func isNear(_ one: Coordinate, _ other: Coordinate) -> Bool {
    abs(one.latitude - other.latitude) < 0.01 && abs(one.longitude - other.longitude) < 0.01
  }

  /// A vector of the world along the device's axes.
  private func turned(_ world: DeviceVector, _ truth: Truth) -> DeviceVector {
    let (c, s) = Self.circle(heading ?? truth.course)
    let yawed = DeviceVector(x: c * world.x - s * world.y, y: s * world.x + c * world.y, z: world.z)
    let (cp, sp) = Self.circle(pitch)
    let pitched = DeviceVector(
      x: yawed.x, y: cp * yawed.y + sp * yawed.z, z: cp * yawed.z - sp * yawed.y)
    let (cr, sr) = Self.circle(roll)
    return DeviceVector(
      x: cr * pitched.x - sr * pitched.z, y: pitched.y, z: cr * pitched.z + sr * pitched.x)
  }

  private static func circle(_ degrees: Double) -> (Double, Double) {
    (cos(Angle(degrees: degrees)), sin(Angle(degrees: degrees)))
  }

  private static func noise(_ size: Double, _ chance: inout NormalNoise) -> DeviceVector {
    DeviceVector(x: chance.normal(), y: chance.normal(), z: chance.normal()) * size
  }

  private static func files(_ acceleration: DeviceVector) -> [SysfsReading] {
    axes("in_accel", acceleration * (1 / accelerationStep))
  }

  private static func isOfMagnetometer(_ path: String) -> Bool {
    path.split(separator: "/").last?.hasPrefix("in_magn") ?? false
  }

  /// Within an hour: the hours turn no step about.
  private static func seconds(of date: UnixTime) -> Double {
    Double(date.nanoseconds % 3_600_000_000_000) / 1e9
  }

  private static func axes(_ prefix: String, _ vector: DeviceVector) -> [SysfsReading] {
    zip(["x", "y", "z"], [vector.x, vector.y, vector.z]).map { axis, value in
      let steps = Int32(exactly: value.rounded()) ?? 0
      return SysfsReading(path: "iio:device0/\(prefix)_\(axis)_raw", text: "\(steps)\n")
    }
  }

  private static let name = "virtual"
  private static let description = [
    SysfsReading(path: "iio:device0/name", text: "\(name)\n"),
    SysfsReading(path: "iio:device0/in_magn_scale", text: "0.001\n"),
    SysfsReading(path: "iio:device0/in_accel_scale", text: "0.01\n"),
  ]
  /// Meters per second squared.
  private static let gravity = 9.81
  /// Microtesla, and meters per second squared, of one step of the scales above.
  private static let fieldStep = 0.1
  private static let accelerationStep = 0.01
  /// Microtesla, and meters per second squared, root mean square of each axis: those of the chips
  /// in docs/decisions/0023.
  private static let fieldNoise = 0.6
  private static let accelerationNoise = 0.1
}
