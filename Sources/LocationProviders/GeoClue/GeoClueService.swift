package import LocationModel

/// Serves GeoClue's interface on D-Bus to every program that asks it where the computer is
/// (GEOCLUE-1 to GEOCLUE-19).
///
/// Decides which Client objects exist and what becomes of each call. Whether an app may know the
/// location is not decided here: every client is an app of the engine (docs/decisions/0101).
package struct GeoClueService: Machine {
  package enum Input: MachineInput {
    case call(BusQuestion)
    /// A caller's process was identified, and belongs to this user.
    case known(String, user: UInt32)
    /// It cannot be served, and why.
    case unknown(String, reason: String)
    /// Its connection to the bus has gone.
    case gone(String)
    /// The engine has added the caller as a client, or the state that it can read has changed.
    case state(String, ClientState)
    /// The state after a request for authorization was handled.
    case asked(String, ClientState)
    /// Nobody can be asked whether the app of a caller may know the location.
    case unasked(String)
    /// The engine has not added the caller, and why.
    case refused(String, reason: String)
    case updates(String, SubscriberID, UpdatesDelivery)
    /// The level of the most exact source.
    case available(GeoClueLevel)
    /// The bus has answered a call of this machine (``GeoClueService/isOwn(reply:)``).
    case reply(Int, BusReply)
    /// A connection has sent a signal to which this machine has subscribed.
    case signal(BusSignal)
    /// Signals of an agent were not read: ask it what it says now.
    case askAgent(String)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case answer(Int, BusResponse)
    /// A signal, to one connection, or to everybody.
    case emit(BusSignal, to: String?)
    /// Emit behind what the same position still brings others: nobody waits for this signal.
    case emitLater(BusSignal, to: String)
    /// Follow a caller's connection and find out whose process it is; `.known`, `.unknown`, or
    /// `.gone` follows.
    case identify(String)
    /// Nothing is left of a caller: remove it from the engine, and follow it no longer.
    case forget(String)
    /// Add a caller to the engine, which calls itself so; `.state` or `.refused` follows.
    case join(String, desktopID: String)
    /// Remove a caller from the engine: it has no clients.
    case leave(String)
    /// A subscriber has come, or gone.
    case subscribers(String, Int)
    /// A request to the engine; after one for authorization, `.asked` follows.
    case request(String, Request)
    /// An agent's answer or signal follows as `.reply` or `.signal`.
    case bus(BusAction)
    /// The programs of a user may have this level at most, by an agent of theirs; `nil` for any.
    case limited(UInt32, GeoClueLevel?)
  }

  /// A connection to the bus.
  struct Caller: Sendable {
    /// Its user; `nil` while its process is not identified.
    var user: UInt32?
    /// The calls that wait for that, oldest first.
    var waiting: [BusQuestion] = []
    /// What the engine says of its app; `nil` while it is not added.
    var state: ClientState?
    /// Whether the engine was asked to add it.
    var isJoining = false
    /// The number of the client of `GetClient`.
    var usual: Int?
  }

  var callers: [String: Caller] = [:]
  /// By their numbers.
  var clients: [Int: GeoClueClient] = [:]
  var agents = GeoClueAgents()
  var lastClient = 0
  private var available = GeoClueLevel.none
  private var wasInUse = false

  package init() {}

  package var nextDeadline: Instant? {
    clients.values.reduce(agents.nextDeadline) { earliest($0, $1.nextDeadline) }
  }

  /// Whether any client is active whose app may know the location. One whose question is still open
  /// has no positions.
  package var isInUse: Bool {
    clients.values.contains { client in
      client.isActive && callers[client.owner]?.state?.authorization.status.isGranted == true
    }
  }

  /// The connections that are known, in their order.
  package var names: [String] { callers.keys.sorted() }

  /// The number of Client objects.
  package var clientCount: Int { clients.count }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    let outputs =
      switch input {
      case .call(let question): take(question, at: now)
      case .known(let name, let user): admit(name, of: user, at: now)
      case .unknown(let name, let reason): turnAway(name, because: reason)
      case .gone(let name): forget(name, at: now)
      case .state(let name, let state): settle(name, state)
      case .asked(let name, let state): settleAsked(name, state)
      case .unasked(let name): refuseUndecided(name)
      case .refused(let name, let reason): refuse(name, reason)
      case .updates(let name, let subscriber, let delivery):
        take(delivery, for: subscriber, of: name, at: now)
      case .available(let level): measure(level)
      case .reply(let call, let reply): take(reply, to: call)
      case .signal(let signal): take(signal)
      case .askAgent(let name): ask(agent: name)
      case .wake: expireAgents(at: now) + wake(at: now)
      }
    return outputs + settleUse()
  }

  // MARK: Callers

  /// Takes a call: of an unknown caller, after its process was identified.
  private mutating func take(_ question: BusQuestion, at now: Moment) -> [Output] {
    let name = question.sender
    guard let caller = callers[name] else {
      guard callers.count < Self.mostCallers else {
        return [
          .answer(question.number, .tooMany("\(Self.mostCallers) programs are served already"))
        ]
      }
      callers[name] = Caller(waiting: [question])
      return [.identify(name)]
    }
    guard caller.user == nil else { return carryOut(question, at: now) }
    guard caller.waiting.count < Self.mostWaiting else {
      return [.answer(question.number, .tooMany("\(Self.mostWaiting) calls of it wait already"))]
    }
    callers[name]?.waiting.append(question)
    return []
  }

  private mutating func admit(_ name: String, of user: UInt32, at now: Moment) -> [Output] {
    guard let caller = callers[name], caller.user == nil else { return [] }
    guard callers.values.count(where: { $0.user == user }) < Self.mostCallersPerUser else {
      return turnAway(
        name, because: "\(Self.mostCallersPerUser) programs of user \(user) are served already",
        BusResponse.tooMany)
    }
    callers[name]?.user = user
    callers[name]?.waiting = []
    return caller.waiting.flatMap { carryOut($0, at: now) }
  }

  private mutating func turnAway(
    _ name: String, because reason: String,
    _ error: (String) -> BusResponse = { .denied("Access denied: \($0)") }
  ) -> [Output] {
    guard let caller = callers.removeValue(forKey: name) else { return [] }
    return caller.waiting.map { .answer($0.number, error(reason)) } + [.forget(name)]
  }

  private mutating func forget(_ name: String, at now: Moment) -> [Output] {
    guard callers.removeValue(forKey: name) != nil else { return [] }
    let own = clients.values.filter { $0.owner == name }.map(\.number).sorted()
    for number in own { clients[number] = nil }
    return (own.isEmpty ? [] : [.subscribers(name, -own.count)]) + remove(agent: name, at: now)
      + [.forget(name)]
  }

  // MARK: Manager

  private mutating func measure(_ level: GeoClueLevel) -> [Output] {
    guard level != available else { return [] }
    available = level
    return [.emit(Self.changed("AvailableAccuracyLevel", .uint32(level.rawValue)), to: nil)]
  }

  private mutating func settleUse() -> [Output] {
    guard isInUse != wasInUse else { return [] }
    wasInUse = isInUse
    return [.emit(Self.changed("InUse", .boolean(wasInUse)), to: nil)]
  }

  var managerProperties: BusValue {
    .properties([
      "InUse": .boolean(isInUse), "AvailableAccuracyLevel": .uint32(available.rawValue),
    ])
  }

  private static func changed(_ name: String, _ value: BusValue) -> BusSignal {
    changed(
      [BusEntry(key: .string(name), value: .variant(value))], GeoClue.manager,
      at: GeoClue.managerPath)
  }

  static func changed(_ entries: [BusEntry], _ interface: String, at path: String) -> BusSignal {
    BusSignal(
      path: path, interface: GeoClue.properties, member: "PropertiesChanged",
      arguments: [
        .string(interface), .dictionary(key: "s", value: "v", entries), .array(of: "s", []),
      ])
  }

  /// Connections in all. Chosen: each takes one match rule of the bus, which has 512 for us, and one
  /// user has at most 256 connections to the bus of the system.
  package static let mostCallers = 400
  /// Connections of one user. Chosen: more than a desktop's programs have, and it leaves room for
  /// others.
  package static let mostCallersPerUser = 96
  /// Calls of a connection that wait for its identification. Chosen: more than libraries send before
  /// their first answer; the 256 connections that the bus gives a user hold 2,048 of the 4,096 calls
  /// that are kept for all (``HeldCalls``).
  package static let mostWaiting = 8
  /// Calls of `Start` that wait for a person: of a client, which needs one, and of the clients of a
  /// user. Chosen: a question is one for all clients of a program.
  package static let (mostStarts, mostStartsPerUser) = (4, 256)
  /// Client objects of one connection, of the connections of one user, and in all. Chosen: the portal
  /// makes one for each app.
  package static let (mostClients, mostClientsPerUser, mostClientsInAll) = (64, 256, 1024)
  /// How long `Start` waits for a person's answer. Chosen: less than the 25 seconds after which
  /// D-Bus libraries give up.
  package static let answerTimeout = Duration.seconds(20)
}
