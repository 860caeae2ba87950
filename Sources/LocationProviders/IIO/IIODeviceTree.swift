package import LocationModel

/// Finds the sensors for compass and movement among the kernel's industrial I/O devices.
package struct IIODeviceTree: Hashable, Sendable {
  /// The first magnetometer, by name of its folder.
  package var magnetometer: IIOSensor?
  /// The accelerometer nearest to the magnetometer: in the same chip, else the display's, else
  /// the first.
  package var accelerometer: IIOSensor?
  /// The accelerometer for movement of the whole device: the first outside the display, whose
  /// hinge may be turned while the rest does not move; else the first.
  package var motionSensor: IIOSensor?
  /// The first barometer, by name of its folder.
  package var barometer: IIOBarometer.Sensor?

  /// Whether the host should read a file once, because it describes a sensor.
  package static func describes(_ path: String) -> Bool {
    let name = fileName(path)
    if ["name", "label", "location", "in_mount_matrix", "mount_matrix"].contains(name) {
      return true
    }
    if name.hasPrefix("in_pressure") {
      return ["_input", "_raw", "_scale", "_offset"].contains { name.hasSuffix($0) }
    }
    return ["in_magn", "in_accel"].contains { prefix in
      name.hasPrefix(prefix)
        && ["_raw", "_scale", "_offset", "_matrix"].contains { name.hasSuffix($0) }
    }
  }

  package init(_ readings: [SysfsReading]) {
    var devices: [String: [String: String]] = [:]
    for reading in readings {
      guard let slash = reading.path.lastIndex(of: "/") else { continue }
      devices[String(reading.path[..<slash]), default: [:]][Self.fileName(reading.path)] =
        reading.text
    }
    let folders = devices.sorted { $0.key < $1.key }
    magnetometer =
      folders.compactMap { IIOSensor(.magnetometer, folder: $0.key, files: $0.value) }.first
    barometer =
      folders.compactMap { IIOBarometer.Sensor(folder: $0.key, files: $0.value) }.first
    let accelerometers = folders.compactMap { folder, files in
      IIOSensor(.accelerometer, folder: folder, files: files)
    }
    accelerometer =
      accelerometers.first { $0.folder == magnetometer?.folder }
      ?? accelerometers.first { $0.isInDisplay } ?? accelerometers.first
    motionSensor = accelerometers.first { !$0.isInDisplay } ?? accelerometers.first
  }

  private static func fileName(_ path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}

/// A sensor with three axes in the kernel's industrial I/O system.
package struct IIOSensor: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case magnetometer = "in_magn"
    case accelerometer = "in_accel"

    /// Converts the kernel's unit: gauss to microtesla; meters per second squared stay.
    var unit: Double { self == .magnetometer ? 100 : 1 }
  }

  package var kind: Kind
  /// `iio:device0`.
  package var folder: String
  /// The chip's name; the folder's name when the chip has none.
  package var name: String
  /// Whether the description places the sensor in the display.
  package var isInDisplay: Bool
  private var axes: [Axis]
  private var mount: Matrix3

  private struct Axis: Hashable {
    var path: String
    var offset: Double
    var scale: Double
  }

  /// Returns `nil` unless the folder has all three axes with a numeric scale.
  ///
  /// An invalid mount matrix counts as missing: the sensor's axes are then those of the device.
  init?(_ kind: Kind, folder: String, files: [String: String]) {
    func value(_ axis: String, _ aspect: String) -> String? {
      files["\(kind.rawValue)_\(axis)_\(aspect)"] ?? files["\(kind.rawValue)_\(aspect)"]
    }
    let name = files["name"].map { String($0.prefix { !$0.isWhitespace }) } ?? folder
    axes = ["x", "y", "z"].compactMap { axis in
      let raw = "\(kind.rawValue)_\(axis)_raw"
      let offset = value(axis, "offset").map { Double(trimmed: $0) } ?? 0
      guard files[raw] != nil, let offset,
        let scale = value(axis, "scale").flatMap({ Double(trimmed: $0) }), scale != 0
      else { return nil }
      return Axis(
        path: "\(folder)/\(raw)", offset: offset,
        scale: scale * kind.unit * Self.correction(of: name, scale: scale))
    }
    guard axes.count == 3 else { return nil }
    let matrix = files["\(kind.rawValue)_mount_matrix"] ?? files["in_mount_matrix"]
    mount = (matrix ?? files["mount_matrix"]).flatMap { Matrix3(mountMatrix: $0) } ?? .identity
    self.kind = kind
    self.folder = folder
    self.name = name
    isInDisplay = [files["label"], files["location"]].contains { text in
      text.map { $0.hasPrefix("accel-display") || $0.hasPrefix("lid") } ?? false
    }
  }

  /// Returns the factor that corrects the kernel's scale of a chip.
  ///
  /// Its driver hmc5843_core divides 0.01, not 1, by the chip's steps in a gauss; seen in Linux 6.1
  /// by Scripts/qemu.sh. A correct scale is not changed.
  private static func correction(of chip: String, scale: Double) -> Double {
    let isAffected = ["hmc5843", "hmc5883", "hmc5883l", "hmc5983"].contains(chip)
    return isAffected && scale < 0.000_1 ? 100 : 1
  }

  /// The files to read for each sample.
  package var paths: [String] { axes.map(\.path) }

  /// Returns the vector in the files, along the device's axes: microtesla, or meters per second
  /// squared; `nil` when a file is missing or holds no number.
  package func vector(in readings: [SysfsReading]) -> DeviceVector? {
    let values = axes.compactMap { axis in
      readings.first { $0.path == axis.path }
        .flatMap { Double(trimmed: $0.text) }
        .map { ($0 + axis.offset) * axis.scale }
    }
    guard values.count == 3 else { return nil }
    let vector = mount * DeviceVector(x: values[0], y: values[1], z: values[2])
    return vector.isFinite ? vector : nil
  }
}
