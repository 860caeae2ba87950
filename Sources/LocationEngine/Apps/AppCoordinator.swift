import LocationModel

/// The state of one app: its authorization, its processes, and their subscriptions.
struct AppCoordinator: Sendable {
  let app: AppIdentity
  /// Whether it is the owner's own tool. Stored, because each step reads it.
  private let isOwner: Bool
  private(set) var authorizationState: AppAuthorizationState
  var processes: [Process] = []
  /// The program of the process that came last.
  var program: VerifiedProgram?
  var standard = Subscribers<StandardUpdates>()
  var live = Subscribers<LiveUpdates>()
  var significant = Subscribers<SignificantChangeDetector>()
  var heading: AppHeading
  var ranging: AppRanging
  var advertising: AppAdvertising
  var monitors = AppMonitors()
  var servicesAreOn = true
  /// The verdict of the delivery table for each service; derived after each change of
  /// authorization.
  var verdicts = Verdicts()
  /// Everything that the app has not received yet.
  var pending = PendingQueue()
  var launch = AppLaunch()
  /// Whether the person ended its last process, which is stored where that keeps it ended (LIFE-4).
  var hasQuit = false
  /// The owner's settings for its services.
  var settings = ServiceSettings()
  /// Whether the continuous updates that keep the app in use want the indicator; `nil` while there
  /// are none (STD-47, STD-52).
  var holding: Bool?
  /// Whether visits may be delivered to the app, as last passed on to `Visits`.
  var mayVisit: Bool?
  /// The state that was last delivered to its processes for reading at once.
  var readable = Readable()
  var world: World
  private(set) var needs = Needs()

  struct Process: Sendable {
    var client: ClientID
    /// The process identifier; `nil` where the kernel does not report it.
    var number: Int32?
    /// The lifecycle state that the app's framework reported last; `nil` while it reports none.
    var reported: AppLife?
    /// The state that the system observes, or a simulated one.
    var observed: AppLife
    /// Whether the system has frozen the process, which it cannot know itself.
    var isFrozen = false
    /// The last pending event that was delivered to it; `nil` until it has a manager.
    var lastEvent: EventNumber?
    /// The subscriber of the process that asked for visits last.
    var visitor: SubscriberID?

    /// The effective lifecycle state: a process that reports its end still runs.
    var life: AppLife {
      if isFrozen { return .suspended }
      let life = observed == .suspended ? observed : reported ?? observed
      return life.hasProcess ? life : .background
    }
  }

  /// The state that a process can read at once, without a change of its authorization.
  struct Readable: Equatable, Sendable {
    /// Whether location services are on; an app that is denied can read this, too (AVAIL-1).
    var servicesAreOn = true
    /// Whether it may read its last place (STD-10).
    var isEffective = false
    /// Whether a request waits for an answer (AUTH-20).
    var isAsking = false
  }

  /// The position of the device, as far as this coordinator keeps it.
  struct World: Sendable {
    /// The point of the app for each coarse cell.
    var points: CoarsePoints
    var current: Fix?
    /// The coarse place of the device, and the fix that this app receives for it.
    var place: CoarseLocator.Place?
    var coarse: Fix?
    /// The region of the computer; `nil` while it is unknown.
    var region: Fix?
    /// Why there is no position; `nil` while there may be one.
    var outage: Failure?
    var isOut: Bool { outage != nil }
    /// Whether there is no position, and since the last one no provider could give any.
    var isHopeless = false
    var equipment = Equipment()
  }

  /// The needs of the app: demand for hardware, and deadlines.
  ///
  /// Stored and derived in place, because a coordinator is large and would be copied by a getter.
  struct Needs: Sendable {
    var demand = Demand.none
    var stillness = StillnessAudience()
    /// Whether the app needs each update of the coarse place.
    var coarse = false
    /// Whether the person is shown that the app uses the location (BGA-15).
    var usesLocation = false
    var deadline: Instant?
  }

  init(app: AppIdentity, manifest: Manifest, points: CoarsePoints) {
    self.app = app
    isOwner = app.isOwner
    world = World(points: points)
    heading = AppHeading(app: app)
    ranging = AppRanging(app: app)
    advertising = AppAdvertising(app: app)
    authorizationState = AppAuthorizationState(app: app, manifest: manifest)
  }

  // MARK: Queries

  // Inlined where each fix reads it: a coordinator is large, and would be copied otherwise
  // (docs/decisions/0063).

  @inline(__always)
  private var nextDeadline: Instant? {
    var next = earliest(authorizationState.nextDeadline, standard.nextDeadline)
    next = earliest(next, live.nextDeadline)
    if mayClaim { next = earliest(next, launch.reasons.nextDeadline) }
    return verdicts.significant.tracks ? earliest(next, significant.nextDeadline) : next
  }

  /// The demand of this app's location services.
  @inline(__always)
  private var demand: Demand {
    var all = standardDemand.union(liveDemand).union(significantDemand)
    all = all.union(claimDemand)
    all.magnetometer = heading.needsMagnetometer
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

  /// The demands of ``demandShares``, in their order.
  func appendDemands(to list: inout [Demand]) {
    list.append(claimDemand)
    list.append(liveDemand)
    list.append(significantDemand)
    list.append(standardDemand)
  }

  /// The demand of services that launch an app that does not run.
  private var claimDemand: Demand { processes.isEmpty ? launch.reasons.demand(verdicts) : .none }

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
  var authorization: Authorization { authorizationState.authorization }

  /// The inputs of the delivery table for this app.
  var circumstances: DeliveryRule.Circumstances {
    var circumstances = authorizationState.circumstances
    circumstances.policy = launch.policy
    return circumstances
  }

  /// The state that the app can read at once; its regions are kept by `Conditions`.
  var state: ClientState {
    var state = ClientState(
      authorization: authorization.report, servicesEnabled: servicesAreOn,
      lastFix: authorization.isEffective ? visible : nil)
    state.equipment = world.equipment
    state.isAsking = authorization.isAsking
    return state
  }

  /// The position of the device that this app may know.
  var visible: Fix? { isCoarse ? world.coarse : world.current }

  /// Whether the app receives coarse places only (AUTH-41).
  @inline(__always)
  var isCoarse: Bool {
    authorization.status.isGranted && authorization.accuracy == .reduced
  }

  var clients: [ClientID] { processes.map(\.client) }

  /// The lifecycle state of the app: that of its most visible process.
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

  /// Whether a subscriber of this app rests until the device departs (POW-6).
  var rests: Bool {
    live.entries.contains { $0.service.demand == StillnessDetector.demandAtRest }
      || standard.entries.contains { $0.service.demand == StillnessDetector.demandAtRest }
  }

  /// Derives the needs that the engine reads after each step.
  mutating func settleNeeds() {
    needs = Needs(demand: demand, stillness: stillnessAudience, deadline: nextDeadline)
    let isShown = authorizationState.sessions.lifecycle.showsIndicator
    needs.usesLocation =
      !processes.isEmpty && !isOwner
      && (needs.demand.position != nil || isShown || rests)
    needs.coarse =
      needs.demand.position != nil
      && (isCoarse || standard.entries.contains { $0.service.isActive && $0.service.isCoarse })
  }

  // MARK: Authorization state

  mutating func decide(_ input: AppAuthorizationState.Input, at now: Moment)
    -> [AppAuthorizationState.Output]
  {
    authorizationState.handle(input, at: now)
  }

  /// Restores the stored state of the app at the start.
  mutating func restore(_ stored: [StateEntry], at now: Moment) -> [AppAuthorizationState.Output] {
    launch.reasons = LaunchReasons(restoring: stored, of: app, heartbeat: settings.heartbeat)
    pending = PendingQueue(restoring: stored, of: app)
    heading.restore(stored)
    return authorizationState.restore(from: stored, at: now)
  }

  /// Returns one number for a subscriber and its process; each has its own bits (``SubscriberID``,
  /// ``ClientID/greatest``).
  static func number(of subscriber: SubscriberID, _ client: ClientID) -> Int {
    Int(client.rawValue) << 32 | Int(subscriber.rawValue)
  }

  /// Returns the range of numbers of all subscribers of a process.
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
  /// Whether events of the service are delivered to the app, now or as soon as it runs.
  var flows: Bool {
    switch action {
    case .deliver, .queue, .queueLatest, .wake, .launch, .launchUnlessQuit: true
    case .hold, .holdAndAsk, .nothing: false
    }
  }

  /// Whether an event of the service is delivered, or leads to a prompt (AUTH-33).
  var announces: Bool { flows || action == .holdAndAsk }

  /// Whether the service keeps running, although its events may be held.
  var tracks: Bool { action != .nothing }
}
