import CoreLocation
import Errands
import LocationTesting
import Testing

extension ErrandReminderTests {
  @Test("says when it may not know where it is")
  func denial() async throws {
    device.person(answers: .doNotAllow)
    try await app.run {
      let reminder = ErrandReminder()
      await reminder.start([Errand("milk", at: shop, within: 100)])
      try await device.advance(by: .seconds(10))
      #expect(reminder.problem == "Location is not allowed.")
      #expect(reminder.walked == 0)
      reminder.stop()
    }
  }

  @Test("goes on when life is hard")
  func hardship() async throws {
    device.person(answers: .allowWhileUsing, .changeToAlways)
    try await app.run {
      let reminder = ErrandReminder()
      await reminder.start([Errand("milk", at: shop, within: 100)])
      device.cover(.tunnel)
      try await device.advance(by: .seconds(60))
      #expect(reminder.walked == 0)
      device.cover(.open)
      device.breakReceiver(.lies(claim: 2, off: 200, towards: 90))
      try await device.advance(by: .seconds(60))
      device.turnLocationServices(on: false)
      try await device.advance(by: .seconds(10))
      #expect(reminder.problem == "Location is not allowed.")
      reminder.stop()
    }
  }

  @Test("reminds though the app was ended on the way: the system starts it again")
  func relaunch() async throws {
    device.person(answers: .allowWhileUsing, .changeToAlways)
    let process = Process()
    app.whenLaunched { [shop] in await process.begin([Errand("milk", at: shop, within: 100)]) }
    app.moveToForeground()
    try await device.advance(by: .seconds(60))
    app.terminate()
    device.travel(Route(through: [home, shop], speed: 1.4))
    try await device.advance(by: .seconds(20 * 60))
    #expect(process.launches == 2)
    #expect(process.reminder?.reminders == ["milk"])
  }

  /// What lives as long as the app's process.
  @MainActor final class Process {
    private(set) var launches = 0
    private(set) var reminder: ErrandReminder?

    func begin(_ errands: [Errand]) async {
      launches += 1
      let reminder = ErrandReminder()
      self.reminder = reminder
      await reminder.start(errands)
    }
  }
}
