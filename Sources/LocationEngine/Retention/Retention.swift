package import LocationModel

/// How long what tells where the device was is kept; `nil` for as long as it is of use.
package struct RetentionTerms: Hashable, Sendable {
  /// The last position, exact and coarse.
  package var position: Duration?
  /// Places that were visited.
  package var visits: Duration?
  /// Who was told where the device is, and which events; `nil` when that is not written down at all.
  package var access: Duration?

  package init(
    position: Duration? = nil, visits: Duration? = nil, access: Duration? = nil
  ) {
    self.position = position
    self.visits = visits
    self.access = access
  }
}

/// Decides when the last position and the places visited have been kept long enough.
///
/// Across restarts the date of the last position is known to the hour, and never taken for later
/// than it was: so nothing is kept longer than the terms say. Dates are those of ``SteadyTime``, which
/// goes on when the clock of the computer is set back or stands.
package struct Retention: Machine {
  package enum Input: MachineInput {
    /// What was stored when the engine started.
    case stored([StateEntry])
    /// There is a new current position.
    case position
    /// When the place that was not seen for longest was seen, in steady time; `nil` when none is known.
    case visits(oldest: UnixTime?)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case persist(StateChange)
    case forgetPosition
    /// In steady time.
    case forgetVisits(before: UnixTime)
  }

  private let terms: RetentionTerms
  private var positionDue: Instant?
  private var visitsDue: Instant?
  /// When the steady time is stored next; `nil` while nothing was kept in this run.
  private var steadyDue: Instant?
  /// The steady time of this run.
  package private(set) var steady = SteadyTime()
  /// The date of the last position as stored.
  private var storedDate: UnixTime?

  package init(_ terms: RetentionTerms) {
    self.terms = terms
  }

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
    // Each run lets the next one know how long things have been kept by then.
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

  /// When something of a date has been kept long enough: now at the earliest, and never later than if
  /// it were of now.
  private func due(_ date: UnixTime, _ keep: Duration, at now: Moment) -> Instant {
    let age = max(.zero, steady.date(at: now) - date)
    return max(now.uptime, now.uptime + (keep - age))
  }

  private mutating func keepPosition(at now: Moment) -> [Output] {
    guard let keep = terms.position else { return [] }
    positionDue = now.uptime + keep
    let isNews = storedDate.map { steady.date(at: now) - $0 >= Self.precision } ?? true
    return isNews ? storeDate(at: now) : []
  }

  private mutating func storeDate(at now: Moment) -> [Output] {
    let date = steady.date(at: now)
    storedDate = date
    return [.persist(.set(Self.key, [UInt8]("\(Int64(date.seconds))".utf8)))]
  }

  private mutating func storeSteadyTime(at now: Moment) -> [Output] {
    steadyDue = now.uptime + Self.precision
    return [.persist(steady.change(at: now))]
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
  /// How exactly dates are known after a restart. Chosen: one write in an hour.
  private static let precision = Duration.seconds(3600)
  /// So that a place whose time is over just now is before the date.
  private static let instant = Duration.nanoseconds(1)
}
