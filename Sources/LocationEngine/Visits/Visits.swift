package import LocationModel

/// Tells apps of visits: one detector for the machine, one memory of what each app has heard.
package struct Visits: Machine {
  package enum Input: MachineInput {
    /// Holds for all managers of the app, and across its launches (VISIT-1).
    case start(AppIdentity)
    case stop(AppIdentity)
    /// Whether visits may reach the app now (VISIT-9).
    case access(AppIdentity, Bool)
    case fix(Fix)
    /// What the motion sensor says.
    case motion(MotionActivity)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case store(StateChange)
    /// A reason to launch the app, when it may be (VISIT-7).
    case visit(AppIdentity, Visit)
  }

  /// What an app that listens has heard.
  private struct Listener: Codable {
    /// Whether it was told of the arrival of the visit that lasts (VISIT-4).
    var knowsArrival = false
  }

  /// What of the detector is stored.
  private struct Memory: Codable {
    /// Latitude, longitude, and when it was seen last, in seconds since 1970.
    var places: [[Double]]
    var current: StoredVisit?
  }

  private struct StoredVisit: Codable {
    /// Nanoseconds since 1970.
    var arrival: Int64?
    var latitude: Double
    var longitude: Double
    var radius: Double
  }

  private var detector: VisitDetector
  private var listeners: [AppIdentity: Listener] = [:]
  private var barred: Set<AppIdentity> = []

  /// Takes up what an earlier engine stored; unreadable entries stay out.
  ///
  /// A place without a date counts as seen now.
  package init(
    restoring entries: [StateEntry] = [], at now: Moment? = nil,
    tuning: VisitDetector.Tuning = .init()
  ) {
    detector = VisitDetector(tuning: tuning)
    for entry in entries where entry.key.domain == Self.stateDomain {
      if entry.key.owner.isEmpty {
        guard let memory = StoredJSON.read(Memory.self, from: entry.value) else { continue }
        detector = VisitDetector(
          places: memory.places.compactMap { Self.place($0, at: now) },
          current: memory.current.map { Self.visit($0) }, tuning: tuning)
      } else if let listener = StoredJSON.read(Listener.self, from: entry.value) {
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
      return tell(detector.handle(.fix(fix), at: now))
    case .motion(let activity):
      return tell(detector.handle(.motion(activity), at: now))
    case .wake:
      return tell(detector.handle(.wake, at: now))
    }
  }

  @inline(__always)
  package var demand: Demand { listeners.isEmpty ? .none : detector.demand }

  var tuning: VisitDetector.Tuning { detector.tuning }

  /// When the place that was not seen for longest was seen; `nil` when none is known.
  var oldestPlace: UnixTime? { detector.places.map(\.lastSeen).min() }

  /// Forgets what was not seen since a date; the change that makes it durable, where it was any.
  mutating func forget(before date: UnixTime) -> StateChange? {
    guard detector.forget(before: date), case .store(let change) = storeMemory() else {
      return nil
    }
    return change
  }

  /// Whether an app listens.
  package func isListening(_ app: AppIdentity) -> Bool { listeners[app] != nil }

  /// While nobody listens nothing is seen: what follows begins anew, at places known from before.
  private mutating func rest() -> [Output] {
    guard listeners.isEmpty else { return [] }
    detector.forgetStay()
    return [storeMemory()]
  }

  private mutating func tell(_ found: [VisitDetector.Output]) -> [Output] {
    found.flatMap { output -> [Output] in
      switch output {
      case .arrived(let visit): tell(visit, isArrival: true)
      case .departed(let visit): tell(visit, isArrival: false)
      }
    }
  }

  private mutating func tell(_ visit: Visit, isArrival: Bool) -> [Output] {
    var outputs = [storeMemory()]
    for app in listeners.keys.sorted() {
      let knewArrival = listeners[app]?.knowsArrival ?? false
      let mayKnow = !barred.contains(app)
      listeners[app]?.knowsArrival = isArrival && mayKnow
      outputs.append(store(app))
      guard mayKnow else { continue }
      var told = visit
      if !isArrival, !knewArrival { told.arrival = nil }
      outputs.append(.visit(app, told))
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
    .store(.set(Self.key(of: app), StoredJSON.bytes(listeners[app] ?? Listener())))
  }

  private func storeMemory() -> Output {
    let current = detector.current.map {
      StoredVisit(
        arrival: $0.arrival?.nanoseconds, latitude: $0.coordinate.latitude,
        longitude: $0.coordinate.longitude, radius: $0.horizontalAccuracy)
    }
    let places = detector.places.map {
      [$0.coordinate.latitude, $0.coordinate.longitude, $0.lastSeen.seconds]
    }
    let memory = Memory(places: places, current: current)
    return .store(.set(StateKey(domain: Self.stateDomain, owner: ""), StoredJSON.bytes(memory)))
  }

  private static func place(_ stored: [Double], at now: Moment?) -> VisitDetector.KnownPlace? {
    guard stored.count == 2 || stored.count == 3 else { return nil }
    let date = stored.count == 3 ? UnixTime(seconds: stored[2]) : now?.unixTime
    return VisitDetector.KnownPlace(
      Coordinate(latitude: stored[0], longitude: stored[1]),
      lastSeen: date ?? UnixTime(seconds: 0))
  }

  private static func visit(_ stored: StoredVisit) -> Visit {
    Visit(
      arrival: stored.arrival.map { UnixTime(nanoseconds: $0) },
      coordinate: Coordinate(latitude: stored.latitude, longitude: stored.longitude),
      horizontalAccuracy: stored.radius)
  }
}
