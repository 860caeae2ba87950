import LocationService
package import LocationEngine
package import LocationModel
package import LocationProviders

/// A device and the world around it in virtual time: the core that every host runs, and what
/// simulates its receivers, its files, and the person who holds it.
///
/// Pure, as the core is: its owner advances time and carries out its effects.
package struct VirtualWorld: Sendable {
  /// What leaves the world.
  package enum Effect: Sendable {
    case deliver(ClientID, Delivery)
    case demand(Demand)
    case note(Note)
    case ignored(Fix, ProviderID, IgnoreReason)
    /// The question was shown to the person.
    case asked(Prompt)
    /// The person has answered a question, which may be open no longer.
    case answered(Prompt.ID, PromptAnswer)
    /// A question is open no longer, without an answer.
    case withdrawn(Prompt.ID)
    /// A suspended app must run now (section 16).
    case wakeApp(AppIdentity)
    /// An app that does not run must be started (LIFE-1).
    case launch(AppIdentity)
    /// The time an app was given is over (LIFE-6).
    case runtimeOver(AppIdentity)
  }

  package private(set) var now: Moment
  private var core: ServiceCore
  package var person = Person()
  private let sources: [Source]
  private let visitLatency: Double
  private var receivers: [VirtualReceiver]
  private var radio: VirtualRadio?
  private var bluetooth: VirtualBluetooth?
  private var compass: VirtualCompass?
  private var motion: VirtualMotion?
  private var barometer: VirtualBarometer?
  private var channels: [ChannelID]
  private var journey: Journey
  private var departure: Instant
  private var held: Sky?
  private var files: [String: [UInt8]]
  /// What the engine has stored, for its next start.
  private var store: [StateKey: [UInt8]] = [:]
  /// Whether the store can be read (LIFE-7).
  private var isLocked = false
  /// Whether an app that the person has quit stays away (LIFE-4), which each start of the engine learns
  /// first.
  private var honorsQuit = false
  private var nextClient: UInt64 = 1
  /// What is to happen, in order of time; of two at one time, the one planned first.
  private var plan: [Planned] = []

  private struct Planned: Sendable {
    var at: Instant
    var worldEvent: WorldEvent
  }

  /// A world with receivers, each on a line of its own; Bluetooth, sensors, and radios where given.
  package init(
    at origin: Coordinate, date: UnixTime, receivers: [VirtualReceiver] = [VirtualReceiver()],
    bluetooth: VirtualBluetooth? = nil, compass: VirtualCompass? = nil,
    motion: VirtualMotion? = nil, radio: VirtualRadio? = nil, barometer: VirtualBarometer? = nil,
    altitude: Double = 0, visitLatency: Double = 1
  ) {
    var sources = receivers.indices.map { index in
      receivers[index].source(port: UInt16(10_110 + index))
    }
    if bluetooth != nil { sources.append(.bluez) }
    // A sensor of its own reports how the device moves, once for each change.
    if compass != nil { sources.append(.iio(motion: false)) }
    if let radio { sources.append(radio.source) }
    self.init(
      sources: sources, receivers: receivers, at: origin, date: date, visitLatency: visitLatency)
    self.bluetooth = bluetooth
    self.compass = compass
    self.motion = motion
    self.radio = radio
    self.barometer = barometer
    journey = Journey(from: origin, altitude: altitude)
    if let entry = self.compass?.calibration(at: origin, date) { store[entry.key] = entry.value }
    _ = begin()
  }

  /// A world that plays files: each source by its path.
  package init(playing source: Source, files: [String: [UInt8]], date: UnixTime) {
    self.init(
      sources: [source], receivers: [], at: Coordinate(latitude: 0, longitude: 0), date: date)
    self.files = files
    _ = begin()
  }

  private init(
    sources: [Source], receivers: [VirtualReceiver], at origin: Coordinate, date: UnixTime,
    visitLatency: Double = 1
  ) {
    self.visitLatency = visitLatency
    now = Moment(uptime: .start, unixTime: date)
    core = Self.core(sources, visitLatency)
    self.sources = sources
    self.receivers = receivers
    channels = []
    journey = Journey(from: origin)
    departure = .start
    files = [:]
  }

  /// What is received and where are both simulated, so one teaches the other.
  private static func core(_ sources: [Source], _ visitLatency: Double) -> ServiceCore {
    ServiceCore(sources: sources, visitLatency: visitLatency, isSimulated: true)
  }

  // MARK: Time

  /// When something is due next.
  package var nextDeadline: Instant? {
    var next = earliest(core.nextDeadline, plan.first?.at)
    for receiver in receivers { next = earliest(next, receiver.nextDeadline) }
    next = earliest(earliest(next, bluetooth?.nextDeadline), motion?.nextDeadline)
    next = earliest(earliest(next, radio?.nextDeadline), barometer?.nextDeadline)
    return next.map { max($0, now.uptime) }
  }

  /// Lets time pass up to `instant`, which must not be later than anything that is due.
  package mutating func advance(to instant: Instant) {
    guard instant > now.uptime else { return }
    now = Moment(uptime: instant, unixTime: now.unixTime + (instant - now.uptime))
  }

  /// Does what is due now.
  package mutating func wake() -> [Effect] {
    var effects: [Effect] = []
    while let first = plan.first, first.at <= now.uptime {
      plan.removeFirst()
      effects += perform(first.worldEvent)
    }
    let isSensorDue = isDue(motion?.nextDeadline, now) || isDue(barometer?.nextDeadline, now)
    guard !channels.isEmpty || isSensorDue else { return effects + wakeCore() }
    let truth = truth
    if let felt = motion?.wake(at: now.uptime, speed: truth.speed) {
      step(.engine(.sensor(.motion(felt))), &effects)
    }
    if let sample = barometer?.wake(at: now.uptime, altitude: truth.altitude) {
      step(.engine(.sensor(.pressure(sample))), &effects)
    }
    for id in channels {
      guard receivers.indices.contains(id.provider.index) else {
        listen(on: id, truth, &effects)
        continue
      }
      let bytes = receivers[id.provider.index].wake(at: now, truth: truth)
      if !bytes.isEmpty { step(.channel(id, .bytes(bytes)), &effects) }
    }
    return effects + wakeCore()
  }

  private func isRadio(_ id: ChannelID) -> Bool { sources[id.provider.index] == radio?.source }

  /// Takes in what the radios for Wi-Fi and cells, or Bluetooth, receive now.
  private mutating func listen(
    on id: ChannelID, _ truth: Truth, _ effects: inout [Effect]
  ) {
    if isRadio(id) {
      let bytes = radio?.wake(at: now, truth: truth) ?? []
      if !bytes.isEmpty { step(.channel(id, .bytes(bytes)), &effects) }
      return
    }
    let facing = compass?.heading ?? truth.course
    let events = bluetooth?.wake(at: now.uptime, place: truth.coordinate, facing: facing) ?? []
    for event in events { step(.channel(id, .bus(event)), &effects) }
  }

  private mutating func wakeCore() -> [Effect] {
    guard let due = core.nextDeadline, due <= now.uptime else { return [] }
    var effects: [Effect] = []
    step(.wake, &effects)
    return effects
  }

  // MARK: Inputs

  /// Takes in something that happens now.
  package mutating func handle(_ input: LocationEngine.Input) -> [Effect] {
    if case .setting(.honorsQuit(let honors)) = input { honorsQuit = honors }
    var effects: [Effect] = []
    step(.engine(input), &effects)
    return effects
  }

  /// Connects the process of an app.
  package mutating func connect(_ client: ClientDescription) -> (ClientID, [Effect]) {
    let id = ClientID(nextClient)
    nextClient += 1
    return (id, handle(.client(id, .connected(client))))
  }

  /// Plans something for later.
  package mutating func plan(_ worldEvent: WorldEvent, after wait: Duration) {
    let due = now.uptime + max(.zero, wait)
    let place = plan.firstIndex { $0.at > due } ?? plan.endIndex
    plan.insert(Planned(at: due, worldEvent: worldEvent), at: place)
  }

  /// Does something now.
  package mutating func perform(_ worldEvent: WorldEvent) -> [Effect] {
    switch worldEvent {
    case .input(.answer(let id, let answer, let precise)):
      return [.answered(id, answer)] + handle(.answer(id, answer, precise: precise))
    case .input(let input): return handle(input)
    case .sky(let sky): held = sky
    case .depart(let journey): depart(on: journey)
    case .fault(let index, let fault): return receiver(index) { $0.set(fault) }
    case .tune(let index, let noise, let interval):
      return receiver(index) {
        $0.noise = noise
        $0.interval = interval
      }
    case .habit(let replies): person.habit = replies
    case .date(let date): now.unixTime = date
    case .beacon(let beacon): bluetooth?.place(beacon, at: now.uptime)
    case .noBeacon(let identity): bluetooth?.remove(identity)
    case .bluetooth(let on): return turnBluetooth(on: on)
    case .turn(let heading): compass?.heading = heading
    case .field(let field): compass?.disturbance = field
    case .iron(let field): compass?.hardIron = field
    case .compass(let setting): compass?.setting = setting
    case .motion(let activity): motion?.held = activity
    case .accessPoints(let accessPoints): radio?.set(accessPoints)
    case .cells(let cells): radio?.set(cells)
    case .survey(let way): return survey(way)
    case .hotspot(let isThere): radio?.hasCompany = isThere
    case .reboot(let locked): return reboot(locked: locked)
    case .unlock: return unlock()
    }
    return []
  }

  /// Imports what is received along a way now, with the floors.
  private mutating func survey(_ way: Journey) -> [Effect] {
    guard let findings = radio?.survey(of: way, from: now) else { return [] }
    var effects: [Effect] = []
    step(.map(.survey(findings)), &effects)
    step(.map(.save), &effects)
    return effects
  }

  mutating func step(_ input: ServiceCore.Input, _ effects: inout [Effect]) {
    for output in core.handle(input, at: now) { carryOut(output, &effects) }
  }

  private mutating func carryOut(_ output: ServiceCore.Output, _ effects: inout [Effect]) {
    switch output {
    case .open(let id, let channel): open(channel, as: id, &effects)
    case .close(let id):
      channels.removeAll { $0 == id }
      if isRadio(id) { radio?.close() }
      if receivers.indices.contains(id.provider.index) { receivers[id.provider.index].close() }
    case .send(let id, let bytes): answer(bytes, on: id, &effects)
    case .bus(let id, let action):
      for event in bluetooth?.handle(action, at: now.uptime) ?? [] {
        step(.channel(id, .bus(event)), &effects)
      }
    case .read(let id, let query):
      let (truth, date) = (truth, now.unixTime)
      if compass?.isSet(for: query) == true {
        guard let sample = compass?.settingSample(truth: truth, date: date) else { return }
        return step(.engine(.heading(sample, from: id.provider)), &effects)
      }
      guard let readings = compass?.answer(query, truth: truth, date: date) else { return }
      step(.channel(id, .readings(readings)), &effects)
    case .engine(.persist(.set(let key, let value))): store[key] = value
    case .engine(.persist(.remove(let key))): store[key] = nil
    case .engine(.deliver(let client, let delivery)): effects.append(.deliver(client, delivery))
    case .engine(.demand(let demand)):
      effects.append(.demand(demand))
      if let felt = motion?.want(demand.motion, at: now.uptime) {
        step(.engine(.sensor(.motion(felt))), &effects)
      }
      barometer?.want(demand.pressure, at: now.uptime)
    case .engine(.prompt(let prompt)): ask(prompt, &effects)
    case .engine(.note(let note)): effects.append(.note(note))
    case .engine(.ignored(let fix, let provider, let reason)):
      effects.append(.ignored(fix, provider, reason))
    case .engine(.wakeApp(let app)): effects.append(.wakeApp(app))
    case .engine(.launch(let app)): effects.append(.launch(app))
    case .engine(.runtimeOver(let app)): effects.append(.runtimeOver(app))
    case .engine(.withdraw(let id)): effects.append(.withdrawn(id))
    case .engine(.usage), .engine(.indicator), .engine(.calibration): break
    }
  }

  private mutating func ask(_ prompt: Prompt, _ effects: inout [Effect]) {
    effects.append(.asked(prompt))
    guard let reply = person.reply(to: prompt) else { return }
    plan(.input(.answer(prompt.id, reply.answer, precise: reply.precise)), after: reply.delay)
  }

  /// The present shares of the demand for hardware.
  package var demandShares: [DemandShare] { core.engine.demandShares }

  /// Writes the demands of these shares, without their names, to a list.
  func writeDemands(to list: inout [Demand]) { core.engine.writeDemands(to: &list) }

  /// How the device moves, as the engine estimates it; `nil` while nothing needs to know.
  package var motionReport: MotionReport? { core.engine.motionReport }

  /// The conditions against whose state anything speaks.
  package var openBeliefs: [OpenBelief] { core.engine.openBeliefs }

  /// What a client can read at once.
  package func state(of client: ClientID) -> ClientState { core.engine.state(of: client) }

  // MARK: Channels

  private mutating func open(_ channel: Channel, as id: ChannelID, _ effects: inout [Effect]) {
    switch channel {
    case .file(let path):
      guard let bytes = files[path] else {
        return step(.channel(id, .closed(.missing("no file \(path)"))), &effects)
      }
      step(.channel(id, .opened), &effects)
      step(.channel(id, .bytes(bytes)), &effects)
      step(.channel(id, .closed(.ended)), &effects)
    case .systemBus:
      guard bluetooth != nil, sources[id.provider.index] == .bluez else {
        return lack(id, &effects)
      }
      bluetooth?.open()
      channels.append(id)
      step(.channel(id, .opened), &effects)
    case .timeZone, .web, .look, .contents: lack(id, &effects)
    case .sensors:
      guard compass != nil else { return lack(id, &effects) }
      step(.channel(id, .opened), &effects)
    case .netlink, .addresses: lack(id, &effects)
    case .serial, .tcp, .tls, .local, .unix, .udp:
      if isRadio(id) {
        radio?.open(at: now.uptime)
        channels.append(id)
        return step(.channel(id, .opened), &effects)
      }
      guard receivers.indices.contains(id.provider.index), receivers[id.provider.index].isPlugged
      else { return step(.channel(id, .closed(.missing("no receiver is plugged in"))), &effects) }
      let greeting = receivers[id.provider.index].open(at: now.uptime)
      channels.append(id)
      step(.channel(id, .opened), &effects)
      if !greeting.isEmpty { step(.channel(id, .bytes(greeting)), &effects) }
    }
  }

  private mutating func lack(_ id: ChannelID, _ effects: inout [Effect]) {
    step(.channel(id, .closed(.missing("this world has no such thing"))), &effects)
  }

  private mutating func answer(_ bytes: [UInt8], on id: ChannelID, _ effects: inout [Effect]) {
    guard receivers.indices.contains(id.provider.index) else { return }
    let answer = receivers[id.provider.index].answer(to: bytes)
    if !answer.isEmpty { step(.channel(id, .bytes(answer)), &effects) }
  }

  // MARK: The device and the person

  /// Where the device really is.
  package var truth: Truth {
    var truth = journey.truth(at: now.uptime - departure)
    truth.sky = held ?? truth.sky
    return truth
  }

  /// Starts a journey now, at its first place.
  package mutating func depart(on journey: Journey) {
    self.journey = journey
    departure = now.uptime
  }

  /// Changes a receiver; unplugging closes its line.
  package mutating func receiver(
    _ index: Int, _ change: (inout VirtualReceiver) -> Void
  ) -> [Effect] {
    guard receivers.indices.contains(index) else { return [] }
    change(&receivers[index])
    guard !receivers[index].isPlugged else { return [] }
    var effects: [Effect] = []
    for id in channels where id.provider.index == index {
      step(.channel(id, .closed(.failed("the receiver was unplugged"))), &effects)
    }
    channels.removeAll { $0.provider.index == index }
    return effects
  }

  /// The status of each source.
  package var sourceStatuses: [ProviderStatus] { core.sourceReports.map(\.status) }

  /// The rejections of each source and their counts, as text.
  package var rejections: [String] {
    core.sourceReports.flatMap(\.rejections).map { "\($0.count) × \($0.reason)" }
  }

  /// Whether every source has ended.
  package var hasEnded: Bool { core.haveSourcesEnded }
}

// MARK: Switching on and off

extension VirtualWorld {
  /// The engine learns what was stored.
  private mutating func begin() -> [Effect] {
    let entries = store.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
    var effects = handle(.stored(entries))
    // As the kernel's barometer is read once at the start, the engine learns that there is one.
    let altitude = truth.altitude
    if let sample = barometer?.sample(at: now.uptime, altitude: altitude) {
      step(.engine(.sensor(.pressure(sample))), &effects)
    }
    return effects
  }

  /// The true pressure of the air at the device, in hectopascals; `nil` without a barometer.
  package var pressure: Double? {
    barometer?.pressure(at: now.uptime, altitude: truth.altitude)
  }

  /// The device starts anew: every process is gone, and what was stored is there as soon as the
  /// person has unlocked the device.
  private mutating func reboot(locked: Bool) -> [Effect] {
    for index in receivers.indices { receivers[index].close() }
    bluetooth?.close()
    radio?.close()
    _ = motion?.want(false, at: now.uptime)
    barometer?.want(nil, at: now.uptime)
    channels = []
    core = Self.core(sources, visitLatency)
    isLocked = locked
    let effects = honorsQuit ? handle(.setting(.honorsQuit(true))) : []
    return effects + (locked ? [] : begin())
  }

  private mutating func unlock() -> [Effect] {
    guard isLocked else { return [] }
    isLocked = false
    return begin()
  }

  private mutating func turnBluetooth(on: Bool) -> [Effect] {
    var effects: [Effect] = []
    let events = bluetooth?.turn(on: on) ?? []
    for id in channels where sources[id.provider.index] == .bluez {
      for event in events { step(.channel(id, .bus(event)), &effects) }
    }
    return effects
  }
}
