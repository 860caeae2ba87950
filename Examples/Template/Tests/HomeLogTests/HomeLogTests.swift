import CoreLocation
import HomeLog
import LocationTesting
import Testing

@Suite("The log of home")
@MainActor struct HomeLogTests {
  let home = CLLocationCoordinate2D(latitude: 52.5200, longitude: 13.4050)
  let work = CLLocationCoordinate2D(latitude: 52.5500, longitude: 13.4050)
  let device: SimulatedDevice
  let app: SimulatedApp

  init() {
    device = SimulatedDevice(at: home)
    app = device.app("org.example.homewatch")
  }

  @Test("notes one departure and one return in a day")
  func day() async throws {
    device.person(answers: .allowWhileUsing, .changeToAlways)
    try await app.run {
      let log = HomeLog()
      await log.start(home: home)
      try await device.advance(by: .seconds(8 * 3600))
      #expect(log.entries.map(\.isHome) == [true])

      device.travel(Route(through: [home, work], speed: 5))
      try await device.advance(by: .seconds(9 * 3600))
      device.travel(Route(through: [work, home], speed: 5))
      try await device.advance(by: .seconds(7 * 3600))
      #expect(log.entries.map(\.isHome) == [true, false, true])
      log.stop()
    }
  }

  @Test("says when it may not know")
  func denial() async throws {
    device.person(answers: .doNotAllow)
    try await app.run {
      let log = HomeLog()
      var warnings: [String?] = []
      await log.start(home: home, warn: { warnings.append($0) })
      try await device.advance(by: .seconds(60))
      #expect(warnings == ["Location is not allowed."])
      #expect(log.problem == "Location is not allowed.")
      #expect(log.entries.isEmpty)
      log.stop()
    }
  }
}
