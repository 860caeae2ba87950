package import LocationCoding
package import LocationModel

/// One connection on the daemon's side: bytes in, replies and requests out.
///
/// Never trusts a message about the client's identity; it only outputs when the client wants to be
/// connected, and the host identifies the client.
package struct LinkSession: Machine {
  package enum Input: MachineInput {
    case bytes([UInt8])
    /// The engine has added the client.
    case connected(ClientState)
    /// The client may not be served.
    case refused(String)
    /// A delivery, whose value may be encoded already.
    case delivery(Delivery, content: JSON? = nil)
    /// The host's reply to a call of the owner.
    case reply(LinkReply)
    /// A message for a client that attends as an agent.
    case agentEvent(AgentEvent)
    /// The client may answer for a person, if it repeats this token, which each question has.
    case attending(token: String)
    /// The client may not answer for a person.
    case notAgent(AccessRefusal)
    /// Whether the answer was for an open prompt.
    case answered(Bool)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case send([UInt8])
    /// Connect the client to the engine.
    case connect
    /// Disconnect the client from the engine.
    case disconnect
    case request(Request)
    /// A call that only the owner may make; the host checks that.
    case administer(LinkCall)
    /// The client wants to answer for a person; `.attending` or `.notAgent` must follow at once. With the
    /// process whose notifications the person sees, where the client asks by those.
    case attend(shownBy: Int32?)
    /// The person's answer; `.answered` or `.notAgent` must follow at once. Only from a client that
    /// attends.
    case answer(AgentAnswer)
    /// The connection cannot be used any more, and must be closed.
    case cut(CutReason)
  }

  /// Why the daemon ends a connection.
  package enum CutReason: Hashable, Sendable {
    case malformed(CodingFault)
    /// More deliveries than may wait before the client is welcomed.
    case tooManyEarly(limit: Int)
    /// More subscribers than one client may have.
    case tooManySubscribers(limit: Int)
    case refused(String)
  }

  private enum State: Hashable {
    /// No call that needs the engine was received.
    case idle
    /// The host was asked to connect the client, for this call.
    case connecting(Purpose)
    case open(Purpose)
    case ended
  }

  /// The purpose of the connection, from its first call that needs the engine.
  private enum Purpose: Hashable {
    /// `Open`, with the version that both sides speak.
    case service(version: Int)
    case watch
    /// `GetState`; the connection may be used for something else afterwards.
    case glance
  }

  private var state = State.idle
  /// What an answer must repeat; `nil` while the client does not attend.
  private var token: String?
  private var frames: FrameSplitter
  private var subscribers: Set<SubscriberID> = []
  /// Deliveries from before the client was welcomed, at most ``Limits/early``.
  private var early: [Delivery] = []
  private let limits: Limits
  /// For a client of an older version; `nil` for one of today.
  private var older: OlderMonitors?
  /// The number of messages that this version does not know, perhaps of a newer client.
  package private(set) var unknownMessages = 0
  /// The number of deliveries dropped because the client has no such subscriber.
  package private(set) var strayDeliveries = 0

  /// The number of managers, loops, monitors, sessions, and streams of the client.
  package var subscriberCount: Int { subscribers.count }

  /// The bounds for one client.
  package struct Limits: Hashable, Sendable {
    /// The size of one message in bytes. The longest sensible one, a region, has under 1000.
    package var message = 65_536
    /// Managers, loops, monitors, and sessions. An app has a handful.
    package var subscribers = 1024
    /// Deliveries before the client is welcomed: pending events, and values that it may have.
    package var early = 256

    package init() {}
  }

  package init(limits: Limits = Limits()) {
    self.limits = limits
    frames = FrameSplitter(limit: limits.message)
  }

  package var nextDeadline: Instant? { nil }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    guard state != .ended else { return [] }
    switch input {
    case .bytes(let bytes): return take(bytes)
    case .connected(let client): return welcome(client)
    case .refused(let reason):
      let error = reply(error: "Refused", .fields(["reason": reason.json]))
      return [error, cut(.refused(reason))]
    case .delivery(let delivery, let content):
      if case .connecting = state {
        guard early.count < limits.early else {
          return [cut(.tooManyEarly(limit: limits.early))]
        }
        early.append(delivery)
      }
      return pass(delivery, content)
    case .reply(let reply): return [.send(frame(reply.json))]
    case .agentEvent(let event): return pass(event)
    case .attending(let token):
      self.token = token
      return []
    case .notAgent(let refusal):
      token = nil
      return [refused(refusal)]
    case .answered(let isTaken):
      return [isTaken ? reply(.object([])) : reply(agent: "NoSuchQuestion")]
    case .wake: return []
    }
  }

  // MARK: Messages

  private mutating func take(_ bytes: [UInt8]) -> [Output] {
    var outputs: [Output] = []
    do throws(CodingFault) {
      for message in try frames.take(bytes) {
        outputs += answer(try LinkCall(json: JSON(parsing: message)))
        if state == .ended { break }
      }
    } catch {
      outputs.append(cut(.malformed(error)))
    }
    return outputs
  }

  private mutating func answer(_ call: LinkCall) -> [Output] {
    let outputs = carryOut(call)
    guard call.isOneway else { return outputs }
    return outputs.filter { if case .send = $0 { false } else { true } }
  }

  private mutating func carryOut(_ call: LinkCall) -> [Output] {
    let name = LinkInterface.name
    switch call.method {
    case "org.varlink.service.GetInfo": return [reply(Self.info)]
    case "org.varlink.service.GetInterfaceDescription": return [describe(call)]
    case "\(name).Open": return open(call)
    case "\(name).Watch": return begin(.watch, call)
    case "\(name).GetState": return begin(.glance, call)
    case "\(name).Ask": return ask(call)
    case let method where method.hasPrefix("\(AdministrationInterface.name)."):
      return [.administer(call)]
    case "\(AgentInterface.name).Attend": return attend(call)
    case "\(AgentInterface.name).Answer": return answer(question: call)
    default:
      return [
        reply(
          service: "MethodNotFound", .fields(["method": call.method.json]))
      ]
    }
  }

  private func describe(_ call: LinkCall) -> Output {
    guard let name = call.parameters["interface"] else {
      return reply(service: "InvalidParameter", .fields(["parameter": "interface".json]))
    }
    return Self.descriptions[name]
      ?? reply(service: "InterfaceNotFound", .fields(["interface": name]))
  }

  private mutating func open(_ call: LinkCall) -> [Output] {
    guard let version: Int = try? call.parameters.get("version") else {
      return [reply(service: "InvalidParameter", .fields(["parameter": "version".json]))]
    }
    guard version >= LinkInterface.oldestVersion else {
      return [
        reply(
          error: "VersionUnsupported",
          .fields([
            "oldest": LinkInterface.oldestVersion.json, "newest": LinkInterface.version.json,
          ]))
      ]
    }
    return begin(.service(version: min(version, LinkInterface.version)), call)
  }

  private mutating func begin(_ purpose: Purpose, _ call: LinkCall) -> [Output] {
    guard purpose == .glance || call.wantsMore else {
      return [reply(service: "ExpectedMore", .object([]))]
    }
    guard state == .idle else { return [reply(error: "OutOfOrder", .object([]))] }
    state = .connecting(purpose)
    return [.connect]
  }

  private mutating func ask(_ call: LinkCall) -> [Output] {
    guard case .open(.service) = state else { return [reply(error: "OutOfOrder", .object([]))] }
    guard let request: Request = try? call.parameters.get("request") else {
      unknownMessages += 1
      return [reply(service: "InvalidParameter", .fields(["parameter": "request".json]))]
    }
    note(request)
    guard subscribers.count <= limits.subscribers else {
      return [cut(.tooManySubscribers(limit: limits.subscribers))]
    }
    return [.request(request), reply(.object([]))]
  }

  /// Records the subscribers of a request; deliveries to any other subscriber are dropped.
  private mutating func note(_ request: Request) {
    if case .end(let subscriber) = request {
      subscribers.remove(subscriber)
      older?.end(subscriber)
    } else if let subscriber = request.subscriber {
      subscribers.insert(subscriber)
    }
    guard let stream = request.stream else { return }
    if stream.begins { subscribers.insert(stream.id) } else { subscribers.remove(stream.id) }
  }

  // MARK: Agents

  private func attend(_ call: LinkCall) -> [Output] {
    guard call.wantsMore else { return [reply(service: "ExpectedMore", .object([]))] }
    do throws(CodingFault) {
      return [.attend(shownBy: try call.parameters.find("shownBy"))]
    } catch {
      return [reply(service: "InvalidParameter", .fields(["parameter": "shownBy".json]))]
    }
  }

  private func answer(question call: LinkCall) -> [Output] {
    guard let answer = try? AgentAnswer(json: call.parameters) else {
      return [reply(service: "InvalidParameter", .fields(["parameter": "answer".json]))]
    }
    guard let token else {
      return [
        refused(AccessRefusal(reason: "this connection does not attend", next: "call Attend"))
      ]
    }
    // The process may have become the agent's program after it has written this (border 1).
    guard answer.token == token else {
      return [
        refused(
          AccessRefusal(
            reason: "the answer does not repeat the token of its question",
            next: "read the question, and pass its token with the answer"))
      ]
    }
    return [.answer(answer)]
  }

  private func pass(_ event: AgentEvent) -> [Output] {
    guard let token else { return [] }
    guard case .question(let prompt, _) = event else { return [reply(event.json, continues: true)] }
    return [reply(AgentEvent.question(prompt, token: token).json, continues: true)]
  }

  private func refused(_ refusal: AccessRefusal) -> Output {
    .send(frame(LinkReply(refusal.json, error: "\(AgentInterface.name).NotAgent").json))
  }

  // MARK: Deliveries

  private mutating func welcome(_ client: ClientState) -> [Output] {
    guard case .connecting(let purpose) = state else { return [] }
    state = .open(purpose)
    switch purpose {
    case .service(let version):
      if version < LinkInterface.versionWithNumbers { older = OlderMonitors() }
      let welcome = JSON.fields(["version": version.json, "state": client.json])
      defer { early = [] }
      var outputs = [reply(welcome, continues: true)]
      for delivery in early { outputs += pass(delivery) }
      return outputs
    case .watch: return [.request(.live(Self.watcher, .start(LiveOptions())))]
    case .glance:
      state = .idle
      return [reply(.fields(["state": client.json])), .disconnect]
    }
  }

  private mutating func pass(_ delivery: Delivery, _ content: JSON? = nil) -> [Output] {
    if case .open(.service) = state, let subscriber = delivery.subscriber,
      !subscribers.contains(subscriber)
    {
      strayDeliveries += 1
      return []
    }
    if case .open(.service) = state, let translated = older?.translate(delivery) {
      return [reply(.fields(["delivery": translated]), continues: true)]
    }
    return switch (state, delivery) {
    case (.open(.service(let version)), .pending(let number, _))
    where version < LinkInterface.versionThatTakes:
      [
        reply(.fields(["delivery": delivery.json]), continues: true),
        .request(.acknowledge(number)),
      ]
    case (.open(.service), _):
      [reply(.fields(["delivery": delivery.json(content: content)]), continues: true)]
    case (.open(.watch), .live(_, let update)):
      [reply(.fields(["update": content ?? update.json]), continues: true)]
    case (.open, _), (.idle, _), (.connecting, _), (.ended, _): []
    }
  }

  private mutating func cut(_ reason: CutReason) -> Output {
    state = .ended
    return .cut(reason)
  }

  // MARK: Replies

  private func reply(_ parameters: JSON, continues: Bool = false) -> Output {
    .send(frame(LinkReply(parameters, continues: continues).json))
  }

  private func reply(error: String, _ parameters: JSON) -> Output {
    .send(frame(LinkReply(parameters, error: "\(LinkInterface.name).\(error)").json))
  }

  private func reply(agent error: String) -> Output {
    .send(frame(LinkReply(error: "\(AgentInterface.name).\(error)").json))
  }

  private func reply(service error: String, _ parameters: JSON) -> Output {
    .send(frame(LinkReply(parameters, error: "\(LinkInterface.service).\(error)").json))
  }

  /// The replies that describe the interfaces, by the name that is asked for; written once, as they are
  /// long.
  private static let descriptions: [JSON: Output] = [
    LinkInterface.name: LinkInterface.description,
    AdministrationInterface.name: AdministrationInterface.description,
    AgentInterface.name: AgentInterface.description,
    LinkInterface.service: LinkInterface.serviceDescription,
  ].reduce(into: [:]) { all, entry in
    let reply = LinkReply(.fields(["description": entry.value.json]))
    all[entry.key.json] = .send(frame(reply.json))
  }

  /// The only subscriber of a connection that watches.
  private static let watcher = SubscriberID(1)
  private static let info = JSON.fields([
    "vendor": "Meridian".json, "product": "locationd".json,
    "version": "\(LinkInterface.version)".json, "url": "".json,
    "interfaces": [
      LinkInterface.service, LinkInterface.name, AdministrationInterface.name,
      AgentInterface.name,
    ].json,
  ])
}

extension LinkSession.CutReason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .malformed(let fault): "it sent \(fault)"
    case .tooManyEarly(let limit): "more than \(limit) deliveries came before it was welcomed"
    case .tooManySubscribers(let limit): "it has more than \(limit) managers, loops, and sessions"
    case .refused(let reason): reason
    }
  }
}
