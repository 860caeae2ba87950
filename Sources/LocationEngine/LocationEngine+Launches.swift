import LocationModel

extension LocationEngine {
  /// Has apps started that do not run and are owed an event (LIFE-1).
  mutating func settleLaunches(at now: Moment, to outputs: inout [Output]) {
    // Asked at every step: a desk is large, and is copied only where nobody runs.
    for index in coordinators.indices
    where coordinators[index].processes.isEmpty && coordinators[index].isPending {
      for case .launch(let app) in launches.handle(.pending(coordinators[index].app), at: now) {
        outputs.append(.launch(app))
      }
    }
  }

  /// Where a process of an app is when it connects: one that was started for an event is in the
  /// background.
  mutating func admit(_ client: ClientDescription, at now: Moment) -> (AppLife, isLaunched: Bool) {
    let isLaunched = launches.isStarting(client.app)
    _ = launches.handle(.connected(client.app), at: now)
    return (isLaunched ? .background : client.life, isLaunched)
  }

  /// A process is gone; what the app had not taken is still owed to it.
  mutating func dismiss(_ app: AppIdentity, at now: Moment) {
    guard let index = coordinatorIndex(of: app), coordinators[index].processes.isEmpty
    else { return }
    coordinators[index].isCalled = conditions.hasNewsForMonitors(of: app)
    _ = launches.handle(.ended(app, isPending: coordinators[index].isPending), at: now)
    closeDesk(index, at: now)
  }

  /// Which apps have registered a command (LIFE-2).
  mutating func settleLaunchable(
    _ apps: [AppIdentity], at now: Moment, to outputs: inout [Output]
  ) {
    launchable = apps
    for index in coordinators.indices {
      outputs += coordinators[index].permitLaunch(apps.contains(coordinators[index].app), at: now)
    }
  }

  /// Takes up the apps that had registered something, though none of them runs yet.
  mutating func restoreAbsentApps(
    from entries: [StateEntry], at now: Moment, to outputs: inout [Output]
  ) {
    let domains = ["condition", "visit", LaunchReasons.domain, PendingEvents.domain]
    let owners = entries.filter { domains.contains($0.key.domain) }.map(\.key.owner)
    for owner in Set(owners).sorted() where !owner.isEmpty {
      let app = AppIdentity(owner)
      let own = entries.filter { $0.key.owner == owner }
      let description = ClientDescription(
        app: app, manifest: Manifest(rememberedIn: own, of: app), life: .terminated)
      _ = openDesk(of: description, at: now, to: &outputs)
      _ = launches.handle(.restored(app), at: now)
    }
  }
}

extension AppCoordinator {
  /// Whether the app does not run, and may be started for what waits for it.
  var isPending: Bool {
    guard processes.isEmpty else { return false }
    return isClaimed || isCalled && verdicts.monitor.launches
      || !pending.isEmpty && (verdicts.region.launches || verdicts.visits.launches)
      || !outbox.isEmpty && verdicts.significant.launches
  }

  mutating func permitLaunch(_ hasCommand: Bool, at now: Moment) -> [LocationEngine.Output] {
    guard policy.hasLaunchCommand != hasCommand else { return [] }
    policy.hasLaunchCommand = hasCommand
    return settleVerdicts(at: now)
  }
}

extension DeliveryRule.Verdict {
  /// Whether an event starts an app that does not run.
  fileprivate var launches: Bool { action == .launch || action == .launchUnlessQuit }
}

extension Manifest {
  /// What an app that does not run must have declared, to have what is stored of it; its own list
  /// counts again when it connects.
  fileprivate init(rememberedIn entries: [StateEntry], of app: AppIdentity) {
    func stored(_ key: StateKey) -> [UInt8]? { entries.first { $0.key == key }?.value }
    var values: [String: ManifestValue] = [:]
    let grant = stored(AuthorizationRecord.key(of: app)).flatMap { AuthorizationRecord(stored: $0) }
    if grant?.declaresAlways == true {
      values[Key.always] = .string("declared when last seen")
    }
    let sessions = stored(SessionsRecord.key(of: app)).flatMap { SessionsRecord(stored: $0) }
    let hadSession = sessions.map { $0.background > 0 } ?? false
    if hadSession || stored(LaunchReasons.key(of: app)) != nil {
      values[Key.backgroundModes] = .array([.string("location")])
    }
    self.init(values, file: app.name)
  }
}
