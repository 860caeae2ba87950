import LocationModel
import Synchronization

/// The time of a simulated device, as a clock for the app's own sleeps.
///
/// An app that takes `any Clock<Duration>` receives `device.clock` in its tests and
/// `ContinuousClock` otherwise. `Task.sleep(for:)` and `Task.sleep(until:clock:)` with the standard
/// clocks sleep in the device's time as well; only their instants are real.
public struct SimulatedClock: Clock {
  /// A point of the device's uptime.
  public struct Instant: InstantProtocol {
    /// The time since the device was made.
    public var uptime: Duration

    /// Returns a later instant.
    ///
    /// - Parameter duration: How much later; negative for earlier.
    /// - Returns: The instant.
    public func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }

    /// Measures the time from here to another instant.
    ///
    /// - Parameter other: The other instant.
    /// - Returns: The time; negative when the other comes first.
    public func duration(to other: Instant) -> Duration { other.uptime - uptime }

    /// Compares two instants.
    ///
    /// - Parameters:
    ///   - left: The left side.
    ///   - right: The right side.
    /// - Returns: Whether the left one comes before the right one.
    public static func < (left: Instant, right: Instant) -> Bool { left.uptime < right.uptime }
  }

  let device: SimulatedDevice

  /// The device's current instant.
  public var now: Instant { Instant(uptime: device.now.uptime - .start) }
  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until the device's time reaches the deadline.
  ///
  /// - Parameters:
  ///   - deadline: When to wake.
  ///   - tolerance: Not used: virtual time is exact.
  /// - Throws: `CancellationError` when the task is canceled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let sleep = Sleep()
    device.executor.waits(for: "a sleep")
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        guard sleep.begin(continuation) else { return continuation.resume() }
        device.executor.sleep(
          until: LocationModel.Instant.start + deadline.uptime, then: .call { sleep.end() })
      }
    } onCancel: {
      sleep.end()
    }
    device.executor.goesOn()
    try Task.checkCancellation()
  }
}

/// One sleep, which ends once.
private final class Sleep: Sendable {
  private enum State {
    case begun
    case sleeping(UnsafeContinuation<Void, Never>)
    case over
  }

  private let state = Mutex(State.begun)

  /// Returns false when the sleep is over already.
  func begin(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
    state.withLock { state in
      guard case .begun = state else { return false }
      state = .sleeping(continuation)
      return true
    }
  }

  func end() {
    let sleeper = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      defer { state = .over }
      guard case .sleeping(let continuation) = state else { return nil }
      return continuation
    }
    sleeper?.resume()
  }
}

extension SimulatedDevice {
  /// The device's time, for an app that takes a clock.
  public var clock: SimulatedClock { SimulatedClock(device: self) }
}
