import CoreLocation
import LocationTesting
import Testing

@Suite("The messages of a simulated device")
struct MessageTests {
  private let device = SimulatedDevice(at: SimulatedDeviceTests.berlin)

  @Test("SIM-27, AUTH-19: name the key that is missing, once for each app")
  func missingKey() async throws {
    device.person(answers: .allowWhileUsing)
    let app = device.app("com.example.nokeys", information: [:])
    try await app.run {
      let manager = CLLocationManager()
      #expect(device.messages == [])
      for _ in 0..<2 {
        manager.requestWhenInUseAuthorization()
        try await device.advance(by: .seconds(5))
      }
      #expect(manager.authorizationStatus == .notDetermined)
    }
    #expect(
      device.messages == [
        "com.example.nokeys: no question is asked: add the key NSLocationWhenInUseUsageDescription "
          + "with the reason to the test's information"
      ])
  }

  @Test("SIM-27, BGA-12: say why a background activity session stays inactive")
  func missingMode() async throws {
    let app = device.app("com.example.nomode")
    app.setPermission(.whileUsing)
    try await app.run {
      let session = CLBackgroundActivitySession()
      try await device.advance(by: .seconds(5))
      session.invalidate()
    }
    #expect(
      device.messages == [
        "com.example.nomode: a background activity session stays inactive: add location to "
          + "UIBackgroundModes in the test's information"
      ])
  }

  @Test("SIM-27: are none where an app has what it needs")
  func silence() async throws {
    device.person(answers: .allowWhileUsing)
    try await device.app("com.example.fine").run {
      let manager = CLLocationManager()
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      #expect(manager.location != nil)
    }
    #expect(device.messages == [])
  }

  /// Asks for updates, and returns where the newest one is after ten seconds; `nil` for none.
  private func newest(on device: SimulatedDevice) async throws -> CLLocationCoordinate2D? {
    let app = device.app("com.example.newest")
    app.setPermission(.whileUsing)
    return try await app.run {
      let manager = CLLocationManager()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      return manager.location?.coordinate
    }
  }

  @Test(
    "SIM-28: name a place that is none; the device stays where it is",
    arguments: [
      (kCLLocationCoordinate2DInvalid, "latitude -180.0"),
      (CLLocationCoordinate2D(latitude: .nan, longitude: .nan), "latitude nan"),
      (CLLocationCoordinate2D(latitude: 52, longitude: 500), "longitude 500.0"),
      (CLLocationCoordinate2D(latitude: 52, longitude: -.infinity), "longitude -inf"),
    ])
  func noPlace(_ place: CLLocationCoordinate2D, _ fault: String) async throws {
    device.stay(at: place)
    device.setLocation(place)
    device.travel(Route(from: place))
    device.startLocation(through: [place, place])
    try await device.advance(by: .seconds(10))
    #expect(device.truePlace.latitude == SimulatedDeviceTests.berlin.latitude)
    #expect(
      device.messages == [
        "\(fault) is not a place: the device stays where it is", "a route: \(fault) is not a place",
      ])
    let newest = try #require(try await newest(on: device))
    #expect(abs(newest.latitude - SimulatedDeviceTests.berlin.latitude) < 0.001)
  }

  @Test("SIM-28: say that a device has no position, until it is moved to a place")
  func nowhere() async throws {
    let device = SimulatedDevice(
      at: CLLocationCoordinate2D(latitude: 100, longitude: 500),
      accessPoints: [SimulatedAccessPoint(at: SimulatedDeviceTests.berlin)],
      cells: [SimulatedCell(at: SimulatedDeviceTests.berlin)], barometer: SimulatedBarometer())
    #expect(device.messages == ["latitude 100.0 is not a place: the device has no position"])
    #expect(!CLLocationCoordinate2DIsValid(device.truePlace))
    #expect(try await newest(on: device) == nil)
    device.stay(at: SimulatedDeviceTests.berlin)
    #expect(try await newest(on: device) != nil)
  }

  @Test("SIM-28: a route leaves out places that are none, and speeds that are none are 20 m/s")
  func faultyRoutes() async throws {
    let home = SimulatedDeviceTests.berlin
    let north = CLLocationCoordinate2D(latitude: home.latitude + 0.01, longitude: home.longitude)
    let nowhere = CLLocationCoordinate2D(latitude: .nan, longitude: 13)
    let whole = Route(through: [home, north])
    let route = Route(through: [nowhere, home, nowhere, north, nowhere])
    #expect(route.duration == whole.duration && route.length == whole.length)
    #expect(route.warnings == ["latitude nan is not a place"])
    for speed in [0, -1, Double.nan] {
      let route = Route(through: [home, north], speed: speed)
      #expect(route.duration == whole.duration)
      #expect(route.warnings == ["\(speed) m/s is not a speed: 20.0 m/s stand in for it"])
    }
    device.travel(route)
    try await device.advance(by: route.duration)
    #expect(abs(device.truePlace.latitude - north.latitude) < 1e-6)
    #expect(device.messages == ["a route: latitude nan is not a place"])
  }

  @Test("SIM-28: say that no time passes by a negative duration")
  func negativeTime() async throws {
    let date = device.date
    try await device.advance(by: .seconds(-5))
    #expect(device.date == date)
    #expect(device.messages == ["-5.0 seconds is no time to advance by: none passes"])
  }

  @Test(
    "SIM-28: no number ends the process",
    arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e300, 1e19],
    [SimulatedReceiver.Language.nmea, .gpsd])
  func anyNumber(_ number: Double, _ language: SimulatedReceiver.Language) async throws {
    let home = SimulatedDeviceTests.berlin
    let device = SimulatedDevice(
      at: home, altitude: number, accessPoints: [SimulatedAccessPoint(at: home, altitude: number)],
      cells: [SimulatedCell(at: home, level: number)], barometer: SimulatedBarometer(),
      receiver: SimulatedReceiver(language: language), visitLatency: number)
    let app = device.app("com.example.numbers")
    app.setPermission(.whileUsing)
    try await app.run {
      let manager = CLLocationManager()
      manager.startUpdatingLocation()
      manager.startUpdatingHeading()
      try await device.advance(by: .seconds(3))
      device.setLocation(
        home, altitude: number, horizontalAccuracy: number, speed: number, course: number)
      device.turn(to: number)
      device.disturbCompass(MagneticDisturbance(east: number, north: number, up: number))
      device.magnetizeCompass(x: number, y: 0, z: number)
      try await device.advance(by: .seconds(3))
      device.setCompass(field: SimulatedField(x: number, y: number, z: number), accuracy: number)
      device.breakReceiver(.lies(claim: number, off: number, towards: number))
      try await device.advance(by: .seconds(3))
      device.setCompass(field: SimulatedField(x: 0, y: 20, z: -40), accuracy: number)
      device.breakReceiver(nil)
      var route = Route(from: home, altitude: number)
      route.move(number, towards: number, speed: number)
      route.move(ahead: 10, speed: 1)
      route.turn(number)
      route.climb(number, in: .seconds(-1))
      route.stay(for: .seconds(-1))
      route.move(to: home, speed: number)
      device.travel(route)
      device.survey(route)
      try await device.advance(by: .seconds(3))
      device.startLocation(
        through: [home, home], altitude: number, speed: number, distance: number,
        horizontalAccuracy: number)
      try await device.advance(by: .seconds(3))
      withExtendedLifetime(manager) {}
    }
    var road = RoadRoute(from: home, towards: number, by: .freeway)
    road.straight(number)
    if !number.isFinite { road.turn(number, radius: number) }
    #expect(Route(road).duration >= .zero)
  }
}
