import CoreLocation
import LocationTesting
import Testing

/// Which app the code of a test belongs to, wherever it was begun.
@Suite("The app of code that a callback or a detached task runs", .timeLimit(.minutes(2)))
struct AppOfCodeTests {
  private static let home = CLLocationCoordinate2D(latitude: 48.5, longitude: 11.5)

  @MainActor
  private final class Starter: NSObject, @MainActor CLLocationManagerDelegate {
    let manager = CLLocationManager()
    var second: CLLocationManager?
    var status: CLAuthorizationStatus?
    var place: CLLocation?
    var updates = 0
    var begun: Task<Void, any Error>?

    override init() {
      super.init()
      manager.delegate = self
      manager.requestWhenInUseAuthorization()
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      guard manager.authorizationStatus == .authorizedWhenInUse, second == nil else { return }
      let second = CLLocationManager()
      second.delegate = self
      second.startUpdatingLocation()
      (status, self.second) = (second.authorizationStatus, second)
      begun = Task {
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          updates += 1
        }
      }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations places: [CLLocation]) {
      place = places.last
    }
  }

  @MainActor @Test("SIM-30: what a delegate begins is on the device of its app")
  func callback() async throws {
    let device = SimulatedDevice(at: Self.home)
    device.person(answers: .allowWhileUsing)
    try await device.app("com.example.callback").run {
      let starter = Starter()
      try await device.advance(by: .seconds(10))
      #expect(starter.status == .authorizedWhenInUse)
      #expect(starter.place.map { abs($0.coordinate.latitude - 48.5) < 0.01 } == true)
      #expect(starter.updates > 3)
      starter.begun?.cancel()
    }
  }

  private actor Count {
    private(set) var updates = 0
    private(set) var status: CLAuthorizationStatus?

    func add() { updates += 1 }
    func set(_ status: CLAuthorizationStatus) { self.status = status }
  }

  @Test("SIM-30: a detached task, and what it makes, is on the device of the app that made it")
  func detached() async throws {
    let device = SimulatedDevice(at: Self.home)
    device.person(answers: .allowWhileUsing)
    let other = SimulatedDevice(at: CLLocationCoordinate2D(latitude: 1, longitude: 2))
    try await device.app("com.example.detached").run {
      let manager = CLLocationManager()
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(2))
      let (count, inner) = (Count(), Count())
      let task = Task.detached {
        await count.set(CLLocationManager().authorizationStatus)
        let nested = Task.detached {
          await inner.set(CLLocationManager().authorizationStatus)
          for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
            await inner.add()
          }
        }
        defer { nested.cancel() }
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          await count.add()
        }
      }
      try await device.advance(by: .seconds(10))
      #expect(await count.status == .authorizedWhenInUse)
      #expect(await inner.status == .authorizedWhenInUse)
      #expect(await count.updates > 3)
      #expect(await inner.updates > 3)
      task.cancel()
    }
    withExtendedLifetime(other) {}
  }

  @Test("SIM-30: a detached task sees the switch of location services of its device")
  func services() async throws {
    let device = SimulatedDevice(at: Self.home)
    try await device.app("com.example.switch").run {
      device.turnLocationServices(on: false)
      try await device.advance(by: .seconds(1))
      let isOn = await Task.detached { CLLocationManager.locationServicesEnabled() }.value
      #expect(!isOn)
    }
  }
}
