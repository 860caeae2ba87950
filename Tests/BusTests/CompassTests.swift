import Foundation
import LocationService
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite(
  "The compass of iio-sensor-proxy", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct SensorProxyTests {
  @Test("HEAD-1, HEAD-11: is claimed while headings are wanted, and no longer")
  func proxy() async throws {
    let machine = try MockMachine()
    try machine.perform("compass start")
    let app = HostOnBus(.iio(motion: true), bus: machine.address, .never)
    let isThere = await app.first { delivery -> Bool? in
      guard case .state(let state) = delivery, state.equipment.hasCompass else { return nil }
      return true
    }
    #expect(isThere == true)
    app.send(.start(HeadingOptions()))
    #expect(await app.nextHeading()?.magneticHeading == 90)
    try machine.perform("await claim")
    try machine.perform("heading 123.0")
    #expect(await app.nextHeading()?.magneticHeading == 123)
    app.send(.stop)
    #expect(try machine.perform("await release") == "ok")
  }
}

@Suite("The compass of the kernel's sensors", .serialized, .timeLimit(.minutes(1)))
struct KernelCompassTests {
  @Test("AVAIL-3, HEAD-1: is there from the start, and turns with the files of the kernel")
  func kernel() async throws {
    let tree = try SensorTree()
    // Level, with the top edge to magnetic north: the field lies along y, and points down.
    try tree.point(x: 0, y: 200, z: -400)
    let app = HostOnBus(
      .iio(motion: true), bus: "unix:path=/nonexistent/bus", sensors: tree.path, .never)
    #expect(app.state.equipment.hasCompass)
    app.send(.start(HeadingOptions()))
    let north = try #require(await app.nextHeading()).magneticHeading
    #expect(min(north, 360 - north) < 0.001)
    // A quarter turn to the right: north is now to the left.
    try tree.point(x: -200, y: 0, z: -400)
    var east = try #require(await app.nextHeading())
    while abs(east.magneticHeading - 90) > 1 { east = try #require(await app.nextHeading()) }
    #expect(try #require(east.field).x < -19)
  }

  @Test("RADIO-33: a barometer beside it is found")
  func barometer() throws {
    let tree = try SensorTree()
    try tree.write("in_pressure_input", "100.653253906")
    let app = HostOnBus(
      .iio(motion: true), bus: "unix:path=/nonexistent/bus", sensors: tree.path, .never)
    let sensors = app.host.sourceReports().first?.evidence.sensors
    #expect(sensors?.quantities == [.heading, .motion, .pressure])
  }

  @Test("AVAIL-3: is missing where the kernel has one sensor only, and there is no proxy")
  func halfATree() throws {
    let tree = try SensorTree(hasAccelerometer: false)
    let app = HostOnBus(.iio(motion: true), bus: "unix:path=/nonexistent/bus", sensors: tree.path)
    #expect(!app.state.equipment.hasCompass)
    guard case .unavailable = app.host.sourceReports().first?.status else {
      Issue.record("the source says nothing of it")
      return
    }
  }
}

/// A folder as the kernel makes it for a magnetometer and an accelerometer.
final class SensorTree {
  let path: String
  private var compass: String { path + "/iio:device0" }

  init(hasAccelerometer: Bool = true) throws {
    path = NSTemporaryDirectory() + "sensors-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path + "/iio:device0", withIntermediateDirectories: true)
    // A thousandth of a gauss for each step.
    try write("in_magn_scale", "0.001000\n")
    try write("name", "ak8975\n")
    try point(x: 0, y: 0, z: 0)
    guard hasAccelerometer else { return }
    try write("in_accel_scale", "0.009806\n")
    for (axis, value) in [("x", 0), ("y", 0), ("z", 1000)] {
      try write("in_accel_\(axis)_raw", "\(value)\n")
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func point(x: Int, y: Int, z: Int) throws {
    for (axis, value) in [("x", x), ("y", y), ("z", z)] {
      try write("in_magn_\(axis)_raw", "\(value)\n")
    }
  }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: compass + "/" + name), options: .atomic)
  }
}
