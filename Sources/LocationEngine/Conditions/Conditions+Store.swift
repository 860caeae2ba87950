internal import LocationModel

/// A condition as it is stored.
private struct StoredCondition: Codable {
  var ordinal: UInt64
  var identifier: String
  var monitor: String?
  var circle: StoredCircle?
  var beacon: StoredBeacon?
  var onEntry: Bool?
  var onExit: Bool?
  var onDisplay: Bool?
  var handled: StoredEvent
  var observed: StoredObservation
  var later: StoredObservation?
  var delivered: StoredEvent?
}

private struct StoredCircle: Codable {
  var latitude: Double
  var longitude: Double
  var radius: Double
}

private struct StoredBeacon: Codable {
  var uuid: [UInt64]
  var major: UInt16?
  var minor: UInt16?
}

/// Dates are nanoseconds since 1970.
private struct StoredEvent: Codable {
  var state: MonitoredState
  var date: Int64
  var diagnostics: UInt16
  var refinement: StoredBeacon?
  /// The number of an event that is not acknowledged.
  var number: EventNumber?
}

private struct StoredObservation: Codable {
  var state: ConditionState
  var date: Int64
  var refinement: StoredBeacon?
  /// The evidence; an event that is delivered after a restart has it, too.
  var evidence: CrossingEvidence?
}

extension Conditions {
  /// The domain of conditions in the durable state.
  static let stateDomain = "condition"

  func stateKey(of key: ConditionKey) -> StateKey {
    let name =
      switch key.owner {
      case .regions: "regions/" + key.identifier
      case .monitor(let monitor): "monitor/" + monitor + "/" + key.identifier
      }
    return StateKey(domain: Self.stateDomain, owner: key.app.name, name: name)
  }

  /// Returns the condition of a monitor that a key names; `nil` for a region.
  private static func monitored(
    _ key: StateKey
  ) -> (monitor: MonitorKey, identifier: String)? {
    let parts = key.name.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "monitor" else { return nil }
    return (MonitorKey(app: AppIdentity(key.owner), name: String(parts[1])), String(parts[2]))
  }

  /// Returns the change that makes the state of a condition durable; `nil` for an unknown one.
  func store(_ key: ConditionKey) -> Output? {
    guard let condition = conditions[key] else { return nil }
    let bytes = StoredJSON.bytes(StoredCondition(condition, key), .any)
    return .store(.set(stateKey(of: key), bytes))
  }

  /// Restores the stored conditions in the order of their registration. Unreadable ones are left
  /// out, and their monitor reports it (MON-7).
  mutating func restore(_ entries: [StateEntry]) {
    var stored: [(app: AppIdentity, condition: StoredCondition)] = []
    for entry in entries where entry.key.domain == Self.stateDomain {
      if let condition = StoredJSON.read(StoredCondition.self, from: entry.value, .any) {
        stored.append((AppIdentity(entry.key.owner), condition))
      } else if let (monitor, identifier) = Self.monitored(entry.key) {
        monitors[monitor, default: MonitorLoop()].unreadable.append(identifier)
      }
    }
    for entry in stored.sorted(by: { $0.condition.ordinal < $1.condition.ordinal }) {
      let key = entry.condition.key(in: entry.app)
      var condition = entry.condition.restored
      watch(&condition, key, isStored: true)
      conditions[key] = condition
      nextOrdinal = max(nextOrdinal, condition.ordinal + 1)
      // Watched conditions are queued when observed again, in that order (MON-29, MON-36).
      guard case .monitor(let name) = key.owner, !condition.isWatched else { continue }
      monitors[MonitorKey(app: key.app, name: name), default: MonitorLoop()]
        .enqueue(key.identifier)
    }
  }
}

// MARK: - To and from what is stored

extension StoredCondition {
  init(_ condition: WatchedCondition, _ key: ConditionKey) {
    ordinal = condition.ordinal
    identifier = key.identifier
    if case .monitor(let name) = key.owner { monitor = name }
    switch condition.target {
    case .circle(let target):
      circle = StoredCircle(
        latitude: target.center.latitude, longitude: target.center.longitude,
        radius: target.radius)
    case .beacon(let constraint):
      beacon = StoredBeacon(
        uuid: [constraint.uuid.high, constraint.uuid.low], major: constraint.major,
        minor: constraint.minor)
    case .unsupported:
      break
    }
    onEntry = condition.notices?.onEntry
    onExit = condition.notices?.onExit
    onDisplay = condition.notices?.onDisplay
    handled = StoredEvent(condition.lastEvent)
    observed = StoredObservation(condition.observation)
    later = condition.later.map { StoredObservation($0) }
    delivered = condition.delivered.map { StoredEvent($0.event, number: $0.number) }
  }

  func key(in app: AppIdentity) -> ConditionKey {
    let owner = monitor.map { ConditionOwner.monitor($0) } ?? .regions
    return ConditionKey(app: app, owner: owner, identifier: identifier)
  }

  var restored: WatchedCondition {
    // `later` is not restored: it is observed again (MON-36).
    var condition = WatchedCondition(
      ordinal: ordinal, target: target, watch: .surplus, notices: notices,
      lastEvent: handled.event(of: identifier), observation: observed.restored, isVerified: false)
    condition.delivered = delivered.flatMap { stored in
      stored.number.map { .init(number: $0, event: stored.event(of: identifier)) }
    }
    return condition
  }

  private var target: ConditionTarget {
    if let circle {
      let center = Coordinate(latitude: circle.latitude, longitude: circle.longitude)
      return .circle(Circle(center: center, radius: circle.radius))
    }
    return beacon?.constraint.map { .beacon($0) } ?? .unsupported
  }

  private var notices: RegionNotices? {
    guard monitor == nil else { return nil }
    return RegionNotices(
      onEntry: onEntry ?? true, onExit: onExit ?? true, onDisplay: onDisplay ?? false)
  }
}

extension StoredEvent {
  init(_ event: ConditionEvent, number: EventNumber? = nil) {
    self.init(
      state: event.state, date: event.date.nanoseconds, diagnostics: event.diagnostics.rawValue,
      refinement: event.refinement.map { StoredBeacon($0) }, number: number)
  }

  func event(of identifier: String) -> ConditionEvent {
    var event = ConditionEvent(
      identifier: identifier, state: state, date: UnixTime(nanoseconds: date),
      diagnostics: ConditionDiagnostics(rawValue: diagnostics))
    event.refinement = refinement?.identity
    return event
  }
}

extension StoredBeacon {
  init(_ identity: BeaconIdentity) {
    self.init(
      uuid: [identity.uuid.high, identity.uuid.low], major: identity.major, minor: identity.minor)
  }

  var constraint: BeaconConstraint? {
    guard uuid.count == 2 else { return nil }
    return BeaconConstraint(
      uuid: BeaconUUID(high: uuid[0], low: uuid[1]), major: major, minor: minor)
  }

  var identity: BeaconIdentity? {
    guard let constraint, let major, let minor else { return nil }
    return BeaconIdentity(uuid: constraint.uuid, major: major, minor: minor)
  }
}

extension StoredObservation {
  init(_ observation: WatchedCondition.Observation) {
    state = observation.state
    date = observation.date.nanoseconds
    refinement = observation.refinement.map { StoredBeacon($0) }
    evidence = observation.evidence
  }

  var restored: WatchedCondition.Observation {
    .init(
      state: state, date: UnixTime(nanoseconds: date), refinement: refinement?.identity,
      evidence: evidence)
  }
}
