internal import LocationCoding
package import LocationModel

/// Dates on a scale that the clock of the computer cannot set back or hold: it advances with
/// uptime, and between two runs by as much as the clock has.
///
/// Data with a retention is dated on this scale. While the clock is right, both are equal. A jump
/// of the clock within a run, forward or back, changes nothing here. After a restart, a clock that
/// is behind that of the last run counts as no time, and one that is ahead as time that has passed:
/// in doubt, data is forgotten rather than kept (docs/decisions/0069).
package struct SteadyTime: Hashable, Sendable {
  private struct Stored: JSONStructure {
    /// On this scale, and on that of the clock.
    var steady: UnixTime
    var clock: UnixTime

    static let fields = JSONFields(
      Self(steady: .blank, clock: .blank), .get("steady", \.steady), .get("clock", \.clock))
  }

  private var anchor: Moment?

  package init() {}

  /// Continues where an earlier run has ended.
  package init(restoring entries: [StateEntry], at now: Moment) {
    anchor = now
    guard let entry = entries.first(where: { $0.key == Self.key }),
      let stored = Stored(stored: entry.value)
    else { return }
    let away = max(.zero, now.unixTime - stored.clock)
    anchor = Moment(uptime: now.uptime, unixTime: stored.steady + away)
  }

  /// Returns the date on this scale; before a restore, that of the clock.
  package func date(at now: Moment) -> UnixTime {
    guard let anchor else { return now.unixTime }
    return anchor.unixTime + (now.uptime - anchor.uptime)
  }

  /// Returns the date on this scale for a date of the clock or a receiver; never later than now.
  package func date(of date: UnixTime, at now: Moment) -> UnixTime {
    let steady = self.date(at: now)
    return min(date + (steady - now.unixTime), steady)
  }

  /// Returns the steady time to store beside a date; `nil` if they differ by at most a minute.
  package static func stored(_ steady: UnixTime, beside date: UnixTime) -> UnixTime? {
    steady - date > tolerance || date - steady > tolerance ? steady : nil
  }

  /// Returns the change that lets the next run continue from here.
  package func change(at now: Moment) -> StateChange {
    .set(Self.key, Stored(steady: date(at: now), clock: now.unixTime).stored)
  }

  private static let key = StateKey(domain: "steady-time", owner: "")
  private static let tolerance = Duration.seconds(60)
}
