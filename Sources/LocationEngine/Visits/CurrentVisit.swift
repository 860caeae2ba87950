internal import LocationModel

/// Being at a place, until the fixes say that it is over.
struct CurrentVisit: Sendable {
  private(set) var stay: Stay
  /// Whether the arrival is told: where the device was when the engine began, only once it has been
  /// there for long enough.
  let isDelivered: Bool
  private var leaving: Leaving?

  /// Evidence of departure that has not yet decided.
  private struct Leaving: Sendable {
    var since: UnixTime
    var fixes = 0
    var logOdds = 0.0
    /// A stay that might have begun elsewhere meanwhile.
    var next: Stay
  }

  /// What a fix is weighed with.
  struct Circumstances {
    var verdict: OutlierGate.Verdict
    /// Meters per second.
    var speed: Double
    /// Spreads that a fix must lie farther out than any at the place, to speak for a departure.
    var presumption: Double
    var tuning: VisitDetector.Tuning
    var now: Moment
  }

  init(_ stay: Stay, isDelivered: Bool) {
    self.stay = stay
    self.isDelivered = isDelivered
  }

  /// Whether anything speaks for a departure.
  var isDoubtful: Bool { leaving != nil }

  /// The time of the newest fix, wherever it was.
  var latest: UnixTime { leaving?.next.latest ?? stay.latest }

  /// Takes the next fix; when it ends the visit, that visit and what may become the next stay.
  mutating func take(
    _ fix: Fix, _ point: GeocentricPoint, _ circumstances: Circumstances
  ) -> (visit: Visit, next: Stay)? {
    let tuning = circumstances.tuning
    let spread = max(fix.horizontalAccuracy, Self.finest)
    let excess = stay.excess(of: fix, point)
    let support = min(max(excess / spread - circumstances.presumption, -3), 3)
    let seconds = fix.time.seconds(since: latest)
    let gained = support * min(seconds, 10) / 10
    guard circumstances.verdict != .returned, (leaving?.logOdds ?? 0) + gained > 0 else {
      stay.keep(fix, point)
      leaving = nil
      return nil
    }
    var leaving = leaving ?? Leaving(since: fix.time, next: Stay(at: fix, point))
    leaving.fixes += support > 0 ? 1 : 0
    leaving.logOdds = min(leaving.logOdds + gained, 6)
    if leaving.next.latest < fix.time, !leaving.next.take(fix, point, reach: tuning.reach) {
      leaving.next = Stay(at: fix, point, approach: circumstances.speed)
    }
    self.leaving = leaving
    guard circumstances.verdict != .doubted, leaving.logOdds >= tuning.leaveOdds,
      fix.time.seconds(since: leaving.since) >= tuning.leaveDwell
    else { return nil }
    var visit = stay.visit
    // The last fix that kept to the place; the boundary was crossed after it at the soonest. A visit
    // taken up again and not seen since lasted until the device was seen elsewhere.
    let left = stay.length > 0 ? stay.latest : leaving.since
    visit.departure = left
    visit.evidence = .crossing(
      CrossingEvidence(
        firstFix: leaving.since, lastFix: fix.time, fixes: leaving.fixes,
        probability: 1 / (1 + exponential(-leaving.logOdds)), crossed: left,
        decided: circumstances.now.unixTime, distance: excess, spread: spread))
    return (visit, leaving.next)
  }

  /// Dates it by a clock that shows so much more; what spoke for a departure is forgotten.
  mutating func move(by difference: Duration) {
    stay.move(by: difference)
    leaving = nil
  }

  /// Meters: no fix is believed to be better than this (chosen).
  private static let finest = 7.0
}
