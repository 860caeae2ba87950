import LocationModel

/// Deliveries that are queued for a process that cannot take them now.
struct Outbox: Sendable {
  struct Entry: Sendable {
    /// `nil` means the process that connects next.
    var client: ClientID?
    var delivery: Delivery

    fileprivate var fixes: Int {
      if case .updates(_, .fixes(let fixes)) = delivery { fixes.count } else { 0 }
    }

    /// Whether it is for this subscriber.
    fileprivate func concerns(_ subscriber: SubscriberID) -> Bool {
      switch delivery {
      case .updates(let hearer, _): hearer == subscriber
      case .authorizationChanged(let hearer): hearer == nil || hearer == subscriber
      case .state, .temporaryFullAccuracy, .live, .pending, .region, .regions, .monitor, .heading,
        .ranging, .advertising, .diagnostics:
        false
      }
    }
  }

  private var waiting: [Entry] = []
  /// The number of fixes among them.
  private var fixes = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a delivery. Fixes join those before them, the newest thousand, unless the subscriber has
  /// another delivery in between (STD-50). Above the bounds, the oldest are dropped.
  mutating func add(_ delivery: Delivery, for client: ClientID?) {
    if case .updates(let subscriber, .fixes(let new)) = delivery,
      let last = waiting.lastIndex(where: { $0.client == client && $0.concerns(subscriber) }),
      case .updates(_, .fixes(let old)) = waiting[last].delivery
    {
      let kept = Array((old + new).suffix(Bounds.waiting))
      fixes += kept.count - old.count
      waiting[last].delivery = .updates(subscriber, .fixes(kept))
    } else {
      let entry = Entry(client: client, delivery: delivery)
      fixes += entry.fixes
      waiting.append(entry)
    }
    while waiting.count > Bounds.waiting || fixes > Bounds.waitingFixes {
      fixes -= waiting.removeFirst().fixes
    }
  }

  mutating func take() -> [Entry] {
    defer { (waiting, fixes) = ([], 0) }
    return waiting
  }

  /// Drops positions, which no process may receive any more (STD-50, AUTH-8).
  mutating func forgetPlaces() {
    remove { entry in
      switch entry.delivery {
      case .updates(_, .fixes): true
      case .live(_, let update): update.fix != nil
      case .region(_, _, .determined): true
      case .state, .authorizationChanged, .temporaryFullAccuracy, .updates, .pending, .region,
        .regions, .monitor, .heading, .ranging, .advertising, .diagnostics:
        false
      }
    }
  }

  /// Drops deliveries for the next process, after none connected in time (LIFE-6).
  mutating func forgetUnclaimed() {
    remove { $0.client == nil }
  }

  /// Drops the deliveries for a process that has ended.
  mutating func forget(_ client: ClientID) {
    remove { $0.client == client }
  }

  private mutating func remove(_ isOver: (Entry) -> Bool) {
    waiting.removeAll(where: isOver)
    fixes = waiting.reduce(0) { $0 + $1.fixes }
  }
}
