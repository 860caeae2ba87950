import CoreLocation
import LocationTesting
import Testing

/// What an app learns of each service, by name.
private final class Services: NSObject, CLLocationManagerDelegate {
  let events = Log<String>()

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for _ in locations { events.add("location") }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    events.add("error \((error as NSError).code)")
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    events.add("entered \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    events.add("left \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    events.add("failed \(region?.identifier ?? "") \((error as NSError).code)")
  }
}

extension CLLocationCoordinate2D {
  /// The place so many meters to the north.
  fileprivate func moved(north meters: Double) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude + meters / 111_267, longitude: longitude)
  }
}

/// Statements through the framework, of an app on a device, that the tables of the engine pin in parts.
@Suite("An app that relies on what is promised")
struct PromiseTests {
  private static let home = SimulatedDeviceTests.berlin
  private static let shop = CLLocationCoordinate2D(
    latitude: home.latitude + 0.015, longitude: home.longitude)
  private let device = SimulatedDevice(at: home)

  private func walk() -> Route { Route(through: [Self.home, Self.shop], speed: 1.4) }

  @Test(
    "AUTH-4: is not asked about again once the person has decided, in this process or later ones")
  func askedOnce() async throws {
    let app = device.app("com.example.once")
    // The second answer is for a question that must not come.
    device.person(answers: .allowWhileUsing, .doNotAllow)
    for _ in 0..<2 {
      try await app.run {
        let manager = CLLocationManager()
        for _ in 0..<2 {
          manager.requestWhenInUseAuthorization()
          try await device.advance(by: .seconds(10))
          #expect(manager.authorizationStatus == .authorizedWhenInUse)
        }
      }
      app.terminate()
    }
    device.reboot()
    device.unlock()
    try await app.run {
      let manager = CLLocationManager()
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(10))
      #expect(manager.authorizationStatus == .authorizedWhenInUse)
    }
  }

  @Test("AUTH-20: asks nothing from the background, and not later either")
  func askedInBackground() async throws {
    let app = device.app("com.example.behind")
    device.person(answers: .allowWhileUsing)
    try await app.run {
      let manager = CLLocationManager()
      app.moveToBackground()
      try await device.advance(by: .seconds(60))
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(60))
      app.moveToForeground()
      try await device.advance(by: .seconds(60))
      #expect(manager.authorizationStatus == .notDetermined)
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(10))
      #expect(manager.authorizationStatus == .authorizedWhenInUse)
    }
  }

  @Test(
    "VISIT-14: that is denied learns so from its visits, and from no service that it has stopped",
    arguments: [true, false])
  func deniedVisits(_ isDenied: Bool) async throws {
    let app = device.app("com.example.visits")
    if isDenied { app.setPermission(.never) } else { app.setPermission(.always) }
    try await app.run {
      let services = Services()
      let manager = CLLocationManager()
      manager.delegate = services
      manager.startMonitoringVisits()
      try await device.advance(by: .seconds(10))
      #expect(services.events.values == (isDenied ? ["error 1"] : []))
      manager.stopMonitoringVisits()
      manager.startUpdatingLocation()
      manager.stopUpdatingLocation()
      try await device.advance(by: .seconds(10))
      #expect(services.events.values == (isDenied ? ["error 1"] : []))
    }
  }

  @Test(
    "BGA-4: keeps classic and modern services in the background while its activity lasts",
    arguments: [true, false])
  func activity(_ lasts: Bool) async throws {
    var information = SimulatedDevice.usualInformation
    information["UIBackgroundModes"] = ["location"]
    let app = device.app("com.example.activity", information: information)
    app.setPermission(.whileUsing)
    let (updates, conditions) = (Log<Bool>(), Log<CLMonitor.Event.State>())
    try await app.run {
      let services = Services()
      let manager = CLLocationManager()
      manager.delegate = services
      let session = CLBackgroundActivitySession()
      let live = Task {
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          updates.add(true)
        }
      }
      let watching = Task {
        let monitor = await CLMonitor("shops")
        await monitor.add(
          CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 150),
          identifier: "shop")
        for try await event in await monitor.events { conditions.add(event.state) }
      }
      manager.startMonitoring(
        for: CLCircularRegion(center: Self.shop, radius: 150, identifier: "shop"))
      try await device.advance(by: .seconds(60))
      if !lasts { session.invalidate() }
      app.moveToBackground()
      try await device.advance(by: .seconds(30))
      let before = updates.values.count
      device.travel(walk())
      try await device.advance(by: .seconds(40 * 60))
      #expect((updates.values.count > before + 100) == lasts)
      #expect((conditions.values.last == .satisfied) == lasts)
      #expect(services.events.values.contains("entered shop") == lasts)
      session.invalidate()
      live.cancel()
      watching.cancel()
    }
  }

  @Test(
    "SESS-13: with Always and no session, classic services go on behind, and modern ones do not")
  func alwaysWithoutSession() async throws {
    let app = device.app("com.example.always")
    app.setPermission(.always)
    let (updates, conditions) = (Log<CLLocationUpdate>(), Log<CLMonitor.Event.State>())
    try await app.run {
      let services = Services()
      let manager = CLLocationManager()
      manager.delegate = services
      let live = Task {
        for try await update in CLLocationUpdate.liveUpdates() { updates.add(update) }
      }
      let watching = Task {
        let monitor = await CLMonitor("shops")
        await monitor.add(
          CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 150),
          identifier: "shop")
        for try await event in await monitor.events { conditions.add(event.state) }
      }
      manager.startMonitoring(
        for: CLCircularRegion(center: Self.shop, radius: 150, identifier: "shop"))
      try await device.advance(by: .seconds(60))
      app.moveToBackground()
      try await device.advance(by: .seconds(30))
      let before = updates.values.count { $0.location != nil }
      device.travel(walk())
      try await device.advance(by: .seconds(40 * 60))
      #expect(updates.values.count { $0.location != nil } == before)
      #expect(updates.values.last?.insufficientlyInUse == true)
      #expect(conditions.values.last != .satisfied)
      #expect(services.events.values.contains("entered shop"))
      live.cancel()
      watching.cancel()
    }
  }

  @Test("MON-37: regions and conditions of one place are each delivered to their own")
  func apart() async throws {
    let app = device.app("com.example.apart")
    app.setPermission(.always)
    let names = Log<String>()
    try await app.run {
      let services = Services()
      let manager = CLLocationManager()
      manager.delegate = services
      let session = CLServiceSession(authorization: .always)
      let watching = Task {
        let monitor = await CLMonitor("shops")
        await monitor.add(
          CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 150),
          identifier: "condition")
        for try await event in await monitor.events { names.add(event.identifier) }
      }
      manager.startMonitoring(
        for: CLCircularRegion(center: Self.shop, radius: 150, identifier: "region"))
      try await device.advance(by: .seconds(60))
      device.travel(walk())
      try await device.advance(by: .seconds(40 * 60))
      #expect(Set(names.values) == ["condition"])
      #expect(services.events.values.filter { $0 != "location" } == ["entered region"])
      #expect(manager.monitoredRegions.map(\.identifier) == ["region"])
      session.invalidate()
      watching.cancel()
    }
  }

  @Test("MON-37, REG-2, MON-18: regions and conditions share the limit of twenty")
  func sharedLimit() async throws {
    let app = device.app("com.example.limit")
    app.setPermission(.always)
    try await app.run {
      let services = Services()
      let manager = CLLocationManager()
      manager.delegate = services
      let monitor = await CLMonitor("shops")
      for number in 1...12 {
        await monitor.add(
          CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 150),
          identifier: "c\(number)")
      }
      for number in 1...9 {
        manager.startMonitoring(
          for: CLCircularRegion(center: Self.shop, radius: 150, identifier: "r\(number)"))
      }
      try await device.advance(by: .seconds(60))
      #expect(manager.monitoredRegions.count == 8)
      #expect(services.events.values == ["failed r9 5"])
      await monitor.add(
        CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 150), identifier: "c13")
      let events = Log<CLMonitor.Event>()
      let watching = Task { for try await event in await monitor.events { events.add(event) } }
      try await device.advance(by: .seconds(60))
      let surplus = try #require(events.values.first { $0.identifier == "c13" })
      #expect(surplus.state == .unmonitored && surplus.conditionLimitExceeded)
      manager.stopMonitoring(
        for: CLCircularRegion(center: Self.shop, radius: 150, identifier: "r1"))
      try await device.advance(by: .seconds(60))
      #expect(events.values.last { $0.identifier == "c13" }?.state == .unsatisfied)
      watching.cancel()
    }
  }

  @Test("MON-10: a condition that is added again is the new circle, and no longer the old one")
  func replaced() async throws {
    let app = device.app("com.example.replaced")
    app.setPermission(.always)
    let events = Log<String>()
    try await app.run {
      let session = CLServiceSession(authorization: .always)
      let monitor = await CLMonitor("shops")
      let (old, new) = (Self.home.moved(north: 700), Self.home.moved(north: 1500))
      await monitor.add(
        CLMonitor.CircularGeographicCondition(center: old, radius: 150), identifier: "shop")
      let watching = Task {
        for try await event in await monitor.events {
          events.add("\(event.state == .satisfied ? "in" : "out")")
        }
      }
      try await device.advance(by: .seconds(60))
      await monitor.add(
        CLMonitor.CircularGeographicCondition(center: new, radius: 150), identifier: "shop")
      try await device.advance(by: .seconds(60))
      device.travel(Route(through: [Self.home, old], speed: 1.4))
      try await device.advance(by: .seconds(20 * 60))
      #expect(!events.values.contains("in"))
      device.travel(Route(through: [old, new], speed: 1.4))
      try await device.advance(by: .seconds(20 * 60))
      #expect(events.values.last == "in" && events.values.count { $0 == "in" } == 1)
      watching.cancel()
      session.invalidate()
    }
  }

  @Test("LIVE-8: ends with the match that it looked for, and nothing is updated any more")
  func firstMatch() async throws {
    let app = device.app("com.example.first")
    app.setPermission(.whileUsing)
    let places = Log<CLLocation?>()
    app.whenLaunched {
      let first = try? await CLLocationUpdate.liveUpdates().first { $0.location != nil }
      places.add(first?.location)
    }
    app.moveToForeground()
    try await device.advance(by: .seconds(30))
    #expect(places.values.count == 1 && places.values.first != .some(nil))
    try await app.run {
      let manager = CLLocationManager()
      let known = manager.location?.timestamp
      try await device.advance(by: .seconds(10 * 60))
      #expect(manager.location?.timestamp == known, "the receiver is off")
    }
  }
}
