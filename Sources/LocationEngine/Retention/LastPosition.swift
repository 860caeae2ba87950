package import LocationCoding
package import LocationModel

/// The last position on disk, from which the next run of the engine begins (STD-9).
///
/// At most one write a minute. A stored position counts for its retention, and where none is
/// given, for a day; its age is measured in ``SteadyTime`` (docs/decisions/0084).
package struct LastPosition: Sendable {
  /// The position of an earlier run.
  package struct Stored: Hashable, Sendable {
    package var fix: Fix
    /// The time of the coarse place then; `nil` if there was none.
    package var coarseTime: UnixTime?
    /// When it was stored, in steady time.
    package var stored: UnixTime
  }

  private let keep: Duration
  /// When it was stored last in this run.
  private var storedAt: Instant?
  /// Whether the store has a position, and whether it has a coarse time.
  private var isStored = false
  private var hasCoarseTime = false

  package init(keeping keep: Duration?) {
    self.keep = keep ?? Self.keepByDefault
  }

  /// Whether a new current position is to be stored: not in the minute after the last one, unless the
  /// first coarse place has come since.
  package func isDue(hasCoarse: Bool, at now: Instant) -> Bool {
    guard let storedAt, now - storedAt < Self.pause else { return true }
    return hasCoarse && !hasCoarseTime
  }

  /// Returns the change that stores a new current position.
  package mutating func note(
    _ fix: Fix, _ coarseTime: UnixTime?, at now: Moment, _ steady: SteadyTime
  ) -> StateChange {
    (storedAt, isStored, hasCoarseTime) = (now.uptime, true, coarseTime != nil)
    let stored = Stored(fix: fix, coarseTime: coarseTime, stored: steady.date(at: now))
    return .set(Self.key, stored.stored)
  }

  /// Returns the position of an earlier run; one that is too old, or that cannot be read, is
  /// removed.
  package mutating func restore(
    _ entries: [StateEntry], at now: Moment, _ steady: SteadyTime
  ) -> (position: Stored?, change: StateChange?) {
    guard let entry = entries.first(where: { $0.key == Self.key }) else { return (nil, nil) }
    isStored = true
    // Whoever can write the file may have written any numbers.
    guard let stored = Stored(stored: entry.value),
      SimulatedPosition.fault(in: stored.fix) == nil, stored.fix.verticalAccuracy ?? 1 > 0
    else { return (nil, forget()) }
    let age = steady.date(at: now) - stored.stored
    guard age < keep, age + Self.pause > .zero else { return (nil, forget()) }
    return (stored, nil)
  }

  /// Returns the change that removes the stored position; `nil` where there is none.
  package mutating func forget() -> StateChange? {
    defer { (storedAt, isStored, hasCoarseTime) = (nil, false, false) }
    return isStored ? .remove(Self.key) : nil
  }

  package static let key = StateKey(domain: "position", owner: "")
  /// Chosen: one write a minute, as of the access log.
  private static let pause = Duration.seconds(60)
  /// Chosen: a day, as the daemon's `keep-position`.
  private static let keepByDefault = Duration.seconds(86_400)
}

extension LastPosition.Stored: JSONStructure {
  package static let fields = JSONFields(
    Self(fix: Fix(coordinate: .blank, horizontalAccuracy: 0, time: .blank), stored: .blank),
    .get("fix", \.fix), .find("coarse", \.coarseTime), .get("stored", \.stored))
}
