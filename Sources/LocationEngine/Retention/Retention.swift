package import LocationModel

/// How long each kind of position data is kept; `nil` means as long as it is of use.
package struct RetentionTerms: Hashable, Sendable {
  /// The last position, exact and coarse.
  package var position: Duration?
  /// The places of visits.
  package var visits: Duration?
  /// The access log and the event log; `nil` means that they are not written at all.
  package var access: Duration?

  package init(
    position: Duration? = nil, visits: Duration? = nil, access: Duration? = nil
  ) {
    self.position = position
    self.visits = visits
    self.access = access
  }

  /// The longest of all; `nil` if none is given. What was moved aside is kept for so long.
  package var longest: Duration? { [position, visits, access].compactMap(\.self).max() }
}

/// Decides when the last position and the places of visits reach the end of their retention.
///
/// Across restarts, the date of the last position is known to the hour, and never taken as later
/// than it was, so that nothing is kept longer than the terms say. Dates are those of
/// ``SteadyTime``, which advances even if the clock of the computer is set back or stands.
package struct Retention: Machine {
  package enum Input: MachineInput {
    /// The state that was stored when the engine started.
    case stored([StateEntry])
    /// There is a new current position.
    case position
    /// When the place not seen for longest was last seen, in steady time; `nil` without places.
    case visits(oldest: UnixTime?)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case persist(StateChange)
    case forgetPosition
    /// In steady time.
    case forgetVisits(before: UnixTime)
    /// What was moved aside before this date; sent once an hour.
    case forgetDamaged(before: UnixTime)
  }

  private let terms: RetentionTerms
  private var positionDue: Instant?
  private var visitsDue: Instant?
  /// When the steady time is stored next; `nil` while this run has kept nothing.
  private var steadyDue: Instant?
  /// The steady time of this run.
  package private(set) var steady = SteadyTime()
  /// The date of the last position as stored.
  private var storedDate: UnixTime?

  package init(_ terms: RetentionTerms) {
    self.terms = terms
  }

  /// Whether the last position is kept for a limited time only.
  package var limitsPosition: Bool { terms.position != nil }

  package var nextDeadline: Instant? { earliest(earliest(positionDue, visitsDue), steadyDue) }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .stored(let entries): return restore(entries, at: now)
    case .position: return keepPosition(at: now)
    case .visits(let oldest):
      visitsDue = terms.visits.flatMap { keep in oldest.map { due($0, keep, at: now) } }
      return []
    case .wake: return wake(at: now)
    }
  }

  private mutating func restore(_ entries: [StateEntry], at now: Moment) -> [Output] {
    steady = SteadyTime(restoring: entries, at: now)
    guard terms != RetentionTerms() else { return [] }
    // Each run stores its steady time, from which the next run continues.
    let outputs = storeSteadyTime(at: now)
    guard let keep = terms.position,
      let entry = entries.first(where: { $0.key == Self.key }),
      let seconds = Double(String(decoding: entry.value, as: UTF8.self))
    else { return outputs }
    let date = UnixTime(seconds: seconds)
    positionDue = due(date, keep, at: now)
    guard date > steady.date(at: now) else {
      storedDate = date
      return outputs
    }
    return outputs + storeDate(at: now)
  }

  /// Returns when data of a date reaches its retention: not before now, and not later than data of
  /// now would.
  private func due(_ date: UnixTime, _ keep: Duration, at now: Moment) -> Instant {
    let age = max(.zero, steady.date(at: now) - date)
    return max(now.uptime, now.uptime + (keep - age))
  }

  private mutating func keepPosition(at now: Moment) -> [Output] {
    guard let keep = terms.position else { return [] }
    positionDue = now.uptime + keep
    let isOutdated = storedDate.map { steady.date(at: now) - $0 >= Self.precision } ?? true
    return isOutdated ? storeDate(at: now) : []
  }

  private mutating func storeDate(at now: Moment) -> [Output] {
    let date = steady.date(at: now)
    storedDate = date
    return [.persist(.set(Self.key, [UInt8]("\(Int64(date.seconds))".utf8)))]
  }

  private mutating func storeSteadyTime(at now: Moment) -> [Output] {
    steadyDue = now.uptime + Self.precision
    let damaged = startOfDamaged(at: now).map { Output.forgetDamaged(before: $0) }
    return [.persist(steady.change(at: now))] + [damaged].compactMap(\.self)
  }

  /// Returns the date before which nothing that was moved aside is kept; `nil` without a term.
  package func startOfDamaged(at now: Moment) -> UnixTime? {
    terms.longest.map { now.unixTime - $0 }
  }

  private mutating func wake(at now: Moment) -> [Output] {
    var outputs: [Output] = []
    if let due = positionDue, due <= now.uptime {
      (positionDue, storedDate) = (nil, nil)
      outputs += [.forgetPosition, .persist(.remove(Self.key))]
    }
    if let due = visitsDue, due <= now.uptime, let keep = terms.visits {
      visitsDue = nil
      outputs.append(.forgetVisits(before: steady.date(at: now) - keep + Self.instant))
    }
    if let due = steadyDue, due <= now.uptime { outputs += storeSteadyTime(at: now) }
    return outputs
  }

  private static let key = StateKey(domain: "position-date", owner: "")
  /// The precision of dates after a restart. Chosen: one write in an hour.
  private static let precision = Duration.seconds(3600)
  /// So that a place whose retention ends right now is before the date.
  private static let instant = Duration.nanoseconds(1)
}
