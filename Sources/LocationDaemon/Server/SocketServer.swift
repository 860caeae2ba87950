import CLinux
import Dispatch
import Glibc
import LocationEngine
package import LocationHost
package import LocationLink
import LocationModel

/// Serves the engine of one host to other processes, over a Unix socket.
///
/// Runs on the host's own queue, so that a delivery passes from the engine to the socket without a
/// hop. Never waits for a client: unread bytes are kept up to a limit, then the client is cut off.
package actor SocketServer: QueueActor {
  /// The bounds for all clients together, and for each of them.
  package struct Limits: Hashable, Sendable {
    package var room = ClientRoom.Limits()
    /// Bytes sent to a client that it has not read, beside what the kernel holds.
    package var unread = 262_144
    package var session = LinkSession.Limits()

    package init() {}
  }

  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  nonisolated package let executor: HostQueue
  let host: LocationHost
  let limits: Limits
  let agents: LinkAgents
  let journal: DaemonJournal
  let facts: DaemonFacts
  var owner = OwnerSession()
  var trust: TrustState
  private var acceptor: (any DispatchSourceRead)?
  /// Whether accepting is paused.
  private var isPaused = false
  var connections: [Int: LinkConnection] = [:]
  var nextConnection = 1
  var shares = RateLimiter(owners: [0, getuid()])
  var room: ClientRoom
  var arrivals: Arrivals
  /// Connections with messages whose program has to wait, in their order.
  private var resting: [Payer: [Int]] = [:]
  /// Connections whose last message is not stored yet.
  var awaitingDisk: [AwaitingDisk] = []
  let manifests = ManifestReader(followsLinks: false)
  let packages = InstalledPackages()
  let signed = SignedPrograms()
  private var repeated = RepeatedDelivery()
  var freezing: FreezeWatch?
  var sleeping = SleepingApps()
  /// Programs that ask GeoClue on the bus of the system.
  var geoclue = GeoClueState()
  /// Programs that ask at gpsd's port.
  var gpsd = GpsdPort()
  /// This computer as a device of a fleet.
  var uplink = UplinkState()
  /// What is to be done when all of that is served; `nil` once it is done.
  var begun: (@Sendable () -> Void)?
  /// Small, so that a client that sends without end delays the others by a few messages only.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

  /// Serves on a socket that listens already; the server closes it.
  package init(
    _ listener: Int32, for host: LocationHost, limits: Limits = Limits(),
    agents: LinkAgents = LinkAgents(), journal: DaemonJournal, facts: DaemonFacts,
    trusting programs: TrustedPrograms = TrustedPrograms()
  ) {
    executor = host.executor
    self.host = host
    self.limits = limits
    room = ClientRoom(limits.room)
    arrivals = Arrivals(room: ClientRoom(limits.room))
    self.agents = agents
    self.journal = journal
    self.facts = facts
    trust = TrustState(programs)
    queue.async { [weak self] in self?.onQueue { $0.begin(listener) } }
  }

  private func begin(_ listener: Int32) {
    _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
    // Connections inherit this option, so that the sender of even their first bytes is known.
    _ = linux_name_senders(listener)
    let acceptor = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
    acceptor.setEventHandler { [weak self] in self?.onQueue { $0.accept(from: listener) } }
    acceptor.setCancelHandler { close(listener) }
    acceptor.activate()
    self.acceptor = acceptor
    freezing = FreezeWatch(on: queue) { [weak self] in
      self?.onQueue { $0.settleFreezing() }
    }
    beginAdministration()
    beginToAwaitDisk()
  }

  isolated deinit {
    acceptor?.cancel()
    // A suspended source must not be released.
    if isPaused { acceptor?.resume() }
    for connection in connections.values { connection.end() }
    geoclue.bus?.end()
    gpsd.end()
    uplink.timer?.end()
    arrivals.closeWaiting()
    buffer.deallocate()
  }

  // MARK: Connections

  /// Accepts one connection. A program that has used up its share is sent the time to wait, and
  /// gets no line in the log. After a few of those at once, accepting is paused, so that a flood
  /// waits.
  private func accept(from listener: Int32) {
    let begin = host.now.uptime
    for _ in 0..<Self.turnedAwayAtOnce {
      let descriptor = linux_accept(listener)
      // Without a free descriptor, the source would fire without end.
      guard descriptor >= 0 else { return descriptor == -EAGAIN ? () : pauseAccepting() }
      let payer = Payer(of: descriptor)
      let now = host.now.uptime
      guard let end = shares.rest(of: payer, at: now) else {
        welcome(.socket(descriptor), of: payer)
        let isPaced = shares.nextTurn(of: payer, at: host.now.uptime) != nil
        return isPaced ? pauseAccepting(for: Self.pace) : ()
      }
      turnAway(descriptor, for: end - now)
    }
    pauseAccepting(for: min(max((host.now.uptime - begin) * 2, Self.breath), Self.pause))
  }

  /// Chosen: a fraction of a millisecond's work, and a pause too short to notice. A flood of
  /// connections takes at most a third of the daemon's time, and holds others back no longer; a new
  /// client waits behind those that the kernel keeps, some thousands a second.
  private static let turnedAwayAtOnce = 4
  private static let (breath, pause) = (Duration.microseconds(250), Duration.milliseconds(5))
  /// The pause after a connection of a program that has had many. Chosen: the kernel's 512 connections are
  /// taken in half a second, and who floods has soon used up the share.
  private static let pace = Duration.milliseconds(1)

  private func pauseAccepting(for pause: Duration = pause) {
    isPaused = true
    acceptor?.suspend()
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.wholeNanoseconds))) { [weak self] in
      self?.onQueue { $0.goOnAccepting() }
    }
  }

  private func goOnAccepting() {
    guard isPaused else { return }
    isPaused = false
    acceptor?.resume()
  }

  /// Reads a connection, unless a turn is already scheduled.
  func attend(_ number: Int) {
    guard let connection = connections[number], !connection.awaitsTurn else { return }
    read(number)
  }

  private func read(_ number: Int) {
    guard let connection = connections[number], !connection.isResting else { return }
    let (payer, begin) = (connection.payer, host.now.uptime)
    if let end = shares.nextTurn(of: payer, at: begin) {
      // A client that disconnected needs no later turn; one that says nothing needs none yet.
      if connection.isOver(at: begin) { return drop(number) }
      return connection.isSilent ? () : wait(number, until: end)
    }
    // Of the owner's calls the cost is what others have stored.
    defer { if !connection.isOwners { charge(payer, since: begin) } }
    switch connection.read(into: buffer) {
    case .nothing: break
    case .bytes(let bytes):
      handle(.bytes(bytes), of: number)
      // A source whose peer has hung up fires once, however much is left to read: libdispatch on
      // Linux then forgets the descriptor. So another read is scheduled after the others' turn.
      connection.awaitsTurn = true
      queue.async { [weak self] in self?.onQueue { $0.takeTurn(number) } }
    case .ended: drop(number)
    case .foreign(let pid):
      cut(
        number,
        because: "process \(pid) writes to a connection of process "
          + "\(connection.peer.pid)")
    }
  }

  /// Lets a connection wait behind those of the same program that wait already.
  private func wait(_ number: Int, until end: Instant) {
    guard let connection = connections[number] else { return }
    connection.pause()
    let payer = connection.payer
    guard resting[payer] == nil else { return resting[payer, default: []].append(number) }
    resting[payer] = [number]
    serve(payer, at: end)
  }

  /// Serves the connections of a program that wait, in their order, until it has to wait again.
  private func serve(_ payer: Payer, at time: Instant) {
    enter(at: time) { server in
      while let number = server.resting[payer]?.first {
        if let end = server.shares.nextTurn(of: payer, at: server.host.now.uptime) {
          return server.serve(payer, at: end)
        }
        server.resting[payer]?.removeFirst()
        server.goOn(number)
      }
      server.resting[payer] = nil
    }
  }

  private func takeTurn(_ number: Int) {
    connections[number]?.awaitsTurn = false
    read(number)
  }

  func goOn(_ number: Int) {
    connections[number]?.goOn()
    read(number)
  }

  /// Charges a program for the time since a moment.
  func charge(
    _ payer: Payer, since begin: Instant, pacing: RateLimiter.Pacing = .user
  ) {
    let now = host.now.uptime
    shares.charge(now - begin, to: payer, at: now, pacing: pacing)
  }

  /// Charges a program for a refused or forbidden request, or for being cut off: ten times at once,
  /// then once a second. A person who types what only the owner may gets a quarter of it, for which only the
  /// installed tool is taken: each call is a process of its own.
  func fine(_ payer: Payer, isTyped: Bool = false) {
    let fine = isTyped ? Self.fine / 4 : Self.fine
    shares.charge(fine, to: payer, at: host.now.uptime, pacing: .program)
  }

  private static let fine = RateLimiter.credit / 10

  func cut(_ number: Int, because reason: String) {
    guard let connection = connections[number] else { return }
    note(
      "cut off \(connection.peer.executable) (process \(connection.peer.pid)): \(reason)",
      about: connection, isFault: true)
    fine(connection.payer)
    drop(number)
  }

  private func drop(_ number: Int) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    connection.end()
    _ = room.settle(connection.payer, unread: -connection.counted)
    room.leave(connection.payer, subscribers: connection.session.subscriberCount)
    forgetOwner(number)
    agents.leave(number)
    disconnect(connection, number)
  }

  private func disconnect(_ connection: LinkConnection, _ number: Int) {
    guard let client = connection.client else { return }
    connection.client = nil
    freezing?.leave(number)
    if let app = connection.app { note("\(app) disconnected", about: connection) }
    let (unknown, stray) = (
      connection.session.unknownMessages, connection.session.strayDeliveries
    )
    if unknown + stray > 0 {
      note(
        "\(unknown) requests were not understood, and \(stray) deliveries were for nobody",
        about: connection, isFault: true)
    }
    host.onQueue { $0.remove(client) }
    noteEnd(of: connection.app)
  }

  /// Notes that a process of an app has gone, which may have been its last.
  func noteEnd(of app: AppIdentity?) {
    guard let app, !connections.values.contains(where: { $0.app == app }),
      !geoclue.callers.values.contains(where: { $0.app == app })
    else { return }
    stepSleep(.ended(app))
  }

  // MARK: Sessions

  func handle(_ input: LinkSession.Input, of number: Int) {
    guard let connection = connections[number] else { return }
    let subscribers = connection.session.subscriberCount
    let outputs = connection.session.handle(input, at: host.now)
    let change = connection.session.subscriberCount - subscribers
    if let reason = room.settle(connection.payer, subscribers: change) {
      return cut(number, because: reason)
    }
    for output in outputs {
      switch output {
      case .send(let bytes): send(bytes, to: connection, number)
      case .connect: connect(connection, number)
      case .disconnect: disconnect(connection, number)
      case .request(let request):
        guard let client = connection.client else { continue }
        take(request, from: client, of: number, isAnswered: outputs.count > 1)
      case .administer(let call): administer(call, of: number)
      case .attend(let shower): admitAgent(number, shownBy: shower)
      case .answer(let answer): take(answer, number)
      case .cut(let reason): cut(number, because: reason.description)
      }
    }
  }

  private func send(_ bytes: [UInt8], to connection: LinkConnection, _ number: Int) {
    let limit = connection.isOwners ? Self.ownersUnread : limits.unread
    let isRead = connection.send(bytes, limit: limit) { [weak self] in
      self?.onQueue { $0.flush(number) }
    }
    let excess = settleUnread(connection)
    if !isRead { return giveWay(number, "it has left \(limits.unread) bytes unread") }
    switch excess {
    case nil: break
    case .own(let fault): giveWay(number, fault)
    case .user(let user, let fault):
      let theirs = connections.filter { $0.value.payer.user == user && !$0.value.givesWay }
      let most = theirs.max { ($0.value.counted, $1.key) < ($1.value.counted, $0.key) }
      if let most { giveWay(most.key, fault) }
    }
  }

  /// Cuts a client off, but not now: the engine may be in the middle of a step.
  private func giveWay(_ number: Int, _ fault: String) {
    connections[number]?.givesWay = true
    queue.async { [weak self] in self?.onQueue { $0.cut(number, because: fault) } }
  }

  private func flush(_ number: Int) {
    guard let connection = connections[number] else { return }
    connection.flush()
    _ = settleUnread(connection)
  }

  /// Counts what a client has not read; returns whether that is too much. The owner, who may
  /// export everything at once, is not counted.
  private func settleUnread(_ connection: LinkConnection) -> ClientRoom.Excess? {
    let waiting = connection.isOwners ? 0 : connection.waiting
    defer { connection.counted = waiting }
    return room.settle(connection.payer, unread: waiting - connection.counted)
  }

  /// Bytes that may wait for the owner, who may export everything at once.
  private static let ownersUnread = 64 << 20

  private func connect(_ connection: LinkConnection, _ number: Int) {
    let description = describe(connection.peer, connection.declared)
    if let fault = noteServed(connection.peer, as: description.app) {
      return handle(.refused(fault), of: number)
    }
    if let fault = roomFault(for: description.app, of: connection.peer) {
      return handle(.refused(fault), of: number)
    }
    let (client, state) = host.onQueue { host in
      host.add(description) { [weak self] delivery in
        self?.onQueue { $0.deliver(delivery, to: number) }
      }
    }
    connection.client = client
    trust.noteServed(connection.peer.executable, of: connection.peer.user)
    if freezing?.follow(connection.peer.pid, as: number) == true {
      host.onQueue { $0.freeze(client, true) }
    }
    connection.app = description.app
    note("\(description.app) connected", about: connection)
    handle(.connected(state), of: number)
  }

  /// Why there is no room for an app; `nil` if there is.
  func roomFault(for app: AppIdentity, of peer: Peer) -> String? {
    guard !host.onQueue({ $0.hasRoom(for: app) }) else { return nil }
    return "user \(peer.user) has \(Bounds.appsPerUser) apps already; the owner makes room "
      + "with: locationctl data erase --app APP"
  }

  private func deliver(_ delivery: Delivery, to number: Int) {
    if let connection = connections[number], let client = connection.client,
      connection.hasUnread
    {
      host.onQueue { $0.suspect(client) }
    }
    handle(.delivery(delivery, content: repeated.words(of: delivery)), of: number)
  }

  /// Updates which processes are frozen; their deliveries wait until they run again (STD-50).
  private func settleFreezing() {
    for (number, isFrozen) in freezing?.changes() ?? [] {
      guard let client = connections[number]?.client ?? busClient(number) else { continue }
      host.onQueue { $0.freeze(client, isFrozen) }
    }
  }

  func describe(_ peer: Peer, _ declared: ManifestReader.Reading) -> ClientDescription {
    let manifest = declared.manifest
    if let fault = declared.fault {
      note("\(fault); \(peer.executable) is served as a program that declares nothing", about: peer)
    }
    if let fault = declared.textsFault {
      note("\(fault); questions show the texts of \(manifest.file)", about: peer)
    }
    var description = ClientDescription(app: app(of: peer, declaring: manifest), manifest: manifest)
    description.process = peer.pid
    description.program = peer.program
    return description
  }
}
