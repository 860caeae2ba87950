package import LocationEngine
package import LocationModel

/// One app that uses every service, in a virtual world, from the beginning to the end of a
/// scenario or a recording.
package struct Simulation: Sendable {
  /// A circle that the app monitors.
  package struct NamedCircle: Hashable, Sendable {
    package var identifier: String
    package var circle: Circle

    package init(identifier: String, circle: Circle) {
      self.identifier = identifier
      self.circle = circle
    }
  }

  /// A beacon that stands somewhere, and that the app monitors.
  package struct NamedBeacon: Hashable, Sendable {
    package var identifier: String
    package var place: Coordinate
    /// Its minor number; they share UUID and major.
    package var number: UInt16

    package init(identifier: String, place: Coordinate, number: UInt16) {
      (self.identifier, self.place, self.number) = (identifier, place, number)
    }

    package var identity: BeaconIdentity {
      BeaconIdentity(uuid: Self.deployment, major: 1, minor: number)
    }

    var virtual: VirtualBeacon { VirtualBeacon(identity, at: place) }

    /// 8C6B2C0E-6F0B-4E0A-9B7D-3A1F5D0C9E21. Chosen, at random.
    private static let deployment = BeaconUUID(
      high: 0x8c6b_2c0e_6f0b_4e0a, low: 0x9b7d_3a1f_5d0c_9e21)
    /// In one scenario. Chosen: an app monitors twenty conditions.
    package static let most = 20
  }

  /// What came out of it.
  package struct Summary: Hashable, Sendable {
    package var simulated = Duration.zero
    package var fixes = 0
    package var deliveries = 0
    /// How long each tier of the hardware was needed.
    package var onTime: [PositionTier: Duration] = [:]
    /// How long each client needed which tier (POW-8).
    package var onTimeByClient: [String: [PositionTier: Duration]] = [:]
    package var hash: UInt64 = 0

    /// The clients that needed positions, in the order of their names.
    package var clients: [(client: String, times: [PositionTier: Duration])] {
      onTimeByClient.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  package private(set) var world: VirtualWorld
  package private(set) var summary = Summary()
  private let description: ClientDescription
  private let circles: [NamedCircle]
  private let beacons: [NamedBeacon]
  private var client = ClientID(0)
  private var life = AppLife.foreground
  private var hash = SimulationHash()
  private var demand = Demand.none
  private var demandSince = Instant.start
  private var shares: [DemandShare] = []
  /// The demands of the shares, and those of the last step, to be compared with them.
  private var (demands, newDemands): ([Demand], [Demand]) = ([], [])
  /// What `observe` is called with; its shares change only with the demands.
  private var view = View()
  private var sharesSince = Instant.start

  /// The roles of the app's subscribers.
  private enum Role {
    static let live = SubscriberID(1)
    static let standard = SubscriberID(2)
    static let significant = SubscriberID(3)
    static let monitor = SubscriberID(4)
    static let regions = SubscriberID(5)
    static let beacon = SubscriberID(6)
  }

  package static let app = AppIdentity("simulate")

  /// The requests by which the app begins or stops to be a beacon.
  static func advertising(_ on: Bool) -> Request {
    let uuid = BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)
    let advert = IBeaconAdvert(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 1))
    return .advertising(Role.beacon, on ? .start(advert) : .stop)
  }

  package init(
    _ world: VirtualWorld, circles: [NamedCircle] = [], beacons: [NamedBeacon] = []
  ) {
    self.world = world
    (self.circles, self.beacons) = (circles, beacons)
    description = ClientDescription(
      app: Self.app,
      manifest: Manifest([
        Manifest.Key.whenInUse: .string("To simulate."),
        Manifest.Key.always: .string("To simulate."),
        Manifest.Key.bluetooth: .string("To simulate."),
        Manifest.Key.backgroundModes: .array([.string("location")]),
      ]))
  }

  // MARK: Running

  /// What holds between events, for a timeline.
  package struct View: Hashable, Sendable {
    /// What each service needs of the hardware, those that need something.
    package var shares: [DemandShare] = []
    package var motion: MotionReport?
    package var beliefs: [OpenBelief] = []

    package init() {}
  }

  /// Runs until `end`, or until the recordings have ended; `observe` is called with what holds after
  /// each moment at which anything happened.
  package mutating func run(
    until end: Duration? = nil, observing observe: ((View, Moment) -> Void)? = nil,
    _ report: (SimulationEvent, Moment) throws -> Void
  ) rethrows {
    let last = end.map { Instant.start + $0 }
    try begin(report)
    // A recording of one place is over at once, and its place is held from then on.
    let isOver = world.hasEnded
    var wakes = 0
    while let due = world.nextDeadline, due <= last ?? due {
      wakes = due > world.now.uptime ? 0 : wakes + 1
      if wakes >= 10_000 { fatalError("the world asks to be woken without end at \(due)") }
      world.advance(to: due)
      try take(world.wake(), report)
      lookAtShares()
      if let observe {
        (view.motion, view.beliefs) = (world.motionReport, world.openBeliefs)
        observe(view, world.now)
      }
      if last == nil, isOver || world.hasEnded { break }
    }
    if let last { world.advance(to: last) }
    account(for: .none)
    accountForClients([])
    summary.simulated = world.now.uptime - .start
    summary.hash = hash.value
  }

  /// Takes in what each service needs now; nearly always the same as before.
  private mutating func lookAtShares() {
    world.writeDemands(to: &newDemands)
    guard newDemands != demands else { return }
    swap(&demands, &newDemands)
    accountForClients(world.demandShares)
    view.shares = shares.filter { $0.demand != .none }
  }

  private mutating func begin(_ report: (SimulationEvent, Moment) throws -> Void) rethrows {
    try start(report)
    try take(world.handle(.setting(.authorization(Self.app, .always))), report)
  }

  /// Starts the app's process, which starts every service.
  private mutating func start(_ report: (SimulationEvent, Moment) throws -> Void) rethrows {
    var description = description
    description.life = life
    let (client, effects) = world.connect(description)
    self.client = client
    try take(effects, report)
    var options = UpdateOptions()
    options.allowsBackground = true
    var requests: [Request] = [
      .live(Role.live, .start(LiveOptions())), .updates(Role.standard, .start(options)),
      .significantChanges(Role.significant, on: true), .visits(on: true),
      .monitor(Role.monitor, .open(name: "simulate")),
      .monitor(Role.monitor, .next(after: .none)),
    ]
    let targets =
      circles.map { ($0.identifier, ConditionTarget.circle($0.circle)) }
      + beacons.map { beacon in
        let identity = beacon.identity
        return (
          beacon.identifier,
          .beacon(
            BeaconConstraint(uuid: identity.uuid, major: identity.major, minor: identity.minor))
        )
      }
    for (identifier, target) in targets {
      requests.append(
        .monitor(Role.monitor, .add(identifier: identifier, target, assuming: .unknown)))
    }
    for request in requests { try ask(request, report) }
  }

  private mutating func ask(
    _ request: Request, _ report: (SimulationEvent, Moment) throws -> Void
  ) rethrows {
    try take(world.handle(.client(client, .request(request))), report)
  }

  private mutating func take(
    _ effects: [VirtualWorld.Effect], _ report: (SimulationEvent, Moment) throws -> Void
  ) rethrows {
    for effect in effects { try take(effect, report) }
  }

  private mutating func take(
    _ effect: VirtualWorld.Effect, _ report: (SimulationEvent, Moment) throws -> Void
  ) rethrows {
    switch effect {
    case .deliver(client, let delivery): try receive(delivery, report)
    case .demand(let demand):
      account(for: demand)
      try emit(.demand(demand), report)
    case .asked(let prompt): try emit(.asked(prompt), report)
    case .wakeApp: try live(.background, report)
    case .runtimeOver: try live(.suspended, report)
    case .launch:
      life = .background
      try emit(.life(life), report)
      try start(report)
    case .deliver, .note, .ignored, .answered, .withdrawn: break
    }
  }

  private mutating func live(
    _ life: AppLife, _ report: (SimulationEvent, Moment) throws -> Void
  ) rethrows {
    self.life = life
    try emit(.life(life), report)
    try take(world.handle(.client(client, .life(life))), report)
  }

  private mutating func receive(
    _ delivery: Delivery, _ report: (SimulationEvent, Moment) throws -> Void
  ) rethrows {
    switch delivery {
    case .live(_, let update):
      if update.fix != nil { summary.fixes += 1 }
      try emit(.update(update), report)
    case .updates(Role.significant, .fixes(let fixes)):
      for fix in fixes { try emit(.significant(fix), report) }
    case .updates(_, let updates): try emit(.standard(updates), report)
    case .monitor(_, .event(let number, let event)):
      try emit(.condition(event), report)
      try ask(.monitor(Role.monitor, .next(after: number)), report)
    case .region(_, let region, let event): try emit(.region(region, event), report)
    case .pending(let number, let event):
      switch event {
      case .region(let region, let event): try emit(.region(region, event), report)
      case .visit(let visit): try emit(.visit(visit), report)
      }
      try ask(.acknowledge(number), report)
    case .state(let state): try emit(.authorization(state.authorization), report)
    case .advertising(_, let state): try emit(.advertising(state), report)
    default: break
    }
  }

  private mutating func emit(
    _ event: SimulationEvent, _ report: (SimulationEvent, Moment) throws -> Void
  ) rethrows {
    summary.deliveries += 1
    hash.mix(UInt64(bitPattern: world.now.uptime.nanoseconds))
    hash.mix(event)
    try report(event, world.now)
  }

  private mutating func account(for demand: Demand) {
    if let tier = self.demand.position?.tier {
      summary.onTime[tier, default: .zero] += world.now.uptime - demandSince
    }
    self.demand = demand
    demandSince = world.now.uptime
  }

  /// What each client needed since the last time.
  private mutating func accountForClients(_ shares: [DemandShare]) {
    let passed = world.now.uptime - sharesSince
    for share in self.shares {
      guard let tier = share.demand.position?.tier else { continue }
      summary.onTimeByClient[share.client, default: [:]][tier, default: .zero] += passed
    }
    self.shares = shares
    sharesSince = world.now.uptime
  }
}
