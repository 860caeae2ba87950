internal import LocationCoding
package import LocationModel

/// Decides when a person is reminded that an app uses Always in the background: after use on a number
/// of days, counted anew after each reminder (AUTH-38).
///
/// Days are those of ``SteadyTime``, so that setting the clock adds none.
package struct BackgroundUse: Machine {
  package enum Input: MachineInput {
    case stored([StateEntry])
    /// An app has received a position in the background; it reminds after use on this many days.
    case used(AppIdentity, limit: Int)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case persist(StateChange)
    case remind(AppIdentity)
  }

  /// The use of one app since the last reminder.
  private struct Record: Hashable, JSONStructure {
    /// The number of days with use.
    var days = 0
    /// The last day that was counted, in days since 1970-01-01 UTC.
    var day = 0

    static let fields = JSONFields(Self(), .get("days", \.days), .get("day", \.day))
  }

  private var records: [AppIdentity: Record] = [:]
  private var steady = SteadyTime()

  package init() {}

  package var nextDeadline: Instant? { nil }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .stored(let entries):
      restore(entries, at: now)
      return []
    case .used(let app, let limit): return note(app, limit, at: now)
    case .wake: return []
    }
  }

  /// Takes over what is stored, by an earlier run or by another process.
  package mutating func restore(_ entries: [StateEntry], at now: Moment) {
    steady = SteadyTime(restoring: entries, at: now)
    for entry in entries where entry.key.domain == Self.domain {
      records[AppIdentity(entry.key.owner)] = Record(stored: entry.value)
    }
  }

  private mutating func note(_ app: AppIdentity, _ limit: Int, at now: Moment) -> [Output] {
    let today = Int((steady.date(at: now).seconds / Self.secondsPerDay).rounded(.down))
    var record = records[app] ?? Record()
    guard record.day != today else { return [] }
    record = Record(days: record.days + 1, day: today)
    let isDue = record.days >= limit
    if isDue { record.days = 0 }
    records[app] = record
    let change = StateChange.set(StateKey(domain: Self.domain, owner: app.name), record.stored)
    return [.persist(change)] + (isDue ? [.remind(app)] : [])
  }

  private static let secondsPerDay = 86_400.0
  private static let domain = "background-use"
}
