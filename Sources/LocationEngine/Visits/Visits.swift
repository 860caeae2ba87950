internal import LocationCoding
package import LocationModel

/// Delivers visits to apps: one detector for the machine, and one state for each app.
package struct Visits: Machine {
  package enum Input: MachineInput {
    /// Applies to all managers of the app, and across its launches (VISIT-1).
    case start(AppIdentity)
    case stop(AppIdentity)
    /// Whether visits may be delivered to the app now (VISIT-9).
    case access(AppIdentity, Bool)
    case fix(Fix)
    /// How the device moves from now on; for a fix, before it.
    case motion(MotionEstimate)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case store(StateChange)
    /// A visit to deliver; a reason to launch the app, if permitted (VISIT-7).
    case visit(AppIdentity, Visit)
  }

  /// The visits delivered to an app that subscribes.
  private struct Listener: JSONStructure {
    /// Whether the arrival of the visit that lasts was delivered to it (VISIT-4).
    var knowsArrival = false

    static let fields = JSONFields(Self(), .get("knowsArrival", \.knowsArrival))
  }

  /// The stored state of the detector.
  private struct Memory: JSONStructure {
    /// Latitude, longitude, and when it was last seen, in seconds since 1970; the same in steady
    /// time, if that differs.
    var places: [[Double]] = []
    var current: Visit?
    /// When the device was last seen, in seconds of steady time; `nil` while no visit lasts.
    var seen: Double?

    static let fields = JSONFields(
      Self(), .get("places", \.places), .find("current", \.current), .find("seen", \.seen))
  }

  private var detector: VisitDetector
  private var listeners: [AppIdentity: Listener] = [:]
  private var barred: Set<AppIdentity> = []
  private let steady: SteadyTime
  /// When the newest fix came, in steady time; `nil` before the first.
  private var seen: UnixTime?

  /// Restores what an earlier engine stored; ignores unreadable entries.
  ///
  /// A place without a date counts as seen now.
  package init(
    restoring entries: [StateEntry] = [], at now: Moment? = nil,
    tuning: VisitDetector.Tuning = .init(), steady: SteadyTime = SteadyTime()
  ) {
    self.steady = steady
    detector = VisitDetector(tuning: tuning)
    for entry in entries where entry.key.domain == Self.stateDomain {
      if entry.key.owner.isEmpty {
        guard let memory = Memory(stored: entry.value), memory.current?.isPlace ?? true else {
          continue
        }
        detector = VisitDetector(
          places: memory.places.compactMap { Self.place($0, at: now) },
          current: memory.current, tuning: tuning)
        seen = memory.current == nil ? nil : memory.seen.map { UnixTime(seconds: $0) }
      } else if let listener = Listener(stored: entry.value) {
        listeners[AppIdentity(entry.key.owner)] = listener
      }
    }
  }

  @inline(__always)
  package var nextDeadline: Instant? { listeners.isEmpty ? nil : detector.nextDeadline }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .start(let app):
      guard listeners[app] == nil else { return [] }
      listeners[app] = Listener()
      return [store(app)]
    case .stop(let app):
      guard listeners.removeValue(forKey: app) != nil else { return [] }
      return [.store(.remove(Self.key(of: app)))] + rest()
    case .access(let app, let allowed):
      if allowed { barred.remove(app) } else { barred.insert(app) }
      return []
    case .fix(let fix):
      guard !listeners.isEmpty else { return [] }
      seen = steady.date(at: now)
      return deliver(detector.handle(.fix(fix), at: now), at: now)
    case .motion(let motion):
      return deliver(detector.handle(.motion(motion), at: now), at: now)
    case .wake:
      return deliver(detector.handle(.wake, at: now), at: now)
    }
  }

  @inline(__always)
  package var demand: Demand { listeners.isEmpty ? .none : detector.demand }

  var tuning: VisitDetector.Tuning { detector.tuning }

  /// When the place not seen for longest was last seen, including the present place, in steady
  /// time; `nil` when none is known.
  var oldestPlace: UnixTime? {
    let current = detector.current == nil ? nil : seen
    return (detector.places.map { $0.steady ?? $0.lastSeen } + [current]).compactMap(\.self).min()
  }

  /// Changes dates after now to now, so that no place is kept forever; returns the change that
  /// makes it durable, if any was.
  mutating func settleRestored(at now: Moment) -> StateChange? {
    let today = steady.date(at: now)
    let isLate =
      (seen ?? today) > today || detector.places.contains { ($0.steady ?? $0.lastSeen) > today }
    seen = min(seen ?? today, today)
    detector.settleDates { min($0, today) }
    guard isLate, case .store(let change) = storeMemory() else { return nil }
    return change
  }

  /// Forgets what was not seen since a date of steady time; returns the change that makes it
  /// durable, if any was.
  mutating func forget(before date: UnixTime, at now: Moment) -> StateChange? {
    detector.rememberCurrent()
    settleDates(at: now)
    var hasForgotten = detector.forgetPlaces(before: date)
    if let seen, seen < date { hasForgotten = detector.forgetCurrent() || hasForgotten }
    guard hasForgotten, case .store(let change) = storeMemory() else { return nil }
    return change
  }

  /// Limits the dates of places to that of the newest fix.
  private mutating func settleDates(at now: Moment) {
    let (steady, seen) = (steady, seen)
    detector.settleDates { date in
      let date = steady.date(of: date, at: now)
      return min(date, seen ?? date)
    }
  }

  /// The visit that lasts, and what speaks for its end; `nil` while no app subscribes.
  var current: (visit: Visit, departure: Belief?)? {
    isIdle ? nil : detector.current.map { ($0, detector.departure) }
  }

  /// Whether any app subscribes.
  @inline(__always)
  var isIdle: Bool { listeners.isEmpty }

  /// Whether an app subscribes.
  package func isListening(_ app: AppIdentity) -> Bool { listeners[app] != nil }

  /// Stops while no app subscribes: what follows starts anew, with the places known from before.
  private mutating func rest() -> [Output] {
    guard listeners.isEmpty else { return [] }
    detector.forgetStay()
    return [storeMemory()]
  }

  private mutating func deliver(_ found: [VisitDetector.Output], at now: Moment) -> [Output] {
    guard !found.isEmpty else { return [] }
    settleDates(at: now)
    return found.flatMap { output -> [Output] in
      switch output {
      case .arrived(let visit): deliver(visit, isArrival: true)
      case .departed(let visit): deliver(visit, isArrival: false)
      }
    }
  }

  private mutating func deliver(_ visit: Visit, isArrival: Bool) -> [Output] {
    var outputs = [storeMemory()]
    for app in listeners.keys.sorted() {
      let knewArrival = listeners[app]?.knowsArrival ?? false
      let mayKnow = !barred.contains(app)
      listeners[app]?.knowsArrival = isArrival && mayKnow
      outputs.append(store(app))
      guard mayKnow else { continue }
      var delivered = visit
      if !isArrival, !knewArrival { delivered.arrival = nil }
      outputs.append(.visit(app, delivered))
    }
    return outputs
  }
}

// MARK: - Storing

extension Visits {
  private static let stateDomain = "visit"

  private static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: stateDomain, owner: app.name)
  }

  private func store(_ app: AppIdentity) -> Output {
    .store(.set(Self.key(of: app), (listeners[app] ?? Listener()).stored))
  }

  private func storeMemory() -> Output {
    let current = detector.current
    let places = detector.places.map { place in
      let steady = place.steady.flatMap { SteadyTime.stored($0, beside: place.lastSeen) }
      return [place.coordinate.latitude, place.coordinate.longitude, place.lastSeen.seconds]
        + [steady?.seconds].compactMap(\.self)
    }
    let memory = Memory(
      places: places, current: current, seen: current == nil ? nil : seen?.seconds)
    return .store(.set(StateKey(domain: Self.stateDomain, owner: ""), memory.stored))
  }

  private static func place(_ stored: [Double], at now: Moment?) -> VisitDetector.KnownPlace? {
    guard (2...4).contains(stored.count),
      Coordinate(latitude: stored[0], longitude: stored[1]).isValid
    else { return nil }
    let date = stored.count > 2 ? UnixTime(seconds: stored[2]) : now?.unixTime
    var place = VisitDetector.KnownPlace(
      Coordinate(latitude: stored[0], longitude: stored[1]),
      lastSeen: date ?? UnixTime(seconds: 0))
    place.steady = stored.count == 4 ? UnixTime(seconds: stored[3]) : place.lastSeen
    return place
  }
}
