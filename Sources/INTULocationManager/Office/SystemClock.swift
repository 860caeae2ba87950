import Foundation

/// The clock of the system; its alarm rings on the main queue.
@MainActor
final class SystemClock: OfficeClock {
  private let start = ContinuousClock.now
  private var alarm: (any DispatchSourceTimer)?
  private var deadline: Duration?

  var now: DeskTime { DeskTime(uptime: ContinuousClock.now - start, date: Date()) }

  func setAlarm(at deadline: Duration?, _ ring: @escaping @MainActor () -> Void) {
    guard deadline != self.deadline else { return }
    self.deadline = deadline
    alarm?.cancel()
    alarm = deadline.map { makeAlarm(at: $0, ring) }
  }

  private func makeAlarm(
    at deadline: Duration, _ ring: @escaping @MainActor () -> Void
  ) -> any DispatchSourceTimer {
    let alarm = DispatchSource.makeTimerSource(queue: .main)
    let seconds = max((deadline - now.uptime) / .seconds(1), 0)
    alarm.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        self?.deadline = nil
        ring()
      }
    }
    alarm.schedule(wallDeadline: .now() + seconds, leeway: .milliseconds(1))
    alarm.activate()
    return alarm
  }
}
