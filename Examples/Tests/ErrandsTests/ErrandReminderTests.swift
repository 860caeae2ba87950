import CoreLocation
import Errands
import LocationTesting
import Testing

@Suite("The errand reminder")
@MainActor struct ErrandReminderTests {
  let home = CLLocationCoordinate2D(latitude: 52.5200, longitude: 13.4050)
  let shop = CLLocationCoordinate2D(latitude: 52.5290, longitude: 13.4050)
  let device: SimulatedDevice
  let app: SimulatedApp

  init() {
    device = SimulatedDevice(at: home)
    app = device.app("com.example.errands")
  }

  @Test("reminds once, on arrival")
  func arrival() async throws {
    device.person(answers: .allowWhileUsing, .changeToAlways)
    try await app.run {
      let reminder = ErrandReminder()
      await reminder.start([Errand("milk", at: shop, within: 100)])
      device.travel(Route(through: [home, shop], speed: 1.4))

      try await device.advance(by: .seconds(8 * 60))
      #expect(reminder.reminders == [])

      try await device.advance(by: .seconds(12 * 60))
      #expect(reminder.reminders == ["milk"])
      #expect(reminder.walked > 900)
      reminder.stop()
    }
  }
}
