import CoreLocation
import LocationLifecycle
import LocationTesting
import Testing

/// A delegate of today, which also has the methods of yesterday.
private class Listener: NSObject, CLLocationManagerDelegate {
  var received: [String] = []

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    received.append("now \(manager.authorizationStatus.rawValue)")
  }

  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {
    received.append("then \(status.rawValue)")
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    received += locations.map { "\($0.timestamp.timeIntervalSince1970)" }
  }

  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation,
    from oldLocation: CLLocation
  ) {
    received.append("pair")
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    received.append("error \((error as NSError).code)")
  }
}

/// One of yesterday only.
private final class OldListener: NSObject, CLLocationManagerDelegate {
  var statuses: [Int32] = []
  var pairs: [(new: Date, old: Date)] = []

  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {
    statuses.append(status.rawValue)
  }

  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation,
    from oldLocation: CLLocation
  ) {
    pairs.append((newLocation.timestamp, oldLocation.timestamp))
  }
}

@Suite("A manager on a simulated device")
struct StatementTests {
  private let device = SimulatedDevice(at: SimulatedDeviceTests.berlin)

  private func app() -> SimulatedApp {
    device.person(answers: .allowWhileUsing)
    return device.app("com.example.walk")
  }

  @Test(
    "AUTH-15, STD-8: calls today's methods, and yesterday's only where there are no others")
  func generations() async throws {
    try await app().run {
      let (listener, old) = (Listener(), OldListener())
      let managers = [CLLocationManager(), CLLocationManager()]
      managers[0].delegate = listener
      managers[1].delegate = old
      managers[0].requestWhenInUseAuthorization()
      for manager in managers { manager.startUpdatingLocation() }
      try await device.advance(by: .seconds(10))
      #expect(listener.received.prefix(2) == ["now 0", "now 4"])
      #expect(!listener.received.contains { $0.hasPrefix("then") || $0 == "pair" })
      #expect(old.statuses == [0, 4])
      // There is no `nil` in the method of yesterday: the first location stands for both.
      #expect(old.pairs.count > 3 && old.pairs[0].old == old.pairs[0].new)
      for (earlier, later) in zip(old.pairs, old.pairs.dropFirst()) {
        #expect(later.old == earlier.new && later.new > later.old)
      }
      withExtendedLifetime(managers) {}
    }
  }

  @Test("AUTH-12: calls once for a change that a request for full accuracy has brought")
  func temporaryAccuracy() async throws {
    var information = SimulatedDevice.usualInformation
    information["NSLocationTemporaryUsageDescriptionDictionary"] = ["route": "To show the way."]
    let app = device.app("com.example.exact", information: information)
    device.person(answers: .allowWhileUsing, .allowFullAccuracy)
    try await app.run {
      let (manager, listener) = (CLLocationManager(), Listener())
      manager.delegate = listener
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(10))
      app.setPreciseLocation(false)
      try await device.advance(by: .seconds(1))
      listener.received = []
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "route") { error in
        listener.received.append("done \(error == nil)")
      }
      try await device.advance(by: .seconds(10))
      #expect(manager.accuracyAuthorization == .fullAccuracy)
      #expect(listener.received.sorted() == ["done true", "now 4"])
    }
  }

  @Test("STD-9, STD-10: knows the last location while it may, and reading it starts nothing")
  func location() async throws {
    let app = app()
    try await app.run {
      let manager = CLLocationManager()
      #expect(manager.location == nil)
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(10))
      #expect(manager.location == nil)
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      #expect(manager.location != nil)
      app.setPermission(.never)
      try await device.advance(by: .seconds(1))
      #expect(manager.location == nil)
    }
  }

  @Test("STD-10: forgets its last location when the app is no longer in use, and knows it again")
  func locationBehind() async throws {
    let app = app()
    try await app.run {
      let manager = CLLocationManager()
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      app.moveToBackground()
      try await device.advance(by: .seconds(20))
      #expect(manager.location == nil)
      app.moveToForeground()
      try await device.advance(by: .seconds(1))
      #expect(manager.location != nil)
    }
  }

  @Test("AVAIL-1: says whether location services are on, whatever the app itself may")
  func servicesOfTheDenied() async throws {
    let app = app()
    try await app.run {
      let manager = CLLocationManager()
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(10))
      app.setPermission(.never)
      try await device.advance(by: .seconds(1))
      #expect(CLLocationManager.locationServicesEnabled())
      device.turnLocationServices(on: false)
      try await device.advance(by: .seconds(1))
      #expect(!CLLocationManager.locationServicesEnabled())
      device.turnLocationServices(on: true)
      try await device.advance(by: .seconds(1))
      #expect(CLLocationManager.locationServicesEnabled())
      withExtendedLifetime(manager) {}
    }
  }

  @Test("STD-19: wants the best accuracy by default; the constants are Apple's")
  func accuracies() async {
    await app().run {
      #expect(CLLocationManager().desiredAccuracy == kCLLocationAccuracyBest)
    }
    #expect(kCLLocationAccuracyBestForNavigation == -2)
    #expect(kCLLocationAccuracyBest == -1)
    #expect(kCLLocationAccuracyNearestTenMeters == 10)
    #expect(kCLLocationAccuracyHundredMeters == 100)
    #expect(kCLLocationAccuracyKilometer == 1000)
    #expect(kCLLocationAccuracyThreeKilometers == 3000)
    let others = [-2.0, -1, 10, 100, 1000, 3000]
    #expect(!others.contains(kCLLocationAccuracyReduced))
  }

  @Test("STD-37: goes on when an error finds no method")
  func noMethodForErrors() async throws {
    let app = app()
    try await app.run {
      let old = OldListener()
      let manager = CLLocationManager()
      manager.delegate = old
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      device.breakReceiver(.silent)
      try await device.advance(by: .seconds(120))
      let before = old.pairs.count
      device.breakReceiver(nil)
      try await device.advance(by: .seconds(120))
      #expect(old.pairs.count > before)
    }
  }

  @Test("STD-58, AUTH-56: calls for what this platform has not answer with their errors")
  func rareCalls() async throws {
    try await app().run {
      let manager = CLLocationManager()
      let answer = Answer()
      manager.startMonitoringLocationPushes { token, error in
        answer.error = error
        answer.isTokenMissing = token == nil
      }
      manager.stopMonitoringLocationPushes()
      try await device.advance(by: .seconds(1))
      #expect(answer.isTokenMissing)
      #expect((answer.error as? CLLocationPushServiceError)?.code == .unsupportedPlatform)
      manager.requestHistoricalLocations(purposeKey: "race", sampleCount: 3) { locations, error in
        answer.error = locations.isEmpty ? error : nil
      }
      try await device.advance(by: .seconds(1))
      #expect((answer.error as? CLError)?.code == .historicalLocationError)
      do {
        _ = try await manager.historicalLocations(purposeKey: "race", sampleCount: 3)
        Issue.record("there is a history")
      } catch {
        #expect((error as? CLError)?.code == .historicalLocationError)
      }
    }
  }

  /// What a completion has got.
  private final class Answer {
    var error: (any Error)?
    var isTokenMissing = false
  }

  @Test("MODEL-2, LIVE-33: a framework says that the app is behind others, and in front again")
  func lifecycle() async throws {
    try await app().run {
      let listener = Listener()
      let manager = CLLocationManager()
      manager.delegate = listener
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      AppLifecycle.enter(.background)
      try await device.advance(by: .seconds(10))
      let before = listener.received.count
      try await device.advance(by: .seconds(60))
      #expect(listener.received.count == before)
      AppLifecycle.enter(.foreground)
      try await device.advance(by: .seconds(10))
      #expect(listener.received.count >= before + 9)
    }
  }
}
