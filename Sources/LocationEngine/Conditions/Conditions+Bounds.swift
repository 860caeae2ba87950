import LocationModel

/// The number of unwatched conditions of one app, and the bytes of their names.
struct Unwatched: Hashable, Sendable {
  private(set) var count = 0
  /// Bytes.
  private(set) var bytes = 0

  mutating func add(_ key: ConditionKey) {
    count += 1
    bytes += key.nameBytes
  }

  mutating func remove(_ key: ConditionKey) {
    count -= 1
    bytes -= key.nameBytes
  }

  func hasRoom(for key: ConditionKey) -> Bool {
    count < Bounds.unwatchedConditions && bytes + key.nameBytes <= Bounds.unwatchedBytes
  }
}

extension ConditionKey {
  /// Bytes of the identifier, and of the name of its monitor.
  fileprivate var nameBytes: Int {
    guard case .monitor(let name) = owner else { return identifier.utf8.count }
    return identifier.utf8.count + name.utf8.count
  }
}

extension Conditions {
  /// Whether a new condition of a monitor is watched, or there is room for it as surplus.
  func mayAdd(_ key: ConditionKey, _ target: ConditionTarget) -> Bool {
    guard key.identifier.utf8.count <= Bounds.identifierBytes, hasRoomForUser(of: key.app) else {
      return false
    }
    if hasRoom(for: key.app), isWatchable(target) { return true }
    return (unwatched[key.app] ?? Unwatched()).hasRoom(for: key)
  }

  /// Whether the apps of a user together may have one more condition, and all users together.
  func hasRoomForUser(of app: AppIdentity) -> Bool {
    limits.perApp == nil
      || conditions.count < Bounds.conditions
        && conditions.countOfUser(of: app) < Bounds.conditionsPerUser
  }

  func isWatchable(_ target: ConditionTarget) -> Bool {
    target.isSupported && hasAllowedSize(target)
  }

  /// Whether an area is not larger than the largest circle (REG-5).
  func hasAllowedSize(_ target: ConditionTarget) -> Bool {
    target.area.map { $0.meanRadius <= limits.maximumRadius } ?? true
  }

  /// Delivers to a loop that asks that the condition is not monitored, like one beyond the limit;
  /// it is not in the monitor's list.
  mutating func refuse(_ key: ConditionKey, at now: Moment) -> [Output] {
    guard case .monitor(let name) = key.owner else { return [.rejected(key)] }
    let monitor = MonitorKey(app: key.app, name: name)
    guard case .asking = monitors[monitor]?.state else { return [.rejected(key)] }
    let identifier = Bounds.cut(key.identifier, to: Bounds.identifierBytes)
    let number = monitors[monitor, default: MonitorLoop()].handle(identifier, at: now)
    let event = ConditionEvent(
      identifier: identifier, state: .unmonitored, date: now.unixTime,
      diagnostics: .conditionLimitExceeded)
    return [.rejected(key), .event(monitor, number, event)]
  }

  /// Whether an app may have one more monitor, and the name is valid.
  func mayOpen(_ monitor: MonitorKey) -> Bool {
    monitor.name.utf8.count <= Bounds.monitorNameBytes
      && MonitorRequest.isValid(name: monitor.name)
      && monitors.keys.count { $0.app == monitor.app } < Bounds.monitors
  }

  /// Whether the monitor is not open and has nothing to deliver.
  func isSpent(_ monitor: MonitorKey) -> Bool {
    guard let loop = monitors[monitor], loop.opener == nil, loop.unreadable.isEmpty else {
      return false
    }
    return !conditions.of(monitor.app).keys.contains { $0.owner == .monitor(monitor.name) }
  }

  /// Whether the app has conditions or a monitor here.
  func concerns(_ app: AppIdentity) -> Bool {
    !conditions.of(app).isEmpty || monitors.keys.contains { $0.app == app }
  }

  /// Forgets the derived state of an app that has none.
  mutating func forget(_ app: AppIdentity) {
    guard !concerns(app) else { return }
    monitoredCounts[app] = nil
    surplus[app] = nil
    unwatched[app] = nil
    access[app] = nil
  }
}
