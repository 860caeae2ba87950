import CoreLocation
import Foundation
import LocationTesting
import Testing

/// Made by locationctl console from "way.gpx".
@Suite @MainActor struct DayTests {
  let begin = CLLocationCoordinate2D(
    latitude: 48.137044964028775, longitude: 11.575)
  /// Latitude, longitude, meters per second, and, for a stop, seconds.
  let legs: [(Double, Double, Double, Double)] = [
    (48.142486, 11.575, 5.0, 0.0),
    (48.147926, 11.575, 5.0, 0.0),
    (48.153367, 11.575, 5.0, 0.0),
    (48.158808, 11.575, 5.0, 0.0),
    (48.163933, 11.575, 4.91, 0.0),
    (48.158493, 11.575, 5.0, 0.0),
    (48.153052, 11.575, 5.0, 0.0),
    (48.147612, 11.575, 5.0, 0.0),
    (48.142171, 11.575, 5.0, 0.0),
    (48.137, 11.575, 5.0, 0.0),
  ]
  /// Identifier, latitude, longitude, and radius in meters.
  let fences: [(String, Double, Double, Double)] = [
    ("home", 48.137, 11.575, 150.0),
    ("far", 48.155, 11.575, 200.0),
  ]
  /// What each fence shall become, in order.
  let expected: [String] = [
    "home satisfied",
    "far unsatisfied",
    "home unsatisfied",
    "far satisfied",
    "far unsatisfied",
    "far satisfied",
    "far unsatisfied",
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
    let date = Date(timeIntervalSince1970: 1777874400.0)
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
      try await device.advance(by: .seconds(1259))
      #expect(seen == expected)
      events.cancel()
      session.invalidate()
    }
  }
}
