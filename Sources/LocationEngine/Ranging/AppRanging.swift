import LocationModel

/// The constraints that one app ranges, in the order of the requests.
struct AppRanging: Sendable {
  /// A constraint that one subscriber ranges.
  struct Request: Hashable, Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var constraint: BeaconConstraint

    fileprivate func failed(_ failure: RangingFailure) -> AppOutput {
      .post(.ranging(subscriber, .failed(constraint, failure)), to: client)
    }
  }

  private let app: AppIdentity
  private(set) var requests: [Request] = []
  /// The last refusal that was delivered to subscribers.
  private var deliveredRefusal: RangingFailure?

  init(app: AppIdentity) { self.app = app }

  var isEmpty: Bool { requests.isEmpty }

  var constraints: [BeaconConstraint] { requests.map(\.constraint) }

  /// Carries out a request; `refusal` is the reason why the app may not range now, or why nobody can.
  mutating func handle(
    _ request: RangingRequest, of subscriber: SubscriberID, _ client: ClientID,
    _ refusal: RangingFailure?
  ) -> [AppOutput] {
    switch request {
    case .start(let constraint):
      let new = Request(client: client, subscriber: subscriber, constraint: constraint)
      guard !requests.contains(new) else { return [] }
      guard requests.count < Bounds.ranging else {
        let text = "ranges \(Bounds.ranging) constraints already, and must stop some first"
        return [new.failed(.failing), .engine(.note(.limit(app, text)))]
      }
      // The first one receives the refusal here; later ones receive changes from `settle`.
      if requests.isEmpty { deliveredRefusal = refusal }
      requests.append(new)
      return refusal.map { [new.failed($0)] } ?? []
    case .stop(let constraint):
      requests.removeAll {
        $0.client == client && $0.subscriber == subscriber && $0.constraint == constraint
      }
      return []
    }
  }

  mutating func remove(_ subscriber: SubscriberID, _ client: ClientID) {
    requests.removeAll { $0.client == client && $0.subscriber == subscriber }
  }

  mutating func removeAll(of client: ClientID) { requests.removeAll { $0.client == client } }

  func deliver(_ beacons: [RangedBeacon], of constraint: BeaconConstraint) -> [AppOutput] {
    requests.filter { $0.constraint == constraint }.map {
      .post(.ranging($0.subscriber, .ranged(constraint, beacons)), to: $0.client)
    }
  }

  /// Delivers a new refusal to all that range (BEACON-16, BEACON-17).
  mutating func settle(_ refusal: RangingFailure?) -> [AppOutput] {
    guard refusal != deliveredRefusal else { return [] }
    deliveredRefusal = refusal
    return refusal.map { refusal in requests.map { $0.failed(refusal) } } ?? []
  }
}
