import Dispatch
import Glibc
package import LocationService
import LocationWeb
package import LocationEngine
package import LocationModel
package import LocationProviders
import LocationSecrets

/// Carries out the decisions of the engine and the providers: only the host has effects.
///
/// Everything happens on one serial queue, one job at a time, so that clients receive deliveries in
/// the order in which they were decided. No method waits.
package actor LocationHost: EngineLink, QueueActor {
  nonisolated package let executor: HostQueue
  package private(set) var core: ServiceCore
  private var clients: [ClientID: @Sendable (Delivery) -> Void] = [:]
  private var nextClient: UInt64 = 1
  private var channels: [ChannelID: DescriptorChannel] = [:]
  private var datagrams: [ChannelID: DatagramChannel] = [:]
  private var buses: [ChannelID: BusConnection] = [:]
  private let places: HostPaths
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var timer: UptimeTimer?
  private var armed: Instant?
  package let keeper: StateKeeper?
  private var recording: RecordingFile?
  package let agents: [any PromptAgent]
  var prompts: PromptCoordinator
  nonisolated package let launcher: (any AppLaunching)?
  private var registrations: (any DispatchSourceRead)?
  let journal: @Sendable (Note) -> Void
  /// Called with every output except positions before it is carried out, on the host's queue.
  package var observer: (@Sendable (ServiceCore.Output) -> Void)?
  /// Shows which apps use the location; `nil` for nowhere.
  nonisolated let indicator: IndicatorAgent?
  /// Called on the host's queue after a step that has changed which apps use the location.
  package var usesChanged: (@Sendable () -> Void)?
  /// Called on the host's queue with what comes from a source, before it is handled, and with the end of
  /// its channel.
  package var received: (@Sendable (ProviderID, ChannelEvent) -> Void)?
  /// Called on the host's queue when nobody can be asked about an app.
  package var unanswered: (@Sendable (AppIdentity) -> Void)?
  /// Whether a step has changed what is shown.
  var haveUsesChanged = false
  /// Why no desktop shows it; `nil` while one does, or nothing is to be shown.
  var unseen: String?
  /// Where the user of this process sets its place; `nil` for nowhere.
  nonisolated let simulationSocket: String?
  var simulations: SimulationServer?
  /// Ends a client's connection so that it reconnects; `nil` if clients live in this process.
  package var cutOff: (@Sendable (ClientID) -> Void)?
  /// Called after each step, once apps have what it decided; `nil` while nobody follows the status.
  package var stepped: (@Sendable () -> Void)?
  /// Called with the last step that is on the disk, once that was waited for.
  package var synced: (@Sendable (Int) -> Void)?
  /// Whether the processes of clients are in use.
  var uses: UseWatch
  let windows: WindowWatch?
  let sessions: LoginWatches
  /// Whether the display is followed.
  var followsDisplay = false
  /// Outputs that wait for the disk.
  var storing = StoringState()
  private let damageTerm: Duration?

  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  nonisolated package var now: Moment { HostClock.now }

  /// Creates a host and its engine on this computer.
  package init(
    sources: [Source], keeper: StateKeeper? = nil, places: HostPaths = HostPaths(),
    agents: [any PromptAgent] = [], launcher: (any AppLaunching)? = nil,
    limits: Conditions.Limits = .init(), keeping terms: RetentionTerms = RetentionTerms(),
    settings: [Setting] = [], observing uses: UseWatch = UseWatch(),
    windows: WindowWatch? = nil, sessions: LoginWatches = LoginWatches(),
    indicator: IndicatorAgent? = nil, simulatedAt simulationSocket: String? = nil,
    recordingTo target: RecordingTarget? = nil,
    journal: @escaping @Sendable (Note) -> Void = { _ in }
  ) {
    executor = HostQueue(label: "meridian.host")
    core = ServiceCore(
      sources: sources, secret: keeper?.secret() ?? .random(), limits: limits,
      keeping: terms)
    self.keeper = keeper
    damageTerm = terms.longest
    self.places = places
    self.agents = agents
    prompts = PromptCoordinator(agents: agents.count)
    self.launcher = launcher
    self.uses = uses
    self.windows = windows
    self.sessions = sessions
    self.indicator = indicator
    self.simulationSocket = simulationSocket
    self.journal = journal
    queue.async { [weak self] in
      self?.onQueue { $0.begin(recordingTo: target, with: settings) }
    }
  }

  /// Reads the state, and arms the timer and the watches.
  private func begin(recordingTo target: RecordingTarget?, with settings: [Setting]) {
    if let target { record(to: target) }
    timer = UptimeTimer(on: queue) { [weak self] in self?.onQueue { $0.wake() } }
    keeper?.whenChangedOutside(on: queue) { [weak self] in
      self?.onQueue { $0.adoptStored() }
    }
    tendDamagedFiles(keeping: damageTerm)
    beginToLaunch()
    beginToWatchWindows()
    beginToShowUses()
    beginToSimulate()
    for setting in settings { step(.engine(.setting(setting))) }
    beginToAwaitUnlock()
    step(.engine(.stored(keeper?.entries ?? [])))
    settleDisplay()
  }

  /// Registers launchable apps before the state is read, so that no other app is launched.
  private func beginToLaunch() {
    guard let launcher else { return }
    registrations = launcher.follow(on: queue) { [weak self] apps in
      self?.onQueue { $0.step(.engine(.launchable(apps))) }
    }
    step(.engine(.launchable(launcher.apps())))
  }

  isolated deinit {
    timer?.end()
    registrations?.cancel()
    windows?.end()
    sessions.end()
    simulations?.end()
    indicator?.end()
    for channel in channels.values { channel.end() }
    for channel in datagrams.values { channel.end() }
    for bus in buses.values { bus.end() }
    buffer.deallocate()
  }

  // MARK: Clients

  nonisolated package func connect(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    queue.sync { onQueue { $0.add(client, receiving: deliver) } }
  }

  /// Adds a client, for a caller that is on the queue already.
  package func add(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    let id = ClientID(nextClient)
    repeat {
      nextClient = nextClient % ClientID.greatest + 1
    } while clients[ClientID(nextClient)] != nil
    clients[id] = deliver
    step(.engine(.client(id, .connected(observed(client, as: id)))))
    let state = core.engine.state(of: id)
    if state.lastFix != nil { step(.delivered(id)) }
    return (id, state)
  }

  nonisolated package func send(_ request: Request, from client: ClientID) {
    guard request.outlastsProcess else { return enter { $0.take(request, from: client) } }
    let isStored = executor.postAndWait { stored in
      self.onQueue { host in
        host.take(request, from: client)
        host.whenStored(stored)
      }
    }
    if !isStored { journal(.store(Self.notStored)) }
  }

  nonisolated package func disconnect(_ client: ClientID) {
    enter { $0.remove(client) }
  }

  private static let notStored =
    "what the app has just begun or ended is not stored yet; it is lost if the process ends before"

  package func take(_ request: Request, from client: ClientID) {
    settleUses()
    step(.engine(.client(client, .request(request))))
    if case .region = request { settleDisplay() }
  }

  package func remove(_ client: ClientID) {
    uses.leave(client)
    step(.engine(.client(client, .disconnected)))
    clients[client] = nil
    forgetHeld(client)
  }

  /// The clients that are connected, in their order.
  var connected: [ClientID] { clients.keys.sorted() }

  /// Returns whether the app is known, or its user may have one more.
  package func hasRoom(for app: AppIdentity) -> Bool { core.engine.hasRoom(for: app) }

  /// Returns the program that holds an identity, or its Flatpak's folder; `nil` while none does.
  private func holder(of app: AppIdentity) -> String? {
    keeper.flatMap { StateKeeper.program(of: app, in: $0.entries) }
  }

  /// Decides whether the program may use the identity: the first to use it keeps it (SECURITY.md).
  package func claim(_ identity: AppIdentity, by claimant: Claimant) -> Claim {
    guard !identity.isOwner else { return .refused }
    guard let keeper else { return .held }
    return keeper.claim(identity, by: claimant, noting: journal)
  }

  /// Passes the engine an input of the person or the system, such as a setting or an answer.
  nonisolated package func pass(_ input: LocationEngine.Input) {
    enter { $0.step(.engine(input)) }
  }

  /// Returns the last report of each source, in the order in which the sources were given.
  nonisolated package func sourceReports() -> [SourceReport] {
    queue.sync { onQueue { $0.core.sourceReports } }
  }

  /// Returns how each ranged beacon was received last, for a calibration.
  nonisolated package func beaconReadings() -> [BeaconRanger.Reading] {
    queue.sync { onQueue { $0.core.engine.beaconReadings } }
  }

  /// Returns whether beacons can be received; `nil` while there is no radio at all.
  nonisolated package func beaconReception() -> BeaconReception? {
    queue.sync { onQueue { $0.core.engine.beaconReception } }
  }

  // MARK: Steps

  /// Runs one step in two parts: apps that received something run before the deferred step.
  ///
  /// A woken thread often waits for the processor of this one; without a yield it would wait for
  /// the second half (docs/decisions/0064). A recording contains the deliveries before they are
  /// made.
  package func step(_ input: ServiceCore.Input) {
    // An output of a first half, such as the opening of a channel, may lead to this step.
    if core.isUnfinished { carryOut(core.finish()) }
    let outputs = core.begin(input, at: HostClock.now)
    if let recording { write(to: recording) }
    carryOut(outputs)
    if core.isUnfinished {
      if outputs.contains(where: \.isDelivery) { sched_yield() }
      carryOut(core.finish())
    }
    if haveUsesChanged { showUses() }
    stepped?()
    arm()
  }

  /// Carries out an output that may leave now.
  func act(_ output: ServiceCore.Output) {
    if let observer, !output.isPosition { observer(output) }
    switch output {
    case .open(let id, let channel): open(channel, as: id)
    case .close(let id): close(id)
    case .bus(let id, let action): act(action, on: id)
    case .read(let id, let query):
      step(.channel(id, .readings(SensorFolder(path: places.sensors).read(query))))
    case .send(let id, let bytes): write(bytes, to: id)
    case .engine(.deliver(let client, let delivery)): clients[client]?(delivery)
    case .engine(.prompt(let prompt)): ask(.asked(prompt), at: HostClock.now)
    case .engine(.withdraw(let prompt)): ask(.withdrawn(prompt), at: HostClock.now)
    case .engine(.calibration(let app, let shown)):
      haveUsesChanged = true
      if shown { journal(.calibration(app)) }
    case .engine(.note(let note)): journal(note)
    case .engine(.launch(let app)): launcher?.launch(app, heldBy: holder(of: app))
    case .engine(.persist): scrubLater()
    case .engine(.usage): haveUsesChanged = true
    case .engine(.indicator(let app, let shown)):
      haveUsesChanged = true
      if shown { noteUnseen(app) }
    case .engine(.wakeApp(let app)): noteRunning(app)
    case .engine(.demand), .engine(.ignored), .engine(.runtimeOver): break
    }
  }

  // MARK: The flight recorder

  private func record(to target: RecordingTarget) {
    do throws(RecordingRefusal) {
      recording = try RecordingFile(target, keeper: keeper)
      core.record()
    } catch { journal(.store("\(error)")) }
  }

  /// Writes the recording; an error ends the recording, and nothing else.
  private func write(to recording: RecordingFile) {
    let bytes = core.takeRecording()
    guard !bytes.isEmpty else { return }
    do throws(RecordingRefusal) { try recording.write(bytes) } catch {
      self.recording = nil
      core.stopRecording()
      journal(.store("\(error)"))
    }
  }

  /// Arms the timer so that the host wakes no later than at the next deadline.
  ///
  /// A timer armed for an earlier moment stays: its wake changes nothing and arms the timer again.
  /// Deadlines move with almost every step, and each change of a timer wakes a thread.
  func arm() {
    let deadlines = earliest(core.nextDeadline, prompts.nextDeadline)
    guard let next = earliest(deadlines, uses.nextDeadline) else { return }
    if let armed, armed <= next { return }
    armed = next
    timer?.arm(at: next)
  }

  /// Handles the timer, which is unarmed from here on.
  private func wake() {
    armed = nil
    settleUses()
    ask(.wake, at: HostClock.now)
    step(.wake)
  }

  // MARK: Channels

  private func open(_ channel: Channel, as id: ChannelID) {
    do throws(Errno) {
      switch channel {
      case .serial(let path, let baud): try listen(Opening.serial(path, baud: baud), as: id)
      case .unix(let path): try listen(Opening.stream(path), as: id)
      case .file(let path): try readThrough(Opening.file(path), as: id)
      case .timeZone: readLink(places.timeZone, as: id)
      case .udp(let host, let port, let senders):
        try receive(Opening.udp(host: host, port: port), from: senders, as: id)
      case .tcp(let host, let port):
        connect(to: host, port: port, ConnectionAttempt(host: host, users: []), as: id)
      case .tls(let host, let port, let authorities): secure(host, port, authorities, as: id)
      case .local(let port, let users):
        connect(
          to: "localhost", port: port, ConnectionAttempt(host: "localhost", users: users), as: id)
      case .systemBus: enterBus(as: id)
      case .sensors: openSensors(as: id)
      case .netlink(let groups):
        try listen(Opening.netlink(groups: groups, at: places.netlink), as: id)
      case .addresses: try listen(Opening.addresses(at: places.netlink), as: id)
      case .web(let request): send(request, as: id)
      case .look(let query): answer(query, as: id)
      case .contents(let path, let most): readContents(of: path, most: most, as: id)
      }
    } catch {
      fail(id, with: error)
    }
  }

  private func close(_ id: ChannelID) {
    received?(id.provider, .closed(.ended))
    channels.removeValue(forKey: id)?.end()
    datagrams.removeValue(forKey: id)?.end()
    buses.removeValue(forKey: id)?.end()
  }

  private func listen(_ descriptor: Int32, as id: ChannelID) throws(Errno) {
    channels[id] = try DescriptorChannel(descriptor: descriptor, on: queue) {
      [weak self] event in
      self?.onQueue { $0.receive(event, of: id) }
    }
    step(.channel(id, .opened))
  }

  private func receive(
    _ descriptors: [Int32], from senders: [AddressRange], as id: ChannelID
  ) throws(Errno) {
    datagrams[id] = try DatagramChannel(
      descriptors: descriptors, from: senders, on: queue
    ) { [weak self] event in
      self?.onQueue { $0.receive(event, of: id) }
    }
    step(.channel(id, .opened))
  }

  func receive(_ event: ChannelEvent, of id: ChannelID) {
    if case .closed = event { close(id) } else { received?(id.provider, event) }
    settleUses()
    step(.channel(id, event))
  }

  private func write(_ bytes: [UInt8], to id: ChannelID) {
    channels[id]?.write(bytes, on: queue) { [weak self] in
      self?.onQueue { $0.channels[id]?.flush() }
    }
  }

  private func fail(_ id: ChannelID, with error: Errno) {
    enter { $0.step(.channel(id, .closed(ChannelEnd(error)))) }
  }

  /// Resolves the name off the queue, then tries one address after the other.
  private func connect(to host: String, port: Int, _ attempt: ConnectionAttempt, as id: ChannelID) {
    DispatchQueue.global().async { [weak self] in
      var attempt = attempt
      attempt.rest = SocketAddress.resolve(host, port: port)[...]
      self?.enter { [attempt] in $0.goOn(attempt, as: id) }
    }
  }

  private func goOn(_ attempt: ConnectionAttempt, as id: ChannelID) {
    guard core.isOpen(id) else { return }
    var attempt = attempt
    guard let address = attempt.rest.popFirst() else {
      let end = attempt.obstacle ?? .missing("no host named \(attempt.host)")
      return step(.channel(id, .closed(end)))
    }
    do throws(Errno) {
      let descriptor = try Opening.tcp(address)
      let pending = PendingConnection(descriptor: descriptor, on: queue) {
        [weak self, attempt] error in
        self?.onQueue { $0.settle(descriptor, error, attempt, as: id) }
      }
      pending.begin()
    } catch {
      attempt.note(ChannelEnd(error))
      enter { [attempt] in $0.goOn(attempt, as: id) }
    }
  }

  private func settle(
    _ descriptor: Int32, _ error: Errno?, _ attempt: ConnectionAttempt, as id: ChannelID
  ) {
    let end = error.map { ChannelEnd($0) }
    guard end == nil, !attempt.users.isEmpty else {
      return settle(descriptor, end, attempt, as: id)
    }
    DispatchQueue.global().async { [weak self] in
      let refusal = PeerOwner.refusal(of: descriptor, users: attempt.users)
      guard let self else { return Opening.abandon(descriptor) }
      enter { $0.settle(descriptor, refusal, attempt, as: id) }
    }
  }

  /// Begins to read if there is no obstacle, else tries the next address.
  private func settle(
    _ descriptor: Int32, _ obstacle: ChannelEnd?, _ attempt: ConnectionAttempt, as id: ChannelID
  ) {
    guard core.isOpen(id) else { return Opening.abandon(descriptor) }
    do throws(Errno) {
      guard let obstacle else { return try listen(descriptor, as: id) }
      Opening.abandon(descriptor)
      var attempt = attempt
      attempt.note(obstacle)
      goOn(attempt, as: id)
    } catch {
      step(.channel(id, .closed(ChannelEnd(error))))
    }
  }

  /// Connects over TLS, off the queue.
  private func secure(_ host: String, _ port: Int, _ authorities: String?, as id: ChannelID) {
    TLSConnection.open(host: host, port: port, authorities: authorities) { [weak self] found in
      guard let self else { return Opening.abandon(found) }
      enter {
        switch found {
        case .success(let descriptor):
          $0.settle(
            descriptor, nil as ChannelEnd?, ConnectionAttempt(host: host, users: []), as: id)
        case .failure(let failure):
          if $0.core.isOpen(id) { $0.step(.channel(id, .closed(ChannelEnd(failure, of: host)))) }
        }
      }
    }
  }

  /// Asks a server on the web, off the queue.
  nonisolated package func ask(
    _ request: WebRequest, then answered: @escaping @Sendable (WebAnswer) -> Void
  ) {
    DispatchQueue.global().async { answered(WebTransport.answer(to: request)) }
  }

  private func send(_ request: WebRequest, as id: ChannelID) {
    ask(request) { [weak self] answer in
      self?.enter { $0.receive(.answer(answer), of: id) }
    }
  }

  /// Reads the target of a symbolic link.
  private func readLink(_ path: String, as id: ChannelID) {
    var events: [ChannelEvent]
    do throws(Errno) {
      events = [.opened, .bytes(try Opening.linkTarget(path)), .closed(.ended)]
    } catch {
      events = [.closed(ChannelEnd(error))]
    }
    for event in events where core.isOpen(id) { step(.channel(id, event)) }
  }

  /// Reads a whole file, a piece at a time, with other work in between.
  private func readThrough(_ descriptor: Int32, as id: ChannelID) {
    step(.channel(id, .opened))
    readPiece(descriptor, as: id)
  }

  private func readPiece(_ descriptor: Int32, as id: ChannelID) {
    guard core.isOpen(id) else { return Opening.abandon(descriptor) }
    let event = Opening.readPiece(descriptor, into: buffer)
    step(.channel(id, event))
    guard case .bytes = event else { return Opening.abandon(descriptor) }
    enter { $0.readPiece(descriptor, as: id) }
  }
}

extension ServiceCore.Output {
  fileprivate var isDelivery: Bool {
    if case .engine(.deliver) = self { true } else { false }
  }

  /// Whether the delivery is one that comes to every client with every fix.
  fileprivate var isPosition: Bool {
    switch self {
    case .engine(.deliver(_, .updates)), .engine(.deliver(_, .live)): true
    default: false
    }
  }
}

// MARK: - The bus and the sensors

extension LocationHost {
  private func enterBus(as id: ChannelID) {
    do throws(BusFault) {
      let bus = try BusConnection(address: places.bus) { [weak self] event in
        self?.onQueue { $0.step(.channel(id, event)) }
      }
      buses[id] = bus
      try bus.begin(on: queue) { [weak self] in
        self?.onQueue { $0.serveBus(id) }
      }
    } catch {
      close(id)
      return fail(id, with: Errno(code: error.code, call: "the system bus"))
    }
    step(.channel(id, .opened))
    serveBus(id)
  }

  private func act(_ action: BusAction, on id: ChannelID) {
    buses[id]?.carryOut(action)
    // The request is sent after this step, together with all others of the step.
    enter { $0.serveBus(id) }
  }

  private func serveBus(_ id: ChannelID) {
    guard let bus = buses[id], !bus.process() else { return }
    close(id)
    step(.channel(id, .closed(.failed("the system bus closed the connection"))))
  }

  private func openSensors(as id: ChannelID) {
    guard SensorFolder(path: places.sensors).isThere else {
      return step(.channel(id, .closed(.missing("no \(places.sensors)"))))
    }
    step(.channel(id, .opened))
  }
}

/// The places of the machine's things that have no URL.
package struct HostPaths: Sendable {
  /// The address of the system bus; `nil` for the system's own.
  package var bus: String?
  package var sensors: String
  /// The link that names the time zone.
  package var timeZone = "/etc/localtime"
  /// A socket of packets in the place of the kernel's netlink; `nil` for the kernel's own.
  package var netlink: String?

  package init(
    bus: String? = nil, sensors: String = "/sys/bus/iio/devices", netlink: String? = nil
  ) {
    self.bus = bus
    self.sensors = sensors
    self.netlink = netlink
  }
}

extension ChannelEnd {
  /// Describes an error of the system for a person.
  init(_ error: Errno) {
    switch error.code {
    case Errno.noEntry: self = .missing(error.description)
    case let code where Errno.noNetwork.contains(code): self = .noNetwork(error.description)
    case Errno.noAccess, Errno.notPermitted: self = .noPermission(error.description)
    default: self = .failed(error.description)
    }
  }
}
