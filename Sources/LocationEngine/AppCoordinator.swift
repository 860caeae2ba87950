import LocationModel

/// Everything the engine keeps of one app: its standing, its processes, and what they ask.
struct AppCoordinator: Sendable {
  let app: AppIdentity
  private(set) var standing: AppAuthorizationState
  var processes: [Process] = []
  /// The program of the process that came last.
  var program: VerifiedProgram?
  var standard = Subscribers<StandardUpdates>()
  var live = Subscribers<LiveUpdates>()
  var significant = Subscribers<SignificantChangeDetector>()
  var heading = Subscribers<HeadingService>()
  /// Whether the app asked for headings before, now or in an earlier life (HEAD-9).
  var hasAskedHeading = false
  var localDeclination = LocalDeclination()
  /// What is ranged, in the order in which it was asked for.
  var ranging: [Ranging] = []
  /// Beacons that this computer is asked to be, in the order in which it was asked.
  var advertising: [Advertising] = []
  /// Why those who range were last told that they may not.
  var deliveredRangingRefusal: RangingFailure?
  /// Monitors that are open, by the process and subscriber that opened them.
  var monitors: [OpenMonitor] = []
  var servicesAreOn = true
  /// What may be delivered of each service now; derived after each change of the standing.
  var verdicts = Verdicts()
  /// What waits for a process that can take it (STD-50).
  var outbox = Outbox()
  /// What the app must hear of even when its process, or this engine, ends first.
  var pending = PendingEvents()
  /// How time has passed, however the clock was set.
  var steady = SteadyTime()
  /// Whether exact places may not be told, as of the last look.
  var isImprecise = true
  /// What waits for an answer about Always, by its number (AUTH-32).
  var held: [Int: HeldDelivery] = [:]
  var lastHeld = 0
  /// What is owed to the app while it does not run.
  var claims = LaunchReasons()
  /// What is owed has come due, and no process was there to hear of it.
  var isClaimed = false
  /// News waits for a monitor, and no process was there to open it (MON-38).
  var isCalled = false
  /// When the app may be started; what the person's settings say of it.
  var policy = LaunchPolicy()
  /// Whether the continuous updates that keep the app in use want the indicator; `nil` while there
  /// are none (STD-47, STD-52).
  var holding: Bool?
  /// What keeps the app from its conditions; derived with the verdicts.
  var access = ConditionAccess()
  /// What the conditions were last told that the app may know.
  var deliveredAccess: ConditionAccess?
  /// Whether visits were last told that they may reach the app.
  var mayVisit: Bool?
  /// What its processes were last told that they can read at once.
  var readable = Readable()
  var world = World()
  /// Where the app is told that the device is, for each cell.
  var points: CoarsePoints
  private(set) var needs = Needs()

  struct Process: Sendable {
    var client: ClientID
    /// Its number, where the kernel says it.
    var number: Int32?
    /// What its life cycle source said last: the app's framework, or a simulated system.
    var said: AppLife
    /// The system has stopped it, which the process itself cannot know.
    var isFrozen = false
    /// The last owed event that it was told of; `nil` until it has a manager to hear one.
    var heard: EventNumber?

    /// Where it is in its life: one that says its end is near still runs.
    var life: AppLife {
      if isFrozen { return .suspended }
      return said.hasProcess ? said : .background
    }
  }

  /// What a process can read at once without being told of a change of its authorization.
  struct Readable: Equatable, Sendable {
    /// Whether location services are on, which an app that is denied reads, too (AVAIL-1).
    var servicesAreOn = true
    /// Whether it may read its last place (STD-10).
    var isEffective = false
  }

  struct OpenMonitor: Sendable {
    var client: ClientID
    var subscriber: SubscriberID
    var key: MonitorKey
    /// Requests carried out so far, so that a client can tell a stale answer.
    var requests = 0
    /// The loop asks for its next event.
    var wantsNext = false
    /// The conditions were told so.
    var isAsking = false
  }

  /// What the desk knows of where the device is.
  struct World: Sendable {
    var current: Fix?
    /// The coarse place of the device, and what this app is told of it.
    var place: CoarseLocator.Place?
    var coarse: Fix?
    var isOut = false
    var equipment = Equipment()
  }

  /// What the app needs of the engine and its hardware.
  ///
  /// Kept, and derived in its place, because a desk is large and would be copied to be asked.
  struct Needs: Sendable {
    var demand = Demand.none
    var stillness = StillnessAudience()
    /// Whether a turn of the coarse place must not be missed.
    var coarse = false
    var deadline: Instant?
  }

  init(app: AppIdentity, manifest: Manifest, points: CoarsePoints) {
    self.app = app
    self.points = points
    standing = AppAuthorizationState(app: app, manifest: manifest)
  }

  // MARK: What is so

  // Inlined where every fix asks: a desk is large, and else copied to be asked
  // (docs/decisions/0063).

  @inline(__always)
  private var nextDeadline: Instant? {
    var next = earliest(standing.nextDeadline, standard.nextDeadline)
    next = earliest(next, live.nextDeadline)
    if mayClaim { next = earliest(next, claims.nextDeadline) }
    return verdicts.significant.tracks ? earliest(next, significant.nextDeadline) : next
  }

  /// What the movement services of this app need of the hardware.
  @inline(__always)
  private var demand: Demand {
    var all = standardDemand.union(liveDemand).union(significantDemand)
    all = all.union(claimDemand)
    all.magnetometer = heading.entries.contains { $0.service.needsMagnetometer }
    all.advert = advert
    return all
  }

  /// The same, service by service.
  var demandShares: [DemandShare] {
    [
      DemandShare(client: app.name + "/claims", demand: claimDemand),
      DemandShare(client: app.name + "/live", demand: liveDemand),
      DemandShare(client: app.name + "/significant", demand: significantDemand),
      DemandShare(client: app.name + "/standard", demand: standardDemand),
    ]
  }

  /// What is owed to an app that does not run.
  private var claimDemand: Demand { processes.isEmpty ? claims.demand(verdicts) : .none }

  @inline(__always)
  private var standardDemand: Demand {
    standard.entries.reduce(.none) { $0.union($1.service.demand) }
  }

  @inline(__always)
  private var liveDemand: Demand {
    live.entries.reduce(.none) { $0.union($1.service.demand) }
  }

  @inline(__always)
  private var significantDemand: Demand {
    guard verdicts.significant.tracks else { return .none }
    return significant.entries.reduce(.none) { $0.union($1.service.demand) }
  }

  @inline(__always)
  var authorization: Authorization { standing.authorization }

  /// What the delivery table must know of the app.
  var circumstances: DeliveryRule.Circumstances {
    var circumstances = standing.circumstances
    circumstances.policy = policy
    return circumstances
  }

  /// What the app can read at once; its regions are known elsewhere.
  var state: ClientState {
    var state = ClientState(
      authorization: authorization.report, servicesEnabled: servicesAreOn,
      lastFix: authorization.isEffective ? visible : nil)
    state.equipment = world.equipment
    return state
  }

  /// Where the device is, as far as this app may know.
  var visible: Fix? { isCoarse ? world.coarse : world.current }

  /// Whether the app may know coarse places only (AUTH-41).
  @inline(__always)
  var isCoarse: Bool {
    authorization.status.isGranted && authorization.accuracy == .reduced
  }

  var clients: [ClientID] { processes.map(\.client) }

  /// The life of the app: that of its process nearest to the person.
  @inline(__always)
  var life: AppLife {
    let order: [AppLife] = [.foreground, .background, .suspended]
    return order.first { life in processes.contains { $0.life == life } } ?? .terminated
  }

  @inline(__always)
  private var stillnessAudience: StillnessAudience {
    var audience = StillnessAudience()
    for entry in live.entries where !entry.service.isBarred {
      audience.insert(.iterating(entry.service.options.activity))
    }
    for entry in standard.entries where entry.service.heedsStillness {
      audience.insert(.pausing(entry.service.currentOptions.activity))
    }
    return audience
  }

  /// Whether anybody rests here who is to hear when the device sets out (POW-6).
  var rests: Bool {
    live.entries.contains { $0.service.demand == StillnessDetector.demandAtRest }
      || standard.entries.contains { $0.service.demand == StillnessDetector.demandAtRest }
  }

  /// Derives what the engine reads of this desk after each step.
  mutating func settleNeeds() {
    needs = Needs(demand: demand, stillness: stillnessAudience, deadline: nextDeadline)
    needs.coarse =
      needs.demand.position != nil
      && (isCoarse || standard.entries.contains { $0.service.isActive && $0.service.isCoarse })
  }

  // MARK: The one door to the standing

  mutating func decide(_ input: AppAuthorizationState.Input, at now: Moment)
    -> [AppAuthorizationState.Output]
  {
    standing.handle(input, at: now)
  }

  /// Takes back what was stored, at the start.
  mutating func restore(_ stored: [StateEntry], at now: Moment) -> [AppAuthorizationState.Output] {
    claims = LaunchReasons(restoring: stored, of: app)
    pending = PendingEvents(restoring: stored, of: app)
    hasAskedHeading = stored.contains { $0.key == HeadingService.key(of: app) }
    return standing.restore(from: stored, at: now)
  }

  /// A subscriber's number in the standing: its process and itself in one, for both have their own
  /// bits (``SubscriberID``, ``ClientID/greatest``).
  static func number(of subscriber: SubscriberID, _ client: ClientID) -> Int {
    Int(client.rawValue) << 32 | Int(subscriber.rawValue)
  }

  /// The numbers of everything that a process may have.
  static func numbers(of client: ClientID) -> Range<Int> {
    number(of: SubscriberID(0), client)..<(Int(client.rawValue) + 1) << 32
  }

  static func subscriber(_ number: Int) -> (ClientID, SubscriberID) {
    (ClientID(UInt64(number >> 32)), SubscriberID(UInt32(truncatingIfNeeded: number)))
  }
}

/// The verdicts of the delivery table for one app now (section 16).
struct Verdicts: Hashable, Sendable {
  var standard = DeliveryRule.Verdict(.nothing)
  var oneShot = DeliveryRule.Verdict(.nothing)
  var live = DeliveryRule.Verdict(.nothing)
  var significant = DeliveryRule.Verdict(.nothing)
  var visits = DeliveryRule.Verdict(.nothing)
  var region = DeliveryRule.Verdict(.nothing)
  var monitor = DeliveryRule.Verdict(.nothing)
  var heading = DeliveryRule.Verdict(.nothing)
  var ranging = DeliveryRule.Verdict(.nothing)

  init() {}

  init(_ circumstances: DeliveryRule.Circumstances) {
    standard = DeliveryRule.decide(.standard, circumstances)
    oneShot = DeliveryRule.decide(.oneShot, circumstances)
    live = DeliveryRule.decide(.liveUpdates, circumstances)
    significant = DeliveryRule.decide(.significantChange, circumstances)
    visits = DeliveryRule.decide(.visits, circumstances)
    region = DeliveryRule.decide(.region, circumstances)
    monitor = DeliveryRule.decide(.monitor, circumstances)
    heading = DeliveryRule.decide(.heading, circumstances)
    ranging = DeliveryRule.decide(.ranging, circumstances)
  }
}

extension DeliveryRule.Verdict {
  /// Whether events of the service reach the app, now or as soon as it runs.
  var flows: Bool {
    switch action {
    case .deliver, .queue, .queueLatest, .wake, .launch, .launchUnlessQuit: true
    case .hold, .holdAndAsk, .nothing: false
    }
  }

  /// Whether an event of the service reaches the app, or a question whether it may (AUTH-33).
  var announces: Bool { flows || action == .holdAndAsk }

  /// Whether the service goes on watching, although it may have to hold what it sees.
  var tracks: Bool { action != .nothing }
}
