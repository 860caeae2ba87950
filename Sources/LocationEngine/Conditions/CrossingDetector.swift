internal import LocationModel

/// Decides when one circle is entered and left.
///
/// A sequential test (Wald 1945; Page 1954): every fix speaks for or against a change, as far as it
/// lies from the boundary in units of its own spread, and what was said adds up. Errors of a
/// receiver stay alike for many seconds, so a fix counts by the time since the one before it, not
/// as one of many; and no fix says more than three spreads, because tails are heavy.
struct CrossingDetector: Sendable {
  /// A fix as one circle sees it.
  struct Sighting: Sendable {
    /// Meters from the boundary, positive outside.
    var distance: Double
    /// Meters, at 68 %, not below what receivers achieve.
    var spread: Double
    var time: UnixTime
    /// Seconds for which this fix speaks.
    var weight: Double
    /// Meters from the boundary in the fix before, positive outside, and when that was.
    var previous: (distance: Double, time: UnixTime)?
    /// Seconds for which the device has lately been seen to travel.
    var travelled = 0.0
  }

  /// Evidence against the present state that has not yet decided.
  struct Excursion: Sendable {
    var towards: ConditionState
    var first: UnixTime
    var last: Sighting
    /// Natural logarithm of the odds that the change is real.
    var logOdds: Double
    var fixes: Int
    /// The most seconds of travel seen with it.
    var travelled: Double
  }

  private(set) var state: ConditionState
  /// Whether a fix has borne the state out since the condition was added (MON-36).
  private(set) var isVerified = false
  private(set) var excursion: Excursion?
  /// When the boundary was last crossed, whatever came of it.
  private var crossed: UnixTime?
  /// Whether the state was once borne out, by an engine before this one.
  private let isStored: Bool

  /// An assumed state is corrected as fast as an unknown one is found (MON-13).
  init(assuming state: ConditionState = .unknown, isStored: Bool = false) {
    self.state = state
    self.isStored = isStored
  }

  /// Whether only a fix inside could change anything.
  var isIdle: Bool { state == .unsatisfied && isVerified && excursion == nil }

  /// Adds one fix to what is known.
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

  /// Looks for the first state: a single clear fix is enough, unclear ones add up.
  private mutating func observeFresh(_ sighting: Sighting, support: Double) {
    let towards: ConditionState = support > 0 ? .unsatisfied : .satisfied
    if excursion?.towards != towards { excursion = nil }
    accumulate(Self.clamped(support.magnitude), sighting, towards: towards)
    if support >= 2 || support <= -1, suffices(towards) { excursion?.logOdds = Self.certain }
  }

  /// Whether one clear fix is enough: to find a state, to correct an assumed one, and to bear out a
  /// stored one, which changes as any other does (REG-18).
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

  /// What the evidence now supports; takes it as the new state.
  mutating func decide(at now: UnixTime) -> Decision? {
    guard let known = excursion, isDecided(known, at: now) else { return nil }
    excursion = nil
    isVerified = true
    guard known.towards != state else { return .confirmed }
    state = known.towards
    let evidence = CrossingEvidence(
      firstFix: known.first, lastFix: known.last.time, fixes: known.fixes,
      probability: 1 / (1 + exponential(-known.logOdds)), crossed: crossed, decided: now,
      distance: known.last.distance, spread: known.last.spread)
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

  /// Forgets evidence that turned out to be an error.
  mutating func dismissExcursion() {
    excursion = nil
  }

  /// Forgets what was dated by another clock.
  mutating func beginAnew() {
    (excursion, crossed) = (nil, nil)
  }

  /// Lets the last fix go on speaking while none comes, as a device at rest is not reported.
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

  /// When silence alone would decide; `nil` when it never will.
  var nextDecision: UnixTime? {
    guard let known = excursion else { return nil }
    return max(known.first + .seconds(Self.dwell), known.last.time + .seconds(Self.longestSilence))
  }
}

extension CrossingDetector {
  /// Seconds that a crossing must last. Documented (REG-18).
  static let dwell = 20.0
  /// Seconds after which a change is believed though nobody saw the device travel (chosen).
  static let timeout = 900.0
  /// Spreads beyond the boundary that speak neither for nor against leaving (chosen, REG-19).
  static let leaveMargin = 1.0
  /// Spreads inside the boundary; below zero, being just inside is not enough (chosen).
  static let enterMargin = 0.0
  /// Seconds for which the errors of a receiver stay alike (chosen from the shared traces).
  static let correlation = 10.0
  static let enterOdds = 3.0
  static let leaveOdds = 3.0
  /// The most that evidence can add up to, so that it can be taken back.
  static let certain = 6.0
  /// Seconds for which the last fix speaks on when none follows.
  static let longestSilence = 30.0

  private static func clamped(_ support: Double) -> Double { min(max(support, -3), 3) }

  /// When the straight way from the fix before crossed the boundary.
  private static func crossing(_ sighting: Sighting) -> UnixTime? {
    guard let previous = sighting.previous,
      (previous.distance > 0) != (sighting.distance > 0)
    else { return nil }
    let part = previous.distance / (previous.distance - sighting.distance)
    let seconds = sighting.time.seconds(since: previous.time)
    return previous.time + .seconds(seconds * part)
  }
}
