package import LocationModel

/// Which buckets of a partition are written when, and from which input on a successor must judge.
package struct SnapshotPlan: Sendable {
  /// For each bucket the first input that has changed it since it was written, 0 for none.
  private var changed: [UInt64]
  /// The bucket that is next.
  private var next = 0
  private let step: Duration
  private let share: Int
  private var due: Instant

  /// All buckets are written once in each period.
  package init(buckets: Int, period: Duration, at now: Instant) {
    changed = [UInt64](repeating: 0, count: buckets)
    let steps = min(buckets, Self.steps)
    step = period / steps
    share = (buckets + steps - 1) / steps
    due = now + step
  }

  package var nextDeadline: Instant { due }

  package mutating func change(_ bucket: Int, by input: UInt64) {
    if changed[bucket] == 0 { changed[bucket] = input }
  }

  package mutating func written(_ bucket: Int) { changed[bucket] = 0 }

  /// Every bucket that has changed.
  package var all: [Int] { changed.indices.filter { changed[$0] != 0 } }

  /// The buckets to write now.
  package mutating func buckets(at now: Instant) -> [Int]? {
    guard now >= due else { return nil }
    due = now + step
    let turn = (0..<share).map { (next + $0) % changed.count }
    next = (next + share) % changed.count
    return turn.filter { changed[$0] != 0 }
  }

  /// The input up to which every bucket is stored, where all up to `position` have been judged.
  package func floor(at position: UInt64) -> UInt64 {
    changed.filter { $0 != 0 }.min().map { $0 - 1 } ?? position
  }

  private static let steps = 16
}
