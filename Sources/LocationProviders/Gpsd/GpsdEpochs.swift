import LocationModel

/// Makes one fix of the several TPVs that gpsd sends for one epoch of one receiver.
///
/// Until gpsd has learned which sentence ends a receiver's cycle it reports after each of them:
/// first without height, then with. A report as complete as this receiver's epochs have lately
/// been is emitted at once; a poorer one waits for a better one of the same time, until the next
/// epoch begins or ``timeout`` ends. So a full report is never delayed, and a receiver that
/// never sends a full one is delayed for a few epochs only.
struct GpsdEpochs: Sendable {
  /// Chosen: the sentences of an epoch take up to this long at 4800 baud.
  static let timeout = Duration.milliseconds(500)
  /// Chosen: this many epochs in a row must disappoint before less is expected.
  static let lesson = 3

  private enum Epoch: Sendable {
    /// Nothing reported yet, or the receiver was gone.
    case none
    /// `best` waits for something better until `until`.
    case open(best: Fix, completeness: Int, until: Instant)
    /// The epoch of this time has been emitted.
    case emitted(UnixTime)
  }

  private var epoch = Epoch.none
  private var expected = GpsdEpochs.full
  /// The most complete of the last epochs that disappointed, and how many there were.
  private var disappointment = (best: 0, count: 0)
  /// The older epoch that has just been refused.
  private var straggler: UnixTime?

  var nextDeadline: Instant? {
    guard case .open(_, _, let until) = epoch else { return nil }
    return until
  }

  /// Takes the fix of one report; hands out the fixes that are now decided.
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

  /// Gives up waiting when it is time to.
  mutating func wake(at now: Instant) -> [Fix] {
    guard case .open(_, _, let until) = epoch, now >= until else { return [] }
    return close()
  }

  /// Emits what waits, because the receiver is gone.
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

  /// Whether an epoch at `next` is news after one at `last`.
  ///
  /// A single older epoch is a straggler. A clock that fell far back, or that goes on from where
  /// it fell back to, was set, or its recording began again.
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

  /// What an epoch can bring: height, its accuracy, and speed.
  private static let full = 3

  private static func completeness(of fix: Fix) -> Int {
    let hasHeight = fix.altitude != nil || fix.ellipsoidalAltitude != nil
    return (hasHeight ? 1 : 0) + (fix.verticalAccuracy != nil ? 1 : 0) + (fix.speed != nil ? 1 : 0)
  }
}
