import CoreLocation
import LocationTesting
import Testing

/// A day of an app that wants visits, significant changes, and a region.
@Suite("A day on a simulated device")
@MainActor struct DayInDebugTests {
  private final class Listener: NSObject, CLLocationManagerDelegate {
    var visits = 0
    var changes = 0
    var crossings = 0

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) { visits += 1 }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      changes += 1
    }
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
      crossings += 1
    }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
      crossings += 1
    }
  }

  /// Of a debug build. Alone on a quiet machine the day takes under 2 seconds, which is the target; the
  /// limit is generous, because the tests beside it use the same processors.
  private static let limit = Duration.seconds(30)

  @Test("of an app: to work and back, with visits, changes, and a region, in seconds")
  func day() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let home = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)
    let work = CLLocationCoordinate2D(latitude: 52.55, longitude: 13.405)
    let device = SimulatedDevice(at: home)
    let app = device.app("com.example.day")
    device.person(answers: .allowWhileUsing, .changeToAlways)
    try await app.run {
      let listener = Listener()
      let manager = CLLocationManager()
      manager.delegate = listener
      manager.requestAlwaysAuthorization()
      manager.startMonitoringVisits()
      manager.startMonitoringSignificantLocationChanges()
      manager.startMonitoring(
        for: CLCircularRegion(center: work, radius: 100, identifier: "work"))
      try await device.advance(by: .seconds(8 * 3600))
      device.travel(Route(through: [home, work], speed: 5))
      try await device.advance(by: .seconds(9 * 3600))
      device.travel(Route(through: [work, home], speed: 5))
      try await device.advance(by: .seconds(7 * 3600))
      #expect(listener.visits >= 3)
      #expect(listener.changes >= 3)
      #expect(listener.crossings == 2)
    }
    #expect(clock.now - start < Self.limit)
  }
}
