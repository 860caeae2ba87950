import CoreLocation
import Errands
import LocationTesting
import XCTest

/// The same reminder in XCTest.
final class ErrandReminderTestCase: XCTestCase {
  @MainActor func testRemindsOnArrival() async throws {
    let home = CLLocationCoordinate2D(latitude: 52.5200, longitude: 13.4050)
    let shop = CLLocationCoordinate2D(latitude: 52.5290, longitude: 13.4050)
    let device = SimulatedDevice(at: home)
    device.person(answers: .allowWhileUsing, .changeToAlways)
    try await device.app("com.example.errands").run {
      let reminder = ErrandReminder()
      await reminder.start([Errand("milk", at: shop, within: 100)])
      device.travel(Route(through: [home, shop], speed: 1.4))
      try await device.advance(by: .seconds(20 * 60))
      XCTAssertEqual(reminder.reminders, ["milk"])
      reminder.stop()
    }
  }
}
