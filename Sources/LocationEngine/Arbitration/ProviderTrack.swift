import LocationModel

/// The latest fixes of one provider, and how far they agree with each other.
struct ProviderTrack: Sendable {
  let provider: ProviderID
  /// The last fix that agreed with those before it, and when it came.
  private var last: Observation?
  /// The fix that it agreed with; `nil` where a sequence begins.
  private var previous: Observation?
  /// A fix that did not agree, and waits for another to confirm it.
  private var suspect: Observation?
  /// The number of successive fixes that agreed with each other, the last one included.
  private(set) var confirmations = 0
  /// When a jump was last confirmed; `nil` before the first.
  private var jumpedAt: Instant?
  /// The learned interval between fixes, in seconds.
  private var interval = 1.0
  /// Whether the last fix came after a confirmed step of the receiver's clock.
  private(set) var clockStepped = false
  /// Why the newest fix is not the current one; `nil` where it became that, if only for a moment.
  var refusal: IgnoreReason?

  /// The newest fix, one that waits to be confirmed included.
  var newest: Fix? { suspect?.fix ?? last?.fix }

  private struct Observation: Sendable {
    let fix: Fix
    let at: Instant

    /// Returns meters over ground.
    func distance(to other: Observation) -> Double {
      GeocentricPoint(fix.coordinate).distance(to: GeocentricPoint(other.fix.coordinate))
    }

    /// Whether the distance is surely at most so many meters: no degree of a meridian or a parallel
    /// is longer than 111,700 m.
    private func isWithin(_ meters: Double, of other: Observation) -> Bool {
      let north = fix.coordinate.latitude - other.fix.coordinate.latitude
      let east = fix.coordinate.longitude - other.fix.coordinate.longitude
      return 111_700 * (north.magnitude + east.magnitude) <= meters
    }

    /// Returns why it cannot follow an earlier fix; `nil` when it can.
    func doubt(after earlier: Observation) -> IgnoreReason? {
      let dates = fix.time.seconds(since: earlier.fix.time)
      if dates <= 0 { return .olderThanCurrent }
      if dates > at.seconds(since: earlier.at) + ProviderTrack.clockJump {
        return .unconfirmedClock
      }
      let reach = ProviderTrack.fastest * max(dates, 1)
      let slack = 4 * (fix.horizontalAccuracy + earlier.fix.horizontalAccuracy) + 200
      // Nearly every fix is near the one before; this test needs no sines.
      if isWithin(reach + slack, of: earlier) { return nil }
      return distance(to: earlier) > reach + slack ? .unconfirmedJump : nil
    }
  }

  init(provider: ProviderID) {
    self.provider = provider
  }

  /// Adds one fix.
  ///
  /// Returns why the fix must wait; `nil` when it agrees with those before it.
  mutating func note(_ fix: Fix, at now: Instant) -> IgnoreReason? {
    clockStepped = false
    let observation = Observation(fix: fix, at: now)
    guard let last else {
      accept(observation, restarting: true)
      return nil
    }
    guard let doubt = observation.doubt(after: last) else {
      suspect = nil
      accept(observation, restarting: false)
      return nil
    }
    if doubt == .olderThanCurrent, last.fix.time.seconds(since: fix.time) < Self.reordering {
      return doubt
    }
    guard let suspect, observation.doubt(after: suspect) == nil else {
      self.suspect = observation
      return doubt == .olderThanCurrent ? .unconfirmedClock : doubt
    }
    self.suspect = nil
    clockStepped = fix.time <= last.fix.time
    // A first fix that was never confirmed was an initial error, not a place that was left.
    if doubt == .unconfirmedJump, confirmations > 1 { jumpedAt = now }
    accept(observation, restarting: true)
    confirmations = 2
    return nil
  }

  private mutating func accept(_ observation: Observation, restarting: Bool) {
    if let last, !restarting {
      let gap = min(observation.at.seconds(since: last.at), 60)
      interval += (gap - interval) * 0.2
    }
    confirmations = restarting ? 1 : confirmations + 1
    previous = restarting ? nil : last
    last = observation
  }

  /// Meters per second, as measured, or from the last two fixes.
  private var pace: Double {
    guard let last else { return 0 }
    guard let previous else { return last.fix.speed ?? 0 }
    let dates = max(last.fix.time.seconds(since: previous.fix.time), 1)
    return max(last.fix.speed ?? 0, last.distance(to: previous) / dates)
  }

  /// Returns the radius of the last fix, increased by the possible movement since a fix was due.
  ///
  /// A source that delivers old fixes on schedule is late, too: `date` is the date of the fix to
  /// compare with.
  func agedRadius(at now: Instant, comparedWith date: UnixTime) -> Double {
    guard let last else { return .infinity }
    let age = max(now.seconds(since: last.at), date.seconds(since: last.fix.time))
    return last.fix.horizontalAccuracy + Self.growth * max(0, age - max(2, 2 * interval))
  }

  /// Returns the last fix that agreed with those before it, for a moment at a date.
  func witness(at now: Instant, for date: UnixTime) -> PositionFusion.Witness? {
    last.map { last in
      let age = max(now.seconds(since: last.at), date.seconds(since: last.fix.time))
      return PositionFusion.Witness(fix: last.fix, age: age)
    }
  }

  /// Whether the last fix is one of the other's two last ones: both read one receiver.
  func repeats(_ other: ProviderTrack) -> Bool {
    guard let last else { return false }
    return [other.last, other.previous].contains {
      $0.map { $0.fix.time == last.fix.time && $0.distance(to: last) < 1 } ?? false
    }
  }

  /// Whether no fix came for so long that this provider does not count.
  func isSilent(at now: Instant) -> Bool {
    guard let last else { return true }
    return now.seconds(since: last.at) > max(10, 5 * interval)
  }

  /// Whether the two last fixes contradict each other, each at its own date.
  func isContradicted(by other: ProviderTrack) -> Bool {
    guard let mine = last, let theirs = other.last else { return false }
    let apart = mine.distance(to: theirs)
    let dates = min(abs(theirs.fix.time.seconds(since: mine.fix.time)), Self.longestDelay)
    let gap = max(abs(theirs.at.seconds(since: mine.at)), dates)
    let radii = hypotenuse(mine.fix.horizontalAccuracy, theirs.fix.horizontalAccuracy)
    let reach = min(max(Self.growth, 1.5 * max(pace, other.pace)), Self.fastest)
    return apart > 5 * radii + 50 + reach * gap
  }

  /// Whether a jump was confirmed less than ten minutes ago.
  func jumpedLately(at now: Instant) -> Bool {
    guard let jumpedAt else { return false }
    return now.seconds(since: jumpedAt) < 600
  }

  /// Whether the last fix carries a speed, as satellite solutions do.
  var measuresMotion: Bool { last?.fix.speed != nil }

  /// The radius of the last fix, as claimed; meters.
  var claimedRadius: Double { last?.fix.horizontalAccuracy ?? 0 }

  /// Meters per second. Chosen: faster than an airliner with a tail wind of the jet stream.
  private static let fastest = 350.0
  /// Seconds by which two dates may differ and still explain different places. Chosen: beyond this,
  /// one of the clocks is wrong.
  private static let longestDelay = 120.0
  /// Meters per second by which the radius of an overdue fix grows. Chosen: a fast car.
  private static let growth = 30.0
  /// Seconds that a date may advance beyond uptime. Chosen: more than any gap of a replay at a
  /// sensible rate, less than a wrong week or year.
  private static let clockJump = 86_400.0
  /// Seconds within which an older date is a late report, not a stepped clock.
  private static let reordering = 2.0
}
