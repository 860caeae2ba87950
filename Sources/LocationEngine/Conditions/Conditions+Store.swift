internal import LocationCoding
package import LocationModel

/// A condition as it is stored.
private struct StoredCondition: JSONStructure {
  var ordinal: UInt64
  var identifier: String
  var monitor: String?
  var circle: Circle?
  var beacon: BeaconConstraint?
  var polygon: PolygonOutline?
  var onEntry: Bool?
  var onExit: Bool?
  var onDisplay: Bool?
  var handled: ConditionEvent
  /// With its evidence, for an event that is delivered after a restart.
  var observed: WatchedCondition.Observation
  var later: WatchedCondition.Observation?
  var delivered: WatchedCondition.Delivered?

  static let fields = JSONFields(
    Self(
      ordinal: 0, identifier: "", handled: .blank,
      observed: WatchedCondition.Observation(state: .unknown, date: .blank)),
    .get("ordinal", \.ordinal), .get("identifier", \.identifier), .find("monitor", \.monitor),
    .find("circle", \.circle), .find("beacon", \.beacon), .find("polygon", \.polygon),
    .find("onEntry", \.onEntry),
    .find("onExit", \.onExit), .find("onDisplay", \.onDisplay), .get("handled", \.handled),
    .get("observed", \.observed), .find("later", \.later), .find("delivered", \.delivered))
}

extension WatchedCondition.Delivered: JSONStructure {
  static let fields = JSONFields(
    Self(number: .none, event: .blank), .get("number", \.number), .get("event", \.event))
}

extension WatchedCondition.Observation: JSONStructure {
  static let fields = JSONFields(
    Self(state: .unknown, date: .blank),
    .get("state", \.state), .get("date", \.date), .find("refinement", \.refinement),
    .find("evidence", \.evidence))
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
    return .store(.set(stateKey(of: key), StoredCondition(condition, key).stored))
  }

  /// Among the entries at the start, shows that nothing of this run can be stored (MON-6).
  package static let notKept = StateEntry(
    key: StateKey(domain: "state", owner: "", name: "kept"), value: Array("no".utf8))

  /// Restores the stored conditions in the order of their registration. Unreadable ones are left
  /// out, and their monitor reports it (MON-7).
  mutating func restore(_ entries: [StateEntry]) {
    var stored: [(app: AppIdentity, condition: StoredCondition)] = []
    for entry in entries where entry.key.domain == Self.stateDomain {
      if let condition = StoredCondition(stored: entry.value) {
        stored.append((AppIdentity(entry.key.owner), condition))
      } else if let (monitor, identifier) = Self.monitored(entry.key) {
        monitors[monitor, default: MonitorLoop()].unreadable.append(
          UnreadableCondition(identifier: identifier, bytes: entry.value))
      }
    }
    restoreDamaged(entries)
    isKept = !entries.contains(Self.notKept)
    for entry in stored.sorted(by: { $0.condition.ordinal < $1.condition.ordinal }) {
      let key = entry.condition.key(in: entry.app)
      var condition = entry.condition.restored
      watch(&condition, key, isStored: true)
      conditions[key] = condition
      nextOrdinal = max(nextOrdinal, condition.ordinal &+ 1)
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
    self.init(
      ordinal: condition.ordinal, identifier: key.identifier,
      onEntry: condition.notices?.onEntry, onExit: condition.notices?.onExit,
      onDisplay: condition.notices?.onDisplay, handled: condition.lastEvent,
      observed: condition.observation, later: condition.later, delivered: condition.delivered)
    handled.evidence = nil
    delivered?.event.evidence = nil
    if case .monitor(let name) = key.owner { monitor = name }
    if case .circle(let target) = condition.target { circle = target }
    if case .beacon(let constraint) = condition.target { beacon = constraint }
    if case .polygon(let outline) = condition.target { polygon = outline }
  }

  func key(in app: AppIdentity) -> ConditionKey {
    let owner = monitor.map { ConditionOwner.monitor($0) } ?? .regions
    return ConditionKey(app: app, owner: owner, identifier: identifier)
  }

  var restored: WatchedCondition {
    var event = handled
    event.identifier = identifier
    // `later` is not restored: it is observed again (MON-36).
    return WatchedCondition(
      ordinal: ordinal,
      target: target, watch: .surplus, notices: notices, lastEvent: event, observation: observed,
      delivered: delivered, isVerified: false)
  }

  private var target: ConditionTarget {
    circle.map { .circle($0) } ?? beacon.map { .beacon($0) } ?? polygon.map { .polygon($0) }
      ?? .unsupported
  }

  private var notices: RegionNotices? {
    guard monitor == nil else { return nil }
    return RegionNotices(
      onEntry: onEntry ?? true, onExit: onExit ?? true, onDisplay: onDisplay ?? false)
  }
}
