import LocationModel

/// Headings, ranged beacons, and advertising: what they may deliver, and to whom.
extension AppCoordinator {
  /// Carries out what the part of a service asks for.
  mutating func carryOut(_ outputs: [AppOutput]) -> [Output] {
    outputs.flatMap { output -> [Output] in
      switch output {
      case .post(let delivery, let client): post(delivery, to: client)
      case .engine(let output): [output]
      }
    }
  }

  // MARK: Heading

  mutating func handle(
    _ request: HeadingRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    carryOut(heading.handle(request, of: subscriber, client, at: now))
  }

  /// Delivers a sample; with true north only to managers that run location updates (HEAD-4).
  mutating func take(_ sample: HeadingSample, at now: Moment, to outputs: inout [Output]) {
    let (standard, isEffective) = (standard, authorization.isEffective)
    outputs += carryOut(
      heading.take(sample, at: visible, now) { entry in
        guard isEffective, let index = standard.index(of: entry.subscriber, entry.client) else {
          return false
        }
        return standard.entries[index].service.isRunning
      })
  }

  /// Delivers changed equipment to every process.
  mutating func settle(_ equipment: Equipment, at now: Moment) -> [Output] {
    guard equipment != world.equipment else { return [] }
    world.equipment = equipment
    let states = clients.map { Output.deliver($0, .state(state)) }
    return states + carryOut(heading.setAvailable(equipment.hasCompass, at: now))
  }

  // MARK: Ranging

  mutating func handle(
    _ request: RangingRequest, of subscriber: SubscriberID, _ client: ClientID,
    _ reception: BeaconReception?
  ) -> [Output] {
    carryOut(ranging.handle(request, of: subscriber, client, rangingRefusal(reception)))
  }

  /// The constraints for which the app may receive ranged beacons now.
  var rangedConstraints: [BeaconConstraint] {
    verdicts.ranging.flows ? ranging.constraints : []
  }

  mutating func take(_ beacons: [RangedBeacon], of constraint: BeaconConstraint) -> [Output] {
    verdicts.ranging.flows ? carryOut(ranging.deliver(beacons, of: constraint)) : []
  }

  /// Delivers a failure to all that range when the app may no longer range, or the radio fails
  /// (BEACON-16, BEACON-17). While the app may not receive ranging, a radio failure waits.
  mutating func settleRanging(_ reception: BeaconReception?) -> [Output] {
    guard accessRefusal != nil || verdicts.ranging.flows else { return [] }
    return carryOut(ranging.settle(rangingRefusal(reception)))
  }

  private func rangingRefusal(_ reception: BeaconReception?) -> RangingFailure? {
    accessRefusal ?? (reception.map(Self.failure) ?? .unavailable)
  }

  /// Why the app may not range; `nil` when it may, or the person has not decided yet.
  private var accessRefusal: RangingFailure? {
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

  // MARK: Advertising

  mutating func handle(
    _ request: AdvertisingRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    carryOut(advertising.handle(request, of: subscriber, client)) + settleBeaconDemand(at: now)
  }

  /// Requests the beacon permission while a process asks to advertise.
  mutating func settleBeaconDemand(at now: Moment) -> [Output] {
    guard authorization.wantsBeacon == advertising.isEmpty else { return [] }
    return authorize(.beaconWish(!advertising.isEmpty), at: now)
  }

  /// The beacon to advertise for this app: its first request, while the app is in the foreground
  /// (BEACON-3) and the person has allowed it (docs/decisions/0070).
  @inline(__always)
  var advert: IBeaconAdvert? {
    guard !advertising.isEmpty, life == .foreground, authorization.beacon == .allowed else {
      return nil
    }
    return advertising.first
  }

  /// Delivers the advertising state to each subscriber for which it has changed.
  ///
  /// `air` is the radio's state for `chosen`, the one beacon that this computer advertises.
  mutating func settleAdvertising(
    _ air: BeaconAdvertising?, of chosen: IBeaconAdvert?
  ) -> [Output] {
    let (isInFront, refusal) = (life == .foreground, authorization.beaconRefusal)
    return carryOut(
      advertising.settle { advert in
        if !isInFront { return .stopped }
        if let refusal { return .refused(refusal) }
        return advert == chosen ? air : .waiting
      })
  }
}
