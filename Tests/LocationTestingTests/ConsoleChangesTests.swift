import CoreLocation
import Foundation
import LocationTesting
import Testing

/// Made by locationctl console from "A walk to the bakery".
@Suite @MainActor struct ChangedDayTests {
  let begin = CLLocationCoordinate2D(
    latitude: 48.136972633333336, longitude: 11.574958216666667)
  /// Latitude, longitude, meters per second, and, for a stop, seconds.
  let legs: [(Double, Double, Double, Double)] = [
    (48.136993, 11.575034, 0.13, 0.0),
    (48.137046, 11.575086, 0.1, 0.0),
    (48.141147, 11.574998, 5.01, 0.0),
    (48.143017, 11.575002, 4.84, 0.0),
    (48.142958, 11.574942, 0.07, 0.0),
    (48.142984, 11.574945, 0.05, 0.0),
    (48.142689, 11.574898, 0.48, 0.0),
    (48.137844, 11.574978, 4.99, 0.0),
    (48.137046, 11.57501, 4.22, 0.0),
    (48.136994, 11.574985, 0.11, 0.0),
  ]
  /// Identifier, latitude, longitude, and radius in meters.
  let fences: [(String, Double, Double, Double)] = [
    ("home", 48.137, 11.575, 100.0),
    ("bakery", 48.143, 11.575, 80.0),
  ]
  /// What each fence shall become, in order.
  let expected: [String] = [
    "home satisfied",
    "bakery unsatisfied",
    "home satisfied",
    "bakery unsatisfied",
    "home satisfied",
    "bakery unsatisfied",
    "home unsatisfied",
    "bakery satisfied",
    "bakery unsatisfied",
    "home satisfied",
  ]

  var route: Route {
    var route = Route(from: begin)
    for (latitude, longitude, speed, seconds) in legs {
      let place = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
      if speed > 0 {
        route.move(to: place, speed: speed)
      } else {
        route.stay(for: .seconds(seconds))
      }
    }
    return route
  }

  @Test func day() async throws {
    let date = Date(timeIntervalSince1970: 1777876200.0)
    let device = SimulatedDevice(at: begin, date: date)
    let app = device.app("org.example.day")
    app.setPermission(.always)
    try await app.run {
      let session = CLServiceSession(authorization: .always)
      let monitor = await CLMonitor("day")
      for (name, latitude, longitude, radius) in fences {
        let center = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        await monitor.add(
          CLMonitor.CircularGeographicCondition(center: center, radius: radius),
          identifier: name)
      }
      var seen: [String] = []
      let events = Task {
        for try await event in await monitor.events {
          guard event.state == .satisfied || event.state == .unsatisfied else { continue }
          let state = event.state == .satisfied ? "satisfied" : "unsatisfied"
          seen.append("\(event.identifier) \(state)")
        }
      }
      device.travel(route)
      try await device.advance(by: .seconds(6))
      device.person(
        answers: .allowWhileUsing, .allowFullAccuracy, .allowBeacon, after: .seconds(2.0))
      try await device.advance(by: .seconds(6))
      app.setPreciseLocation(false)
      try await device.advance(by: .seconds(6))
      app.setPreciseLocation(true)
      try await device.advance(by: .seconds(6))
      app.moveToBackground()
      try await device.advance(by: .seconds(6))
      app.moveToForeground()
      try await device.advance(by: .seconds(6))
      device.turnLocationServices(on: false)
      try await device.advance(by: .seconds(12))
      device.turnLocationServices(on: true)
      try await device.advance(by: .seconds(6))
      app.setBeaconAdvertising(false)
      try await device.advance(by: .seconds(6))
      // Not in this test: advertise on
      try await device.advance(by: .seconds(90))
      device.breakReceiver(.silent)
      try await device.advance(by: .seconds(12))
      device.breakReceiver(nil)
      try await device.advance(by: .seconds(138))
      device.cover(.tunnel)
      try await device.advance(by: .seconds(60))
      device.cover(nil)
      try await device.advance(by: .seconds(300))
      device.stepClock(by: .seconds(600.0))
      try await device.advance(by: .seconds(85))
      #expect(seen == expected)
      events.cancel()
      session.invalidate()
    }
  }
}
