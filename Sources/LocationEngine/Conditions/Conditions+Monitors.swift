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

/// The one loop over a monitor's events, as a state machine.
///
/// | state | asks | event | acknowledges | is left |
/// |---|---|---|---|---|
/// | idle | asking | queued | – | idle |
/// | asking | asking | delivered: handling | – | idle |
/// | handling | the event is queued again: asking | queued | idle | queued again: idle |
struct MonitorLoop: Sendable {
  enum State: Sendable {
    /// The loop does not ask.
    case idle
    /// The loop waits for an event.
    case asking
    /// The event of this condition was delivered under this number (MON-23).
    case handling(EventNumber, identifier: String)
  }

  /// The subscriber that has the monitor open; `nil` while none has.
  var opener: UInt64?
  var state = State.idle
  /// Stored conditions that could not be read, until the app has received that (MON-7).
  var unreadable: [UnreadableCondition] = []
  /// Conditions that may have an event, in the order of detection (MON-29).
  private var queue: [String] = []
  /// The number of entries at the front of the queue that have been taken.
  private var passed = 0
  private var queued: Set<String> = []
  /// The last number that was used.
  private var last = EventNumber.none

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
    if case .handling(_, identifier) = state { state = .idle }
  }

  /// Begins to handle the event of a condition, and returns its number. Numbers are near the
  /// uptime, so that none is used again after a restart of the engine.
  mutating func handle(_ identifier: String, at now: Moment) -> EventNumber {
    last = EventNumber(rawValue: max(last.rawValue + 1, now.uptime.nanoseconds))
    state = .handling(last, identifier: identifier)
    return last
  }

  /// Ends the loop: an event that was not acknowledged is queued again, ahead of the rest.
  mutating func leave() {
    if case .handling(_, let identifier) = state, queued.insert(identifier).inserted {
      queue.replaceSubrange(0..<passed, with: [identifier])
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

  /// Answers a loop that asks: its last event is handled, and the next one is delivered. An event
  /// that it does not acknowledge is delivered again.
  mutating func next(
    of monitor: MonitorKey, after number: EventNumber, at now: Moment
  ) -> [Output] {
    let handled = acknowledge(number, of: monitor, at: now)
    monitors[monitor, default: MonitorLoop()].leave()
    monitors[monitor]?.state = .asking
    return handled + deliver(to: monitor, at: now)
  }

  /// Takes the event with this number as handled, and adopts the observation held back behind it
  /// (MON-27). It may have been delivered by an engine that has ended since.
  mutating func acknowledge(
    _ number: EventNumber, of monitor: MonitorKey, at now: Moment
  ) -> [Output] {
    let key = deliveredKey(number, of: monitor)
    if case .handling(number, _) = monitors[monitor]?.state { monitors[monitor]?.state = .idle }
    guard let key, var handled = conditions[key]?.delivered.take()?.event else { return [] }
    let reportedLoss = handled.diagnostics.remove(.persistenceUnavailable) != nil
    conditions[key]?.lastEvent = handled
    if let later = conditions[key]?.later {
      conditions[key]?.observation = later
      conditions[key]?.later = nil
    }
    monitors[monitor]?.enqueue(key.identifier)
    return (reportedLoss ? moveAside(monitor, at: now) : []) + [store(key)].compactMap(\.self)
  }

  /// Returns the condition whose event was delivered under a number; `nil` when it was acknowledged
  /// or removed since.
  func deliveredKey(_ number: EventNumber, of monitor: MonitorKey) -> ConditionKey? {
    guard number != .none else { return nil }
    if case .handling(number, let identifier) = monitors[monitor]?.state {
      let key = conditionKey(identifier, of: monitor)
      return conditions[key]?.delivered?.number == number ? key : nil
    }
    return conditions.first { key, condition in
      key.app == monitor.app && key.owner == .monitor(monitor.name)
        && condition.delivered?.number == number
    }?.key
  }

  mutating func deliverMonitor(
    _ monitor: MonitorKey, of key: ConditionKey, at now: Moment
  ) -> [Output] {
    guard let condition = conditions[key], condition.isUndelivered(event(of: condition, key)) else {
      return []
    }
    monitors[monitor, default: MonitorLoop()].enqueue(key.identifier)
    switch monitors[monitor]?.state ?? .idle {
    case .asking: return deliver(to: monitor, at: now)
    case .idle: return [.waiting(monitor)]
    case .handling: return []
    }
  }

  /// Delivers the first queued event that still is one to a loop that asks; skips the others.
  private mutating func deliver(to monitor: MonitorKey, at now: Moment) -> [Output] {
    while let identifier = monitors[monitor]?.dequeue() {
      let key = conditionKey(identifier, of: monitor)
      guard let condition = conditions[key] else { continue }
      var event = event(of: condition, key)
      guard condition.isUndelivered(event) else { continue }
      if !isKept || monitors[monitor]?.unreadable.isEmpty == false {
        event.diagnostics.insert(.persistenceUnavailable)
      }
      let number = monitors[monitor, default: MonitorLoop()].handle(identifier, at: now)
      conditions[key]?.delivered = WatchedCondition.Delivered(number: number, event: event)
      return [store(key)].compactMap(\.self) + [.event(monitor, number, event)]
    }
    return []
  }

  private func conditionKey(_ identifier: String, of monitor: MonitorKey) -> ConditionKey {
    ConditionKey(app: monitor.app, owner: .monitor(monitor.name), identifier: identifier)
  }

  /// Whether an event waits for a monitor of an app.
  func hasPendingMonitorEvents(of app: AppIdentity) -> Bool {
    conditions.contains { key, condition in
      guard key.app == app, case .monitor = key.owner else { return false }
      return condition.isUndelivered(event(of: condition, key))
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
