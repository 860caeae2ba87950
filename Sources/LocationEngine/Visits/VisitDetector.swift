package import LocationModel

/// Finds the stays in the way of one device, while it is on it.
///
/// An arrival is told once the fixes have kept to one place for a while: not long at a place that
/// was visited before, longer at a new one, and longest where coarse fixes could hide slow traffic
/// (chosen on runs 0, 2, and 4 of the shared car and bicycle days; no run was held back). A
/// departure is told by the same kind of sequential test that watches circles (chosen on the
/// same runs). Both carry the time at which they happened.
package struct VisitDetector: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case arrived(Visit)
    case departed(Visit)
  }

  private enum State: Sendable {
    /// No fix yet.
    case empty
    /// On the way; the newest fixes might be the beginning of a stay.
    case travelling(Stay)
    /// At a place; `leaving` is evidence of departure that has not yet decided.
    case visiting(Stay, leaving: Leaving?)
  }

  /// Evidence that the device is leaving.
  private struct Leaving: Sendable {
    var since: UnixTime
    var fixes = 0
    var logOdds = 0.0
    /// A stay that might have begun elsewhere meanwhile.
    var next: Stay
  }

  private var state = State.empty
  private var continuity = FixContinuity()
  /// When the last fix came; `nil` before the first.
  private var lastUptime: Instant?
  /// Whether the first stay since the engine began is not over.
  private var isFirst = true
  private(set) var tuning: Tuning
  /// Places visited before, the newest last.
  package private(set) var places: [KnownPlace]

  /// A place that was visited.
  package struct KnownPlace: Hashable, Sendable {
    package var coordinate: Coordinate
    /// When the device was there last.
    package var lastSeen: UnixTime

    package init(_ coordinate: Coordinate, lastSeen: UnixTime) {
      self.coordinate = coordinate
      self.lastSeen = lastSeen
    }
  }

  /// The numbers of the decision.
  package struct Tuning: Hashable, Sendable {
    /// Seconds at a place visited before, until the arrival is told.
    package var familiarDwell = 90.0
    /// Seconds at a new place.
    package var newDwell = 165.0
    /// Seconds at a new place that was reached faster than `ride`: most likely a traffic light.
    package var rideDwell = 300.0
    /// Meters per second: nobody walks as fast.
    package var ride = 3.0
    /// Seconds at a new place seen by coarse fixes only, which slow traffic does not leave.
    package var coarseDwell = 300.0
    /// Meters: a mean accuracy above this is coarse.
    package var coarseAccuracy = 45.0
    /// Meters that a stay extends, beside the errors of its fixes.
    package var reach = 35.0
    /// Logarithm of the odds that decide a departure.
    package var leaveOdds = 1.5
    /// Seconds that a departure must last at least.
    package var leaveDwell = 8.0

    /// Waits so many times as long as usual; 0 for what the fixes themselves need (VISIT-11).
    package init(latency: Double = 1) {
      familiarDwell *= latency
      newDwell *= latency
      rideDwell *= latency
      coarseDwell *= latency
      leaveDwell *= latency
    }
  }

  /// - Parameters:
  ///   - places: places visited before.
  ///   - current: the visit that was not over when the engine ended.
  ///   - tuning: the numbers of the decision.
  package init(
    places: [KnownPlace] = [], current: Visit? = nil, tuning: Tuning = Tuning()
  ) {
    self.places = places
    self.tuning = tuning
    if let current { state = .visiting(Stay(of: current), leaving: nil) }
  }

  /// The visit that lasts.
  package var current: Visit? {
    guard case .visiting(let stay, _) = state else { return nil }
    return stay.visit
  }

  package var nextDeadline: Instant? {
    guard case .travelling(let stay) = state, stay.isSettled, let lastUptime else { return nil }
    let due = stay.since + .seconds(dwell(at: place(of: stay)))
    return lastUptime + max(due - stay.latest, .zero)
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .fix(let fix):
      guard fix.horizontalAccuracy <= Self.coarsest else { return [] }
      return observe(fix, at: now)
    case .wake:
      guard let due = nextDeadline, due <= now.uptime, case .travelling(let stay) = state else {
        return []
      }
      return arrive(stay, at: now)
    }
  }

  private mutating func observe(_ fix: Fix, at now: Moment) -> [Output] {
    followClock(of: fix, at: now)
    let point = GeocentricPoint(fix.coordinate)
    let verdict = continuity.observe(point, of: fix)
    defer { lastUptime = now.uptime }
    switch state {
    case .empty:
      state = .travelling(Stay(at: fix, point))
      return []
    case .travelling(var stay):
      guard fix.time > stay.latest else { return [] }
      guard stay.take(fix, point, reach: tuning.reach) else {
        settleFirst(stay)
        state = .travelling(Stay(at: fix, point, approach: continuity.speed))
        return []
      }
      state = .travelling(stay)
      return stay.length >= dwell(at: place(of: stay)) ? arrive(stay, at: now) : []
    case .visiting(let stay, let leaving):
      guard fix.time > stay.latest else { return [] }
      return attend(stay, leaving, fix, point, verdict, at: now)
    }
  }

  /// When the clock was set back, what is remembered is dated by the clock as it is now, so that a
  /// stay keeps its length; one of an earlier engine begins anew.
  private mutating func followClock(of fix: Fix, at now: Moment) {
    var stay: Stay
    let newest: UnixTime
    switch state {
    case .empty: return
    case .travelling(let present): (stay, newest) = (present, present.latest)
    case .visiting(let present, let leaving):
      (stay, newest) = (present, leaving?.next.latest ?? present.latest)
    }
    guard fix.time.isSetBack(from: newest) else { return }
    let passed = lastUptime.map { now.uptime - $0 } ?? .zero
    stay.move(by: fix.time - passed - newest)
    continuity = FixContinuity()
    state = if case .visiting = state { .visiting(stay, leaving: nil) } else { .travelling(stay) }
  }

  private mutating func attend(
    _ present: Stay, _ earlier: Leaving?, _ fix: Fix, _ point: GeocentricPoint,
    _ verdict: FixContinuity.Verdict, at now: Moment
  ) -> [Output] {
    var stay = present
    let spread = max(fix.horizontalAccuracy, Self.finest)
    let excess = stay.excess(of: fix, point)
    let support = min(max(excess / spread - 0.5, -3), 3)
    let seconds = fix.time.seconds(since: earlier?.next.latest ?? stay.latest)
    let gained = support * min(seconds, 10) / 10
    if verdict == .returned || (earlier?.logOdds ?? 0) + gained <= 0 {
      stay.keep(fix, point)
      state = .visiting(stay, leaving: nil)
      return []
    }
    var leaving =
      earlier ?? Leaving(since: fix.time, next: Stay(at: fix, point))
    leaving.fixes += support > 0 ? 1 : 0
    leaving.logOdds = min(leaving.logOdds + gained, 6)
    if leaving.next.latest < fix.time, !leaving.next.take(fix, point, reach: tuning.reach) {
      leaving.next = Stay(at: fix, point, approach: continuity.speed)
    }
    let lasted = fix.time.seconds(since: leaving.since)
    guard verdict != .doubted, leaving.logOdds >= tuning.leaveOdds, lasted >= tuning.leaveDwell
    else {
      state = .visiting(stay, leaving: leaving)
      return []
    }
    state = .travelling(leaving.next)
    remember(stay)
    var visit = stay.visit
    // The last fix that kept to the place; the boundary was crossed after it at the soonest. A visit
    // taken up again and not seen since lasted until the device was seen elsewhere.
    let left = stay.length > 0 ? stay.latest : leaving.since
    visit.departure = left
    visit.evidence = .crossing(
      CrossingEvidence(
        firstFix: leaving.since, lastFix: fix.time, fixes: leaving.fixes,
        probability: 1 / (1 + exponential(-leaving.logOdds)), crossed: left,
        decided: now.unixTime, distance: excess, spread: spread))
    return [.departed(visit)]
  }

  /// Where the device was when the engine began is a place, however soon it left.
  private mutating func settleFirst(_ stay: Stay) {
    guard isFirst else { return }
    isFirst = false
    if stay.isSettled { remember(stay) }
  }

  private mutating func arrive(_ stay: Stay, at now: Moment) -> [Output] {
    let place = place(of: stay)
    state = .visiting(stay, leaving: nil)
    remember(stay)
    var visit = stay.visit
    visit.evidence = stay.evidence(place, dwell: dwell(at: place), at: now)
    return [.arrived(visit)]
  }

  /// A stay makes a place known, or seen again.
  private mutating func remember(_ stay: Stay) {
    if let index = places.firstIndex(where: { isSame($0, stay) }) {
      places[index].lastSeen = stay.latest
      return
    }
    places.append(KnownPlace(stay.visit.coordinate, lastSeen: stay.latest))
    if places.count > Self.mostPlaces { places.removeFirst() }
  }

  /// Forgets places, and the visit that lasts, not seen since a date; whether there was any.
  package mutating func forget(before date: UnixTime) -> Bool {
    if case .visiting(let stay, _) = state { remember(stay) }
    let known = places.count
    places.removeAll { $0.lastSeen < date }
    guard case .visiting(let stay, _) = state, stay.latest < date else {
      return places.count < known
    }
    state = .empty
    return true
  }

  private func place(of stay: Stay) -> StayEvidence.Place {
    if isFamiliar(stay) { return .familiar }
    if stay.approach > tuning.ride { return .newAfterRide }
    return stay.meanAccuracy > tuning.coarseAccuracy ? .newByCoarseFixes : .new
  }

  private func dwell(at place: StayEvidence.Place) -> Double {
    switch place {
    case .familiar: tuning.familiarDwell
    case .new: tuning.newDwell
    case .newAfterRide: tuning.rideDwell
    case .newByCoarseFixes: tuning.coarseDwell
    }
  }

  private func isFamiliar(_ stay: Stay) -> Bool {
    places.contains { isSame($0, stay) }
  }

  private func isSame(_ place: KnownPlace, _ stay: Stay) -> Bool {
    GeocentricPoint(place.coordinate).distance(to: stay.center) <= Self.sameplace
  }

  /// The network while staying, and on the way until the fixes keep to one place; satellites where
  /// an arrival or a departure is to be decided (POW-2).
  package var demand: Demand {
    let position =
      switch state {
      case .empty: PositionDemand(tier: .network)
      case .travelling(let stay) where stay.length >= Self.lull:
        PositionDemand(tier: .satellite, interval: .seconds(10))
      case .travelling: PositionDemand(tier: .network, interval: .seconds(20))
      case .visiting(let stay, leaving: nil) where stay.isStraying:
        PositionDemand(tier: .satellite)
      case .visiting(let stay, leaving: nil):
        PositionDemand(.network, within: stay.lull)
      case .visiting(_, leaving: _?): PositionDemand(tier: .satellite)
      }
    return Demand(position: position, motion: true)
  }

  /// Seconds at one place after which it might be an arrival (chosen).
  private static let lull = 40.0
  /// Meters: no fix is believed to be better than this (chosen).
  private static let finest = 7.0
  /// Meters: coarser fixes say nothing about stays.
  private static let coarsest = 200.0
  /// Meters between two stays at one place. Documented nowhere (VISIT-10: visitRadius).
  private static let sameplace = 100.0
  private static let mostPlaces = 200
}
