import LocationModel

/// What the agents of GeoClue say about the users whose sessions they belong to: how exact a place the
/// programs of a user may learn, as the switch in a desktop's settings has it (GEOCLUE-19).
///
/// An agent only takes away: of several agents of a user the least level counts, so a program that calls
/// itself an agent cannot lift what the person has set. What one has said outlasts it for a moment, in which a
/// desktop's shell that starts anew has an agent again.
struct GeoClueAgents: Sendable {
  private struct Agent: Sendable {
    var user: UInt32
    /// As it has said last; `nil` while it has not, which limits nothing.
    var level: GeoClueLevel?
    /// The number of the call that asks for it; `nil` while none is pending. What an agent sends comes in
    /// its order, so the answer is never older than a change that came before it.
    var call: Int?
  }

  /// By the unique names of their connections.
  private var agents: [String: Agent] = [:]
  /// The least level of those of a user that have gone, and until when it counts; of ``GeoClueService/mostAgents``
  /// users at most.
  private var left: [UInt32: (level: GeoClueLevel, until: Instant)] = [:]
  private var lastCall = GeoClueAgents.firstCall

  /// Returns the greatest level that the programs of a user may have; `nil` where it is the most exact one,
  /// because no agent of the user says another.
  func limit(of user: UInt32) -> GeoClueLevel? {
    let levels = agents.values.filter { $0.user == user }.compactMap(\.level)
    return (levels + [left[user]?.level].compactMap(\.self)).filter { $0 < .exact }.min()
  }

  var nextDeadline: Instant? { left.values.map(\.until).min() }

  /// The users of agents that have gone long enough ago, in their order.
  func usersDue(at now: Instant) -> [UInt32] {
    left.filter { $0.value.until <= now }.keys.sorted()
  }

  /// Forgets the agents of a user that have gone.
  mutating func forgetLeft(of user: UInt32) { left[user] = nil }

  /// Returns whose agent a connection is; `nil` if it is none.
  func user(of name: String) -> UInt32? { agents[name]?.user }

  /// Returns which agent a call was for; `nil` for a call that is not pending.
  func name(of call: Int) -> String? { agents.first { $0.value.call == call }?.key }

  /// Why a connection cannot become an agent; `nil` if it can, or is one.
  func refusal(of name: String, _ user: UInt32) -> String? {
    guard agents[name] == nil else { return nil }
    let own = agents.values.count { $0.user == user }
    if own >= GeoClueService.mostAgentsPerUser { return "user \(user) has \(own) agents already" }
    return agents.count < GeoClueService.mostAgents
      ? nil : "there are \(agents.count) agents already"
  }

  /// Adds the agent of a connection, or asks it again.
  ///
  /// - Returns: what to do on the bus.
  mutating func add(_ name: String, of user: UInt32) -> [BusAction] {
    guard agents[name] == nil else { return ask(name) }
    agents[name] = Agent(user: user)
    // Changes first, so that none is missed.
    return [.subscribe(.propertiesChanged(of: name))] + ask(name)
  }

  /// Removes the agent of a connection, whose limit lasts a moment more.
  ///
  /// - Returns: what to do on the bus.
  mutating func remove(_ name: String, at now: Instant) -> [BusAction] {
    guard let agent = agents.removeValue(forKey: name) else { return [] }
    let isRoom = left[agent.user] != nil || left.count < GeoClueService.mostAgents
    if let level = agent.level, level < .exact, isRoom {
      let least = min(level, left[agent.user]?.level ?? level)
      left[agent.user] = (least, now + GeoClueService.agentGrace)
    }
    return [.unsubscribe(.propertiesChanged(of: name))]
  }

  /// Takes the answer of an agent. One without the property, or that does not answer, says nothing new.
  mutating func take(_ reply: BusReply, of name: String) {
    agents[name]?.call = nil
    if let level = Self.level(reply.first) { agents[name]?.level = level }
  }

  /// Takes a change of an agent's properties.
  ///
  /// - Returns: what to do on the bus.
  mutating func take(_ signal: BusSignal, of name: String) -> [BusAction] {
    guard signal.path == Self.path, let changes = signal.changes(of: Self.interface) else {
      return []
    }
    if let level = Self.level(changes[Self.property]) {
      agents[name]?.level = level
      return []
    }
    // Changed, to a value that is not sent along.
    let isMeant = signal[2]?.elements?.contains { $0.text == Self.property } == true
    return isMeant ? ask(name) : []
  }

  /// Asks an agent for its level, unless it has not answered yet.
  ///
  /// - Returns: what to do on the bus.
  mutating func ask(_ name: String) -> [BusAction] {
    guard let agent = agents[name], agent.call == nil else { return [] }
    lastCall += 1
    agents[name]?.call = lastCall
    let call = BusCall(
      name, path: Self.path, interface: GeoClue.properties, member: "Get", reply: "v")
    return [.call(lastCall, call.with(.string(Self.interface), .string(Self.property)))]
  }

  private static func level(_ value: BusValue?) -> GeoClueLevel? {
    guard case .uint32(let number) = value?.content else { return nil }
    return GeoClueLevel(atMost: number)
  }

  /// The calls to agents have the numbers above; those below are those of ``BusName``.
  static let firstCall = 1 << 32
  private static let path = GeoClue.root + "/Agent"
  private static let interface = GeoClue.name + ".Agent"
  private static let property = "MaxAccuracyLevel"
}

// The agents of GeoClue, and what their levels mean for the clients of their users.
extension GeoClueService {
  /// Returns whether a reply on the bus is for a call of this machine.
  package static func isOwn(reply number: Int) -> Bool { number > GeoClueAgents.firstCall }

  /// Takes an agent, which is asked for the level of its user, and for nothing else.
  mutating func add(agent question: BusQuestion) -> [Output] {
    let name = question.sender
    guard let user = callers[name]?.user else { return [] }
    if let refusal = agents.refusal(of: name, user) {
      return [.answer(question.number, .tooMany(refusal))]
    }
    return [.answer(question.number, .done)] + agents.add(name, of: user).map { .bus($0) }
  }

  /// Returns which agent a call of this machine was for; `nil` for a call that is not pending.
  package func agent(of call: Int) -> String? { agents.name(of: call) }

  /// Forgets the agent of a connection that has gone, and soon its level.
  mutating func remove(agent name: String, at now: Moment) -> [Output] {
    settle(agents.user(of: name)) { agents in agents.remove(name, at: now.uptime) }
  }

  /// Forgets the levels of agents that have gone.
  mutating func expireAgents(at now: Moment) -> [Output] {
    agents.usersDue(at: now.uptime).flatMap { user in
      settle(user) { agents in
        agents.forgetLeft(of: user)
        return []
      }
    }
  }

  /// Asks an agent again.
  mutating func ask(agent name: String) -> [Output] { agents.ask(name).map { .bus($0) } }

  mutating func take(_ reply: BusReply, to call: Int) -> [Output] {
    guard let name = agents.name(of: call) else { return [] }
    return settle(agents.user(of: name)) { agents in
      agents.take(reply, of: name)
      return []
    }
  }

  mutating func take(_ signal: BusSignal) -> [Output] {
    guard let name = signal.sender else { return [] }
    return settle(agents.user(of: name)) { agents in agents.take(signal, of: name) }
  }

  /// Changes the agents of a user, and settles the user's clients if they may have another level now.
  private mutating func settle(
    _ user: UInt32?, _ change: (inout GeoClueAgents) -> [BusAction]
  ) -> [Output] {
    guard let user else { return [] }
    let before = agents.limit(of: user)
    let outputs = change(&agents).map { Output.bus($0) }
    let limit = agents.limit(of: user)
    guard limit != before else { return outputs }
    let theirs = clients.values.filter { callers[$0.owner]?.user == user }.map(\.number).sorted()
    return outputs + [.limited(user, limit)] + theirs.flatMap { settle($0, from: before) }
  }

  /// Settles one client after the level that it may have has changed.
  private mutating func settle(_ number: Int, from before: GeoClueLevel?) -> [Output] {
    guard let client = clients[number] else { return [] }
    let limit = limit(of: client)
    let update: UpdatesRequest
    switch client.activity {
    case .stopped: return []
    // The engine knows nothing of agents: it would go on for a client that is barred by one.
    case .active where limit == GeoClueLevel.none, .barred where limit == GeoClueLevel.none:
      update = .stop
    case .deciding: return decide(number)
    case .barred where before == GeoClueLevel.none: return decide(number)
    // Also of one that is barred by the app's permission: in the engine it goes on, and has positions again
    // as soon as that is back.
    case .active, .barred:
      let options = client.options(limit)
      guard options != client.options(before) else { return [] }
      update = .change(options)
    }
    return decide(number) + [.request(client.owner, .updates(client.subscriber, update))]
  }

  /// Returns the greatest level that a client may have; `nil` where it is the most exact one.
  func limit(of client: GeoClueClient) -> GeoClueLevel? {
    callers[client.owner]?.user.flatMap { agents.limit(of: $0) }
  }

  /// Agents of one user, and in all. Chosen: a session has one; with a match rule of the bus for each they
  /// fit beside those of ``mostCallers``.
  package static let (mostAgentsPerUser, mostAgents) = (4, 64)
  /// How long a limit lasts after its agent. Chosen: longer than a desktop's shell needs to start anew.
  package static let agentGrace = Duration.seconds(10)
}
