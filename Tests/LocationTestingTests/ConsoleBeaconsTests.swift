import CoreLocation
import Foundation
import LocationTesting
import Testing

/// Made by locationctl console from "A walk past a shop".
@Suite @MainActor struct BeaconDayTests {
  let begin = CLLocationCoordinate2D(
    latitude: 48.136972633333336, longitude: 11.574958216666667)
  /// Latitude, longitude, meters per second, and, for a stop, seconds.
  let legs: [(Double, Double, Double, Double)] = [
    (48.136993, 11.575034, 0.13, 0.0),
    (48.137055, 11.575085, 0.1, 0.0),
    (48.138168, 11.574998, 1.44, 0.0),
    (48.138974, 11.574982, 1.34, 0.0),
    (48.140495, 11.574969, 1.4, 0.0),
    (48.141566, 11.574895, 1.42, 0.0),
    (48.142252, 11.574957, 1.44, 0.0),
    (48.143223, 11.574984, 1.42, 0.0),
    (48.144708, 11.574976, 1.36, 0.0),
    (48.14603, 11.575013, 1.4, 0.0),
    (48.146028, 11.574939, 0.05, 0.0),
  ]
  /// Identifier, latitude, longitude, and radius in meters.
  let fences: [(String, Double, Double, Double)] = [
    ("home", 48.137, 11.575, 100.0),
    ("end", 48.146, 11.575, 80.0),
  ]
  /// Identifier, latitude, longitude, and minor number of each beacon.
  let beacons: [(String, Double, Double, UInt16)] = [
    ("shop", 48.143, 11.57502, 1),
    ("kiosk", 48.15, 11.59, 2),
  ]
  let deployment = UUID(
    uuid: (
      0x8c, 0x6b, 0x2c, 0xe, 0x6f, 0xb, 0x4e, 0xa,
      0x9b, 0x7d, 0x3a, 0x1f, 0x5d, 0xc, 0x9e, 0x21
    ))
  /// What each fence shall become, in order.
  let expected: [String] = [
    "home satisfied",
    "end unsatisfied",
    "home satisfied",
    "end unsatisfied",
    "home unsatisfied",
    "end satisfied",
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
      for (name, latitude, longitude, minor) in beacons {
        device.place(
          SimulatedBeacon(uuid: deployment, major: 1, minor: minor),
          at: CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
        await monitor.add(
          CLMonitor.BeaconIdentityCondition(uuid: deployment, major: 1, minor: minor),
          identifier: name)
      }
      device.travel(route)
      try await device.advance(by: .seconds(80))
      device.person(
        answers: .allowWhileUsing, .keepWhileUsing, after: .seconds(2.0))
      try await device.advance(by: .seconds(10))
      app.setPermission(.ask)
      try await device.advance(by: .seconds(923))
      let names = beacons.map(\.0)
      let ofFences = seen.filter { line in !names.contains { line.hasPrefix("\($0) ") } }
      #expect(ofFences == expected)
      #expect(names.filter { seen.contains("\($0) satisfied") } == ["shop"])
      events.cancel()
      session.invalidate()
    }
  }
}
