import Synchronization

/// Remembers of each place in the code that waits for a continuation who resumed it.
///
/// The first time nobody can know. Then time waits a little: what is real and quick comes back, as
/// if it had taken no time. What the device itself resumes does not come until time goes on, and
/// the next time nobody waits for it.
final class AwaitedPlaces: Sendable {
  /// The functions that go on when the task does, innermost first.
  typealias Place = [UInt]

  static let shared = AwaitedPlaces()
  /// Whether something real comes back there in time.
  private let known = Mutex<[Place: Bool]>([:])

  /// How often time looks again at a new place, each two milliseconds: about five seconds, and longer
  /// where the processor is so busy that everybody else is slow as well. Chosen: longer than any
  /// look-up on this computer takes, and bearable once for each place.
  static let looks = 2000

  func isWorthWaiting(_ place: Place) -> Bool { known.withLock { $0[place] ?? true } }

  func learn(_ place: Place, byDevice: Bool) {
    known.withLock { known in
      if known[place] == nil || byDevice { known[place] = !byDevice }
    }
  }

  /// Nobody came while time waited.
  func giveUp(_ place: Place) { known.withLock { $0[place] = false } }
}
