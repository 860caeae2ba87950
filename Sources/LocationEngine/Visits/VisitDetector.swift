package import LocationModel

/// Detects the stays of one device while it moves.
///
/// An arrival is delivered once the fixes have stayed at one place for a while: briefly at a place
/// that was visited before, longer at a new one, and longest where coarse fixes could hide slow
/// traffic (chosen on runs 0, 2, and 4 of the shared car and bicycle days; no run was held back). A
/// departure is delivered by the same kind of sequential test as for circles (chosen on the same
/// runs), sooner where a motion sensor reports that the device is on its way. Both carry the time
/// at which they happened.
///
/// The place of the device when the engine began is a visit, too. Its arrival was not seen, so its
/// departure may be the first delivery, and has none (VISIT-4).
package struct VisitDetector: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    /// How the device moves from now on; for a fix, before it.
    case motion(MotionEstimate)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case arrived(Visit)
    case departed(Visit)
  }

  private enum State: Sendable {
    /// No fix yet.
    case empty
    /// On the way; the newest fixes may be the beginning of a stay.
    case travelling(Stay)
    case visiting(CurrentVisit)
  }

  private var state = State.empty
  private var motion = MotionEstimate()
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
    /// The same in steady time; `nil` until it has been determined.
    var steady: UnixTime?

    package init(_ coordinate: Coordinate, lastSeen: UnixTime) {
      self.coordinate = coordinate
      self.lastSeen = lastSeen
    }
  }

  /// - Parameters:
  ///   - places: places visited before.
  ///   - current: the visit that was not over when the engine ended.
  ///   - tuning: the parameters of the decision.
  package init(
    places: [KnownPlace] = [], current: Visit? = nil, tuning: Tuning = Tuning()
  ) {
    self.places = places
    self.tuning = tuning
    guard let current else { return }
    state = .visiting(CurrentVisit(Stay(of: current), isDelivered: true))
    isFirst = false
  }

  /// The visit that lasts.
  package var current: Visit? {
    guard case .visiting(let visit) = state, visit.isDelivered else { return nil }
    return visit.stay.visit
  }

  /// What speaks for the end of the visit that lasts.
  var departure: Belief? {
    guard case .visiting(let visit) = state, visit.isDelivered else { return nil }
    return visit.departure(tuning)
  }

  package var nextDeadline: Instant? {
    guard let stay = arriving, stay.isSettled, let lastUptime else { return nil }
    let due = stay.since + .seconds(dwell(at: place(of: stay)))
    return lastUptime + max(due - stay.latest, .zero)
  }

  /// Where the device stays, or may.
  var stay: Stay? {
    switch state {
    case .empty: nil
    case .travelling(let stay): stay
    case .visiting(let visit): visit.stay
    }
  }

  /// The stay that may become an arrival.
  private var arriving: Stay? {
    switch state {
    case .travelling(let stay): stay
    case .visiting(let visit) where !visit.isDelivered && !visit.isDoubtful: visit.stay
    case .empty, .visiting: nil
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .fix(let fix): return observe(fix, GeocentricPoint(fix.coordinate), at: now)
    case .motion(let motion):
      take(motion)
      return []
    case .wake:
      guard let due = nextDeadline, due <= now.uptime, let stay = arriving else { return [] }
      return arrive(stay, at: now)
    }
  }

  /// Takes the estimate of how the device moves from now on.
  package mutating func take(_ motion: MotionEstimate) { self.motion = motion }

  /// Takes the next fix from a caller that has its point for other detectors, too.
  package mutating func observe(
    _ fix: Fix, _ point: GeocentricPoint, at now: Moment
  ) -> [Output] {
    guard fix.horizontalAccuracy <= Self.coarsest else { return [] }
    followClock(of: fix, at: now)
    defer { lastUptime = now.uptime }
    switch state {
    case .empty:
      state = .travelling(Stay(at: fix, point))
      return []
    case .travelling(var stay):
      guard fix.time > stay.latest else { return [] }
      guard stay.take(fix, point, reach: tuning.reach) else {
        leaveFirst(stay)
        state = .travelling(Stay(at: fix, point, approach: motion.speed))
        return []
      }
      // The place of the device when the engine began counts as a visit, however soon it leaves.
      state =
        isFirst && isRest(stay)
        ? .visiting(CurrentVisit(stay, isDelivered: false)) : .travelling(stay)
    case .visiting(let visit):
      guard fix.time > visit.stay.latest else { return [] }
      if let past = attend(visit, fix, point, at: now) { return [.departed(past)] }
    }
    guard let stay = arriving, stay.length >= dwell(at: place(of: stay)) else { return [] }
    return arrive(stay, at: now)
  }

  /// Whether a first stay is a stay, and not the beginning of a way that coarse fixes hide.
  private func isRest(_ stay: Stay) -> Bool {
    stay.isSettled && !stay.isStraying && stay.bestAccuracy <= Stay.coarse
      && motion.speed < Self.slowest && !motion.activity.isMoving
  }

  /// Starts anew with the known places, and the state of the sensor.
  mutating func forgetStay() {
    (state, lastUptime, isFirst) = (.empty, nil, true)
  }

  /// Moves dates with a clock that was set back, so that a stay keeps its length; a stay of an
  /// earlier engine starts anew.
  private mutating func followClock(of fix: Fix, at now: Moment) {
    let passed = lastUptime.map { now.uptime - $0 } ?? .zero
    switch state {
    case .empty: return
    case .travelling(var stay):
      guard fix.time.isSetBack(from: stay.latest) else { return }
      stay.move(by: fix.time - passed - stay.latest)
      state = .travelling(stay)
    case .visiting(var visit):
      guard fix.time.isSetBack(from: visit.latest) else { return }
      visit.move(by: fix.time - passed - visit.latest)
      state = .visiting(visit)
    }
  }

  private mutating func attend(
    _ current: CurrentVisit, _ fix: Fix, _ point: GeocentricPoint, at now: Moment
  ) -> Visit? {
    var visit = current
    let departure = visit.take(
      fix, point,
      CurrentVisit.Circumstances(
        verdict: motion.verdict, speed: motion.speed, presumption: presumption(at: now),
        tuning: tuning, now: now))
    guard let departure else {
      state = .visiting(visit)
      return nil
    }
    state = .travelling(departure.next)
    isFirst = false
    remember(visit.stay)
    var past = departure.visit
    if !current.isDelivered { past.arrival = nil }
    return past
  }

  /// Ends the first stay; its place is remembered if it is settled, however soon the device left.
  private mutating func leaveFirst(_ stay: Stay) {
    if isFirst, stay.isSettled { remember(stay) }
    isFirst = false
  }

  private mutating func arrive(_ stay: Stay, at now: Moment) -> [Output] {
    let place = place(of: stay)
    state = .visiting(CurrentVisit(stay, isDelivered: true))
    remember(stay)
    isFirst = false
    var visit = stay.visit
    visit.evidence = stay.evidence(place, dwell: dwell(at: place), at: now)
    return [.arrived(visit)]
  }

  /// Adds the place of a stay, or updates when it was last seen.
  private mutating func remember(_ stay: Stay) {
    if let index = places.firstIndex(where: { isSame($0, stay) }) {
      places[index].lastSeen = stay.latest
      places[index].steady = nil
      return
    }
    places.append(KnownPlace(stay.visit.coordinate, lastSeen: stay.latest))
    if places.count > Self.mostPlaces { places.removeFirst() }
  }

  /// Remembers the place of the visit that lasts.
  mutating func rememberCurrent() {
    if case .visiting(let visit) = state, visit.isDelivered { remember(visit.stay) }
  }

  /// Forgets places not seen since a date of steady time; returns whether there were any.
  mutating func forgetPlaces(before date: UnixTime) -> Bool {
    let known = places.count
    places.removeAll { ($0.steady ?? date) < date }
    return places.count < known
  }

  /// Forgets the visit that lasts; returns whether there was one.
  mutating func forgetCurrent() -> Bool {
    guard case .visiting = state else { return false }
    state = .empty
    return true
  }

  /// Adds the steady time to places that have none.
  mutating func settleDates(_ steady: (UnixTime) -> UnixTime) {
    for index in places.indices where places[index].steady == nil {
      places[index].steady = steady(places[index].lastSeen)
    }
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
    places.contains {
      let away = stay.since.seconds(since: $0.lastSeen)
      return isSame($0, stay) && (away > Self.errand || away < 0)
    }
  }

  private func isSame(_ place: KnownPlace, _ stay: Stay) -> Bool {
    GeocentricPoint(place.coordinate).distance(to: stay.center) <= Self.sameplace
  }

  /// The network while staying, and on the way until the fixes stay at one place; satellites where
  /// an arrival or a departure is to be decided (POW-2).
  package var demand: Demand {
    let position =
      switch state {
      case .empty: PositionDemand(tier: .network)
      case .travelling(let stay) where stay.length >= Self.samplingInterval:
        PositionDemand(tier: .satellite, interval: .seconds(10))
      case .travelling: PositionDemand(tier: .network, interval: .seconds(20))
      case .visiting(let visit) where mayEnd(visit): PositionDemand(tier: .satellite)
      case .visiting(let visit) where !visit.isDelivered:
        PositionDemand(tier: .satellite, interval: .seconds(10))
      case .visiting(let visit):
        PositionDemand(.network, within: max(visit.stay.samplingInterval, motion.activity.pause))
      }
    return Demand(position: position, motion: true)
  }

  /// Whether a good fix may show that the device leaves.
  private func mayEnd(_ visit: CurrentVisit) -> Bool {
    visit.isDoubtful || motion.activity.isOnTheWay
      || visit.stay.isStraying && !motion.activity.isResting
  }

  /// Returns the spreads by which a device is presumed to be still at its place: many at rest, none
  /// after a minute on the way (chosen).
  private func presumption(at now: Moment) -> Double {
    motion.activity.isResting ? 2 : 0.5 * (1 - motion.activity.share(at: now.uptime))
  }

  /// Seconds at one place after which it may be an arrival (chosen).
  private static let samplingInterval = 40.0
  /// Meters: coarser fixes are no evidence of stays.
  private static let coarsest = 200.0
  /// Meters between two stays at one place (chosen).
  private static let sameplace = 100.0
  private static let mostPlaces = 200
  /// Meters per second: slower than a person walks; most receivers at rest report less (chosen).
  private static let slowest = 0.7
  /// Seconds: a device that leaves a place and stops near it that soon is most likely on the way,
  /// at the car or at the bus stop (chosen).
  private static let errand = 300.0
}

// MARK: - Storing

extension VisitDetector {
  /// Writes or reads every field but the tuning; the estimate of motion is passed on after it is read.
  package mutating func pass(_ coder: inout StateCoder) {
    var kind: UInt8 =
      switch state {
      case .empty: 0
      case .travelling: 1
      case .visiting: 2
      }
    coder.pass(&kind)
    switch kind {
    case 0: state = .empty
    case 1:
      var stay = if case .travelling(let stay) = state { stay } else { Stay.blank }
      stay.pass(&coder)
      state = .travelling(stay)
    case 2:
      var visit = if case .visiting(let visit) = state { visit } else { CurrentVisit.blank }
      visit.pass(&coder)
      state = .visiting(visit)
    default: coder.reject()
    }
    coder.pass(&lastUptime, blank: .start) { $0.pass(&$1) }
    coder.pass(&isFirst)
    let nowhere = Coordinate(latitude: 0, longitude: 0)
    let blank = KnownPlace(nowhere, lastSeen: UnixTime(nanoseconds: 0))
    coder.pass(&places, most: Self.mostPlaces, blank: blank) { coder, place in
      coder.pass(&place.coordinate)
      coder.pass(&place.lastSeen)
      coder.pass(&place.steady, blank: place.lastSeen) { $0.pass(&$1) }
    }
  }
}
