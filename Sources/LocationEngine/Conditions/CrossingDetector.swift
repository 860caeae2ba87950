internal import LocationModel

/// Decides when one circle is entered and left.
///
/// A sequential test (Wald 1945; Page 1954): every fix counts for or against a change, by its
/// distance from the boundary in units of its spread, and the evidence adds up. The errors of a
/// receiver are correlated for many seconds, so a fix is weighted by the time since the one before.
/// No fix counts more than three spreads, because tails are heavy.
struct CrossingDetector: Sendable {
  /// A fix, relative to one circle.
  struct Sighting: Sendable {
    /// Meters from the boundary, positive outside.
    var distance: Double
    /// Meters, at 68 %, not below the best accuracy of receivers.
    var spread: Double
    var time: UnixTime
    /// Seconds for which this fix counts.
    var weight: Double
    /// Meters from the boundary in the fix before, positive outside, and its time.
    var previous: (distance: Double, time: UnixTime)?
    /// Seconds for which the device has recently traveled, by the motion evidence.
    var travelled = 0.0
    /// The sources on which the fix rests; `nil` for one.
    var fused: [PositionMethod]?
  }

  /// Evidence against the present state that has not yet decided.
  struct Excursion: Sendable {
    var towards: ConditionState
    var first: UnixTime
    var last: Sighting
    /// Natural logarithm of the odds that the change is real.
    var logOdds: Double
    var fixes: Int
    /// The most seconds of travel observed with it.
    var travelled: Double
  }

  private(set) var state: ConditionState
  /// Whether a fix has confirmed the state since the condition was added (MON-36).
  private(set) var isVerified = false
  private(set) var excursion: Excursion?
  /// When the boundary was last crossed, whether or not a decision followed.
  private var crossed: UnixTime?
  /// Whether an earlier engine had confirmed the state.
  private var isStored: Bool

  /// An assumed state is corrected as fast as an unknown one is found (MON-13).
  init(assuming state: ConditionState = .unknown, isStored: Bool = false) {
    self.state = state
    self.isStored = isStored
  }

  /// The detector of a circle that a fix has shown to be elsewhere: its state is outside.
  static var outside: CrossingDetector {
    var detector = CrossingDetector(assuming: .unsatisfied)
    detector.isVerified = true
    return detector
  }

  /// Whether the state was confirmed, by this engine or an earlier one.
  var isConfirmed: Bool { isVerified || isStored }

  /// Whether only a fix inside could change the state.
  var isIdle: Bool { state == .unsatisfied && isVerified && excursion == nil }

  /// Adds one fix to the evidence.
  mutating func observe(_ sighting: Sighting) {
    let support = sighting.distance / sighting.spread
    if let crossing = Self.crossing(sighting) { crossed = crossing }
    guard isVerified else { return observeFresh(sighting, support: support) }
    let leaving = state == .satisfied
    let speaks =
      leaving
      ? Self.clamped(support - Self.leaveMargin) : Self.clamped(Self.enterMargin - support)
    accumulate(speaks, sighting, towards: leaving ? .unsatisfied : .satisfied)
  }

  /// Looks for the first state: a single clear fix suffices, unclear ones add up.
  private mutating func observeFresh(_ sighting: Sighting, support: Double) {
    let towards: ConditionState = support > 0 ? .unsatisfied : .satisfied
    if excursion?.towards != towards { excursion = nil }
    accumulate(Self.clamped(support.magnitude), sighting, towards: towards)
    if support >= 2 || support <= -1, suffices(towards) { excursion?.logOdds = Self.certain }
  }

  /// Whether one clear fix suffices: to find a state, to correct an assumed one, and to confirm a
  /// stored one. To change a stored state takes the usual evidence (REG-18).
  private func suffices(_ towards: ConditionState) -> Bool {
    !isVerified && (!isStored || state == .unknown || state == towards)
  }

  private mutating func accumulate(
    _ speaks: Double, _ sighting: Sighting, towards: ConditionState
  ) {
    let gained = speaks * sighting.weight / Self.correlation
    guard var known = excursion else {
      guard speaks > 0 else { return }
      excursion = Excursion(
        towards: towards, first: sighting.time, last: sighting, logOdds: gained, fixes: 1,
        travelled: sighting.travelled)
      return
    }
    known.logOdds = min(known.logOdds + gained, Self.certain)
    guard known.logOdds > 0 else {
      excursion = nil
      return
    }
    known.last = sighting
    known.fixes += speaks > 0 ? 1 : 0
    known.travelled = max(known.travelled, sighting.travelled)
    excursion = known
  }

  /// Returns the decision that the evidence supports, and adopts its state.
  mutating func decide(at now: UnixTime) -> Decision? {
    guard let known = excursion, isDecided(known, at: now) else { return nil }
    excursion = nil
    isVerified = true
    guard known.towards != state else { return .confirmed }
    state = known.towards
    let evidence = CrossingEvidence(
      firstFix: known.first, lastFix: known.last.time, fixes: known.fixes,
      probability: 1 / (1 + exponential(-known.logOdds)), crossed: crossed, decided: now,
      distance: known.last.distance, spread: known.last.spread,
      fused: known.last.fused)
    return .changed(Crossing(state: state, evidence: evidence))
  }

  private func isDecided(_ known: Excursion, at now: UnixTime) -> Bool {
    if suffices(known.towards), known.logOdds >= Self.certain { return true }
    let age = now.seconds(since: known.first)
    guard age >= Self.dwell else { return false }
    guard !isVerified || known.travelled >= MotionEvidence.enough || age >= Self.timeout else {
      return false
    }
    return known.logOdds >= (known.towards == .satisfied ? Self.enterOdds : Self.leaveOdds)
  }

  /// What the open evidence amounts to; `nil` while nothing speaks against the state.
  var belief: Belief? {
    excursion.map { known in
      Belief(
        towards: known.towards, logOdds: known.logOdds,
        threshold: known.towards == .satisfied ? Self.enterOdds : Self.leaveOdds,
        since: known.first, fixes: known.fixes, earliest: known.first + .seconds(Self.dwell))
    }
  }

  /// Drops evidence that turned out to be an error.
  mutating func dismissExcursion() {
    excursion = nil
  }

  /// Drops evidence that was dated by another clock.
  mutating func beginAnew() {
    (excursion, crossed) = (nil, nil)
  }

  /// Counts the last fix for longer while none follows, because a device at rest reports none.
  mutating func extend(to time: UnixTime) {
    guard let last = excursion?.last else { return }
    let silence = min(time.seconds(since: last.time), Self.longestSilence)
    guard silence > 0 else { return }
    var sighting = last
    sighting.time = time
    sighting.weight = silence
    sighting.previous = nil
    observe(sighting)
  }

  /// When silence alone would decide; `nil` if it never will.
  var nextDecision: UnixTime? {
    guard let known = excursion else { return nil }
    return max(known.first + .seconds(Self.dwell), known.last.time + .seconds(Self.longestSilence))
  }
}

extension CrossingDetector {
  /// Seconds that a crossing must last. Documented (REG-18).
  static let dwell = 20.0
  /// Seconds after which a change is believed without observed travel (chosen).
  static let timeout = 900.0
  /// Spreads beyond the boundary that count neither for nor against leaving (chosen, REG-19).
  static let leaveMargin = 1.0
  /// Spreads inside the boundary; with less than zero, a place just inside is not enough (chosen).
  static let enterMargin = 0.0
  /// Seconds for which the errors of a receiver are correlated (chosen from the shared traces).
  static let correlation = 10.0
  static let enterOdds = 3.0
  static let leaveOdds = 3.0
  /// The greatest sum of evidence, so that later fixes can reverse it.
  static let certain = 6.0
  /// Seconds for which the last fix continues to count when none follows.
  static let longestSilence = 30.0

  private static func clamped(_ support: Double) -> Double { min(max(support, -3), 3) }

  /// Returns when the straight line from the fix before crossed the boundary.
  private static func crossing(_ sighting: Sighting) -> UnixTime? {
    guard let previous = sighting.previous,
      (previous.distance > 0) != (sighting.distance > 0)
    else { return nil }
    let part = previous.distance / (previous.distance - sighting.distance)
    let seconds = sighting.time.seconds(since: previous.time)
    return previous.time + .seconds(seconds * part)
  }
}

// MARK: - Storing

extension CrossingDetector {
  /// Writes or reads every field.
  mutating func pass(_ coder: inout StateCoder) {
    coder.pass(&state)
    coder.pass(&isVerified)
    coder.pass(&isStored)
    let time = UnixTime(nanoseconds: 0)
    coder.pass(&crossed, blank: time) { $0.pass(&$1) }
    let blank = Excursion(
      towards: .unknown, first: time,
      last: Sighting(distance: 0, spread: 1, time: time, weight: 0), logOdds: 0, fixes: 0,
      travelled: 0)
    coder.pass(&excursion, blank: blank) { coder, excursion in
      coder.pass(&excursion.towards)
      coder.pass(&excursion.first)
      excursion.last.pass(&coder)
      coder.pass(&excursion.logOdds)
      coder.pass(&excursion.fixes)
      coder.pass(&excursion.travelled)
    }
  }
}

extension CrossingDetector.Sighting {
  fileprivate mutating func pass(_ coder: inout StateCoder) {
    coder.pass(&distance)
    coder.pass(&spread)
    coder.pass(&time)
    coder.pass(&weight)
    coder.pass(&previous, blank: (0, time)) { coder, previous in
      coder.pass(&previous.distance)
      coder.pass(&previous.time)
    }
    coder.pass(&travelled)
    coder.pass(&fused, blank: []) { coder, methods in
      coder.pass(&methods, most: 16, blank: .receiver) { $0.pass(&$1) }
    }
  }
}
