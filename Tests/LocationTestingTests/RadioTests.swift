import CoreLocation
import LocationTesting
import Testing

/// What a manager delivers of positions.
private final class PositionListener: NSObject, CLLocationManagerDelegate {
  let manager = CLLocationManager()
  var locations: [CLLocation] = []
  var failures: [CLError.Code] = []
  var crossings: [String] = []

  init(accuracy: CLLocationAccuracy = kCLLocationAccuracyBest) {
    super.init()
    manager.desiredAccuracy = accuracy
    manager.delegate = self
    manager.requestAlwaysAuthorization()
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    self.locations += locations
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    if let error = error as? CLError { failures.append(error.code) }
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    crossings.append("entered \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    crossings.append("exited \(region.identifier)")
  }
}

@Suite("A device with a Wi-Fi radio")
struct RadioTests {
  static let berlin = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)

  /// A place in meters to the east and north of the first.
  private static func place(_ east: Double, _ north: Double = 0) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(
      latitude: berlin.latitude + north / 111_267, longitude: berlin.longitude + east / 67_900)
  }

  /// Access points of a building and the street before it, 25 m apart.
  private static let accessPoints = (0..<60).map {
    SimulatedAccessPoint(at: place(Double($0 % 12) * 25, Double($0 / 12) * 25))
  }

  private func device(seed: UInt64 = 1) -> SimulatedDevice {
    let device = SimulatedDevice(at: Self.berlin, accessPoints: Self.accessPoints, seed: seed)
    device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
    return device
  }

  /// Walks to and fro along a way of 250 m, as often as is asked.
  private static func walk(
    _ times: Int, north: Double = 40, altitude: CLLocationDistance = 0
  ) -> Route {
    var route = Route(from: place(0, north), altitude: altitude)
    for number in 0..<times {
      route.move(to: place(number.isMultiple(of: 2) ? 250 : 0, north), speed: 1.2)
    }
    return route
  }

  private func meters(_ location: CLLocation, from place: CLLocationCoordinate2D) -> Double {
    location.distance(from: CLLocation(latitude: place.latitude, longitude: place.longitude))
  }

  @Test("RADIO-11: an app that walks indoors keeps its positions, within an honest radius")
  func walksIn() async throws {
    let device = device()
    let app = device.app("com.example.indoors")
    try await app.run {
      let listener = PositionListener()
      listener.manager.startUpdatingLocation()
      device.travel(Self.walk(6))
      try await device.advance(by: .seconds(1260))
      #expect(listener.failures.isEmpty)
      // The ceiling covers every satellite, on the same way as before.
      device.cover(.tunnel)
      device.travel(Self.walk(2))
      try await device.advance(by: .seconds(20))
      listener.locations = []
      var places: [Date: CLLocationCoordinate2D] = [:]
      for _ in 0..<390 {
        try await device.advance(by: .seconds(1))
        places[device.date] = device.truePlace
      }
      var errors: [Double] = []
      var within = 0
      for location in listener.locations {
        let error = meters(location, from: try #require(places[location.timestamp]))
        errors.append(error)
        if error <= location.horizontalAccuracy { within += 1 }
      }
      try #require(errors.count == 39)
      errors.sort()
      #expect(errors[errors.count / 2] < 12, "\(errors)")
      #expect(errors[errors.count * 9 / 10] < 30, "\(errors)")
      #expect((listener.locations.last?.horizontalAccuracy ?? 0) < 40)
      // Of 39, an honest radius of 68 % holds 27. That of the receiver, which has taught them, is 5 m, and
      // part of it, though here its errors are others on each way (RADIO-76).
      #expect(within >= 18, "\(within) of \(errors.count)")
      let radii = listener.locations.map(\.horizontalAccuracy).sorted()
      #expect(radii[radii.count / 2] < 15, "\(radii)")
      #expect(listener.failures.isEmpty, "the radio went on in place of the receiver")
      #expect(listener.locations.allSatisfy { $0.speed < 0 && $0.course < 0 })
    }
  }

  @Test("RADIO-12: where nothing was learned, the loss of satellites is an unknown location")
  func walksInUntaught() async throws {
    let device = device()
    let app = device.app("com.example.indoors")
    try await app.run {
      let listener = PositionListener()
      device.cover(.tunnel)
      listener.manager.startUpdatingLocation()
      try await device.advance(by: .seconds(120))
      #expect(listener.locations.isEmpty)
      #expect(listener.failures.first == .locationUnknown)
    }
  }

  @Test("RADIO-14: between two scans a position is not lost; without scans it is after 150 s")
  func spacing() async throws {
    let device = device()
    let app = device.app("com.example.indoors")
    try await app.run {
      let listener = PositionListener()
      listener.manager.startUpdatingLocation()
      let live = Task {
        var count = 0
        for try await update in CLLocationUpdate.liveUpdates() where update.locationUnavailable {
          count += 1
          if device.date > Date(timeIntervalSince1970: 1_767_254_400 + 1200) { break }
        }
        return count
      }
      device.travel(Self.walk(4))
      try await device.advance(by: .seconds(840))
      device.cover(.tunnel)
      device.stay(at: Self.place(0, 40))
      try await device.advance(by: .seconds(300))
      #expect(listener.failures.isEmpty)
      device.setAccessPoints([])
      try await device.advance(by: .seconds(130))
      #expect(listener.failures.isEmpty)
      try await device.advance(by: .seconds(30))
      #expect(listener.failures == [.locationUnknown])
      live.cancel()
      #expect(try await live.value == 1)
    }
  }

  @Test(
    "RADIO-16: regions are entered and left by what is received on a walk, whatever the noise",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func regions(seed: UInt64) async throws {
    let device = device(seed: seed)
    let app = device.app("com.example.regions")
    try await app.run {
      let listener = PositionListener(accuracy: kCLLocationAccuracyHundredMeters)
      listener.manager.startUpdatingLocation()
      let teacher = CLLocationManager()
      teacher.startUpdatingLocation()
      device.travel(Self.walk(4))
      try await device.advance(by: .seconds(840))
      teacher.stopUpdatingLocation()
      device.cover(.tunnel)
      listener.manager.startMonitoring(
        for: CLCircularRegion(center: Self.place(250, 40), radius: 80, identifier: "east"))
      try await device.advance(by: .seconds(60))
      listener.crossings = []
      device.travel(Self.walk(2))
      try await device.advance(by: .seconds(500))
      #expect(listener.crossings == ["entered east", "exited east"])
    }
  }

  @Test("SIM-17, SIM-18: cells give the position where a hotspot is all that Wi-Fi receives")
  func bus() async throws {
    let device = SimulatedDevice(
      at: Self.berlin, accessPoints: [.hotspot()],
      cells: [
        SimulatedCell(at: Self.place(-300, 400)), SimulatedCell(at: Self.place(900, -300)),
        SimulatedCell(at: Self.place(2000, 500), level: 3),
      ])
    device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
    let app = device.app("com.example.bus")
    try await app.run {
      let listener = PositionListener()
      listener.manager.startUpdatingLocation()
      var route = Route(from: Self.place(0))
      route.move(to: Self.place(1500), speed: 5)
      device.travel(route)
      try await device.advance(by: .seconds(310))
      device.cover(.tunnel)
      var back = Route(from: Self.place(1500))
      back.move(to: Self.place(0), speed: 5)
      device.travel(back)
      try await device.advance(by: .seconds(20))
      listener.locations = []
      device.turnHotspots(on: false)
      try await device.advance(by: .seconds(200))
      device.turnHotspots(on: true)
      try await device.advance(by: .seconds(80))
      #expect(listener.locations.count > 20)
      #expect(listener.locations.allSatisfy { $0.horizontalAccuracy > 100 })
      device.setCells([])
      try await device.advance(by: .seconds(200))
      #expect(listener.failures.last == .locationUnknown)
    }
  }

  @Test("SIM-20: with a barometer, positions rise with the device that climbs")
  func climbs() async throws {
    let device = SimulatedDevice(
      at: Self.berlin, altitude: 200, accessPoints: Self.accessPoints,
      barometer: SimulatedBarometer(pressureAtSea: 1000))
    #expect(device.trueAltitude == 200)
    let below = try #require(device.pressure)
    #expect((974...979).contains(below))
    device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
    let app = device.app("com.example.stairs")
    try await app.run {
      let listener = PositionListener()
      listener.manager.startUpdatingLocation()
      device.travel(Self.walk(4, altitude: 200))
      try await device.advance(by: .seconds(840))
      // Without satellites, up the stairs and along the way above.
      device.cover(.tunnel)
      var stairs = Route(from: Self.place(0, 40), altitude: 200)
      stairs.climb(10, in: .seconds(20))
      stairs.move(to: Self.place(250, 40), speed: 1.2)
      device.travel(stairs)
      try await device.advance(by: .seconds(60))
      listener.locations = []
      try await device.advance(by: .seconds(160))
      let above = try #require(device.pressure)
      #expect(abs(below - above - 1.17) < 0.4)
      try #require(listener.locations.count > 10)
      for location in listener.locations {
        #expect(location.verticalAccuracy > 0)
        #expect(abs(location.altitude - 210) < 3, "\(location.altitude)")
      }
      device.stay(at: Self.berlin)
      try await device.advance(by: .milliseconds(1))
      #expect(device.trueAltitude == 210)
    }
    #expect(SimulatedDevice(at: Self.berlin).pressure == nil)
  }

  @Test("SIM-17: without a Wi-Fi radio, access points are of no effect; levels are held in range")
  func withoutRadio() async throws {
    let cell = SimulatedCell(at: Self.place(300), level: 1000)
    let device = SimulatedDevice(at: Self.berlin, cells: [cell])
    let other = SimulatedDevice(
      at: Self.berlin, accessPoints: [.hotspot(level: .infinity)],
      cells: [SimulatedCell(at: Self.place(300), level: 30)])
    for device in [device, other] {
      device.setAccessPoints(device === other ? [.hotspot(level: .nan)] : Self.accessPoints)
      device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
    }
    func radii(_ device: SimulatedDevice) async throws -> [Double] {
      try await device.app("com.example.cells").run {
        let listener = PositionListener()
        listener.manager.startUpdatingLocation()
        device.travel(Self.walk(2))
        try await device.advance(by: .seconds(420))
        device.cover(.tunnel)
        device.travel(Self.walk(1))
        try await device.advance(by: .seconds(20))
        listener.locations = []
        try await device.advance(by: .seconds(180))
        return listener.locations.map(\.horizontalAccuracy)
      }
    }
    let found = try await radii(device)
    #expect(!found.isEmpty)
    #expect(try await radii(other) == found)
  }

  @Test("SIM-25, SIM-26: locations have the floor that a survey has taught, and follow who climbs")
  func floors() async throws {
    func levels(surveyed: Bool) async throws -> (below: [Int?], above: [Int?]) {
      let accessPoints = (0...1).flatMap { floor in
        (0..<5).map { number in
          SimulatedAccessPoint(
            at: Self.place(Double(number) * 15, number.isMultiple(of: 2) ? 6 : -6),
            altitude: 30 + 3.5 * Double(floor))
        }
      }
      let device = SimulatedDevice(at: Self.place(0), altitude: 30, accessPoints: accessPoints)
      device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
      for floor in 0...1 where surveyed {
        device.survey(
          Route(
            through: [Self.place(0), Self.place(60)], altitude: 30 + 3.5 * Double(floor),
            floor: floor, speed: 1))
      }
      return try await device.app("com.example.floors").run {
        let listener = PositionListener()
        listener.manager.startUpdatingLocation()
        if !surveyed {
          // The receiver has taught the same way, and knows no floor.
          device.travel(Route(through: [Self.place(0), Self.place(60)], altitude: 30, speed: 1))
          try await device.advance(by: .seconds(80))
        }
        device.cover(.tunnel)
        var route = Route(from: Self.place(0), altitude: 30, floor: 0)
        route.move(to: Self.place(60), speed: 1)
        route.climb(3.5, in: .seconds(20))
        route.move(to: Self.place(0), speed: 1)
        device.travel(route)
        try await device.advance(by: .seconds(55))
        #expect(device.trueFloor == 0)
        let below = listener.locations.map { $0.floor?.level }
        // A minute after the climb at the latest.
        try await device.advance(by: .seconds(90))
        listener.locations = []
        try await device.advance(by: .seconds(90))
        #expect(device.trueFloor == 1)
        device.stay(at: Self.place(0), altitude: 30)
        try await device.advance(by: .milliseconds(1))
        #expect(device.trueFloor == 0)
        return (below, listener.locations.map { $0.floor?.level })
      }
    }
    let (below, above) = try await levels(surveyed: true)
    #expect(below.count > 3 && below.allSatisfy { $0 == 0 }, "\(below)")
    #expect(above.count > 5 && above.allSatisfy { $0 == 1 }, "\(above)")
    let other = try await levels(surveyed: false)
    #expect(!other.above.isEmpty && (other.below + other.above).allSatisfy { $0 == nil })
  }

  @Test("SIM-26: without radios, locations have no floor, though the route names one")
  func noFloor() async throws {
    let device = SimulatedDevice(at: Self.berlin)
    device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
    let route = Route(
      through: [Self.berlin, Self.place(50)], altitude: 33.5, floor: 1, speed: 1)
    device.survey(route)
    try await device.app("com.example.floors").run {
      let listener = PositionListener()
      listener.manager.startUpdatingLocation()
      device.travel(route)
      try await device.advance(by: .seconds(40))
      #expect(device.trueFloor == 1)
      #expect(listener.locations.count > 30)
      #expect(listener.locations.allSatisfy { $0.floor == nil })
    }
  }

  @Test("SIM-24: a map that was learned before finds the place after five months of churn")
  func months() async throws {
    let errors = try await errorsAfterMonths(SimulatedChurn(0.1))
    try #require(errors.count > 30)
    #expect(errors[errors.count / 2] < 20, "\(errors)")
    #expect(errors[errors.count * 9 / 10] < 60, "\(errors)")
    // Where nothing is left of what was known, there is no position.
    #expect(try await errorsAfterMonths(SimulatedChurn(.infinity)).isEmpty)
  }

  /// The errors of the positions on a way that was walked five months before, in ascending order.
  private func errorsAfterMonths(_ churn: SimulatedChurn) async throws -> [Double] {
    let device = SimulatedDevice(at: Self.berlin, accessPoints: Self.accessPoints, churn: churn)
    device.person(answers: .allowWhileUsing, .changeToAlways, after: .zero)
    return try await device.app("com.example.mall").run {
      let listener = PositionListener()
      listener.manager.startUpdatingLocation()
      device.travel(Self.walk(6))
      try await device.advance(by: .seconds(1260))
      listener.manager.stopUpdatingLocation()
      try await device.advance(by: .seconds(150 * 86_400))
      device.cover(.tunnel)
      device.travel(Self.walk(2))
      listener.manager.startUpdatingLocation()
      try await device.advance(by: .seconds(20))
      listener.locations = []
      var places: [Date: CLLocationCoordinate2D] = [:]
      for _ in 0..<390 {
        try await device.advance(by: .seconds(1))
        places[device.date] = device.truePlace
      }
      return try listener.locations.map {
        meters($0, from: try #require(places[$0.timestamp]))
      }.sorted()
    }
  }

  @Test("SIM-22: gives the same to every run of the same seed")
  func seeds() async throws {
    func run(_ seed: UInt64) async throws -> [CLLocationCoordinate2D] {
      let device = device(seed: seed)
      let app = device.app("com.example.seeds")
      return try await app.run {
        let listener = PositionListener()
        listener.manager.startUpdatingLocation()
        device.travel(Self.walk(1))
        try await device.advance(by: .seconds(210))
        device.cover(.tunnel)
        try await device.advance(by: .seconds(60))
        return listener.locations.map(\.coordinate)
      }
    }
    let (first, second, other) = (try await run(7), try await run(7), try await run(8))
    #expect(first.map(\.latitude) == second.map(\.latitude))
    #expect(first.map(\.latitude) != other.map(\.latitude))
  }
}
