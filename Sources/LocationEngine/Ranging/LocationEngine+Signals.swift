package import LocationModel

extension LocationEngine {
  // MARK: Compass

  /// Delivers a compass sample; without subscribers, nothing happens.
  mutating func point(
    _ sample: HeadingSample, from provider: ProviderID, at now: Moment, to outputs: inout [Output]
  ) {
    guard compass.listens(to: provider) else { return }
    for index in coordinators.indices where !coordinators[index].heading.isEmpty {
      coordinators[index].take(sample, at: now, to: &outputs)
    }
  }

  /// Notes that a provider has gained or lost a compass (AVAIL-3).
  mutating func settleCompass(
    _ provider: ProviderID, _ hasCompass: Bool, at now: Moment, to outputs: inout [Output]
  ) {
    compass.settle(provider, hasCompass: hasCompass)
    settleEquipment(at: now, to: &outputs)
  }

  mutating func settleEquipment(at now: Moment, to outputs: inout [Output]) {
    for index in coordinators.indices { outputs += coordinators[index].settle(equipment, at: now) }
  }

  /// The equipment of this computer beside positions.
  var equipment: Equipment {
    Equipment(
      hasCompass: compass.hasCompass, hasBeaconRadio: beacons.reception != nil,
      hasPositions: watch.hasSource)
  }

  // MARK: Beacons

  mutating func settle(
    _ reception: BeaconReception, at now: Moment, to outputs: inout [Output]
  ) {
    deliver(beacons.settle(reception, at: now), at: now, to: &outputs)
    settleEquipment(at: now, to: &outputs)
  }

  /// Adjusts ranging and watching to what apps request and may receive.
  mutating func settleBeacons(at now: Moment, to outputs: inout [Output]) {
    for index in coordinators.indices where !coordinators[index].ranging.isEmpty {
      outputs += coordinators[index].settleRanging(beacons.reception)
    }
    let wanted = coordinators.reduce(into: Set()) { $0.formUnion($1.rangedConstraints) }
    deliver(beacons.settleRanging(wanted, at: now), at: now, to: &outputs)
    let watched = conditions.isEmpty ? [] : conditions.watchedBeacons
    deliver(beacons.settleWatch(watched, at: now), at: now, to: &outputs)
  }

  /// Carries out what the owner has decided about an adapter.
  mutating func calibrate(
    _ adapter: BluetoothAddress, _ offset: Int?, at now: Moment, to outputs: inout [Output]
  ) {
    deliver(beacons.calibrate(adapter, offset, at: now), at: now, to: &outputs)
  }

  /// What is known of the Bluetooth adapters of this computer.
  package var adapters: AdapterLevels { beacons.adapters }

  /// Whether beacons can be received; `nil` while there is no radio at all.
  package var beaconReception: BeaconReception? { beacons.reception }

  /// How each ranged beacon was received last, for a calibration.
  package var beaconReadings: [BeaconRanger.Reading] { beacons.readings }

  mutating func deliver(
    _ decisions: [BeaconCoordinator.Output], at now: Moment, to outputs: inout [Output]
  ) {
    for output in decisions {
      switch output {
      case .ranged(let constraint, let beacons):
        for index in coordinators.indices where !coordinators[index].ranging.isEmpty {
          outputs += coordinators[index].take(beacons, of: constraint)
        }
      case .persist(let change): outputs.append(.persist(change))
      case .state(let key, let state, let date):
        let input = Conditions.Input.beacon(
          key, ConditionState(state), refinement: state.refinement, seen: date)
        carry(conditions.handle(input, at: now), at: now, to: &outputs)
      }
    }
  }
}

extension LocationEngine.Input {
  /// Whether it can change which beacons are wanted; a fix cannot.
  var concernsBeacons: Bool {
    switch self {
    case .fix, .heading, .sensor, .beacon, .provider, .noRegion, .compass, .simulation, .display,
      .unlocked:
      false
    case .reception, .advertising, .client, .answer, .setting, .stored, .launchable, .remind,
      .wake:
      true
    }
  }
}

extension ConditionState {
  fileprivate init(_ state: BeaconState) {
    switch state {
    case .unknown: self = .unknown
    case .satisfied: self = .satisfied
    case .unsatisfied: self = .unsatisfied
    }
  }
}

extension BeaconState {
  /// The identity of the beacon that satisfies (MON-30, MON-31).
  fileprivate var refinement: BeaconIdentity? {
    guard case .satisfied(let identity) = self else { return nil }
    return identity
  }
}
