import LocationModel

/// Deliveries that wait for a process to take them.
struct Outbox: Sendable {
  struct Entry: Sendable {
    /// `nil` for whichever process comes next.
    var client: ClientID?
    var delivery: Delivery

    /// Whether a subscriber hears of it.
    fileprivate func concerns(_ subscriber: SubscriberID) -> Bool {
      switch delivery {
      case .updates(let hearer, _): hearer == subscriber
      case .authorizationChanged(let hearer): hearer == nil || hearer == subscriber
      case .state, .temporaryFullAccuracy, .live, .owed, .region, .regions, .monitor, .heading,
        .ranging, .advertising, .diagnostics:
        false
      }
    }
  }

  private var waiting: [Entry] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds one. Fixes of one subscriber are joined with those before them, the newest thousand,
  /// unless it has other news in between (STD-50).
  mutating func add(_ delivery: Delivery, for client: ClientID?) {
    if case .updates(let subscriber, .fixes(let new)) = delivery,
      let last = waiting.lastIndex(where: { $0.client == client && $0.concerns(subscriber) }),
      case .updates(_, .fixes(let old)) = waiting[last].delivery
    {
      let fixes = Array((old + new).suffix(Self.bound))
      waiting[last].delivery = .updates(subscriber, .fixes(fixes))
    } else {
      waiting.append(Entry(client: client, delivery: delivery))
    }
    if waiting.count > Self.bound { waiting.removeFirst(waiting.count - Self.bound) }
  }

  mutating func take() -> [Entry] {
    defer { waiting = [] }
    return waiting
  }

  /// What tells where the device was: nobody may hear it any more (STD-50, AUTH-8).
  mutating func forgetPlaces() {
    waiting.removeAll { entry in
      switch entry.delivery {
      case .updates(_, .fixes): true
      case .live(_, let update): update.fix != nil
      case .region(_, _, .determined): true
      case .state, .authorizationChanged, .temporaryFullAccuracy, .updates, .owed, .region,
        .regions, .monitor, .heading, .ranging, .advertising, .diagnostics:
        false
      }
    }
  }

  /// What waited for whichever process comes next, and none took in time (LIFE-6).
  mutating func forgetUnclaimed() {
    waiting.removeAll { $0.client == nil }
  }

  /// What waited for a process that is gone.
  mutating func forget(_ client: ClientID) {
    waiting.removeAll { $0.client == client }
  }

  /// Documented with no number; chosen (STD-50).
  private static let bound = 1000
}
