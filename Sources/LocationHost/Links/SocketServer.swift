import CLinux
import Dispatch
import Glibc
package import LocationLink
import LocationModel

/// Serves the engine of one host to other processes, over a Unix socket.
///
/// Runs on the host's own queue, so a delivery goes from the engine to the socket without a hop.
/// Nobody waits for a client: what it does not read is kept up to a limit, then it is cut off.
package actor SocketServer: LineActor {
  /// What all clients together, and each of them, may take.
  package struct Limits: Hashable, Sendable {
    package var clients = 2048
    /// So that one user cannot keep the others out.
    package var clientsPerUser = 1536
    /// Bytes sent to a client that it has not read, beside what the kernel holds.
    package var unread = 262_144
    package var session = LinkSession.Limits()

    package init() {}
  }

  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    line.asUnownedSerialExecutor()
  }
  nonisolated package let line: HostQueue
  let host: LocationHost
  private let limits: Limits
  private let agents: LinkAgents
  let journal: DaemonJournal
  let facts: DaemonFacts
  var owner = OwnerDesk()
  private var acceptor: (any DispatchSourceRead)?
  /// Whether nobody is let in for a moment.
  private var isPaused = false
  private(set) var connections: [Int: LinkConnection] = [:]
  private var nextConnection = 1
  private var shares = TimeShares()
  private var news = RepeatedNews()
  private var freezing: FreezeWatch?
  /// Small, so that a client which sends without end holds the others up for a few messages only.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

  /// Serves on a socket that listens already; the server closes it.
  package init(
    _ listener: Int32, for host: LocationHost, limits: Limits = Limits(),
    agents: LinkAgents = LinkAgents(), journal: DaemonJournal, facts: DaemonFacts
  ) {
    line = host.line
    self.host = host
    self.limits = limits
    self.agents = agents
    self.journal = journal
    self.facts = facts
    line.queue.async { [weak self] in self?.onLine { $0.begin(listener) } }
  }

  private func begin(_ listener: Int32) {
    _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
    // Inherited by every connection, so that not even its first bytes come without their sender.
    _ = linux_name_senders(listener)
    let acceptor = DispatchSource.makeReadSource(fileDescriptor: listener, queue: line.queue)
    acceptor.setEventHandler { [weak self] in self?.onLine { $0.accept(from: listener) } }
    acceptor.setCancelHandler { close(listener) }
    acceptor.activate()
    self.acceptor = acceptor
    freezing = FreezeWatch(on: line.queue) { [weak self] in
      self?.onLine { $0.settleFreezing() }
    }
    beginAdministration()
  }

  isolated deinit {
    acceptor?.cancel()
    // A source that is suspended is not let go.
    if isPaused { acceptor?.resume() }
    for connection in connections.values { connection.end() }
    buffer.deallocate()
  }

  // MARK: Connections

  /// Lets one in. Whoever has had more than a share gets no answer, and no line in the log; many of
  /// those are turned away at once, and nobody is let in for a moment then, so that a flood waits.
  private func accept(from listener: Int32) {
    for _ in 0..<Self.turnedAwayAtOnce {
      let descriptor = linux_accept(listener)
      // Without a descriptor to spare, a source would fire without end.
      guard descriptor >= 0 else { return descriptor == -EAGAIN ? () : pauseAccepting() }
      let process = Peer.process(of: descriptor)
      guard shares.rest(of: process, at: host.now.uptime) != nil else {
        return welcome(descriptor, of: process)
      }
      close(descriptor)
    }
    pauseAccepting()
  }

  /// Chosen: a fraction of a millisecond's work, and a wait that nobody notices.
  private static let (turnedAwayAtOnce, pause) = (32, DispatchTimeInterval.milliseconds(5))

  private func pauseAccepting() {
    isPaused = true
    acceptor?.suspend()
    line.queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
      self?.onLine { $0.goOnAccepting() }
    }
  }

  private func goOnAccepting() {
    guard isPaused else { return }
    isPaused = false
    acceptor?.resume()
  }

  private func welcome(_ descriptor: Int32, of process: Int32) {
    let begin = host.now.uptime
    shares.charge(Self.admission, to: process, at: begin)
    defer { charge(process, since: begin) }
    do throws(Peer.Fault) {
      guard linux_name_senders(descriptor) == 0 else {
        throw Peer.Fault(description: "the kernel does not name senders")
      }
      let peer = try Peer(of: descriptor)
      try checkRoom(for: peer)
      admit(descriptor, of: peer)
    } catch {
      shares.charge(Self.fine, to: process, at: begin)
      journal.write(.client, "refused a client: \(error)", isFault: true)
      let reply = LinkReply(
        .fields(["reason": .string(error.description)]), error: "\(LinkInterface.name).Refused")
      _ = frame(reply.json).withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      close(descriptor)
    }
  }

  /// What a process owes for each connection, beside the time that it takes: two thousand at once,
  /// then two hundred a second. Chosen.
  private static let admission = TimeShares.credit / 2000

  private func checkRoom(for peer: Peer) throws(Peer.Fault) {
    guard connections.count < limits.clients else {
      throw Peer.Fault(description: "there are \(limits.clients) clients already")
    }
    let same = connections.values.count { $0.peer.user == peer.user }
    guard same < limits.clientsPerUser else {
      throw Peer.Fault(
        description: "user \(peer.user) has \(limits.clientsPerUser) clients already")
    }
  }

  private func admit(_ descriptor: Int32, of peer: Peer) {
    let number = nextConnection
    nextConnection += 1
    connections[number] = LinkConnection(
      descriptor, of: peer, limits: limits.session, on: line.queue
    ) { [weak self] in
      self?.onLine { $0.attend(number) }
    }
  }

  /// There is something to read; who waits for a turn already gets one.
  private func attend(_ number: Int) {
    guard let connection = connections[number], !connection.awaitsTurn else { return }
    read(number)
  }

  private func read(_ number: Int) {
    guard let connection = connections[number], !connection.isResting else { return }
    let (process, begin) = (connection.peer.pid, host.now.uptime)
    defer { charge(process, since: begin) }
    if let end = shares.rest(of: process, at: begin) {
      return connection.rest(for: end - begin) { [weak self] in
        self?.onLine { $0.goOn(number) }
      }
    }
    switch connection.read(into: buffer) {
    case .nothing: break
    case .bytes(let bytes):
      handle(.bytes(bytes), of: number)
      // A source whose peer has hung up fires once, whatever is left to read: libdispatch on Linux
      // forgets the descriptor then. So a piece is followed by another look, after the others' turn.
      connection.awaitsTurn = true
      line.queue.async { [weak self] in self?.onLine { $0.takeTurn(number) } }
    case .ended: drop(number)
    case .foreign(let pid):
      cut(
        number,
        because: "process \(pid) writes to a connection of process "
          + "\(connection.peer.pid)")
    }
  }

  private func takeTurn(_ number: Int) {
    connections[number]?.awaitsTurn = false
    read(number)
  }

  private func goOn(_ number: Int) {
    connections[number]?.goOn()
    read(number)
  }

  /// Writes down what was done for a process since a moment.
  private func charge(_ process: Int32, since begin: Instant) {
    let now = host.now.uptime
    shares.charge(now - begin, to: process, at: now)
  }

  func cut(_ number: Int, because reason: String) {
    guard let connection = connections[number] else { return }
    note(
      "cut off \(connection.peer.executable) (process \(connection.peer.pid)): \(reason)",
      about: connection, isFault: true)
    shares.charge(Self.fine, to: connection.peer.pid, at: host.now.uptime)
    drop(number)
  }

  /// What a process owes for each time that it is refused or cut off: ten times at once, then once a
  /// second.
  private static let fine = TimeShares.credit / 10

  private func drop(_ number: Int) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    connection.end()
    forgetOwner(number)
    agents.leave(number)
    disconnect(connection, number)
  }

  private func disconnect(_ connection: LinkConnection, _ number: Int) {
    guard let client = connection.client else { return }
    connection.client = nil
    freezing?.leave(number)
    if let app = connection.app { note("\(app) has gone", about: connection) }
    host.onLine { $0.remove(client) }
  }

  // MARK: Sessions

  func handle(_ input: LinkSession.Input, of number: Int) {
    guard let connection = connections[number] else { return }
    for output in connection.session.handle(input, at: host.now) {
      switch output {
      case .send(let bytes): send(bytes, to: connection, number)
      case .connect: connect(connection, number)
      case .disconnect: disconnect(connection, number)
      case .request(let request):
        guard let client = connection.client else { continue }
        host.onLine { $0.take(request, from: client) }
      case .administer(let call): administer(call, of: number)
      case .attend: attend(connection, number)
      case .answer(let answer):
        let isTaken = agents.take(answer, of: number, user: connection.peer.user)
        handle(.answered(isTaken), of: number)
      case .cut(let reason): cut(number, because: reason.description)
      }
    }
  }

  private func send(_ bytes: [UInt8], to connection: LinkConnection, _ number: Int) {
    let limit = connection.isOwners ? Self.ownersUnread : limits.unread
    let isRead = connection.send(bytes, limit: limit) { [weak self] in
      self?.onLine { $0.connections[number]?.flush() }
    }
    guard !isRead else { return }
    // Not now: the engine may be in the middle of a step.
    line.queue.async { [weak self] in
      self?.onLine {
        $0.cut(number, because: "it has left \($0.limits.unread) bytes unread")
      }
    }
  }

  /// Bytes that may wait for the owner, who exports everything at once.
  private static let ownersUnread = 64 << 20

  private func attend(_ connection: LinkConnection, _ number: Int) {
    agents.attend(number, user: connection.peer.user) { [weak self] news in
      self?.onLine { $0.handle(.news(news), of: number) }
    }
  }

  private func connect(_ connection: LinkConnection, _ number: Int) {
    let description = describe(connection.peer)
    let (client, state) = host.onLine { host in
      host.add(description) { [weak self] delivery in
        self?.onLine { $0.tell(delivery, to: number) }
      }
    }
    connection.client = client
    if freezing?.follow(connection.peer.pid, as: number) == true {
      host.onLine { $0.freeze(client, true) }
    }
    connection.app = description.app
    note("\(description.app) has come", about: connection)
    handle(.connected(state), of: number)
  }

  private func tell(_ delivery: Delivery, to number: Int) {
    handle(.delivery(delivery, news: news.words(of: delivery)), of: number)
  }

  /// A process that the system has stopped hears later what it would have heard (STD-50).
  private func settleFreezing() {
    for (number, isFrozen) in freezing?.changes() ?? [] {
      guard let client = connections[number]?.client else { continue }
      host.onLine { $0.freeze(client, isFrozen) }
    }
  }

  private func describe(_ peer: Peer) -> ClientDescription {
    let manifest = Manifest(ofExecutable: peer.executable)
    var description = ClientDescription(app: app(of: peer, declaring: manifest), manifest: manifest)
    description.process = peer.pid
    return description
  }

  /// The app as its program declares it. The identifier counts only for the first program that has
  /// used it, and another user's app is another app.
  private func app(of peer: Peer, declaring manifest: Manifest) -> AppIdentity {
    let suffix = peer.user == getuid() ? "" : "@\(peer.user)"
    let byPath = AppIdentity(peer.executable + suffix)
    // A sandboxed app has the name that it was installed under, and is itself through its updates.
    guard let identifier = peer.sandbox?.name ?? manifest.identifier else { return byPath }
    let identity = AppIdentity(identifier + suffix)
    let claimant = peer.sandbox?.home ?? peer.executable
    guard host.onLine({ $0.claim(identity, by: claimant) }) else {
      let text =
        "\(peer.executable) declares \(identifier), which is another program's; it is "
        + "served as \(byPath)"
      journal.write(.client, text, isFault: true)
      return byPath
    }
    return identity
  }
}
