import Foundation
import TestSupport
import Testing

@Suite(
  "locationctl heading, with sensors made by umockdev",
  .enabled(if: MockSensors.isThere, "needs umockdev-run: Scripts/bootstrap.sh test"),
  .timeLimit(.minutes(1)))
struct SensorTests {
  @Test(
    "HEAD-1, HEAD-5, HEAD-7: reads the kernel's sensors as they are mounted and scaled",
    arguments: MockSensors.all)
  func heading(sensors: MockSensors) throws {
    let run = try sensors.run(
      "heading", "--source", "iio:", "--json", "--count", "1", "--timeout", "20")
    let heading = try #require(try run.objects().first, "\(run.error)")
    let magnetic = try #require(heading["magnetic_heading"] as? Double)
    #expect(abs(magnetic - sensors.heading) < 0.01, "\(sensors.name)")
    for (axis, value) in zip(["x", "y", "z"], sensors.field) {
      #expect(abs(try #require(heading[axis] as? Double) - value) < 0.1, "\(sensors.name) \(axis)")
    }
    // Nobody has turned it about: nothing is claimed (HEAD-6).
    #expect(heading["heading_accuracy"] == nil)
  }

  @Test("AVAIL-3: has no compass without an accelerometer, and says so")
  func magnetometerOnly() throws {
    let run = try MockSensors.magnetometerOnly.run("heading", "--source", "iio:", "--timeout", "20")
    #expect(run.status == 1)
    #expect(run.error.contains("there is no compass"))
  }

  @Test("AVAIL-3: says that there is movement where there is an accelerometer alone")
  func accelerometerOnly() throws {
    let sensors = MockSensors.accelerometerOnly
    let heading = try sensors.run("heading", "--source", "iio:", "--timeout", "20")
    #expect(heading.status == 1)
    #expect(heading.error.contains("it reports movement, and there is no compass"))
    let doctor = try sensors.run("doctor", "--source", "iio:", "--json")
    #expect(doctor.output.contains("it reports movement"))
  }
}

/// Sensors as umockdev describes them, and what a compass must make of them.
struct MockSensors: Sendable, CustomTestStringConvertible {
  var name: String
  /// Degrees.
  var heading: Double
  /// Microtesla along the device's axes.
  var field: [Double]
  private var devices: [[String: String]]

  var testDescription: String { name }

  static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/umockdev-run")

  static let all = [
    // Two chips; the accelerometer lies on its side and is turned upright by its matrix.
    MockSensors(
      name: "ak8975 and lis3dh", heading: 90, field: [-20, 0, -40],
      devices: [
        vector("magn", -200, 0, -400, ["name": "ak8975", "in_magn_scale": "0.001000"]),
        vector(
          "accel", 1024, 0, 0,
          [
            "name": "lis3dh", "in_accel_scale": "0.009577",
            "in_accel_mount_matrix": "0, 1, 0; 0, 0, 1; 1, 0, 0",
          ]),
      ]),
    // One chip with an offset and a scale of its own for each axis.
    MockSensors(
      name: "a chip with both", heading: 180, field: [0, -20, -40],
      devices: [
        vector("magn", 100, -100, -1500, ["name": "bmc150_magn", "in_magn_x_scale": "0.002"])
          .merging([
            "in_magn_x_offset": "-100", "in_magn_y_scale": "0.002", "in_magn_z_scale": "0.0005",
            "in_magn_z_offset": "700",
          ]) { $1 }.merging(vector("accel", 0, 0, 1000, ["in_accel_scale": "0.00981"])) {
            first, _ in first
          }
      ]),
    // Mounted on the back: x to the left, z into the table.
    MockSensors(
      name: "mounted on the back", heading: 270, field: [20, 0, -40],
      devices: [
        vector(
          "magn", -200, 0, 400,
          [
            "name": "mmc35240", "in_magn_scale": "0.001",
            "in_mount_matrix": "-1, 0, 0; 0, 1, 0; 0, 0, -1",
          ]),
        vector("accel", 0, 0, 1000, ["name": "kxcjk1013", "in_accel_scale": "0.00981"]),
      ]),
    // As Linux 6.1 shows it in Scripts/qemu.sh: the driver says hundredths of a gauss.
    MockSensors(
      name: "hmc5883 and mma7660", heading: 0, field: [0, 21.09, -42.19],
      devices: [
        vector("magn", 0, 216, -432, ["name": "hmc5883", "in_magn_scale": "0.000009766"]),
        vector("accel", 0, 0, 21, ["name": "mma7660", "in_accel_scale": "0.467142857"]),
      ]),
  ]

  static let magnetometerOnly = MockSensors(
    name: "ak8975", heading: 0, field: [],
    devices: [vector("magn", 0, 200, -400, ["name": "ak8975", "in_magn_scale": "0.001000"])])

  static let accelerometerOnly = MockSensors(
    name: "lis3dh", heading: 0, field: [],
    devices: [vector("accel", 0, 0, 1000, ["name": "lis3dh", "in_accel_scale": "0.00981"])])

  private static func vector(
    _ kind: String, _ x: Int, _ y: Int, _ z: Int, _ files: [String: String]
  ) -> [String: String] {
    files.merging([
      "in_\(kind)_x_raw": "\(x)", "in_\(kind)_y_raw": "\(y)", "in_\(kind)_z_raw": "\(z)",
    ]) { $1 }
  }

  /// Runs `locationctl` on a computer with these sensors.
  func run(_ words: String...) throws -> Run {
    let file = NSTemporaryDirectory() + "sensors-\(UUID().uuidString).umockdev"
    try description.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    return try Run(
      program: "/usr/bin/umockdev-run",
      ["--device", file, "--", Run.locationctl.path] + words,
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"])
  }

  /// In umockdev's language: path, properties, and attributes of each device.
  private var description: String {
    devices.enumerated().map { number, files in
      let attributes = files.sorted { $0.key < $1.key }.map { "A: \($0.key)=\($0.value)\\n\n" }
      return """
        P: /devices/platform/i2c-\(number)/iio:device\(number)
        E: DEVTYPE=iio_device
        E: SUBSYSTEM=iio

        """ + attributes.joined() + "\n"
    }.joined()
  }
}
