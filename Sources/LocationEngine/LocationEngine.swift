package import LocationModel
package import LocationSecrets

/// Decides what each app may know, which observation is the current fix, which subscribers receive
/// it, and what the hardware must do for all of them together.
///
/// The one switch of the engine: it routes and never judges. Read this first.
package struct LocationEngine: Machine {
  package enum Input: MachineInput {
    indirect case client(ClientID, ClientEvent)
    case fix(Fix, from: ProviderID)
    case provider(ProviderID, ProviderStatus)
    /// The region that this provider gave does not hold any more, though the provider works (RADIO-84).
    case noRegion(ProviderID)
    /// Whether this provider has a compass (AVAIL-3).
    case compass(ProviderID, Bool)
    case heading(HeadingSample, from: ProviderID)
    case sensor(SensorSample)
    case beacon(BeaconSample)
    /// Whether beacons can be received; before the first of these inputs there is no radio.
    case reception(BeaconReception)
    /// The state of the beacon that this computer advertises.
    case advertising(BeaconAdvertising)
    /// The answer of an agent to a prompt (AUTH-27).
    case answer(Prompt.ID, PromptAnswer, precise: Bool)
    /// What a person changes in the settings, at any time (AUTH-8).
    case setting(Setting)
    /// A place that is set from outside (SIM-15), or the end of that.
    case simulation(SimulatedPosition.Request)
    /// The apps that can be launched; before the first of these, all can (LIFE-2).
    case launchable([AppIdentity])
    /// The users who have unlocked a session; `nil`, as at the start, where nothing is known of them
    /// (LIFE-7).
    case unlocked(UnlockedUsers?)
    /// The display of a user has turned on; `nil` is the engine's own user (BEACON-24).
    case display(user: UInt32?)
    /// An app has used Always in the background on as many days as the owner has set (AUTH-38).
    case remind(AppIdentity)
    /// The durable state: at the start, and when another process has changed it.
    case stored([StateEntry])
    case wake
  }

  package indirect enum Output: Sendable {
    /// A change to store before any delivery of the same half of a step is sent.
    case persist(StateChange)
    case deliver(ClientID, Delivery)
    /// The demand of all clients together from now on.
    case demand(Demand)
    case prompt(Prompt)
    case withdraw(Prompt.ID)
    /// A suspended app must run, because the next delivery is for it (section 16).
    case wakeApp(AppIdentity)
    /// An event is pending for an app that does not run (LIFE-1).
    case launch(AppIdentity)
    /// An app begins or ends to use the location (BGA-15).
    case usage(AppIdentity, Bool)
    /// The location indicator of an app appears or disappears (BGA-5).
    case indicator(AppIdentity, Bool)
    /// The calibration request for the compass appears or disappears (HEAD-9).
    case calibration(AppIdentity, Bool)
    /// The time an app was given for an event is over (LIFE-6).
    case runtimeOver(AppIdentity)
    case ignored(Fix, ProviderID, IgnoreReason)
    case note(Note)
  }

  var arbiter = ProviderArbiter()
  var watch: PositionWatch
  /// The regions of the computer, by last resorts; never the current fix.
  var regions = ComputerRegions()
  /// The place that is set from outside.
  var simulated = SimulatedPosition()
  /// The apps that use the location, as last output; sorted.
  var users: [AppIdentity] = []
  var coarse: CoarseLocator
  var conditions: Conditions
  var visits: Visits
  var motion = MotionEstimator()
  var heights = AltitudeEstimator()
  var stillness = StillnessCoordinator()
  var compass = HeadingCoordinator()
  var beacons = BeaconCoordinator()
  /// The state of this computer's beacon that the radio reported last.
  private var air = BeaconAdvertising.stopped
  var launches = LaunchCoordinator()
  /// The apps that can be launched; `nil` for all.
  var launchable: [AppIdentity]?
  var coordinators: [AppCoordinator] = []
  private var apps: [ClientID: AppIdentity] = [:]
  var servicesAreOn = true
  /// What the owner has set for apps, whether they run or not.
  var policies = AppPolicies()
  /// When the display of each user turned on last, for ``displayPause``; `nil` is the engine's own user.
  var displays: [UInt32?: Instant] = [:]
  /// Until then, clients of an earlier engine may reconnect (LIFE-9).
  private var returnsUntil = Instant.start
  var retention: Retention
  var lastPosition: LastPosition
  private var stored: [StateEntry] = []
  /// The apps that have entries in `stored`.
  package var storedApps: Set<AppIdentity> = []
  /// Whether an app has connected before: stored entries are restored at the start only.
  private var hasOpened = false
  private var demand = Demand.none
  /// `nil` between steps.
  private var deferred: DeferredStep?
  /// Derived once after each step, because it is read more often than that.
  package private(set) var nextDeadline: Instant?

  /// Creates an engine with a number of providers.
  ///
  /// The secret shapes the coarse places of this machine; the host makes it once and keeps it
  /// (docs/decisions/0015).
  package init(
    providers: Int, secret: SecretKey = SecretKey(seed: 0), limits: Conditions.Limits = .init(),
    keeping terms: RetentionTerms = RetentionTerms(), visitLatency: Double = 1
  ) {
    visits = Visits(tuning: VisitDetector.Tuning(latency: visitLatency))
    retention = Retention(terms)
    lastPosition = LastPosition(keeping: terms.position)
    watch = PositionWatch(providers: providers)
    coarse = CoarseLocator(secret: secret)
    conditions = Conditions(limits: limits, hasPositions: providers > 0)
  }

  /// Joins the altitudes of simulated receivers with the barometer, too, because that is simulated as
  /// well.
  package mutating func joinSimulatedAltitudes() { heights.joinsSimulated = true }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    begin(input, at: now) + finish()
  }

  /// Handles the first half of a step: the deliveries that an input causes directly. The caller
  /// handles the second half with `finish` before it begins another step.
  ///
  /// A fix is delivered to its subscribers before conditions, visits, and demand are decided
  /// (docs/decisions/0064).
  package mutating func begin(_ input: Input, at now: Moment) -> [Output] {
    precondition(deferred == nil, "a step begins before the last one is finished")
    var outputs: [Output] = []
    var deferred = DeferredStep(now: now, concernsBeacons: input.concernsBeacons)
    switch input {
    case .client(let client, let event): route(event, of: client, at: now, to: &outputs)
    case .fix(let fix, let provider):
      deferred.fix = judge(fix, from: provider, at: now, to: &outputs)
    case .provider(let provider, let status):
      deliver(watch.handle(.status(provider, status), at: now), at: now, to: &outputs)
      settleHope(to: &outputs)
      if status == .unavailable(.noPositions) { settleSources(at: now, to: &outputs) }
      switch status {
      case .idle, .unavailable: dropRegion(of: provider, at: now, to: &outputs)
      case .searching, .working: break
      }
    case .noRegion(let provider): dropRegion(of: provider, at: now, to: &outputs)
    case .compass(let provider, let hasCompass):
      settleCompass(provider, hasCompass, at: now, to: &outputs)
    case .heading(let sample, let provider):
      point(sample, from: provider, at: now, to: &outputs)
      deferred.isQuiet = outputs.isEmpty
    case .sensor(.motion(let activity)):
      pass(motion.take(activity, at: now), at: now, to: &outputs)
    case .sensor(.pressure(let sample)):
      deferred.isQuiet = heights.hasBarometer
      heights.take(sample, at: now.uptime)
    case .beacon(let sample):
      if !beacons.isIdle { deliver(beacons.receive(sample, at: now), at: now, to: &outputs) }
      deferred.isQuiet = outputs.isEmpty
    case .reception(let reception): settle(reception, at: now, to: &outputs)
    case .advertising(let state): air = state
    case .answer(let id, let answer, let precise):
      each(id.app, at: now, &outputs) {
        $0.authorize(.answered(id, answer, precise: precise), at: $1)
      }
    case .setting(let setting): change(setting, at: now, to: &outputs)
    case .simulation(let request):
      deferred.fix = simulate(request, at: now, to: &outputs)
    case .launchable(let apps): settleLaunchable(apps, at: now, to: &outputs)
    case .unlocked(let users): settleUnlocked(users, at: now, to: &outputs)
    case .display(let user): turnOnDisplay(of: user, at: now, to: &outputs)
    case .remind(let app): each(app, at: now, &outputs) { $0.authorize(.remind, at: $1) }
    case .stored(let entries): adopt(entries, at: now, to: &outputs)
    case .wake:
      deferred.fix = repeatSimulated(at: now, to: &outputs)
      wake(at: now, to: &outputs)
    }
    self.deferred = deferred
    return outputs
  }

  /// The moment of the step whose second half is deferred; `nil` between two steps.
  package var unfinishedSince: Moment? { deferred?.now }

  /// Handles the second half of a step: conditions, visits, and the demand for hardware.
  package mutating func finish() -> [Output] {
    var outputs: [Output] = []
    guard let deferred else { return outputs }
    self.deferred = nil
    defer { settleDeadline() }
    let now = deferred.now
    if let fix = deferred.fix { follow(fix, at: now, to: &outputs) }
    guard !deferred.isQuiet else { return outputs }
    settleAccess(at: now, to: &outputs)
    settleLaunches(at: now, to: &outputs)
    if deferred.concernsBeacons { settleBeacons(at: now, to: &outputs) }
    settleDemand(at: now, to: &outputs)
    settleUsers(to: &outputs)
    if deferred.concernsBeacons { settleAdvertising(to: &outputs) }
    return outputs
  }

  /// The second half of a step.
  private struct DeferredStep: Sendable {
    var now: Moment
    var concernsBeacons: Bool
    /// The new current fix.
    var fix: Fix?
    /// Whether the input was a sample without a subscriber, which changes nothing.
    var isQuiet = false
  }

  // MARK: Observations

  /// Decides whether a fix is the new current one, and delivers it to every app as far as
  /// permitted.
  private mutating func judge(
    _ fix: Fix, from provider: ProviderID, at now: Moment, to outputs: inout [Output]
  ) -> Fix? {
    // Also while a place is simulated: it is given once.
    guard fix.origin.method != .region else {
      takeRegion(fix, from: provider, at: now, to: &outputs)
      return nil
    }
    guard !simulated.isActive else {
      outputs.append(.ignored(fix, provider, .simulated))
      return nil
    }
    let judgment = arbiter.judge(fix, from: provider, at: now)
    let fused = arbiter.hasSeveral ? arbiter.fuse(judgment, at: now) : nil
    switch judgment {
    case .ignored(let fix, let provider, let reason):
      outputs.append(.ignored(fix, provider, fused == nil ? reason : .fused))
      guard let fused else { return nil }
      return makeCurrent(heights.refine(fused, at: now.uptime), at: now, to: &outputs)
    case .current(let fix, _):
      return makeCurrent(heights.refine(fused ?? fix, at: now.uptime), at: now, to: &outputs)
    }
  }

  /// Delivers the new current fix to every app as far as permitted.
  mutating func makeCurrent(_ fix: Fix, at now: Moment, to outputs: inout [Output]) -> Fix {
    let changes = watch.handle(.fix(fix.origin.method), at: now)
    if !changes.isEmpty { deliver(changes, at: now, to: &outputs) }
    if retention.limitsPosition { keep(.position, at: now, to: &outputs) }
    // Before the apps receive the fix: the next run may begin right after.
    if isPositionDue(at: now) { storePosition(fix, at: now, to: &outputs) }
    for index in coordinators.indices { coordinators[index].take(fix, at: now, to: &outputs) }
    return fix
  }

  private mutating func follow(_ fix: Fix, at now: Moment, to outputs: inout [Output]) {
    takeCoarse(coarse.handle(.fix(fix), at: now), at: now, to: &outputs)
    // The first coarse place has come since.
    if isPositionDue(at: now) { storePosition(fix, at: now, to: &outputs) }
    estimateMotion(fix, at: now, to: &outputs)
    if !conditions.isEmpty { carry(conditions.handle(.fix(fix), at: now), at: now, to: &outputs) }
    watchStillness(.fix(fix), at: now, to: &outputs)
    takeVisits(.fix(fix), at: now, to: &outputs)
  }

  /// Delivers the coarse place. One that has not changed is newer, and is delivered only to
  /// subscribers that have none (AUTH-41).
  private mutating func takeCoarse(
    _ decisions: [CoarseLocator.Output], at now: Moment, to outputs: inout [Output]
  ) {
    var isNew = false
    for output in decisions {
      switch output {
      case .persist(let change): outputs.append(.persist(change))
      case .place: isNew = true
      }
    }
    guard let place = coarse.place, place != coordinators.first?.world.place else { return }
    for index in coordinators.indices {
      outputs += coordinators[index].takeCoarse(place, isNew, at: now)
    }
  }

  mutating func takeVisits(
    _ input: Visits.Input, at now: Moment, to outputs: inout [Output]
  ) {
    let decisions = visits.handle(input, at: now)
    for output in decisions {
      switch output {
      case .store(let change): outputs.append(.persist(change))
      case .visit(let app, let visit):
        let cell = coarse.cell(of: visit.coordinate)
        each(app, at: now, &outputs) { $0.take(visit, in: cell, at: $1) }
      }
    }
    if !decisions.isEmpty { keep(.visits(oldest: oldestVisit), at: now, to: &outputs) }
  }

  // MARK: Keeping and forgetting

  private mutating func keep(
    _ input: Retention.Input, at now: Moment, to outputs: inout [Output]
  ) {
    for output in retention.handle(input, at: now) {
      switch output {
      case .persist(let change): outputs.append(.persist(change))
      case .forgetPosition:
        arbiter.forget()
        heights.forget()
        for change in [coarse.forget(), lastPosition.forget()].compactMap(\.self) {
          outputs.append(.persist(change))
        }
        for index in coordinators.indices { coordinators[index].forgetPosition() }
      case .forgetVisits(let date):
        if let change = visits.forget(before: date, at: now) { outputs.append(.persist(change)) }
        for index in coordinators.indices {
          outputs += coordinators[index].forgetVisits(before: date)
        }
        keep(.visits(oldest: oldestVisit), at: now, to: &outputs)
      case .forgetDamaged(let date):
        carry(conditions.forgetDamaged(before: date, at: now), at: now, to: &outputs)
      }
    }
  }

  /// When the oldest place was last seen, or the oldest pending visit ended.
  private var oldestVisit: UnixTime? {
    ([visits.oldestPlace] + coordinators.map(\.pending.oldestVisit)).compactMap(\.self).min()
  }

  private mutating func wake(at now: Moment, to outputs: inout [Output]) {
    for index in coordinators.indices where isDue(coordinators[index].needs.deadline, now) {
      outputs += coordinators[index].wake(at: now)
    }
    if isDue(watch.nextDeadline, now) {
      deliver(watch.handle(.wake, at: now), at: now, to: &outputs)
    }
    if isDue(coarseDeadline, now) {
      takeCoarse(coarse.handle(.wake, at: now), at: now, to: &outputs)
    }
    if isDue(motionDeadline, now) { pass(motion.pass(to: now), at: now, to: &outputs) }
    if isDue(conditions.nextDeadline, now) {
      carry(conditions.handle(.wake, at: now), at: now, to: &outputs)
    }
    if isDue(beacons.nextDeadline, now) { deliver(beacons.wake(at: now), at: now, to: &outputs) }
    if isDue(launches.nextDeadline, now) { launch(.wake, at: now, to: &outputs) }
    if isDue(visits.nextDeadline, now) { takeVisits(.wake, at: now, to: &outputs) }
    if isDue(stillness.nextDeadline, now) { watchStillness(.wake, at: now, to: &outputs) }
    if isDue(retention.nextDeadline, now) { keep(.wake, at: now, to: &outputs) }
  }

  /// Notes that a source gives no positions.
  mutating func settleSources(at now: Moment, to outputs: inout [Output]) {
    conditions.hasPositions = watch.hasSource
    settleEquipment(at: now, to: &outputs)
  }

  private mutating func settleHope(to outputs: inout [Output]) {
    for index in coordinators.indices {
      outputs += coordinators[index].settleHope(isHopeless: watch.isHopeless)
    }
  }

  private mutating func deliver(
    _ outages: [PositionWatch.Output], at now: Moment, to outputs: inout [Output]
  ) {
    for outage in outages {
      if outage == .lost { watchStillness(.positionLost, at: now, to: &outputs) }
      for index in coordinators.indices {
        outputs += coordinators[index].outage(watch.outage, at: now)
      }
      settleHope(to: &outputs)
    }
  }

  private mutating func settleDemand(at now: Moment, to outputs: inout [Output]) {
    var audience = StillnessAudience()
    for index in coordinators.indices {
      coordinators[index].settleNeeds()
      audience.formUnion(coordinators[index].needs.stillness)
    }
    stillness.settle(audience)
    var wanted = conditions.demand
    for index in coordinators.indices { wanted = wanted.union(coordinators[index].needs.demand) }
    wanted = wanted.union(visits.demand).union(departureDemand).union(beacons.demand)
    if needsCoarse { wanted = wanted.union(coarse.demand) }
    if heights.hasBarometer { wanted.pressure = AltitudeEstimator.interval(wanted.position) }
    simulated.isNeeded = wanted.position != nil
    guard wanted != demand else { return }
    if wanted.advert != demand.advert { air = .stopped }
    demand = wanted
    outputs.append(.demand(wanted))
    deliver(watch.handle(.needed(wanted.position?.interval), at: now), at: now, to: &outputs)
    for index in coordinators.indices { coordinators[index].settleNeeds() }
  }

  /// Whether a subscriber needs the coarse place to be updated.
  var needsCoarse: Bool { coordinators.indices.contains { coordinators[$0].needs.coarse } }

  private var coarseDeadline: Instant? { needsCoarse ? coarse.nextTurn : coarse.nextDeadline }

  private mutating func settleDeadline() {
    var next = earliest(watch.nextDeadline, conditions.nextDeadline)
    next = earliest(next, simulated.nextDeadline)
    next = earliest(next, motionDeadline)
    next = earliest(next, earliest(visits.nextDeadline, stillness.nextDeadline))
    next = earliest(next, earliest(coarseDeadline, beacons.nextDeadline))
    next = earliest(next, earliest(launches.nextDeadline, retention.nextDeadline))
    for index in coordinators.indices { next = earliest(next, coordinators[index].needs.deadline) }
    nextDeadline = next
  }

  private mutating func settleAdvertising(to outputs: inout [Output]) {
    let chosen = demand.advert
    let state = beacons.reception == nil ? .unavailable : air == .stopped ? nil : air
    for index in coordinators.indices where !coordinators[index].advertising.isEmpty {
      outputs += coordinators[index].settleAdvertising(state, of: chosen)
    }
  }

  // MARK: Clients

  private mutating func route(
    _ event: ClientEvent, of client: ClientID, at now: Moment, to outputs: inout [Output]
  ) {
    switch event {
    case .connected(var description):
      apps[client] = description.app
      let index = coordinator(for: description, at: now, to: &outputs)
      let isLaunched: Bool
      (description.life, isLaunched) = admit(description, at: now, to: &outputs)
      outputs += coordinators[index].connect(client, description, at: now, isLaunched: isLaunched)
    case .request(let request): route(request, of: client, at: now, to: &outputs)
    case .life(let life):
      each(apps[client], at: now, &outputs) { $0.move(client, to: life, at: $1) }
    case .frozen(let isFrozen):
      each(apps[client], at: now, &outputs) { $0.freeze(client, isFrozen, at: $1) }
    case .disconnected:
      closeMonitors(of: client, at: now, to: &outputs)
      each(apps[client], at: now, &outputs) { $0.disconnect(client, at: $1) }
      if let app = apps.removeValue(forKey: client) { dismiss(app, at: now, to: &outputs) }
    }
  }

  /// Passes a request to what carries it out; the only switch over requests.
  private mutating func route(
    _ request: Request, of client: ClientID, at now: Moment, to outputs: inout [Output]
  ) {
    guard let app = apps[client], let index = coordinatorIndex(of: app) else { return }
    switch request {
    case .authorization(let request):
      outputs += coordinators[index].handle(request, of: client, at: now)
    case .updates(let subscriber, let request):
      outputs += coordinators[index].handle(request, of: subscriber, client, at: now)
    case .live(let subscriber, let request):
      outputs += coordinators[index].handle(request, of: subscriber, client, at: now)
    case .significantChanges(let subscriber, let on):
      outputs += coordinators[index].watchChanges(on, of: subscriber, client, at: now)
    case .visits(let on, let subscriber):
      takeVisits(on ? .start(app) : .stop(app), at: now, to: &outputs)
      outputs += coordinators[index].watchVisits(on, of: subscriber, client)
    case .region(let subscriber, let request):
      handle(request, of: subscriber, client, at: now, to: &outputs)
    case .monitor(let subscriber, let request):
      handle(request, of: subscriber, client, at: now, to: &outputs)
    case .session(let subscriber, let request):
      outputs += coordinators[index].handle(request, of: subscriber, client, at: now)
    case .heading(let subscriber, let request):
      outputs += coordinators[index].handle(request, of: subscriber, client, at: now)
    case .ranging(let subscriber, let request):
      outputs += coordinators[index].handle(request, of: subscriber, client, beacons.reception)
    case .advertising(let subscriber, let request):
      outputs += coordinators[index].handle(request, of: subscriber, client, at: now)
    case .life(let life): outputs += coordinators[index].report(life, by: client, at: now)
    case .acknowledge(let number): outputs += coordinators[index].acknowledge(number)
    case .end(let subscriber):
      closeMonitor(of: subscriber, client, at: now, to: &outputs)
      outputs += coordinators[index].end(subscriber, client, at: now)
    }
  }

  mutating func each(
    _ app: AppIdentity?, at now: Moment, _ outputs: inout [Output],
    _ body: (inout AppCoordinator, Moment) -> [Output]
  ) {
    guard let app, let index = coordinatorIndex(of: app) else { return }
    outputs += body(&coordinators[index], now)
  }

  func coordinatorIndex(of app: AppIdentity) -> Int? {
    coordinators.indices.first { coordinators[$0].app == app }
  }

  /// Returns the index of an app's coordinator, which is added if there is none.
  mutating func coordinator(
    for client: ClientDescription, at now: Moment, to outputs: inout [Output]
  ) -> Int {
    if let index = coordinatorIndex(of: client.app) { return index }
    var coordinator = AppCoordinator(
      app: client.app, manifest: client.manifest, points: coarse.points(of: client.app))
    coordinator.servicesAreOn = servicesAreOn
    coordinator.launch.policy.hasLaunchCommand = launchable?.contains(client.app) ?? true
    coordinator.launch.policy.allowsRefresh = !policies.withoutRefresh.contains(client.app)
    coordinator.launch.policy.honorsQuit = policies.honorsQuit
    coordinator.launch.policy.isUnlocked = policies.isUnlocked(client.app)
    coordinator.settings = policies.services
    coordinator.world.current = arbiter.current
    coordinator.world.region = regions.smallest
    (coordinator.world.outage, coordinator.world.isHopeless) = (watch.outage, watch.isHopeless)
    outputs += coordinator.settle(equipment, at: now)
    coordinator.place(coarse.place)
    outputs += coordinator.begin(
      with: stored.filter { $0.key.owner == client.app.name },
      mayReturn: !client.isNew && now.uptime < returnsUntil, at: now)
    outputs += coordinator.settle(retention.steady, at: now)
    if policies.restricted.contains(client.app) {
      outputs += coordinator.authorize(.restriction(true), at: now)
    }
    let index =
      coordinators.indices.first { coordinators[$0].app > client.app } ?? coordinators.endIndex
    coordinators.insert(coordinator, at: index)
    hasOpened = true
    return index
  }

  // MARK: State

  private mutating func adopt(
    _ entries: [StateEntry], at now: Moment, to outputs: inout [Output]
  ) {
    let isFirst = stored.isEmpty && !hasOpened
    if isFirst {
      returnsUntil = now.uptime + AppLifecycleState.reclaimWindow
      keep(.stored(entries), at: now, to: &outputs)
      restore(entries, at: now)
      restorePosition(entries, at: now, to: &outputs)
    }
    beacons.restore(entries)
    stored = entries
    storedApps = Set(entries.map { AppIdentity($0.key.owner) })
    if isFirst {
      restoreAbsentApps(from: entries, at: now, to: &outputs)
      if let change = visits.settleRestored(at: now) { outputs.append(.persist(change)) }
      keep(.visits(oldest: oldestVisit), at: now, to: &outputs)
    }
    let on = Setting.servicesAreOn(in: entries)
    if on != servicesAreOn { turnServices(on: on, at: now, to: &outputs) }
    for index in coordinators.indices {
      let name = coordinators[index].app.name
      outputs += coordinators[index].adopt(entries.filter { $0.key.owner == name }, at: now)
    }
  }

  /// Restores the entries that an earlier engine stored for the whole machine.
  private mutating func restore(_ entries: [StateEntry], at now: Moment) {
    coarse.restore(from: entries)
    conditions = Conditions(
      restoring: entries, limits: conditions.limits, hasPositions: watch.hasSource)
    visits = Visits(
      restoring: entries, at: now, tuning: visits.tuning, steady: retention.steady)
  }

  /// The app that a process belongs to.
  package func app(of client: ClientID) -> AppIdentity? { apps[client] }

  // MARK: Queries

  /// Returns the state that a client can read at once.
  package func state(of client: ClientID) -> ClientState {
    guard let index = apps[client].flatMap({ coordinatorIndex(of: $0) }) else {
      var state = ClientState(servicesEnabled: servicesAreOn)
      state.equipment = equipment
      return state
    }
    var state = coordinators[index].state
    state.regions = regions(of: coordinators[index].app)
    return state
  }

  /// The current fix, for the owner of the machine.
  package var current: Fix? { arbiter.current }

  /// The present demand for hardware.
  package var currentDemand: Demand { demand }
}
