import LocationModel

/// Owns the one ranger and the one watch over beacons of the machine, and passes to both exactly
/// what apps request. Without a request, neither of them runs.
struct BeaconCoordinator: Sendable {
  enum Output: Hashable, Sendable {
    case ranged(BeaconConstraint, [RangedBeacon])
    /// The known state of a condition's beacon, and its date.
    case state(ConditionKey, BeaconState, UnixTime)
    case persist(StateChange)
  }

  private var ranger = BeaconRanger()
  private var detector = BeaconDetector()
  /// The constraints of the ranger, sorted.
  private var ranged: [BeaconConstraint] = []
  /// The constraints of the watch, in the order of the keys.
  private var watched: [(key: ConditionKey, constraint: BeaconConstraint)] = []
  /// `nil` while there is no radio at all.
  private(set) var reception: BeaconReception?

  @inline(__always)
  var nextDeadline: Instant? { earliest(ranger.nextDeadline, detector.nextDeadline) }

  /// How Bluetooth must scan (POW-3).
  @inline(__always)
  var demand: Demand { Demand(beacons: max(ranger.scan, detector.scan)) }

  /// Whether no app requests beacons.
  var isIdle: Bool { ranged.isEmpty && watched.isEmpty }

  // MARK: Requests

  mutating func settleRanging(_ wanted: Set<BeaconConstraint>, at now: Moment) -> [Output] {
    guard wanted != Set(ranged) else { return [] }
    let ended = ranged.filter { !wanted.contains($0) }
    let begun = wanted.subtracting(ranged).sorted()
    ranged = wanted.sorted()
    return ended.flatMap { range(.stopRanging($0), at: now) }
      + begun.flatMap { range(.range($0), at: now) }
  }

  /// A new condition on a beacon that is already watched gets the known state at once.
  mutating func settleWatch(
    _ wanted: [(key: ConditionKey, constraint: BeaconConstraint)], at now: Moment
  ) -> [Output] {
    guard !wanted.elementsEqual(watched, by: ==) else { return [] }
    let known = Set(watched.map(\.constraint))
    let constraints = Set(wanted.map(\.constraint))
    let new = wanted.filter { entry in !watched.contains { $0 == entry } }
    watched = wanted
    let changes =
      known.subtracting(constraints).sorted().flatMap { watch(.unwatch($0), at: now) }
      + constraints.subtracting(known).sorted().flatMap { watch(.watch($0), at: now) }
    return changes
      + new.compactMap { key, constraint in
        guard let known = detector.known(of: constraint) else { return nil }
        return .state(key, known.state, known.since)
      }
  }

  // MARK: Adapters

  /// What is known of the adapters of this computer.
  var adapters: AdapterLevels { ranger.adapters }

  /// Each ranged beacon, as in the last report.
  var lines: [RangedBeacon] { ranger.lines }

  /// How each ranged beacon was received last.
  var readings: [BeaconRanger.Reading] { ranger.readings }

  /// Takes over what is stored of the adapters, by an earlier run or by another process.
  mutating func restore(_ entries: [StateEntry]) {
    var adapters = ranger.adapters
    adapters.adopt(entries)
    ranger.take(adapters)
  }

  /// Carries out what the owner has decided about an adapter; `nil` forgets it.
  mutating func calibrate(
    _ adapter: BluetoothAddress, _ offset: Int?, at now: Moment
  ) -> [Output] {
    var adapters = ranger.adapters
    let changes: [StateChange]
    if let offset {
      // The host has checked it before, and says why where it is refused.
      changes = (try? adapters.calibrate(adapter, offset, at: now.unixTime)) ?? []
    } else {
      changes = adapters.forget(adapter)
    }
    return range(.adapters(adapters), at: now) + changes.map { .persist($0) }
  }

  // MARK: Observations

  mutating func receive(_ sample: BeaconSample, at now: Moment) -> [Output] {
    let reports = ranged.isEmpty ? [] : range(.sample(sample), at: now)
    return reports + (watched.isEmpty ? [] : watch(.sample(sample), at: now))
  }

  mutating func settle(_ new: BeaconReception, at now: Moment) -> [Output] {
    reception = new
    return range(.reception(new), at: now) + watch(.reception(new), at: now)
  }

  mutating func wake(at now: Moment) -> [Output] {
    range(.wake, at: now) + watch(.wake, at: now)
  }

  private mutating func range(_ input: BeaconRanger.Input, at now: Moment) -> [Output] {
    ranger.handle(input, at: now).compactMap { output in
      switch output {
      case .report(let constraint, let beacons): .ranged(constraint, beacons)
      case .persist(let change): .persist(change)
      // The coordinator of each app decides which failure its requests receive.
      case .fail, .ignored: nil
      }
    }
  }

  private mutating func watch(_ input: BeaconDetector.Input, at now: Moment) -> [Output] {
    detector.handle(input, at: now).flatMap { output -> [Output] in
      switch output {
      case .changed(let constraint, let state, let date):
        watched.filter { $0.constraint == constraint }.map { .state($0.key, state, date) }
      case .ignored: []
      }
    }
  }
}
