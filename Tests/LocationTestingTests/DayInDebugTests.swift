import CoreLocation
import LocationTesting
import Testing

/// A day of an app that wants visits, significant changes, and a region. `swift test --filter
/// DayInDebugTests` prints how long a debug build takes for it; nothing here depends on that time.
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

  @Test("of an app: to work and back, with visits, changes, and a region")
  func day() async throws {
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
  }
}
