import CoreLocation
import LocationTesting
import Testing

/// What a manager says of beacons and headings.
private final class SignalListener: NSObject, CLLocationManagerDelegate {
  let manager = CLLocationManager()
  var ranged: [[CLBeacon]] = []
  var headings: [CLHeading] = []
  var failures: [CLError.Code] = []
  var calibrationQuestions = 0

  override init() {
    super.init()
    manager.delegate = self
    manager.requestWhenInUseAuthorization()
  }

  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) {
    ranged.append(beacons)
  }

  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor constraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    if let error = error as? CLError { failures.append(error.code) }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
    headings.append(heading)
  }

  func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
    calibrationQuestions += 1
    return true
  }
}

@Suite("A simulated radio")
struct SignalTests {
  static let berlin = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)
  let device = SimulatedDevice(at: berlin)
  let app: SimulatedApp
  let beacon = SimulatedBeacon(uuid: UUID(), major: 1, minor: 2)

  init() {
    app = device.app("com.example.signals")
    device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
  }

  private func place(_ meters: Double) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: Self.berlin.latitude + meters / 111_267, longitude: 13.40)
  }

  @Test("lets an app range a beacon from far to immediate, and tells when it is gone")
  func ranging() async throws {
    device.turn(to: 0)
    try await app.run {
      let listener = SignalListener()
      listener.manager.startRangingBeacons(
        satisfying: CLBeaconIdentityConstraint(uuid: beacon.uuid))
      var seen: [CLProximity?] = []
      for meters in [20, 1.5, 0.2] {
        device.place(beacon, at: place(meters))
        try await device.advance(by: .seconds(30))
        seen.append(listener.ranged.last?.first?.proximity)
      }
      #expect(seen == [.far, .near, .immediate])
      let received = try #require(listener.ranged.last?.first)
      #expect(received.major == 1 && received.minor == 2 && received.rssi > -59)
      device.remove(beacon)
      try await device.advance(by: .seconds(15))
      #expect(listener.ranged.last?.isEmpty == true, "BEACON-11")
      device.turnBluetooth(on: false)
      try await device.advance(by: .seconds(5))
      #expect(listener.failures == [.rangingUnavailable], "BEACON-16")
    }
  }

  @Test("is shadowed by the body that turns its back")
  func bodyShadow() async throws {
    device.place(beacon, at: place(5))
    try await app.run {
      let listener = SignalListener()
      listener.manager.startRangingBeacons(
        satisfying: CLBeaconIdentityConstraint(uuid: beacon.uuid))
      func strength() -> Double {
        let values = listener.ranged.suffix(30).compactMap(\.first?.rssi).filter { $0 != 0 }
        return Double(values.reduce(0, +)) / Double(max(values.count, 1))
      }
      device.turn(to: 0)
      try await device.advance(by: .seconds(60))
      let facing = strength()
      device.turn(to: 180)
      try await device.advance(by: .seconds(60))
      #expect(abs(facing - strength() - 10) < 2.5, "\(facing) and \(strength()) dBm")
    }
  }

  @Test("makes and ends a beacon condition of a monitor")
  func monitor() async throws {
    try await app.run {
      let monitor = await CLMonitor("beacons")
      await monitor.add(
        CLMonitor.BeaconIdentityCondition(uuid: beacon.uuid), identifier: "shop")
      let states = States()
      let loop = Task { for try await event in await monitor.events { states.add(event.state) } }
      let listener = SignalListener()
      listener.manager.requestAlwaysAuthorization()
      try await device.advance(by: .seconds(60))
      device.place(beacon, at: place(5))
      try await device.advance(by: .seconds(60))
      #expect(states.all.last == .satisfied)
      device.remove(beacon)
      try await device.advance(by: .seconds(90))
      #expect(states.all.suffix(2) == [.satisfied, .unsatisfied])
      loop.cancel()
    }
  }

  @Test("turns a compass, in the field of the place and in what disturbs it")
  func heading() async throws {
    device.turn(to: 90)
    try await app.run {
      let listener = SignalListener()
      #expect(CLLocationManager.headingAvailable())
      listener.manager.startUpdatingLocation()
      listener.manager.startUpdatingHeading()
      try await device.advance(by: .seconds(10))
      let heading = try #require(listener.headings.last)
      #expect(abs(heading.trueHeading - 90) < 5, "\(heading.trueHeading)")
      // Berlin lies about five degrees east of magnetic north in 2026.
      #expect((3...7).contains(heading.trueHeading - heading.magneticHeading))
      #expect(heading.headingAccuracy > 0)
      device.turn(to: 200)
      try await device.advance(by: .seconds(10))
      #expect(abs((listener.headings.last?.trueHeading ?? 0) - 200) < 5)
      device.disturbCompass(MagneticDisturbance(east: 30))
      try await device.advance(by: .seconds(10))
      #expect(abs((listener.headings.last?.trueHeading ?? 0) - 200) > 20)
    }
  }

  @Test("HEAD-14: has the field, the accuracy, and the calibration state that a script sets")
  func setCompass() async throws {
    try await app.run {
      let listener = SignalListener()
      listener.manager.headingFilter = kCLHeadingFilterNone
      listener.manager.startUpdatingHeading()
      device.setCompass(field: SimulatedField(x: -20, y: 0, z: -40), accuracy: 7)
      try await device.advance(by: .seconds(10))
      let east = try #require(listener.headings.last)
      #expect([east.x, east.y, east.z] == [-20, 0, -40])
      #expect(abs(east.magneticHeading - 90) < 1e-9 && east.headingAccuracy == 7)
      let questions = listener.calibrationQuestions

      device.setCompass(field: SimulatedField(x: 0, y: 30, z: -60), calibrated: false)
      try await device.advance(by: .seconds(10))
      let uncalibrated = try #require(listener.headings.last)
      #expect(uncalibrated.headingAccuracy < 0)
      #expect(listener.calibrationQuestions == questions + 1)

      device.setCompass(field: nil)
      try await device.advance(by: .seconds(10))
      #expect(try #require(listener.headings.last).headingAccuracy > 0)
    }
  }

  @Test("HEAD-14: has the field and the need for calibration of a device that is magnetized")
  func calibration() async throws {
    try await app.run {
      let listener = SignalListener()
      listener.manager.startUpdatingLocation()
      listener.manager.startUpdatingHeading()
      try await device.advance(by: .seconds(10))
      let before = try #require(listener.headings.last)
      #expect(before.headingAccuracy > 0)
      let questions = listener.calibrationQuestions

      device.magnetizeCompass(x: 40, y: -30, z: 0)
      try await device.advance(by: .seconds(10))
      let magnetized = try #require(listener.headings.last)
      #expect(magnetized.headingAccuracy < 0)
      #expect(abs(magnetized.x - before.x - 40) < 5 && abs(magnetized.y - before.y + 30) < 5)
      #expect(listener.calibrationQuestions == questions + 1)

      device.magnetizeCompass(x: 0, y: 0, z: 0)
      try await device.advance(by: .seconds(10))
      #expect(try #require(listener.headings.last).headingAccuracy > 0)
    }
  }
}
