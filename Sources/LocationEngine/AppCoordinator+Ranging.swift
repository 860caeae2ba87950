import LocationModel

extension AppCoordinator {
  /// A constraint that one subscriber ranges.
  struct Ranging: Hashable, Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var constraint: BeaconConstraint
  }

  mutating func handle(
    _ request: RangingRequest, of subscriber: SubscriberID, _ client: ClientID,
    _ reception: BeaconReception?, at now: Moment
  ) -> [Output] {
    switch request {
    case .start(let constraint):
      let new = Ranging(client: client, subscriber: subscriber, constraint: constraint)
      guard !ranging.contains(new) else { return [] }
      guard ranging.count < Bounds.ranging else {
        let text = "ranges \(Bounds.ranging) constraints already, and must stop some first"
        return fail(new, .failing) + [.note(.limit(app, text))]
      }
      let refusal = refusal(reception)
      // The first one receives the refusal here; later ones receive changes from `settleRanging`.
      if ranging.isEmpty { deliveredRangingRefusal = refusal }
      ranging.append(new)
      return refusal.map { fail(new, $0) } ?? []
    case .stop(let constraint):
      ranging.removeAll {
        $0.client == client && $0.subscriber == subscriber && $0.constraint == constraint
      }
      return []
    }
  }

  /// The constraints for which the app may receive ranged beacons now.
  var rangedConstraints: [BeaconConstraint] {
    verdicts.ranging.flows ? ranging.map(\.constraint) : []
  }

  mutating func take(
    _ beacons: [RangedBeacon], of constraint: BeaconConstraint, at now: Moment
  ) -> [Output] {
    guard verdicts.ranging.flows else { return [] }
    return ranging.filter { $0.constraint == constraint }.flatMap { asker in
      post(.ranging(asker.subscriber, .ranged(constraint, beacons)), to: asker.client)
    }
  }

  /// Delivers a failure to all that range when the app may no longer range, or the radio fails
  /// (BEACON-16, BEACON-17). While the app may not receive ranging, a radio failure waits.
  mutating func settleRanging(_ reception: BeaconReception?) -> [Output] {
    guard standingRefusal != nil || verdicts.ranging.flows else { return [] }
    let refusal = refusal(reception)
    guard refusal != deliveredRangingRefusal else { return [] }
    deliveredRangingRefusal = refusal
    return refusal.map { refusal in ranging.flatMap { fail($0, refusal) } } ?? []
  }

  private func refusal(_ reception: BeaconReception?) -> RangingFailure? {
    standingRefusal ?? (reception.map(Self.failure) ?? .unavailable)
  }

  /// Why the app may not range; `nil` when it may, or the person has not decided yet.
  private var standingRefusal: RangingFailure? {
    guard servicesAreOn else { return .unavailable }
    switch authorization.status {
    case .notDetermined: return nil
    case .denied, .restricted: return .denied
    case .always, .whenInUse: return isCoarse ? .unavailable : nil
    }
  }

  private static func failure(_ reception: BeaconReception) -> RangingFailure? {
    switch reception {
    case .listening: nil
    case .unavailable: .unavailable
    case .failing: .failing
    }
  }

  private mutating func fail(_ asker: Ranging, _ failure: RangingFailure) -> [Output] {
    post(.ranging(asker.subscriber, .failed(asker.constraint, failure)), to: asker.client)
  }
}
