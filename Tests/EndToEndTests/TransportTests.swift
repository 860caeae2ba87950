import CoreLocation
import TestSupport
import LocationModel
import Testing

/// The public API, the same over every way to an engine.
@MainActor
@Suite("Core Location's interface", .serialized)
struct TransportTests {
  static let here = CLLocationCoordinate2D(latitude: 48.5, longitude: 11.5)
  static let source = "fixed:48.5,11.5,5"

  @Test("LIVE-1, LIVE-2: gives live updates", arguments: Transport.allCases)
  func live(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.whileUsing)
    try await app.run {
      var received = 0
      for try await update in CLLocationUpdate.liveUpdates() {
        guard let location = update.location else { continue }
        #expect(location.coordinate.latitude == 48.5 && location.horizontalAccuracy == 5)
        received += 1
        if received == 3 { break }
      }
      #expect(received == 3)
    }
  }

  @Test("LIVE-12, AUTH-8: says in a loop what holds it back", arguments: Transport.allCases)
  func diagnostics(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.never)
    try await app.run {
      for try await update in CLLocationUpdate.liveUpdates() {
        #expect(update.location == nil && update.authorizationDenied)
        break
      }
      app.decide(.always)
      for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
        #expect(!update.authorizationDenied)
        break
      }
    }
  }

  @Test(
    "AUTH-11, STD-13, STD-12: tells a delegate of its authorization, locations, and denial",
    arguments: Transport.allCases)
  func delegate(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    try await app.run { manager, log in
      try await log.next("authorization 0")
      manager.startUpdatingLocation()
      app.decide(.whileUsing)
      try await log.next("authorization 4")
      #expect(manager.authorizationStatus == .authorizedWhenInUse)
      try await log.next("location 48.5")
      try await log.next("location 48.5")
      #expect(manager.location?.coordinate.longitude == 11.5)
      app.decide(.never)
      try await log.next("authorization 2")
      try await log.next("error 1")
      #expect(manager.location == nil)
    }
  }

  @Test("STD-24: answers one request with one location", arguments: Transport.allCases)
  func once(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.whileUsing)
    try await app.run { manager, log in
      manager.requestLocation()
      try await log.next("location 48.5")
    }
  }

  @Test("STD-38: says that the position is unknown without a source", arguments: Transport.allCases)
  func unknown(_ transport: Transport) async throws {
    let app = try Connected(transport, "fixes:///nonexistent")
    app.decide(.whileUsing)
    try await app.run { manager, log in
      manager.startUpdatingLocation()
      try await log.next("error 0")
    }
  }

  @Test("AUTH-5: says whether location services are on", arguments: Transport.allCases)
  func services(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.always)
    try await app.run { manager, log in
      try await log.next("authorization 3")
      app.turnServices(on: false)
      try await log.next("authorization 2")
      #expect(!CLLocationManager.locationServicesEnabled())
      app.turnServices(on: true)
      try await log.next("authorization 3")
      #expect(CLLocationManager.locationServicesEnabled())
    }
  }

  @Test(
    "AUTH-41: gives only a coarse place where the person wants that", arguments: Transport.allCases)
  func coarse(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.whileUsing, precise: false)
    try await app.run {
      for try await update in CLLocationUpdate.liveUpdates() {
        guard let location = update.location else { continue }
        #expect(location.horizontalAccuracy > 1000 && update.accuracyLimited)
        #expect(CLLocationManager().accuracyAuthorization == .reducedAccuracy)
        break
      }
    }
  }

  @Test(
    "MON-9, MON-15, MON-16: monitors conditions, and keeps their records",
    arguments: Transport.allCases)
  func monitor(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.always)
    try await app.run {
      let monitor = await CLMonitor("places")
      await monitor.add(
        CLMonitor.CircularGeographicCondition(center: Self.here, radius: 200), identifier: "here")
      await monitor.add(
        CLMonitor.CircularGeographicCondition(
          center: CLLocationCoordinate2D(latitude: 49.5, longitude: 11.5), radius: 200),
        identifier: "there")
      #expect(await monitor.identifiers == ["here", "there"])
      var states: [String: CLMonitor.Event.State] = [:]
      for try await event in await monitor.events {
        states[event.identifier] = event.state
        if states.count == 2 { break }
      }
      #expect(states == ["here": .satisfied, "there": .unsatisfied])
      await monitor.remove("there")
      #expect(await monitor.identifiers == ["here"])
      #expect(await monitor.record(for: "there") == nil)
      #expect(await monitor.record(for: "here") != nil)
    }
  }

  @Test(
    "REG-1, REG-10, REG-26: monitors regions, and tells their state", arguments: Transport.allCases)
  func regions(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.always)
    try await app.run { manager, log in
      manager.startUpdatingLocation()
      try await log.next("location 48.5")
      let region = CLCircularRegion(center: Self.here, radius: 200, identifier: "here")
      manager.startMonitoring(for: region)
      try await log.next("monitors here")
      try await log.next("here is 1")
      #expect(manager.monitoredRegions.map(\.identifier) == ["here"])
      manager.stopMonitoring(for: region)
      let large = CLCircularRegion(center: Self.here, radius: 1e9, identifier: "large")
      manager.startMonitoring(for: large)
      _ = try await log.words.next { $0.hasPrefix("large failed") }
      #expect(manager.monitoredRegions.isEmpty)
    }
  }

  @Test(
    "two managers receive on their own; one that stops leaves the other",
    arguments: Transport.allCases)
  func twoManagers(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.whileUsing)
    try await app.run { first, one in
      try await app.run { second, other in
        first.startUpdatingLocation()
        second.startUpdatingLocation()
        try await one.next("location 48.5")
        try await other.next("location 48.5")
        first.stopUpdatingLocation()
        first.delegate = nil
        for _ in 0..<2 { try await other.next("location 48.5") }
      }
    }
  }

  @Test(
    "SLC-1: tells where the device is when significant changes are asked for",
    arguments: Transport.allCases)
  func significantChanges(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.always)
    try await app.run { manager, log in
      manager.startMonitoringSignificantLocationChanges()
      try await log.next("location 48.5")
    }
  }

  @Test(
    "MON-24: an event that a loop was left with comes again, one that it went on from does not",
    arguments: Transport.allCases)
  func monitorAgain(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.always)
    try await app.run {
      let monitor = await CLMonitor("places")
      for (name, latitude) in [("here", 48.5), ("there", 49.5)] {
        let center = CLLocationCoordinate2D(latitude: latitude, longitude: 11.5)
        await monitor.add(
          CLMonitor.CircularGeographicCondition(center: center, radius: 200), identifier: name)
      }
      var received: [String] = []
      for _ in 0..<2 {
        for try await event in await monitor.events {
          received.append(event.identifier)
          if received.count > 1 { break }
        }
      }
      #expect(received.count == 3 && received[0] != received[1] && received[1] == received[2])
    }
  }

  @Test("BEACON-16: says that ranging fails without a radio", arguments: Transport.allCases)
  func ranging(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.whileUsing)
    try await app.run { manager, log in
      manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: UUID()))
      try await log.next("ranging failed")
    }
  }

  @Test(
    "BGA-1, BGA-10: tells a background session that the app may not know",
    arguments: Transport.allCases)
  func backgroundActivity(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.never)
    try await app.run {
      let session = CLBackgroundActivitySession()
      var isDenied = false
      for try await diagnostic in session.diagnostics where diagnostic.authorizationDenied {
        isDenied = true
        break
      }
      #expect(isDenied)
      session.invalidate()
    }
  }

  @Test("SESS-16: tells a session what is so", arguments: Transport.allCases)
  func session(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    app.decide(.never)
    try await app.run {
      let session = CLServiceSession(authorization: .whenInUse)
      // The decision and the session reach a daemon on different ways: what counts is the end.
      var isDenied = false
      for try await diagnostic in session.diagnostics where diagnostic.authorizationDenied {
        isDenied = true
        break
      }
      #expect(isDenied)
      session.invalidate()
    }
  }

  @Test(
    "HEAD-1, AVAIL-3: says that there is no compass where there is none",
    arguments: Transport.allCases)
  func compass(_ transport: Transport) async throws {
    let app = try Connected(transport, Self.source)
    try await app.run {
      #expect(!CLLocationManager.headingAvailable())
      #expect(!CLLocationManager.isRangingAvailable())
      #expect(CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
    }
  }
}
