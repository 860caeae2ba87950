import CoreLocation
import LocationTesting
import Testing

@Suite("A simulated device")
struct SimulatedDeviceTests {
  static let berlin = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)

  final class Listener: NSObject, CLLocationManagerDelegate {
    var dates: [Date] = []
    var statuses: [CLAuthorizationStatus] = []

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      dates += locations.map(\.timestamp)
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      statuses.append(manager.authorizationStatus)
    }
  }

  @Test("tells a delegate and a loop of every second that passes")
  func everySecond() async throws {
    let device = SimulatedDevice(at: Self.berlin)
    let app = device.app("com.example.walk")
    device.person(answers: .allowWhileUsing)
    try await app.run {
      let listener = Listener()
      let manager = CLLocationManager()
      manager.delegate = listener
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      let counter = Counter()
      let loop = Task {
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          await counter.add()
        }
      }
      try await device.advance(by: .seconds(100))
      #expect(listener.statuses == [.notDetermined, .authorizedWhenInUse])
      #expect(listener.dates.count == 99)
      #expect(await counter.value == 99)
      loop.cancel()
    }
  }
}

actor Counter {
  var value = 0
  func add() { value += 1 }
}
