package import LocationModel

/// Names a monitor of an app.
package struct MonitorKey: Hashable, Comparable, Sendable {
  package var app: AppIdentity
  package var name: String

  package init(app: AppIdentity, name: String) {
    self.app = app
    self.name = name
  }

  package static func < (left: MonitorKey, right: MonitorKey) -> Bool {
    (left.app, left.name) < (right.app, right.name)
  }
}

/// The state of the one loop over a monitor's events.
struct MonitorLoop: Sendable {
  enum State: Sendable {
    /// The loop does not ask.
    case idle
    /// The loop waits for an event.
    case asking
    /// The event was delivered to the loop; it is handled when the loop asks again (MON-23).
    case handling(ConditionEvent)
  }

  /// The subscriber that has the monitor open; `nil` while none has.
  var opener: UInt64?
  var state = State.idle
  /// Stored conditions that could not be read, until the app has received that (MON-7).
  var unreadable: [String] = []
  /// Conditions that may have an event, in the order of detection (MON-29).
  private var queue: [String] = []
  /// The number of entries at the front of the queue that have been taken.
  private var passed = 0
  private var queued: Set<String> = []

  /// The number of taken entries that are kept. Chosen: so that the rest is moved rarely.
  private static let mostPassed = 1024

  mutating func enqueue(_ identifier: String) {
    if queued.insert(identifier).inserted { queue.append(identifier) }
  }

  mutating func dequeue() -> String? {
    guard passed < queue.count else {
      queue.removeAll(keepingCapacity: true)
      passed = 0
      return nil
    }
    let identifier = queue[passed]
    passed += 1
    if passed > Self.mostPassed {
      queue.removeSubrange(..<passed)
      passed = 0
    }
    queued.remove(identifier)
    return identifier
  }

  /// Drops the delivered event, and the queued one, of a condition that was removed.
  mutating func forget(_ identifier: String) {
    if queued.remove(identifier) != nil {
      queue.removeSubrange(..<passed)
      passed = 0
      queue.removeAll { $0 == identifier }
    }
    if case .handling(let event) = state, event.identifier == identifier { state = .idle }
  }

  /// Ends the loop: an event that was not handled is queued again, ahead of the rest.
  mutating func leave() {
    if case .handling(let event) = state, queued.insert(event.identifier).inserted {
      queue.replaceSubrange(0..<passed, with: [event.identifier])
      passed = 0
    }
    state = .idle
  }
}

extension Conditions {
  mutating func open(_ monitor: MonitorKey, by opener: UInt64) -> [Output] {
    if let other = monitors[monitor]?.opener, other != opener {
      return [.refused(monitor, openedBy: other)]
    }
    guard monitors[monitor] != nil || mayOpen(monitor) else { return [.barred(monitor)] }
    monitors[monitor, default: MonitorLoop()].opener = opener
    return [.opened(monitor)]
  }

  mutating func close(_ monitor: MonitorKey, by opener: UInt64) -> [Output] {
    guard monitors[monitor]?.opener == opener else { return [] }
    monitors[monitor]?.leave()
    monitors[monitor]?.opener = nil
    if isSpent(monitor) { monitors[monitor] = nil }
    return []
  }

  /// Answers a loop that asks: its last event is handled, and the next one is delivered.
  mutating func next(of monitor: MonitorKey) -> [Output] {
    let settled = settle(monitor)
    monitors[monitor, default: MonitorLoop()].state = .asking
    return settled + deliver(to: monitor)
  }

  /// Takes the last event as handled, and adopts the observation held back behind it (MON-27).
  mutating func settle(_ monitor: MonitorKey) -> [Output] {
    guard case .handling(let event) = monitors[monitor]?.state else { return [] }
    monitors[monitor]?.state = .idle
    let key = conditionKey(event.identifier, of: monitor)
    guard conditions[key] != nil else { return [] }
    var handled = event
    let deliveredOfLoss = handled.diagnostics.remove(.persistenceUnavailable) != nil
    conditions[key]?.lastEvent = handled
    if let later = conditions[key]?.later {
      conditions[key]?.observation = later
      conditions[key]?.later = nil
    }
    monitors[monitor]?.enqueue(event.identifier)
    return (deliveredOfLoss ? dropUnreadable(monitor) : []) + [store(key)].compactMap(\.self)
  }

  /// Removes unreadable conditions from the store, unless others have replaced them.
  private mutating func dropUnreadable(_ monitor: MonitorKey) -> [Output] {
    defer { monitors[monitor]?.unreadable = [] }
    return (monitors[monitor]?.unreadable ?? []).compactMap { identifier in
      let key = conditionKey(identifier, of: monitor)
      return conditions[key] == nil ? .store(.remove(stateKey(of: key))) : nil
    }
  }

  mutating func tellMonitor(_ monitor: MonitorKey, of key: ConditionKey) -> [Output] {
    guard let condition = conditions[key], condition.isNews(event(of: condition, key)) else {
      return []
    }
    monitors[monitor, default: MonitorLoop()].enqueue(key.identifier)
    switch monitors[monitor]?.state ?? .idle {
    case .asking: return deliver(to: monitor)
    case .idle: return [.waiting(monitor)]
    case .handling: return []
    }
  }

  /// Delivers the first queued event that still is one to a loop that asks; skips the others.
  private mutating func deliver(to monitor: MonitorKey) -> [Output] {
    while let identifier = monitors[monitor]?.dequeue() {
      let key = conditionKey(identifier, of: monitor)
      guard let condition = conditions[key] else { continue }
      var event = event(of: condition, key)
      guard condition.isNews(event) else { continue }
      if monitors[monitor]?.unreadable.isEmpty == false {
        event.diagnostics.insert(.persistenceUnavailable)
      }
      monitors[monitor]?.state = .handling(event)
      return [.event(monitor, event)]
    }
    return []
  }

  private func conditionKey(_ identifier: String, of monitor: MonitorKey) -> ConditionKey {
    ConditionKey(app: monitor.app, owner: .monitor(monitor.name), identifier: identifier)
  }

  /// Whether an event waits for a monitor of an app.
  func hasNewsForMonitors(of app: AppIdentity) -> Bool {
    conditions.contains { key, condition in
      guard key.app == app, case .monitor = key.owner else { return false }
      return condition.isNews(event(of: condition, key))
    }
  }

  /// Returns the identifiers of a monitor, surplus included, in the order of addition (MON-16).
  package func identifiers(of monitor: MonitorKey) -> [String] {
    keys(of: monitor.app).filter { $0.owner == .monitor(monitor.name) }.map(\.identifier)
  }

  /// Returns a condition with its last handled event; `nil` for an unknown identifier (MON-15).
  package func record(of identifier: String, in monitor: MonitorKey) -> ConditionRecord? {
    conditions[conditionKey(identifier, of: monitor)].map {
      ConditionRecord(target: $0.target, lastEvent: $0.lastEvent)
    }
  }
}
