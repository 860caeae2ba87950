import Foundation

/// The clock of the system; its timer fires on the main queue.
@MainActor
final class SystemClock: RequestClock {
  private let start = ContinuousClock.now
  /// The longest time between two checks of the clock.
  private let look: Duration
  private var alarm: (any DispatchSourceTimer)?
  private var deadline: Duration?

  /// Chosen: after a sleep of the machine, the timer fires at most a minute late.
  init(looking look: Duration = .seconds(60)) {
    self.look = look
  }

  var now: RequestTime { RequestTime(uptime: ContinuousClock.now - start, date: Date()) }

  func setAlarm(at deadline: Duration?, _ ring: @escaping @MainActor () -> Void) {
    guard deadline != self.deadline else { return }
    self.deadline = deadline
    alarm?.cancel()
    alarm = nil
    guard let deadline else { return }
    let alarm = DispatchSource.makeTimerSource(queue: .main)
    self.alarm = alarm
    alarm.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.lookAtClock(ring) }
    }
    schedule(before: deadline)
    alarm.activate()
  }

  /// A timer of libdispatch stops while the machine sleeps, and one that uses the date is delayed
  /// when the date is set back. So the timer only triggers a check, and uptime decides.
  private func lookAtClock(_ ring: @MainActor () -> Void) {
    guard let deadline else { return }
    guard now.uptime >= deadline else { return schedule(before: deadline) }
    self.deadline = nil
    ring()
  }

  private func schedule(before deadline: Duration) {
    let wait = min(max(deadline - now.uptime, .zero), look)
    alarm?.schedule(deadline: .now() + wait / .seconds(1), leeway: .milliseconds(1))
  }
}
