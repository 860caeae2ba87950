import Synchronization

/// Remembers of each place in the code that waits for a continuation who resumed it.
///
/// The first time nobody can know. Then time waits a little: what is real and quick comes back, as
/// if it had taken no time. What the device itself resumes does not come until time goes on, and
/// the next time nobody waits for it.
final class AwaitedPlaces: Sendable {
  /// The functions that go on when the task does, innermost first.
  typealias Place = [UInt]

  private enum Resumer: Sendable { case device, outside, nobody }

  static let shared = AwaitedPlaces()
  private let known = Mutex<[Place: Resumer]>([:])

  /// How long time waits for somebody who may be resumed by something real.
  ///
  /// Chosen: a second, longer than any look-up on this computer takes, and bearable once for each
  /// place.
  static let wait = Duration.seconds(1)
  /// How often the line looks again before the wait is over. Each look goes through the global
  /// queue, as most of what is real does: where others keep that queue busy for seconds, what was
  /// handed to it in time still comes first.
  static let looks = 50

  func isWorthWaiting(_ place: Place) -> Bool {
    switch known.withLock({ $0[place] }) {
    case .outside, nil: true
    case .device, .nobody: false
    }
  }

  /// Somebody resumed a task there. Where it was the device once, it may be the device again.
  func learn(_ place: Place, byDevice: Bool) {
    known.withLock { known in
      if byDevice || known[place] != .device { known[place] = byDevice ? .device : .outside }
    }
  }

  /// Nobody came while time waited.
  func giveUp(_ place: Place) { known.withLock { $0[place] = .nobody } }
}
