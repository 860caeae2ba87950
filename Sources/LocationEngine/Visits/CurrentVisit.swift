internal import LocationModel

/// A visit that lasts, until the fixes show that it is over.
struct CurrentVisit: Sendable {
  private(set) var stay: Stay
  /// Whether the arrival is delivered: a visit that began before the engine is delivered only once
  /// it has lasted long enough.
  private(set) var isDelivered: Bool
  private var leaving: Leaving? {
    get { doubts.first }
    set { doubts = newValue.map { [$0] } ?? [] }
  }
  /// At most one: apart, as most visits have none, and each fix of a device copies its visit.
  private var doubts: [Leaving] = []

  /// Evidence of a departure that has not led to a decision yet.
  private struct Leaving: Sendable {
    var since: UnixTime
    var fixes = 0
    var logOdds = 0.0
    /// A stay that may have begun elsewhere meanwhile.
    var next: Stay
  }

  /// The conditions for the weight of a fix.
  struct Circumstances {
    var verdict: OutlierGate.Verdict
    /// Meters per second.
    var speed: Double
    /// Spreads by which a fix must lie farther out than any at the place, to count for a departure.
    var presumption: Double
    var tuning: VisitDetector.Tuning
    var now: Moment
  }

  init(_ stay: Stay, isDelivered: Bool) {
    self.stay = stay
    self.isDelivered = isDelivered
  }

  /// What speaks for a departure; `nil` while nothing does.
  func departure(_ tuning: VisitDetector.Tuning) -> Belief? {
    leaving.map {
      Belief(
        towards: .unsatisfied, logOdds: $0.logOdds, threshold: tuning.leaveOdds, since: $0.since,
        fixes: $0.fixes, earliest: $0.since + .seconds(tuning.leaveDwell))
    }
  }

  /// Whether there is evidence of a departure.
  var isDoubtful: Bool { leaving != nil }

  /// The time of the newest fix, at any place.
  var latest: UnixTime { leaving?.next.latest ?? stay.latest }

  /// Takes the next fix; when it ends the visit, returns the visit and the possible next stay.
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
    // The last fix at the place; the boundary was crossed after it at the earliest. A restored
    // visit without a fix since then lasted until the device was seen elsewhere.
    let left = stay.length > 0 ? stay.latest : leaving.since
    visit.departure = left
    visit.evidence = .crossing(
      CrossingEvidence(
        firstFix: leaving.since, lastFix: fix.time, fixes: leaving.fixes,
        probability: 1 / (1 + exponential(-leaving.logOdds)), crossed: left,
        decided: circumstances.now.unixTime, distance: excess, spread: spread,
        fused: fix.origin.fused))
    return (visit, leaving.next)
  }

  /// Moves its dates with the clock; drops the evidence of a departure.
  mutating func move(by difference: Duration) {
    stay.move(by: difference)
    leaving = nil
  }

  /// Meters: the best accuracy that is believed (chosen).
  private static let finest = 7.0
}

// MARK: - Storing

extension CurrentVisit {
  static let blank = CurrentVisit(.blank, isDelivered: false)

  /// Writes or reads every field.
  mutating func pass(_ coder: inout StateCoder) {
    stay.pass(&coder)
    coder.pass(&isDelivered)
    let blank = Leaving(since: stay.since, next: .blank)
    coder.pass(&leaving, blank: blank) { coder, leaving in
      coder.pass(&leaving.since)
      coder.pass(&leaving.fixes)
      coder.pass(&leaving.logOdds)
      leaving.next.pass(&coder)
    }
  }
}
