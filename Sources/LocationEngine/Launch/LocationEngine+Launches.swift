import LocationCoding
import LocationModel

extension LocationEngine {
  /// Launches apps that do not run and have pending events (LIFE-1).
  mutating func settleLaunches(at now: Moment, to outputs: inout [Output]) {
    // Runs at every step: a coordinator is large, and is copied only if no process runs.
    for index in coordinators.indices
    where coordinators[index].processes.isEmpty && coordinators[index].isPending {
      launch(.pending(coordinators[index].app), at: now, to: &outputs)
    }
  }

  /// Passes an input to the launches, and launches the apps that they decide on.
  mutating func launch(
    _ input: LaunchCoordinator.Input, at now: Moment, to outputs: inout [Output]
  ) {
    for case .launch(let app) in launches.handle(input, at: now) { outputs.append(.launch(app)) }
  }

  /// Returns the lifecycle state of a connecting process: one that was launched for an event is in
  /// the background.
  mutating func admit(
    _ client: ClientDescription, at now: Moment, to outputs: inout [Output]
  ) -> (AppLife, isLaunched: Bool) {
    let isLaunched = launches.isStarting(client.app)
    launch(.connected(client.app), at: now, to: &outputs)
    return (isLaunched ? .background : client.life, isLaunched)
  }

  /// Notes that a process has ended; events that the app has not taken stay pending.
  mutating func dismiss(_ app: AppIdentity, at now: Moment, to outputs: inout [Output]) {
    guard let index = coordinatorIndex(of: app), coordinators[index].processes.isEmpty
    else { return }
    if conditions.hasPendingMonitorEvents(of: app) {
      coordinators[index].pending.launch(for: .monitor)
    }
    launch(.ended(app, isPending: coordinators[index].isPending), at: now, to: &outputs)
    removeIfBlank(index, at: now, to: &outputs)
  }

  /// Adopts the set of apps that have registered a command (LIFE-2).
  mutating func settleLaunchable(
    _ apps: [AppIdentity], at now: Moment, to outputs: inout [Output]
  ) {
    launchable = apps
    for index in coordinators.indices {
      let isThere = apps.contains(coordinators[index].app)
      outputs += coordinators[index].change(at: now) { $0.hasLaunchCommand = isThere }
    }
  }

  /// Restores apps that had registered something, before any of them runs.
  mutating func restoreAbsentApps(
    from entries: [StateEntry], at now: Moment, to outputs: inout [Output]
  ) {
    let domains = ["condition", "visit", LaunchReasons.domain, PendingQueue.domain]
    let owners = entries.filter { domains.contains($0.key.domain) }.map(\.key.owner)
    for owner in Set(owners).sorted() where !owner.isEmpty {
      let app = AppIdentity(owner)
      let own = entries.filter { $0.key.owner == owner }
      let description = ClientDescription(
        app: app, manifest: Manifest(rememberedIn: own, of: app), life: .terminated)
      _ = coordinator(for: description, at: now, to: &outputs)
      launch(.restored(app), at: now, to: &outputs)
    }
  }
}

extension AppCoordinator {
  /// Whether the app does not run, and may be launched for what is pending.
  var isPending: Bool {
    processes.isEmpty && pending.launches(verdicts)
  }

  /// Changes when the app may be launched.
  mutating func change(
    at now: Moment, _ body: (inout LaunchPolicy) -> Void
  ) -> [LocationEngine.Output] {
    let earlier = launch.policy
    body(&launch.policy)
    return launch.policy == earlier ? [] : settleVerdicts(at: now)
  }
}

extension Manifest {
  /// Creates the manifest that an app must have declared for its stored state; its own manifest
  /// replaces it when the app connects.
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
