import LocationModel

/// Deliveries that wait for a process to take them.
struct Outbox: Sendable {
  private(set) var waiting: [(client: ClientID?, delivery: Delivery)] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds one; `client` is `nil` for whichever process comes next. Fixes of one subscriber are
  /// joined, the newest thousand (STD-50).
  mutating func add(_ delivery: Delivery, for client: ClientID?) {
    if case .updates(let subscriber, .fixes(let new)) = delivery,
      case .updates(subscriber, .fixes(let old))? = waiting.last?.delivery,
      waiting.last?.client == client
    {
      waiting[waiting.endIndex - 1].delivery =
        .updates(subscriber, .fixes(Array((old + new).suffix(Self.bound))))
    } else {
      waiting.append((client, delivery))
    }
    if waiting.count > Self.bound { waiting.removeFirst(waiting.count - Self.bound) }
  }

  mutating func take() -> [(client: ClientID?, delivery: Delivery)] {
    defer { waiting = [] }
    return waiting
  }

  /// What tells where the device was: nobody may hear it any more (STD-50, AUTH-8).
  mutating func forgetPlaces() {
    waiting.removeAll { entry in
      switch entry.delivery {
      case .updates(_, .fixes): true
      case .live(_, let update): update.fix != nil
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
