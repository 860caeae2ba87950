internal import LocationModel

/// How much may come in the long run, and how much at once.
package struct SendingRate: Hashable, Sendable {
  /// Fixes a second; 0 for as many as there are.
  package var fixes: Double
  package var burst: Double

  package init(_ fixes: Double, burst: Double) { (self.fixes, self.burst) = (fixes, burst) }

  /// When something may go on, if all before it is paid for at a moment.
  func begin(paid: Instant) -> Instant {
    fixes > 0 ? paid - .seconds(burst / fixes) : .start
  }

  /// When so many more are paid for.
  func charge(_ count: Int, to paid: Instant, at now: Instant) -> Instant {
    fixes > 0 ? max(paid, now) + .seconds(Double(count) / fixes) : now
  }
}
