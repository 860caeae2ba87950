package import LocationModel

/// Decides everything: who may know what, which observation is the current fix, who hears of it,
/// and what the hardware must do for all of them together.
///
/// The one switch of the engine: it routes and never judges. Read this first.
package struct LocationEngine: Machine {
  package enum Input: MachineInput {
    case client(ClientID, ClientEvent)
    case fix(Fix, from: ProviderID)
    case provider(ProviderID, ProviderStatus)
    /// What an agent says of a question (AUTH-27).
    case answer(Prompt.ID, PromptAnswer, precise: Bool)
    /// What a person changes in the settings, at any time (AUTH-8).
    case setting(Setting)
    /// The durable state: at the start, and when another process has changed it.
    case stored([StateEntry])
    case wake
  }

  package enum Output: Sendable {
    /// Durable before any delivery of the same step leaves.
    case persist(StateChange)
    case deliver(ClientID, Delivery)
    /// What all clients together need of the hardware from now on.
    case demand(Demand)
    case prompt(Prompt)
    case withdraw(Prompt.ID)
    case ignored(Fix, ProviderID, IgnoreReason)
    case note(Note)
  }

  private var arbiter = ProviderArbiter()
  private var watch: PositionWatch
  private var desks: [AppDesk] = []
  private var apps: [ClientID: AppIdentity] = [:]
  private var servicesAreOn = true
  private var stored: [StateEntry] = []
  private var demand = Demand.none

  /// An engine that hears from so many providers.
  package init(providers: Int) {
    watch = PositionWatch(providers: providers)
  }

  package var nextDeadline: Instant? {
    desks.reduce(watch.nextDeadline) { earliest($0, $1.nextDeadline) }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    switch input {
    case .client(let client, let event): route(event, of: client, at: now, to: &outputs)
    case .fix(let fix, let provider): judge(fix, from: provider, at: now, to: &outputs)
    case .provider(let provider, let status):
      tell(watch.handle(.status(provider, status), at: now), at: now, to: &outputs)
    case .answer(let id, let answer, let precise):
      each(id.app, at: now, &outputs) {
        $0.authorize(.answered(id, answer, precise: precise), at: $1)
      }
    case .setting(let setting): change(setting, at: now, to: &outputs)
    case .stored(let entries): adopt(entries, at: now, to: &outputs)
    case .wake:
      for index in desks.indices { outputs += desks[index].wake(at: now) }
      tell(watch.handle(.wake, at: now), at: now, to: &outputs)
    }
    settleDemand(at: now, to: &outputs)
    return outputs
  }

  // MARK: Observations

  private mutating func judge(
    _ fix: Fix, from provider: ProviderID, at now: Moment, to outputs: inout [Output]
  ) {
    for verdict in arbiter.handle(.fix(fix, provider), at: now) {
      switch verdict {
      case .ignored(let fix, let provider, let reason):
        outputs.append(.ignored(fix, provider, reason))
      case .current(let fix, _):
        tell(watch.handle(.fix, at: now), at: now, to: &outputs)
        for index in desks.indices { desks[index].take(fix, at: now, to: &outputs) }
      }
    }
  }

  private mutating func tell(
    _ outages: [PositionWatch.Output], at now: Moment, to outputs: inout [Output]
  ) {
    for outage in outages {
      for index in desks.indices { outputs += desks[index].outage(outage == .lost, at: now) }
    }
  }

  private mutating func settleDemand(at now: Moment, to outputs: inout [Output]) {
    let wanted = desks.reduce(Demand.none) { $0.union($1.demand) }
    guard wanted != demand else { return }
    demand = wanted
    outputs.append(.demand(wanted))
    tell(watch.handle(.needed(wanted.position != nil), at: now), at: now, to: &outputs)
  }

  // MARK: Clients

  private mutating func route(
    _ event: ClientEvent, of client: ClientID, at now: Moment, to outputs: inout [Output]
  ) {
    switch event {
    case .connected(let description):
      apps[client] = description.app
      let index = deskIndex(of: description, at: now, to: &outputs)
      outputs += desks[index].connect(client, description, at: now)
    case .request(let request):
      each(apps[client], at: now, &outputs) { $0.handle(request, of: client, at: $1) }
    case .life(let life):
      each(apps[client], at: now, &outputs) { $0.live(life, of: client, at: $1) }
    case .disconnected:
      each(apps[client], at: now, &outputs) { $0.disconnect(client, at: $1) }
      apps[client] = nil
    }
  }

  private mutating func each(
    _ app: AppIdentity?, at now: Moment, _ outputs: inout [Output],
    _ body: (inout AppDesk, Moment) -> [Output]
  ) {
    guard let app, let index = desks.firstIndex(where: { $0.app == app }) else { return }
    outputs += body(&desks[index], now)
  }

  private mutating func deskIndex(
    of client: ClientDescription, at now: Moment, to outputs: inout [Output]
  ) -> Int {
    if let index = desks.firstIndex(where: { $0.app == client.app }) { return index }
    var desk = AppDesk(app: client.app, manifest: client.manifest)
    outputs += desk.open(
      stored: stored.filter { $0.key.owner == client.app.name }, servicesAreOn: servicesAreOn,
      current: arbiter.current, isOut: watch.isOut, at: now)
    let index = desks.firstIndex { $0.app > client.app } ?? desks.endIndex
    desks.insert(desk, at: index)
    return index
  }

  // MARK: Settings and state

  private mutating func change(
    _ setting: Setting, at now: Moment, to outputs: inout [Output]
  ) {
    switch setting {
    case .services(let on):
      outputs.append(.persist(Setting.servicesChange(on)))
      turnServices(on: on, at: now, to: &outputs)
    case .authorization(let app, let choice):
      each(app, at: now, &outputs) { $0.authorize(.setting(choice), at: $1) }
    case .precise(let app, let precise):
      each(app, at: now, &outputs) { $0.authorize(.precise(precise), at: $1) }
    case .restricted(let app, let restricted):
      each(app, at: now, &outputs) { $0.authorize(.restriction(restricted), at: $1) }
    case .reset:
      for index in desks.indices { outputs += desks[index].authorize(.reset, at: now) }
    }
  }

  private mutating func turnServices(on: Bool, at now: Moment, to outputs: inout [Output]) {
    servicesAreOn = on
    for index in desks.indices { outputs += desks[index].authorize(.services(on: on), at: now) }
  }

  private mutating func adopt(
    _ entries: [StateEntry], at now: Moment, to outputs: inout [Output]
  ) {
    stored = entries
    let on = Setting.servicesAreOn(in: entries)
    if on != servicesAreOn { turnServices(on: on, at: now, to: &outputs) }
    for index in desks.indices {
      let name = desks[index].app.name
      outputs += desks[index].adopt(entries.filter { $0.key.owner == name }, at: now)
    }
  }

  // MARK: Queries

  /// What a client can read at once.
  package func state(of client: ClientID) -> ClientState {
    desks.first { $0.app == apps[client] }?.state ?? ClientState(servicesEnabled: servicesAreOn)
  }

  /// The current fix, for those who watch the whole machine.
  package var current: Fix? { arbiter.current }

  /// What the hardware is asked for now.
  package var currentDemand: Demand { demand }
}

/// What happens to a client.
package enum ClientEvent: Sendable {
  case connected(ClientDescription)
  case request(Request)
  /// Its life cycle source says so (MODEL-2).
  case life(AppLife)
  /// The process is gone.
  case disconnected
}

/// What a person changes in the settings.
package enum Setting: Hashable, Sendable {
  /// The switch of the whole machine (AUTH-5).
  case services(on: Bool)
  case authorization(AppIdentity, AuthorizationSetting)
  /// The person's switch for full accuracy.
  case precise(AppIdentity, Bool)
  case restricted(AppIdentity, Bool)
  /// Location and privacy settings are reset (AUTH-7).
  case reset

  private static let servicesKey = StateKey(domain: "settings", owner: "", name: "services")

  static func servicesChange(_ on: Bool) -> StateChange {
    .set(servicesKey, [UInt8]((on ? "on" : "off").utf8))
  }

  /// Whether location services are on, as stored; they are unless switched off.
  package static func servicesAreOn(in entries: [StateEntry]) -> Bool {
    entries.first { $0.key == servicesKey }?.value != [UInt8]("off".utf8)
  }
}

/// Something a person who looks after the machine may want to read in the log.
package enum Note: Sendable {
  case authorization(AppIdentity, AuthorizationExplanation)
  /// A question nobody is there to answer.
  case unanswerable(Prompt)
  case provider(ProviderID, ProviderStatus)
  /// The durable state could not be read or written; in the words of the database.
  case store(String)
  /// A source as configured cannot be understood.
  case source(String)
}
