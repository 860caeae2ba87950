import LocationModel

/// The open monitors of one app, by the process and subscriber that opened them, and the access of
/// the app to its conditions.
struct AppMonitors: Sendable {
  struct Entry: Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var key: MonitorKey
    /// The number of requests carried out, by which a client recognizes a stale answer.
    var requests = 0
    /// The loop waits for its next event.
    var wantsNext = false
    /// Whether the conditions know that the loop waits.
    var isAsking = false
    /// The event that was sent to the loop and is not acknowledged.
    var handling: EventNumber?

    /// The number of its loop as a modern use (SESS-9).
    var iteration: Int { AppCoordinator.number(of: subscriber, client) }

    /// The number of its subscriber, unique across all processes.
    var opener: UInt64 { UInt64(AppCoordinator.number(of: subscriber, client)) }
  }

  private(set) var entries: [Entry] = []
  /// The access of the app to its conditions; derived with the verdicts.
  var access = ConditionAccess()
  /// The access that the conditions were given last.
  private var deliveredAccess: ConditionAccess?

  func index(of subscriber: SubscriberID, _ client: ClientID) -> Int? {
    entries.firstIndex { $0.client == client && $0.subscriber == subscriber }
  }

  mutating func open(_ key: MonitorKey, of subscriber: SubscriberID, _ client: ClientID) {
    entries.append(Entry(client: client, subscriber: subscriber, key: key))
  }

  /// Removes the monitor of a subscriber; `nil` if it has none.
  mutating func close(_ subscriber: SubscriberID, _ client: ClientID) -> Entry? {
    index(of: subscriber, client).map { entries.remove(at: $0) }
  }

  /// Removes the entry that tried to open a monitor last.
  mutating func removeLast(_ key: MonitorKey) -> Entry? {
    entries.lastIndex { $0.key == key }.map { entries.remove(at: $0) }
  }

  mutating func removeAll(of client: ClientID) { entries.removeAll { $0.client == client } }

  /// Returns the request with the number of the event that it acknowledges.
  func numbered(_ request: MonitorRequest, of place: Int) -> MonitorRequest {
    request == .next(after: .latest)
      ? .next(after: entries[place].handling ?? .none) : request
  }

  /// Converts a request; a loop that may not receive events waits here.
  ///
  /// Returns `nil` for a loop that asks for what was already sent to it: after a new connection its
  /// requests are sent again, and may be older than the event.
  mutating func take(
    _ request: MonitorRequest, of place: Int, mayReceive: Bool
  ) -> Conditions.Input? {
    entries[place].requests += 1
    let monitor = entries[place]
    func key(_ identifier: String) -> ConditionKey {
      ConditionKey(
        app: monitor.key.app, owner: .monitor(monitor.key.name), identifier: identifier)
    }
    switch request {
    case .open: return .open(monitor.key, opener: monitor.opener)
    case .add(let identifier, let target, let assumed):
      return .add(key(identifier), target, assuming: assumed)
    case .remove(let identifier): return .remove(key(identifier))
    case .leave:
      (entries[place].wantsNext, entries[place].isAsking) = (false, false)
      entries[place].handling = nil
      return .leave(monitor.key)
    case .next(let number):
      guard monitor.handling.map({ $0 == number }) ?? true else { return nil }
      entries[place].handling = nil
      (entries[place].wantsNext, entries[place].isAsking) = (true, mayReceive)
      return mayReceive ? .next(monitor.key, after: number) : .handled(monitor.key, number)
    }
  }

  /// Returns the new access of the app to its conditions; `nil` when it is unchanged.
  mutating func settleAccess() -> ConditionAccess? {
    guard access != deliveredAccess else { return nil }
    deliveredAccess = access
    return access
  }

  /// Notes that the loop handles an event now; it asks for the next one afterwards. Returns the
  /// monitor; `nil` if it is not open.
  mutating func beginHandling(_ number: EventNumber, of key: MonitorKey) -> Entry? {
    guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
    (entries[place].wantsNext, entries[place].isAsking) = (false, false)
    entries[place].handling = number
    return entries[place]
  }

  /// Starts or stops the asking of loops as the authorization of the app changes (SESS-13, MON-39).
  mutating func settle(mayReceive: Bool) -> [Conditions.Input] {
    var inputs: [Conditions.Input] = []
    for place in entries.indices where entries[place].wantsNext {
      guard entries[place].isAsking != mayReceive else { continue }
      entries[place].isAsking = mayReceive
      let key = entries[place].key
      inputs.append(mayReceive ? .next(key, after: .none) : .leave(key))
    }
    return inputs
  }
}

extension Conditions {
  /// Returns the identifiers whose records a request can change; `nil` for all.
  func identifiers(concernedBy request: MonitorRequest, of monitor: MonitorKey) -> [String]? {
    switch request {
    case .open: nil
    case .add(let identifier, _, _), .remove(let identifier): [identifier]
    case .next(let number): deliveredKey(number, of: monitor).map { [$0.identifier] } ?? []
    case .leave: []
    }
  }
}
