import Synchronization

/// Remembers who resumed a continuation at each place in the code that awaits one.
///
/// The first time, this is unknown. Time then waits a little: something real and quick resumes the
/// task as if it had taken no time. If the device itself resumes the task, that happens only after
/// time advances, and the next time nothing waits for it.
final class AwaitedPlaces: Sendable {
  /// The functions where the task resumes, innermost first.
  typealias Place = [UInt]

  private enum Resumer: Sendable { case device, outside, nobody }

  static let shared = AwaitedPlaces()
  private let known = Mutex<[Place: Resumer]>([:])

  /// How long time waits for a task that may be resumed by something real.
  ///
  /// Chosen: a second, longer than any look-up on this computer takes, and acceptable once for each
  /// place.
  static let wait = Duration.seconds(1)
  /// How often the executor looks again before the wait is over. Each look goes through the global
  /// queue, as most real work does: when other code keeps that queue busy for seconds, work that
  /// was queued there in time still runs first.
  static let looks = 50

  func isWorthWaiting(_ place: Place) -> Bool {
    switch known.withLock({ $0[place] }) {
    case .outside, nil: true
    case .device, .nobody: false
    }
  }

  /// Records who resumed a task at a place. A place that the device resumed once stays the
  /// device's.
  func learn(_ place: Place, byDevice: Bool) {
    known.withLock { known in
      if byDevice || known[place] != .device { known[place] = byDevice ? .device : .outside }
    }
  }

  /// Records that no one resumed a task at a place while time waited.
  func giveUp(_ place: Place) { known.withLock { $0[place] = .nobody } }
}
