package import LocationModel

extension Conditions {
  /// Registers a region, or replaces the one of the same identifier.
  mutating func register(
    _ key: ConditionKey, _ target: ConditionTarget, _ notices: RegionNotices, at now: Moment
  ) -> [Output] {
    if let failure = failure(of: target, key) { return [.region(key, .failed(failure))] }
    let started = Output.region(key, .started)
    if conditions[key]?.target == target {
      conditions[key]?.notices = notices
      return [store(key), started].compactMap(\.self)
    }
    var outputs = remove(key, at: now, makesRoom: false)
    insert(key, target, assuming: .unknown, notices: notices, at: now)
    outputs += [store(key), started].compactMap(\.self)
    return outputs
  }

  private func failure(of target: ConditionTarget, _ key: ConditionKey) -> RegionFailure? {
    guard target.isSupported, !target.isPolygon else { return .invalid }
    guard hasAllowedSize(target) else { return .radiusTooLarge }
    let denials: ConditionDiagnostics = [
      .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted,
      .accuracyLimited,
    ]
    if let access = access[key.app], !access.flags.regions.isDisjoint(with: denials) {
      return .denied
    }
    let fits = key.identifier.utf8.count <= Bounds.identifierBytes
    let isRoom = fits && hasRoom(for: key.app) && hasRoomForUser(of: key.app)
    return conditions[key] != nil || isRoom ? nil : .limitExceeded
  }

  /// Adds a condition to a monitor; the very same one again changes nothing (MON-11).
  mutating func add(
    _ key: ConditionKey, _ target: ConditionTarget, assuming assumed: ConditionState,
    at now: Moment
  ) -> [Output] {
    if conditions[key]?.target == target { return [] }
    guard conditions[key] != nil || mayAdd(key, target) else { return refuse(key, at: now) }
    var outputs = moveAside(key, at: now) + remove(key, at: now, makesRoom: false)
    insert(key, target, assuming: assumed, notices: nil, at: now)
    outputs += [store(key)].compactMap(\.self) + deliver(key, at: now)
    return outputs + admitSurplus(of: key.app, at: now)
  }

  /// Removes a condition with its undelivered events (MON-14); ignores unknown ones.
  mutating func remove(_ key: ConditionKey, at now: Moment) -> [Output] {
    remove(key, at: now, makesRoom: true)
  }

  private mutating func remove(
    _ key: ConditionKey, at now: Moment, makesRoom: Bool
  ) -> [Output] {
    guard let condition = conditions.removeValue(forKey: key) else { return [] }
    if !condition.isWatched { unwatched[key.app]?.remove(key) }
    switch condition.watch {
    case .surplus:
      surplus[key.app]?.removeAll { $0 == key }
    case .unsupported:
      break
    case .area(let slot):
      tracker.remove(slot)
      keysBySlot[Int(slot)] = nil
      monitoredCounts[key.app, default: 1] -= 1
    case .beacon, .paused:
      monitoredCounts[key.app, default: 1] -= 1
    }
    if case .monitor(let name) = key.owner {
      monitors[MonitorKey(app: key.app, name: name)]?.forget(key.identifier)
    }
    let removed = Output.store(.remove(stateKey(of: key)))
    return makesRoom ? [removed] + admitSurplus(of: key.app, at: now) : [removed]
  }

  private mutating func insert(
    _ key: ConditionKey, _ target: ConditionTarget, assuming assumed: ConditionState,
    notices: RegionNotices?, at now: Moment
  ) {
    let event = ConditionEvent(
      identifier: key.identifier, state: MonitoredState(assumed), date: now.unixTime)
    var condition = WatchedCondition(
      ordinal: nextOrdinal, target: target, watch: .surplus, notices: notices, lastEvent: event,
      observation: .init(state: assumed, date: now.unixTime), isVerified: false)
    nextOrdinal += 1
    watch(&condition, key)
    conditions[key] = condition
  }

  /// Begins to watch a condition, if it is supported and there is room.
  mutating func watch(
    _ condition: inout WatchedCondition, _ key: ConditionKey, isStored: Bool = false
  ) {
    defer { if !condition.isWatched { unwatched[key.app, default: Unwatched()].add(key) } }
    let target = condition.target
    if !isWatchable(target) || target.area != nil && !hasPositions {
      condition.watch = .unsupported
    } else if !hasRoom(for: key.app) {
      condition.watch = .surplus
      surplus[key.app, default: []].append(key)
    } else {
      monitoredCounts[key.app, default: 0] += 1
      observe(&condition, key, isStored: isStored)
    }
  }

  /// Has a condition observed, unless its app may not know the location.
  private mutating func observe(
    _ condition: inout WatchedCondition, _ key: ConditionKey, isStored: Bool
  ) {
    if let access = access[key.app], access.flags.isBarred {
      condition.watch = .paused(isStored: isStored)
    } else if let area = condition.target.area {
      let state = condition.observation.state
      let slot = tracker.insert(area, assuming: state, isStored: isStored)
      while keysBySlot.count <= Int(slot) { keysBySlot.append(nil) }
      keysBySlot[Int(slot)] = key
      condition.watch = .area(slot)
    } else {
      condition.watch = .beacon
    }
  }

  /// Stops observing the conditions of an app that may not know the location any more, or observes them again
  /// (MON-42).
  mutating func settleObservation(of app: AppIdentity) {
    let isBarred = access[app]?.flags.isBarred ?? false
    // Slots are given again in the opposite order, in which decisions of one fix come.
    for key in isBarred ? keys(of: app).reversed() : keys(of: app) {
      guard var condition = conditions[key] else { continue }
      switch (condition.watch, isBarred) {
      case (.area(let slot), true):
        condition.watch = .paused(isStored: tracker.isConfirmed(slot))
        tracker.remove(slot)
        keysBySlot[Int(slot)] = nil
      case (.beacon, true): condition.watch = .paused(isStored: condition.isVerified)
      case (.paused(let isStored), false):
        // What was observed later is observed again, as after a restart (MON-36).
        (condition.isVerified, condition.later) = (false, nil)
        observe(&condition, key, isStored: isStored)
      case (.area, false), (.beacon, false), (.paused, true), (.surplus, _), (.unsupported, _):
        continue
      }
      conditions[key] = condition
    }
  }

  func hasRoom(for app: AppIdentity) -> Bool {
    guard let limit = limits.perApp else { return true }
    return monitoredCounts[app, default: 0] < limit
  }

  /// Begins to watch the earliest surplus condition once there is room (MON-19).
  private mutating func admitSurplus(of app: AppIdentity, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    while hasRoom(for: app), let key = surplus[app]?.first, var condition = conditions[key] {
      surplus[app]?.removeFirst()
      unwatched[app]?.remove(key)
      condition.observation = .init(state: .unknown, date: now.unixTime)
      condition.isVerified = false
      watch(&condition, key)
      conditions[key] = condition
      outputs += [store(key)].compactMap(\.self)
    }
    return outputs
  }

  /// The beacons to watch, in the order of their keys.
  package var watchedBeacons: [(key: ConditionKey, constraint: BeaconConstraint)] {
    conditions.all.compactMap { key, condition in
      guard condition.watch == .beacon, case .beacon(let constraint) = condition.target else {
        return nil
      }
      return (key, constraint)
    }.sorted { $0.key < $1.key }
  }
}
