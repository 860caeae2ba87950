import LocationModel

/// Combines the several TPVs that gpsd sends for one epoch of one receiver into one fix.
///
/// Until gpsd has learned which sentence ends a receiver's cycle, it reports after each of them:
/// first without height, then with. A report as complete as the receiver's recent epochs is emitted
/// at once; a less complete one waits for a better one of the same time, until the next epoch
/// begins or ``timeout`` ends. So a full report is never delayed, and a receiver that never sends
/// one is delayed for a few epochs only.
struct GpsdEpochs: Sendable {
  /// Chosen: the sentences of an epoch take up to this long at 4800 baud.
  static let timeout = Duration.milliseconds(500)
  /// Chosen: the expectation falls after this many epochs in a row that were less complete.
  static let lesson = 3

  private enum Epoch: Sendable {
    /// No report yet, or the receiver was disconnected.
    case none
    /// `best` waits for a more complete report until `until`.
    case open(best: Fix, completeness: Int, until: Instant)
    /// The epoch of this time has been emitted.
    case emitted(UnixTime)
  }

  private var epoch = Epoch.none
  private var expected = GpsdEpochs.full
  /// The most complete of the last epochs that were below expectation, and their number.
  private var disappointment = (best: 0, count: 0)
  /// The older epoch that was rejected last.
  private var straggler: UnixTime?

  var nextDeadline: Instant? {
    guard case .open(_, _, let until) = epoch else { return nil }
    return until
  }

  /// Takes the fix of one report; returns the fixes that are final now.
  mutating func take(_ fix: Fix, at now: Instant) -> (fixes: [Fix], rejection: GpsdRejection?) {
    switch epoch {
    case .none:
      return (open(fix, at: now), nil)

    case .open(let best, let completeness, let until) where best.time == fix.time:
      guard Self.completeness(of: fix) >= completeness else { return ([], .repeatedEpoch) }
      return (keep(fix, until: until), nil)

    case .open(let best, _, _):
      guard follows(fix.time, best.time) else { return ([], .olderEpoch) }
      let waiting = close()
      return (waiting + open(fix, at: now), nil)

    case .emitted(let time) where time == fix.time:
      learn(Self.completeness(of: fix))
      return ([], .repeatedEpoch)

    case .emitted(let time):
      guard follows(fix.time, time) else { return ([], .olderEpoch) }
      return (open(fix, at: now), nil)
    }
  }

  /// Emits the waiting fix when its time is over.
  mutating func wake(at now: Instant) -> [Fix] {
    guard case .open(_, _, let until) = epoch, now >= until else { return [] }
    return close()
  }

  /// Emits the waiting fix, because the receiver is gone.
  mutating func flush() -> [Fix] {
    let waiting = close()
    epoch = .none
    return waiting
  }

  private mutating func open(_ fix: Fix, at now: Instant) -> [Fix] {
    keep(fix, until: now + Self.timeout)
  }

  private mutating func keep(_ fix: Fix, until: Instant) -> [Fix] {
    let completeness = Self.completeness(of: fix)
    epoch = .open(best: fix, completeness: completeness, until: until)
    return completeness >= expected ? close() : []
  }

  private mutating func close() -> [Fix] {
    guard case .open(let best, let completeness, _) = epoch else { return [] }
    learn(completeness)
    epoch = .emitted(best.time)
    return [best]
  }

  private mutating func learn(_ completeness: Int) {
    guard completeness < expected else {
      expected = completeness
      return disappointment = (0, 0)
    }
    disappointment = (max(disappointment.best, completeness), disappointment.count + 1)
    guard disappointment.count >= Self.lesson else { return }
    expected = disappointment.best
    disappointment = (0, 0)
  }

  /// Whether an epoch at `next` is newer than one at `last`.
  ///
  /// A single older epoch is a straggler. If the clock fell far back, or goes on from where it fell
  /// back to, it was set, or its recording began again.
  private mutating func follows(_ next: UnixTime, _ last: UnixTime) -> Bool {
    let isAdvancing = straggler.map { next > $0 } ?? false
    guard next > last || isAdvancing || last.seconds(since: next) > Self.farBack else {
      straggler = next
      return false
    }
    straggler = nil
    return true
  }

  /// Seconds. Chosen.
  private static let farBack = 10.0

  /// Points for completeness: height, its accuracy, and speed.
  private static let full = 3

  private static func completeness(of fix: Fix) -> Int {
    let hasHeight = fix.altitude != nil || fix.ellipsoidalAltitude != nil
    return (hasHeight ? 1 : 0) + (fix.verticalAccuracy != nil ? 1 : 0) + (fix.speed != nil ? 1 : 0)
  }
}
