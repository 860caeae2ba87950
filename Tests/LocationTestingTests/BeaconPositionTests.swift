import CoreLocation
import LocationTesting
import Testing

/// What a manager delivers of positions, while it may range beacons.
private final class HallListener: NSObject, CLLocationManagerDelegate {
  let manager = CLLocationManager()
  var locations: [CLLocation] = []
  var failures: [CLError.Code] = []

  override init() {
    super.init()
    manager.delegate = self
    manager.requestWhenInUseAuthorization()
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    self.locations += locations
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    if let error = error as? CLError { failures.append(error.code) }
  }
}

@Suite("A device that passes beacons")
struct BeaconPositionTests {
  private static let berlin = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)
  private static let uuid = UUID()
  /// Meters from one end of the hall to the other.
  private static let length = 120.0

  /// A place in meters to the east and north of the first.
  private static func place(_ east: Double, _ north: Double = 0) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(
      latitude: berlin.latitude + north / 111_267, longitude: berlin.longitude + east / 67_900)
  }

  /// Walks to and fro through the hall.
  private static func walk(_ times: Int) -> Route {
    var route = Route(from: place(0))
    for number in 0..<times {
      route.move(to: place(number.isMultiple(of: 2) ? length : 0), speed: 1.2)
    }
    return route
  }

  /// A device in a hall with a beacon every fifteen meters.
  private func device() -> SimulatedDevice {
    let device = SimulatedDevice(at: Self.berlin)
    device.person(answers: .allowWhileUsing, after: .zero)
    for number in 0...8 {
      let beacon = SimulatedBeacon(
        uuid: Self.uuid, major: 1, minor: CLBeaconMinorValue(number))
      device.place(beacon, at: Self.place(Double(number) * 15, 4))
    }
    return device
  }

  @Test("RADIO-77: an app that ranges beacons keeps its positions indoors, within an honest radius")
  func indoors() async throws {
    let device = device()
    let app = device.app("com.example.hall")
    try await app.run {
      let listener = HallListener()
      listener.manager.startUpdatingLocation()
      listener.manager.startRangingBeacons(
        satisfying: CLBeaconIdentityConstraint(uuid: Self.uuid))
      device.travel(Self.walk(4))
      try await device.advance(by: .seconds(410))
      // The roof covers every satellite, on the same way as before.
      device.cover(.tunnel)
      device.travel(Self.walk(2))
      try await device.advance(by: .seconds(20))
      #expect(listener.failures.isEmpty)
      listener.locations = []
      var (errors, within): ([Double], Int) = ([], 0)
      for _ in 0..<340 {
        try await device.advance(by: .milliseconds(500))
        let truth = CLLocation(
          latitude: device.truePlace.latitude, longitude: device.truePlace.longitude)
        for location in listener.locations {
          errors.append(location.distance(from: truth))
          if location.distance(from: truth) <= location.horizontalAccuracy { within += 1 }
          #expect(location.speed < 0 && location.course < 0)
          #expect(location.horizontalAccuracy < 40)
        }
        listener.locations = []
      }
      try #require((50...60).contains(errors.count))
      errors.sort()
      #expect(errors[errors.count / 2] < 10, "\(errors)")
      #expect(errors[errors.count * 9 / 10] < 25, "\(errors)")
      // An honest radius of 68 % holds some 39 of 57; the errors of one walk last.
      #expect(within * 20 >= errors.count * 9, "\(within) of \(errors.count)")
      #expect(listener.failures.isEmpty)
    }
  }

  @Test("RADIO-78: the same beacons without an app that ranges them teach nothing")
  func unasked() async throws {
    let device = device()
    let app = device.app("com.example.hall")
    try await app.run {
      let listener = HallListener()
      listener.manager.startUpdatingLocation()
      device.travel(Self.walk(4))
      try await device.advance(by: .seconds(410))
      device.cover(.tunnel)
      device.travel(Self.walk(2))
      try await device.advance(by: .seconds(20))
      listener.locations = []
      // Ranged now, but not known.
      listener.manager.startRangingBeacons(
        satisfying: CLBeaconIdentityConstraint(uuid: Self.uuid))
      try await device.advance(by: .seconds(60))
      #expect(listener.locations.isEmpty)
      #expect(listener.failures.first == .locationUnknown)
    }
  }
}
