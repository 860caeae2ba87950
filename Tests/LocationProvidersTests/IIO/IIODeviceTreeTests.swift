import LocationModel
import LocationProviders
import Testing

@Suite("The tree of IIO devices")
struct IIODeviceTreeTests {
  @Test("names both sensors and the files to read")
  func finds() throws {
    let tree = SimulatedCompass.tree
    #expect(tree.magnetometer?.name == "hmc5843")
    #expect(
      tree.magnetometer?.paths == ["x", "y", "z"].map { "iio:device0/in_magn_\($0)_raw" })
    #expect(tree.accelerometer?.folder == "iio:device1")
  }

  @Test("reads raw plus offset times scale, gauss as microtesla, through the mount matrix")
  func vector() throws {
    let sensor = try #require(
      magnetometer([
        "in_magn_x_scale": "0.001", "in_magn_y_scale": "0.002", "in_magn_z_scale": "0.003",
        "in_magn_z_offset": "-10", "in_mount_matrix": "0, 1, 0; -1, 0, 0; 0, 0, 1\n",
      ]))
    let vector = try #require(sensor.vector(in: raw("100", "200 \n", "310")))
    let expected = DeviceVector(x: 40, y: -10, z: 90)
    #expect((vector - expected).magnitude < 1e-9)
  }

  @Test(
    "reads gauss from the chips whose driver says hundredths, and from a kernel that does not",
    arguments: [("hmc5883", "0.000009766"), ("hmc5883", "0.0009766"), ("ak8975", "0.0009766")])
  func hundredths(chip: String, scale: String) throws {
    let sensor = try #require(magnetometer(["in_magn_scale": scale, "name": "\(chip)\n"]))
    let vector = try #require(sensor.vector(in: raw("0", "216", "-432")))
    #expect((vector - DeviceVector(x: 0, y: 21.1, z: -42.2)).magnitude < 0.1)
  }

  @Test(
    "gives no vector for what is no number", arguments: ["", "x", "nan", "inf", "1e999", "1 2"])
  func unreadable(text: String) throws {
    let sensor = try #require(magnetometer(["in_magn_scale": "0.001"]))
    #expect(sensor.vector(in: raw(text, "1", "1")) == nil)
    #expect(sensor.vector(in: Array(raw("1", "1", "1").dropLast())) == nil)
  }

  @Test("needs three axes and a scale", arguments: ["", "zero", "0", "nan"])
  func incomplete(scale: String) {
    #expect(magnetometer(["in_magn_scale": scale]) == nil)
    #expect(magnetometer([:]) == nil)
    #expect(IIODeviceTree([]).magnetometer == nil)
    #expect(IIODeviceTree([SysfsReading(path: "name", text: "odd")]).accelerometer == nil)
  }

  @Test(
    "takes a mount matrix that is none for the identity",
    arguments: ["", "1,0,0", "1, 0, 0; 0, 1, 0; 0, 0, x", "0,0,0;0,0,0;0,0,0", "1,0,0;0,1,0;0,0,5"])
  func brokenMount(text: String) throws {
    #expect(Matrix3(mountMatrix: text) == nil)
    let sensor = try #require(
      magnetometer(["in_magn_scale": "0.01", "in_mount_matrix": text]))
    #expect(sensor.vector(in: raw("1", "2", "3")) == DeviceVector(x: 1, y: 2, z: 3))
  }

  @Test("prefers the accelerometer of the same chip, then the display's")
  func choice() {
    let base = accelerometer("iio:device1", label: "accel-base\n")
    let display = accelerometer("iio:device2", label: "accel-display\n")
    let same = accelerometer("iio:device0", label: "")
    let files =
      ["x", "y", "z"].map { "iio:device0/in_magn_\($0)_raw" } + ["iio:device0/in_magn_scale"]
    let magnetometer = files.map { SysfsReading(path: $0, text: "1") }
    #expect(IIODeviceTree(magnetometer + base).accelerometer?.folder == "iio:device1")
    #expect(IIODeviceTree(magnetometer + base + display).accelerometer?.folder == "iio:device2")
    #expect(
      IIODeviceTree(magnetometer + base + display + same).accelerometer?.folder == "iio:device0")
  }

  @Test("feels movement where no hinge is turned")
  func motionSensor() {
    let base = accelerometer("iio:device2", label: "accel-base\n")
    let display = accelerometer("iio:device1", label: "accel-display\n")
    #expect(IIODeviceTree(display + base).motionSensor?.folder == "iio:device2")
    #expect(IIODeviceTree(display).motionSensor?.folder == "iio:device1")
    #expect(IIODeviceTree([]).motionSensor == nil)
  }

  @Test("asks the host for descriptions only")
  func describes() {
    #expect(IIODeviceTree.describes("iio:device0/in_accel_mount_matrix"))
    #expect(IIODeviceTree.describes("iio:device0/name"))
    #expect(IIODeviceTree.describes("iio:device0/in_pressure_input"))
    #expect(!IIODeviceTree.describes("iio:device0/in_pressure_oversampling_ratio"))
    #expect(!IIODeviceTree.describes("iio:device0/in_humidityrelative_input"))
    #expect(!IIODeviceTree.describes("iio:device0/uevent"))
  }

  private func magnetometer(_ files: [String: String]) -> IIOSensor? {
    let axes = ["x", "y", "z"].map {
      SysfsReading(path: "iio:device0/in_magn_\($0)_raw", text: "0")
    }
    let rest = files.sorted { $0.key < $1.key }
    return IIODeviceTree(
      axes + rest.map { SysfsReading(path: "iio:device0/" + $0.key, text: $0.value) }
    ).magnetometer
  }

  private func accelerometer(_ folder: String, label: String) -> [SysfsReading] {
    let files = ["in_accel_x_raw", "in_accel_y_raw", "in_accel_z_raw", "in_accel_scale"]
    return files.map { SysfsReading(path: "\(folder)/\($0)", text: "1") }
      + [SysfsReading(path: "\(folder)/label", text: label)]
  }

  private func raw(_ x: String, _ y: String, _ z: String) -> [SysfsReading] {
    zip(["x", "y", "z"], [x, y, z]).map { axis, text in
      SysfsReading(path: "iio:device0/in_magn_\(axis)_raw", text: text)
    }
  }
}
