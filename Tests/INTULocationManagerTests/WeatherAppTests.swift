import CoreLocation
import Testing

@testable import INTULocationManager

/// The code of the page that compares the two ways compiles, and does what the page says.
@Suite("A weather app")
@MainActor
struct WeatherAppTests {
  let desktop = Desktop()

  @Test("finds its city while the person takes a minute to answer")
  func city() async throws {
    let (manager, positioning) = (desktop.manager, desktop.positioning)
    positioning.services = .notDetermined
    let forecast = Task {
      let city = try await manager.location(
        accuracy: .city, timeout: .seconds(10), delayUntilAuthorized: true)
      return city.isTimedOut ? "a guess" : "rain within \(city.location.horizontalAccuracy) m"
    }
    while positioning.questions.isEmpty { await desktop.settle() }
    desktop.clock.run(for: .seconds(60))
    positioning.change(to: .available)
    positioning.locate(within: 3_000)
    #expect(try await forecast.value == "rain within 3000.0 m")
    #expect(positioning.commands.last == .stopUpdatingLocation)
  }

  @Test("takes a guess when time runs out")
  func guess() async {
    let (manager, diary) = (desktop.manager, desktop.diary)
    manager.requestLocation(withDesiredAccuracy: .city, timeout: 10, delayUntilAuthorized: true) {
      location, achievedAccuracy, status in
      switch status {
      case .success: diary.note("forecast, \(achievedAccuracy)")
      case .timedOut: diary.note("guess, \(location?.horizontalAccuracy ?? 0)")
      default: diary.note("city picker, \(status)")
      }
    }
    await desktop.settle()
    desktop.positioning.locate(within: 20_000)
    desktop.clock.run(for: .seconds(10))
    #expect(diary.lines == ["guess, 20000.0"])
  }
}
