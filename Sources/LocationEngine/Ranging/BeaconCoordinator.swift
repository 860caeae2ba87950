import LocationModel

/// Owns the one ranger and the one watch over beacons of the machine, and passes to both exactly
/// what apps request. Without a request, neither of them runs.
struct BeaconCoordinator: Sendable {
  enum Output: Hashable, Sendable {
    case ranged(BeaconConstraint, [RangedBeacon])
    /// The known state of a condition's beacon, and its date.
    case presence(ConditionKey, BeaconState, UnixTime)
  }

  private var ranger = BeaconRanger()
  private var presence = BeaconPresence()
  /// The constraints of the ranger, sorted.
  private var ranged: [BeaconConstraint] = []
  /// The constraints of the watch, in the order of the keys.
  private var watched: [(key: ConditionKey, constraint: BeaconConstraint)] = []
  /// `nil` while there is no radio at all.
  private(set) var reception: BeaconReception?

  @inline(__always)
  var nextDeadline: Instant? { earliest(ranger.nextDeadline, presence.nextDeadline) }

  /// How Bluetooth must scan (POW-3).
  @inline(__always)
  var demand: Demand { Demand(beacons: max(ranger.scan, presence.scan)) }

  /// Whether no app requests beacons.
  var isIdle: Bool { ranged.isEmpty && watched.isEmpty }

  // MARK: Wishes

  mutating func settleRanging(_ wanted: Set<BeaconConstraint>, at now: Moment) {
    guard wanted != Set(ranged) else { return }
    for constraint in ranged where !wanted.contains(constraint) {
      _ = ranger.handle(.stopRanging(constraint), at: now)
    }
    // New requests while the radio cannot receive are answered by the coordinator of the app.
    for constraint in wanted.subtracting(ranged).sorted() {
      _ = ranger.handle(.range(constraint), at: now)
    }
    ranged = wanted.sorted()
  }

  /// A new condition on a beacon that is already watched gets the known state at once.
  mutating func settleWatch(
    _ wanted: [(key: ConditionKey, constraint: BeaconConstraint)], at now: Moment
  ) -> [Output] {
    guard !wanted.elementsEqual(watched, by: ==) else { return [] }
    let known = Set(watched.map(\.constraint))
    let constraints = Set(wanted.map(\.constraint))
    for constraint in known.subtracting(constraints).sorted() {
      _ = presence.handle(.unwatch(constraint), at: now)
    }
    for constraint in constraints.subtracting(known).sorted() {
      _ = presence.handle(.watch(constraint), at: now)
    }
    let news = wanted.filter { entry in !watched.contains { $0 == entry } }
    watched = wanted
    return news.compactMap { key, constraint in
      guard let known = presence.known(of: constraint) else { return nil }
      return .presence(key, known.state, known.since)
    }
  }

  // MARK: Observations

  mutating func receive(_ sample: BeaconSample, at now: Moment) -> [Output] {
    if !ranged.isEmpty { _ = ranger.handle(.sample(sample), at: now) }
    return watched.isEmpty ? [] : deliver(presence.handle(.sample(sample), at: now))
  }

  mutating func settle(_ new: BeaconReception, at now: Moment) -> [Output] {
    reception = new
    _ = ranger.handle(.reception(new), at: now)
    return deliver(presence.handle(.reception(new), at: now))
  }

  mutating func wake(at now: Moment) -> [Output] {
    let reports = ranger.handle(.wake, at: now).compactMap { output -> Output? in
      guard case .report(let constraint, let beacons) = output else { return nil }
      return .ranged(constraint, beacons)
    }
    return reports + deliver(presence.handle(.wake, at: now))
  }

  private func deliver(_ changes: [BeaconPresence.Output]) -> [Output] {
    changes.flatMap { output -> [Output] in
      guard case .changed(let constraint, let state, let date) = output else { return [] }
      return watched.filter { $0.constraint == constraint }.map { .presence($0.key, state, date) }
    }
  }
}
