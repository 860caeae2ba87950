import CoreLocation
import LocationTesting
import Testing

/// The calls of one manager's delegate.
private final class Listener: NSObject, CLLocationManagerDelegate {
  var words: [String] = []
  var locations: [CLLocation] = []

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    words.append("status \(manager.authorizationStatus.rawValue)")
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations new: [CLLocation]) {
    locations += new
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    words.append("enters \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    words.append("leaves \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    words.append("\(region.identifier) is \(state.rawValue)")
  }

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    words.append("monitors \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    words.append("fails \((error as? CLError)?.code.rawValue ?? -1)")
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    words.append("error \((error as? CLError)?.code.rawValue ?? -1)")
  }
}

private func manager(receivedBy listener: Listener) -> CLLocationManager {
  let manager = CLLocationManager()
  manager.delegate = listener
  return manager
}

private let home = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)
private let shop = CLLocationCoordinate2D(latitude: 52.535, longitude: 13.40)
private let walk = Route(through: [home, shop], speed: 1.4)

private func circle(
  _ identifier: String, around center: CLLocationCoordinate2D, radius: Double = 150
) -> CLCircularRegion {
  CLCircularRegion(center: center, radius: radius, identifier: identifier)
}

@Suite("Managers of one device")
struct SharingTests {
  private let device = SimulatedDevice(at: home)

  private func app(_ name: String = "com.example.shared") -> SimulatedApp {
    let app = device.app(name)
    app.setPermission(.always)
    return app
  }

  @Test("MODEL-7: have filters of their own, and share regions and authorization")
  func instances() async throws {
    try await app().run {
      let (near, far) = (Listener(), Listener())
      let (first, second) = (manager(receivedBy: near), manager(receivedBy: far))
      second.distanceFilter = 100
      first.startUpdatingLocation()
      second.startUpdatingLocation()
      first.startMonitoring(for: circle("shop", around: shop))
      device.travel(walk)
      try await device.advance(by: .seconds(300))
      #expect(near.locations.count > 250)
      #expect((2...6).contains(far.locations.count))
      #expect(second.monitoredRegions.map(\.identifier) == ["shop"])
      #expect(first.authorizationStatus == second.authorizationStatus)
    }
  }

  @Test("MODEL-9, AUTH-11: tell nothing without a delegate, and one set at once its first news")
  func delegates() async throws {
    try await app().run {
      let silent = CLLocationManager()
      silent.startUpdatingLocation()
      let listener = Listener()
      let manager = manager(receivedBy: listener)
      try await device.advance(by: .seconds(10))
      #expect(listener.words == ["status 3"])
      #expect(listener.locations.isEmpty)
      silent.delegate = listener
      try await device.advance(by: .seconds(10))
      #expect(listener.locations.count > 8)
      withExtendedLifetime(manager) {}
    }
  }

  @Test("MODEL-8, SLC-5: of a modest app get the good fixes that another has asked for")
  func hardware() async throws {
    let (modest, changes) = (Listener(), Listener())
    let exacting = app("com.example.navigation")
    exacting.whenLaunched {
      do { for try await _ in CLLocationUpdate.liveUpdates(.automotiveNavigation) {} } catch {}
    }
    exacting.moveToForeground()
    try await app().run {
      let (first, second) = (manager(receivedBy: modest), manager(receivedBy: changes))
      first.desiredAccuracy = kCLLocationAccuracyThreeKilometers
      first.startUpdatingLocation()
      second.startMonitoringSignificantLocationChanges()
      device.travel(walk)
      try await device.advance(by: .seconds(1200))
      #expect(modest.locations.count > 100)
      #expect(modest.locations.allSatisfy { $0.horizontalAccuracy < 100 })
      #expect(changes.locations.count > 1)
      #expect(changes.locations.allSatisfy { $0.horizontalAccuracy < 100 })
    }
  }

  @Test("SLC-6, SLC-13: receive significant changes whatever their filter, beside other locations")
  func significantChanges() async throws {
    try await app().run {
      let (filtered, both) = (Listener(), Listener())
      let (first, second) = (manager(receivedBy: filtered), manager(receivedBy: both))
      first.distanceFilter = 1e6
      first.desiredAccuracy = kCLLocationAccuracyThreeKilometers
      first.activityType = .fitness
      first.startMonitoringSignificantLocationChanges()
      second.startMonitoringSignificantLocationChanges()
      second.startUpdatingLocation()
      device.travel(walk)
      try await device.advance(by: .seconds(1200))
      #expect(filtered.locations.count > 1)
      let delivered = Set(both.locations.map(\.timestamp))
      #expect(filtered.locations.allSatisfy { delivered.contains($0.timestamp) })
      #expect(both.locations.count > 1000)
    }
  }

  @Test("AVAIL-7, SIM-11: receive an error where there is no position, and loops say so")
  func noPosition() async throws {
    device.breakReceiver(.silent)
    try await app().run {
      let listener = Listener()
      let manager = manager(receivedBy: listener)
      manager.startUpdatingLocation()
      let loop = Task {
        for try await update in CLLocationUpdate.liveUpdates() where update.locationUnavailable {
          return update.location == nil
        }
        return false
      }
      try await device.advance(by: .seconds(60))
      #expect(listener.words.contains("error 0"))
      #expect(try await loop.value)
    }
  }

  @Test("SIM-16: have a compass and Bluetooth on this device, unlike on Apple's simulator")
  func equipment() async {
    await app().run {
      #expect(CLLocationManager.headingAvailable())
      #expect(CLLocationManager.isRangingAvailable())
    }
  }

  @Test("LOC-19: know Apple's constants")
  func constants() {
    #expect(kCLDistanceFilterNone == -1 && kCLHeadingFilterNone == -1)
    #expect(CLLocationDistanceMax == .greatestFiniteMagnitude)
    #expect(CLTimeIntervalMax == .greatestFiniteMagnitude)
  }
}

@Suite("A region on a simulated device")
struct SimulatedRegionTests {
  private let device = SimulatedDevice(at: home)
  private let app: SimulatedApp

  init() {
    app = device.app("com.example.region")
    app.setPermission(.always)
  }

  @Test("REG-30: is delivered to every manager of the app")
  func everyManager() async throws {
    try await app.run {
      let (one, other) = (Listener(), Listener())
      let (first, second) = (manager(receivedBy: one), manager(receivedBy: other))
      first.startMonitoring(for: circle("shop", around: shop))
      device.travel(walk)
      try await device.advance(by: .seconds(1800))
      #expect(one.words.contains("enters shop"))
      #expect(other.words.contains("enters shop"))
      withExtendedLifetime(second) {}
    }
  }

  @Test("REG-23: says nothing of an exit when it began outside, and enters later")
  func outside() async throws {
    try await app.run {
      let listener = Listener()
      let manager = manager(receivedBy: listener)
      manager.startMonitoring(for: circle("shop", around: shop))
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(120))
      #expect(!listener.words.contains("leaves shop"))
      device.travel(walk)
      try await device.advance(by: .seconds(1800))
      #expect(listener.words.filter { $0.hasPrefix("enters") } == ["enters shop"])
      #expect(!listener.words.contains("leaves shop"))
    }
  }

  @Test("REG-8: is accepted before the person has decided, and delivered once they allow it")
  func undetermined() async throws {
    app.setPermission(.ask)
    try await app.run {
      let listener = Listener()
      let manager = manager(receivedBy: listener)
      manager.startMonitoring(for: circle("shop", around: shop))
      try await device.advance(by: .seconds(10))
      #expect(manager.monitoredRegions.count == 1)
      app.setPermission(.always)
      device.travel(walk)
      try await device.advance(by: .seconds(1800))
      #expect(listener.words.contains("enters shop"))
      #expect(!listener.words.contains { $0.hasPrefix("fails") })
    }
  }

  @Test("REG-28: answers a question that follows its start at once, without failing")
  func stateAtOnce() async throws {
    try await app.run {
      let listener = Listener()
      let manager = manager(receivedBy: listener)
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      let region = circle("home", around: home)
      manager.startMonitoring(for: region)
      manager.requestState(for: region)
      try await device.advance(by: .zero)
      #expect(listener.words.contains { $0.hasPrefix("home is") })
      #expect(!listener.words.contains { $0.hasPrefix("fails") })
    }
  }

  @Test("REG-29: of an unknown kind is not asked for")
  func unknownKind() async throws {
    final class Square: CLRegion, @unchecked Sendable {}
    try await app.run {
      let listener = Listener()
      let manager = manager(receivedBy: listener)
      manager.requestState(for: Square())
      try await device.advance(by: .seconds(10))
      #expect(listener.words == ["status 3"])
    }
  }

  @Test("REG-32: does not launch the app for what it does not want to receive")
  func notWanted() async throws {
    let launches = Launches()
    app.whenLaunched {
      launches.add()
      guard launches.count == 1 else { return }
      let region = circle("shop", around: shop)
      region.notifyOnEntry = false
      CLLocationManager().startMonitoring(for: region)
    }
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    app.terminate()
    device.travel(walk)
    try await device.advance(by: .seconds(1800))
    #expect(launches.count == 1)
    device.travel(Route(through: [shop, home], speed: 1.4))
    try await device.advance(by: .seconds(1800))
    #expect(launches.count == 2)
  }

  @Test("REG-15, MON-17: may be as small as a room")
  func small() async throws {
    try await app.run {
      let listener = Listener()
      let manager = manager(receivedBy: listener)
      manager.startMonitoring(for: circle("room", around: home, radius: 3))
      try await device.advance(by: .seconds(10))
      #expect(listener.words.contains("monitors room"))
      #expect(manager.monitoredRegions.count == 1)
    }
  }
}
