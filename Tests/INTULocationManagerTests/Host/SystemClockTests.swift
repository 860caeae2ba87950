import Testing

@testable import INTULocationManager

@Suite("The system's clock")
@MainActor
struct SystemClockTests {
  @Test("INTU-18: an alarm rings at its uptime, and once, however often the clock is looked at")
  func alarm() async {
    let clock = SystemClock(looking: .milliseconds(5))
    let deadline = clock.now.uptime + .milliseconds(32)
    let rang = await withCheckedContinuation { continuation in
      clock.setAlarm(at: deadline) { continuation.resume(returning: clock.now.uptime) }
    }
    #expect(rang >= deadline)
  }
}
