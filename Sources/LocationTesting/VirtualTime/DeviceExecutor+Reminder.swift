import Dispatch
import LocationModel
import Synchronization

/// Notices a call of `advance` that a test has forgotten (SIM-31).
extension DeviceExecutor {
  /// Runs code after a real time.
  typealias RealTimer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  /// The real timer of devices that are made in this task.
  @TaskLocal static var timer: RealTimer = {
    SimulatedDevice.watchdog.asyncAfter(deadline: .now() + $0.inSeconds, execute: $1)
  }

  /// How long nothing happens on the device before a call of `advance` counts as forgotten.
  ///
  /// Chosen: ten seconds. Another task may be about to call `advance`, which takes no such time; and what is real
  /// takes less than a second, or has a stand-in.
  static let reminderDelay = Duration.seconds(10)

  /// Calls `remind` when the code in `SimulatedApp.run` waits for what comes with time, and nothing happens here for
  /// `reminderDelay`. To be called when no work is left and no call of `advance` waits.
  ///
  /// - Parameter remind: Receives what is awaited and the next step, as a sentence.
  func remindLater(_ remind: @escaping @Sendable (String) -> Void) {
    let begun = state.withLock { state -> Int? in
      guard !state.willRemind, state.book.strandedTask != nil else { return nil }
      state.willRemind = true
      return state.begun
    }
    guard let begun else { return }
    realTimer(Self.reminderDelay) { [weak self] in self?.remind(unlessChangedSince: begun, remind) }
  }

  private func remind(unlessChangedSince begun: Int, _ remind: (String) -> Void) {
    let (isSame, wish) = state.withLock { state -> (Bool, String?) in
      state.willRemind = false
      guard state.begun == begun, state.waiting.isEmpty else { return (false, nil) }
      return (true, state.book.strandedTask.map(state.book.wish))
    }
    guard isSame else { return poke() }
    guard let wish else { return }
    remind(
      "the code in SimulatedApp.run awaits \(wish), and no time passes on the device. Next: begin it "
        + "in a Task, and call device.advance(by:)")
  }
}
