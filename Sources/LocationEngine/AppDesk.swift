import LocationModel

/// Everything the engine keeps of one app: its authorization, its processes, and what they ask.
struct AppDesk: Sendable {
  let app: AppIdentity
  private(set) var authorization: Authorization
  private var processes: [Process] = []
  private var standard: [Subscription<StandardUpdates>] = []
  private var live: [Subscription<LiveUpdates>] = []
  private var servicesAreOn = true
  private var current: Fix?
  private var isOut = false

  private struct Process: Sendable {
    var client: ClientID
    var life: AppLife
  }

  /// A machine that serves one subscriber of one process.
  private struct Subscription<Service: Machine>: Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var service: Service
  }

  init(app: AppIdentity, manifest: Manifest) {
    self.app = app
    authorization = Authorization(app: app, manifest: manifest)
  }

  // MARK: What is so

  var nextDeadline: Instant? {
    var next = authorization.nextDeadline
    for entry in standard { next = earliest(next, entry.service.nextDeadline) }
    for entry in live { next = earliest(next, entry.service.nextDeadline) }
    return next
  }

  var demand: Demand {
    var all = Demand.none
    for entry in standard { all = all.union(entry.service.demand) }
    for entry in live { all = all.union(entry.service.demand) }
    return all
  }

  /// What the app can read at once.
  var state: ClientState {
    ClientState(
      authorization: authorization.report, servicesEnabled: servicesAreOn,
      lastFix: authorization.isEffective ? current : nil)
  }

  /// What authorization lets flow to the classic services (STD-12, STD-13).
  private var flow: Flow {
    switch authorization.status {
    case .notDetermined: .undetermined
    case .restricted, .denied: .denied
    case .always, .whenInUse: authorization.isEffective ? .open : .notInUse
    }
  }

  /// What stands between the app and live updates (LIVE-11 to LIVE-16).
  private var standing: Diagnostics {
    let facts = authorization.facts
    var flags = facts.denial
    if authorization.openPrompt?.kind == .whenInUse { flags.insert(.authorizationRequestInProgress) }
    if facts.status == .notDetermined, flags.isEmpty {
      flags.insert(
        authorization.use == .direct ? .authorizationRequestInProgress : .insufficientlyInUse)
    }
    if facts.status.isGranted {
      if !authorization.isEffective { flags.insert(.insufficientlyInUse) }
      if facts.report.accuracy == .reduced { flags.insert(.accuracyLimited) }
    }
    return flags
  }

  // MARK: Processes

  /// Begins with what was stored.
  mutating func open(
    stored: [StateEntry], servicesAreOn: Bool, current: Fix?, isOut: Bool, at now: Moment
  ) -> [LocationEngine.Output] {
    self.servicesAreOn = servicesAreOn
    self.current = current
    self.isOut = isOut
    return begin(with: stored, at: now) + authorize(.services(on: servicesAreOn), at: now)
  }

  mutating func connect(
    _ client: ClientID, _ description: ClientDescription, at now: Moment
  ) -> [LocationEngine.Output] {
    processes.append(Process(client: client, life: description.life))
    return authorize(.manifest(description.manifest), at: now) + settleUse(at: now)
  }

  mutating func live(
    _ life: AppLife, of client: ClientID, at now: Moment
  ) -> [LocationEngine.Output] {
    guard let index = processes.firstIndex(where: { $0.client == client }) else { return [] }
    processes[index].life = life
    return settleUse(at: now)
  }

  mutating func disconnect(_ client: ClientID, at now: Moment) -> [LocationEngine.Output] {
    processes.removeAll { $0.client == client }
    standard.removeAll { $0.client == client }
    live.removeAll { $0.client == client }
    return settleGoal(at: now) + settleUse(at: now)
  }

  private mutating func settleUse(at now: Moment) -> [LocationEngine.Output] {
    let isInFront = processes.contains { $0.life == .foreground }
    return authorize(.use(isInFront ? .direct : .none), at: now)
  }

  /// Iterating is asking, as long as the app need not declare sessions (LIVE-11).
  private mutating func settleGoal(at now: Moment) -> [LocationEngine.Output] {
    authorize(.goal(live.isEmpty ? .none : .whenInUse), at: now)
  }

  // MARK: Requests

  mutating func handle(
    _ request: Request, of client: ClientID, at now: Moment
  ) -> [LocationEngine.Output] {
    switch request {
    case .authorization(.observe(let subscriber)):
      return authorize(.managerCreated(Self.number(of: subscriber, client)), at: now)
    case .authorization(.request(let goal, let subscriber)):
      return authorize(.request(goal, manager: Self.number(of: subscriber, client)), at: now)
    case .authorization(.temporaryFullAccuracy(let key, let ticket)):
      let requester = AccuracyRequester.call(Self.number(of: ticket, client))
      return authorize(.temporaryAccuracy(requester, purposeKey: key), at: now)
    case .updates(let subscriber, let request):
      return handle(request, of: subscriber, client, at: now)
    case .live(let subscriber, .start(let options)):
      return startLive(options, of: subscriber, client, at: now)
    case .live(let subscriber, .stop):
      live.removeAll { $0.client == client && $0.subscriber == subscriber }
      return settleGoal(at: now)
    case .end(let subscriber):
      standard.removeAll { $0.client == client && $0.subscriber == subscriber }
      live.removeAll { $0.client == client && $0.subscriber == subscriber }
      return authorize(.managerReleased(Self.number(of: subscriber, client)), at: now)
        + settleGoal(at: now)
    }
  }

  private mutating func handle(
    _ request: UpdatesRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [LocationEngine.Output] {
    let place = standard.firstIndex { $0.client == client && $0.subscriber == subscriber }
    let index = place ?? standard.endIndex
    if place == nil {
      let service = StandardUpdates(flow: flow, cached: current)
      standard.append(Subscription(client: client, subscriber: subscriber, service: service))
    }
    let deliveries = standard[index].service.handle(.request(request), at: now)
    return deliveries.map { .deliver(client, .updates(subscriber, $0)) }
      + (isOut ? announceOutage(to: index, at: now) : [])
  }

  private mutating func startLive(
    _ options: LiveOptions, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [LocationEngine.Output] {
    let service = LiveUpdates(
      options: options, standing: standing, cached: authorization.isEffective ? current : nil,
      isOut: isOut, at: now)
    live.append(Subscription(client: client, subscriber: subscriber, service: service))
    let index = live.endIndex - 1
    let asked = settleGoal(at: now)
    return live[index].service.opening(at: now).map { .deliver(client, .live(subscriber, $0)) }
      + asked
  }

  /// The one door to the authorization machine.
  mutating func decide(_ input: Authorization.Input, at now: Moment) -> [Authorization.Output] {
    if case .services(let on) = input { servicesAreOn = on }
    return authorization.handle(input, at: now)
  }

  /// Takes over what was stored, at the start or by another process since.
  mutating func restore(_ stored: [StateEntry], at now: Moment) -> [Authorization.Output] {
    authorization.restore(from: stored, at: now)
  }

  /// Tells everyone who waits what may flow now.
  mutating func tellFlow(at now: Moment) -> [LocationEngine.Output] {
    tellStandard(.flow(flow), at: now) + tellLive(.standing(standing), at: now)
  }

  var clients: [ClientID] { processes.map(\.client) }

  // MARK: The world

  mutating func take(_ fix: Fix, at now: Moment, to outputs: inout [LocationEngine.Output]) {
    current = fix
    for index in standard.indices {
      for delivery in standard[index].service.handle(.fix(fix), at: now) {
        let entry = standard[index]
        outputs.append(.deliver(entry.client, .updates(entry.subscriber, delivery)))
      }
    }
    for index in live.indices {
      for update in live[index].service.handle(.fix(fix), at: now) {
        outputs.append(.deliver(live[index].client, .live(live[index].subscriber, update)))
      }
    }
  }

  mutating func outage(_ isOut: Bool, at now: Moment) -> [LocationEngine.Output] {
    self.isOut = isOut
    var outputs = tellLive(.outage(isOut), at: now)
    guard isOut else { return outputs }
    for index in standard.indices { outputs += announceOutage(to: index, at: now) }
    return outputs
  }

  private mutating func announceOutage(
    to index: Int, at now: Moment
  ) -> [LocationEngine.Output] {
    let (client, subscriber) = (standard[index].client, standard[index].subscriber)
    return standard[index].service.handle(.outage(.positionUnknown), at: now)
      .map { .deliver(client, .updates(subscriber, $0)) }
  }

  mutating func wake(at now: Moment) -> [LocationEngine.Output] {
    authorize(.wake, at: now) + tellStandard(.wake, at: now) + tellLive(.wake, at: now)
  }

  private mutating func tellStandard(
    _ input: StandardUpdates.Input, at now: Moment
  ) -> [LocationEngine.Output] {
    standard.indices.flatMap { index -> [LocationEngine.Output] in
      let (client, subscriber) = (standard[index].client, standard[index].subscriber)
      return standard[index].service.handle(input, at: now)
        .map { .deliver(client, .updates(subscriber, $0)) }
    }
  }

  private mutating func tellLive(
    _ input: LiveUpdates.Input, at now: Moment
  ) -> [LocationEngine.Output] {
    live.indices.flatMap { index -> [LocationEngine.Output] in
      let (client, subscriber) = (live[index].client, live[index].subscriber)
      return live[index].service.handle(input, at: now)
        .map { .deliver(client, .live(subscriber, $0)) }
    }
  }
}
