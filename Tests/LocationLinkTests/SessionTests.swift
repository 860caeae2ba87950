import Foundation
import LocationCoding
import LocationLink
import LocationModel
import TestSupport
import Testing

@Suite("A session of the link")
struct SessionTests {
  private static let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))

  private func call(_ method: String, _ parameters: JSON = .object([]), more: Bool = false)
    -> LinkSession.Input
  {
    .bytes(frame(LinkCall(method, parameters, wantsMore: more).json))
  }

  private func replies(_ outputs: [LinkSession.Output]) throws -> [LinkReply] {
    try outputs.compactMap {
      guard case .send(let bytes) = $0 else { return nil }
      return try LinkReply(json: JSON(parsing: bytes.dropLast()))
    }
  }

  private func opened(_ limits: LinkSession.Limits = .init()) -> LinkSession {
    var session = LinkSession(limits: limits)
    _ = session.handle(
      call("\(LinkInterface.name).Open", .fields(["version": .integer(1)]), more: true),
      at: Self.now)
    _ = session.handle(.connected(ClientState()), at: Self.now)
    return session
  }

  private func ask(_ request: Request) -> LinkSession.Input {
    .bytes(
      frame(
        LinkCall(
          "\(LinkInterface.name).Ask", .fields(["request": request.json]), isOneway: true
        ).json))
  }

  @Test("describes its interface with the text of the file in the repository")
  func description() throws {
    let file = SharedData.packageRoot
      .appending(path: "Sources/LocationLink/org.meridian.location.varlink")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(LinkInterface.description == text)
    var session = LinkSession()
    let outputs = session.handle(
      call(
        "org.varlink.service.GetInterfaceDescription",
        .fields(["interface": .string(LinkInterface.name)])), at: Self.now)
    #expect(try replies(outputs).first?.parameters["description"] == .string(text))
  }

  @Test("describes the interface of agents with the text of the file in the repository")
  func agentsDescription() throws {
    let file = SharedData.packageRoot
      .appending(path: "Sources/LocationLink/org.meridian.agent.varlink")
    #expect(try String(contentsOf: file, encoding: .utf8) == AgentInterface.description)
  }

  @Test("AUTH-58: an agent says which process shows its questions, or what it says is refused")
  func shower() throws {
    var session = LinkSession()
    func attend(_ shower: JSON) -> [LinkSession.Output] {
      let words = JSON.fields(["shownBy": shower])
      return session.handle(
        call("\(AgentInterface.name).Attend", words, more: true), at: Self.now)
    }
    #expect(attend(.integer(812)) == [.attend(shownBy: 812)])
    for wrong in [JSON.string("812"), .integer(99_999_999_999), .number(0.5)] {
      #expect(
        try replies(attend(wrong)).first?.error == "org.varlink.service.InvalidParameter")
    }
  }

  @Test("border 1: takes an answer, and sends questions, only while the host lets it attend")
  func attending() throws {
    let id = Prompt.ID(app: AppIdentity("a.b"), number: 1)
    let answer = AgentAnswer(id: id, answer: .whileUsing, precise: true, token: "secret")
    let answers = call("\(AgentInterface.name).Answer", answer.json)
    let refusal = AccessRefusal(reason: "no", next: "later")
    let notAgent = "\(AgentInterface.name).NotAgent"
    var session = LinkSession()
    #expect(try replies(session.handle(answers, at: Self.now)).first?.error == notAgent)
    let attend = call("\(AgentInterface.name).Attend", more: true)
    #expect(session.handle(attend, at: Self.now) == [.attend(shownBy: nil)])
    // The host has not said yes.
    #expect(try replies(session.handle(answers, at: Self.now)).first?.error == notAgent)
    #expect(session.handle(.agentEvent(.withdrawn(id)), at: Self.now).isEmpty)
    let refused = try #require(
      try replies(session.handle(.notAgent(refusal), at: Self.now)).first)
    #expect(refused.error == notAgent)
    #expect(try AccessRefusal(json: refused.parameters) == refusal)
    #expect(session.handle(.attending(token: "secret"), at: Self.now).isEmpty)
    for token in [nil, "another"] {
      var blind = answer
      blind.token = token
      let call = call("\(AgentInterface.name).Answer", blind.json)
      #expect(try replies(session.handle(call, at: Self.now)).first?.error == notAgent)
    }
    #expect(session.handle(answers, at: Self.now) == [.answer(answer)])
    #expect(session.handle(.agentEvent(.withdrawn(id)), at: Self.now).count == 1)
    _ = session.handle(.notAgent(refusal), at: Self.now)
    #expect(session.handle(.agentEvent(.withdrawn(id)), at: Self.now).isEmpty)
  }

  @Test("sends the same bytes whether the words of a position were written before or not")
  func repeated() throws {
    var samples = Samples(seed: 12)
    var content = RepeatedDelivery()
    var watching = LinkSession()
    _ = watching.handle(call("\(LinkInterface.name).Watch", more: true), at: Self.now)
    _ = watching.handle(.connected(ClientState()), at: Self.now)
    var session = opened()
    for _ in 0..<50 {
      let (fix, update) = (samples.fix(), samples.update())
      for delivery in [
        Delivery.live(SubscriberID(1), update), .live(SubscriberID(2), update),
        .updates(SubscriberID(3), .fixes([fix])), .updates(SubscriberID(4), .fixes([fix])),
        .pending(EventNumber(rawValue: 5), .visit(samples.visit())),
      ] {
        let words = content.words(of: delivery)
        #expect(
          session.handle(.delivery(delivery, content: words), at: Self.now)
            == session.handle(.delivery(delivery), at: Self.now))
        #expect(
          watching.handle(.delivery(delivery, content: words), at: Self.now)
            == watching.handle(.delivery(delivery), at: Self.now))
      }
    }
  }

  @Test("connects when it is opened, and passes requests and deliveries on")
  func service() throws {
    var session = LinkSession()
    let open = call("\(LinkInterface.name).Open", .fields(["version": .integer(2)]), more: true)
    #expect(session.handle(open, at: Self.now) == [.connect])
    // What comes before the welcome is not lost.
    #expect(session.handle(.delivery(Samples.oneVisit), at: Self.now).isEmpty)
    let welcome = try replies(session.handle(.connected(ClientState()), at: Self.now))
    #expect(welcome.map { $0.parameters["version"] } == [.integer(2), nil])
    #expect(welcome.last?.parameters["delivery"] == Samples.oneVisit.json)
    #expect(welcome.allSatisfy { $0.continues })
    let request = Request.live(SubscriberID(4), .start(LiveOptions()))
    #expect(session.handle(ask(request), at: Self.now) == [.request(request)])
  }

  @Test("takes events for a client that is too old to say that it has taken them")
  func takes() throws {
    var session = LinkSession()
    let open = call("\(LinkInterface.name).Open", .fields(["version": .integer(1)]), more: true)
    _ = session.handle(open, at: Self.now)
    _ = session.handle(.connected(ClientState()), at: Self.now)
    let outputs = session.handle(.delivery(Samples.oneVisit), at: Self.now)
    #expect(try replies(outputs).count == 1)
    #expect(outputs.last == .request(.acknowledge(EventNumber(rawValue: 3))))
  }

  @Test("sends all records to an older client, and acknowledges its event when it asks again")
  func olderMonitor() throws {
    var session = LinkSession()
    let (loop, number) = (SubscriberID(1), EventNumber(rawValue: 7))
    func ask(_ request: JSON) -> LinkSession.Input {
      call(
        "\(LinkInterface.name).Ask",
        .fields([
          "request": .word("monitor", .fields(["subscriber": loop.json, "ask": request]))
        ]))
    }
    func record(_ identifier: String) -> NamedRecord {
      let event = ConditionEvent(
        identifier: identifier, state: .unknown, date: UnixTime(seconds: 9))
      return NamedRecord(
        identifier: identifier, record: ConditionRecord(target: .unsupported, lastEvent: event))
    }
    func delivered(_ delivery: MonitorDelivery) throws -> JSON? {
      let outputs = session.handle(.delivery(.monitor(loop, delivery)), at: Self.now)
      return try replies(outputs).first?.parameters["delivery"]?["monitor"]?["news"]
    }
    _ = session.handle(
      call("\(LinkInterface.name).Open", .fields(["version": .integer(2)]), more: true),
      at: Self.now)
    _ = session.handle(.connected(ClientState()), at: Self.now)
    _ = session.handle(ask(.word("open", .fields(["name": "m".json]))), at: Self.now)
    _ = try delivered(.records(after: 1, [record("a"), record("b")]))
    let all = try delivered(.changed(after: 2, [record("c")], removed: ["a"]))
    #expect(all == MonitorDelivery.records(after: 2, [record("b"), record("c")]).json)
    let event = record("b").record.lastEvent
    #expect(try delivered(.event(number, event)) == .word("event", event.json))
    #expect(
      session.handle(ask(.word("next")), at: Self.now).first
        == .request(.monitor(loop, .next(after: .latest))))
  }

  @Test("speaks the lower version of both sides, and none that is too old")
  func versions() throws {
    let cases: [(Int64, JSON?)] = [(1, .integer(1)), (2, .integer(2)), (99, .integer(3))]
    for (version, spoken) in cases {
      var session = LinkSession()
      _ = session.handle(
        call("\(LinkInterface.name).Open", .fields(["version": .integer(version)]), more: true),
        at: Self.now)
      let welcome = try replies(session.handle(.connected(ClientState()), at: Self.now))
      #expect(welcome.first?.parameters["version"] == spoken)
    }
    var session = LinkSession()
    let refusal = try replies(
      session.handle(
        call("\(LinkInterface.name).Open", .fields(["version": .integer(0)]), more: true),
        at: Self.now))
    #expect(refusal.map(\.error) == ["\(LinkInterface.name).VersionUnsupported"])
  }

  @Test("goes on when a newer client asks for something that it does not know")
  func unknownRequest() {
    var session = opened()
    let strange = LinkCall(
      "\(LinkInterface.name).Ask", .fields(["request": .word("telepathy")]), isOneway: true)
    #expect(session.handle(.bytes(frame(strange.json)), at: Self.now).isEmpty)
    #expect(session.unknownMessages == 1)
    let request = Request.visits(on: true)
    #expect(session.handle(ask(request), at: Self.now) == [.request(request)])
  }

  @Test("gives a foreign client live updates and nothing else")
  func watch() throws {
    var session = LinkSession()
    let watch = call("\(LinkInterface.name).Watch", more: true)
    #expect(session.handle(watch, at: Self.now) == [.connect])
    #expect(
      session.handle(.connected(ClientState()), at: Self.now)
        == [.request(.live(SubscriberID(1), .start(LiveOptions())))])
    let update = LiveUpdate(fix: nil, diagnostics: .authorizationDenied)
    let content = try replies(
      session.handle(.delivery(.live(SubscriberID(1), update)), at: Self.now))
    #expect(content.map { $0.parameters["update"] } == [update.json])
    #expect(session.handle(.delivery(.state(ClientState())), at: Self.now).isEmpty)
    #expect(session.handle(ask(.visits(on: true)), at: Self.now).isEmpty)
  }

  @Test("answers a glance, and can be opened afterwards")
  func glance() throws {
    var session = LinkSession()
    #expect(session.handle(call("\(LinkInterface.name).GetState"), at: Self.now) == [.connect])
    let outputs = session.handle(.connected(ClientState()), at: Self.now)
    #expect(outputs.last == .disconnect)
    #expect(try replies(outputs).first?.parameters["state"] == ClientState().json)
    #expect(
      session.handle(call("\(LinkInterface.name).Watch", more: true), at: Self.now) == [.connect])
  }

  @Test("answers wrong calls with the errors of Varlink")
  func errors() throws {
    let cases: [(LinkSession.Input, String)] = [
      (call("org.example.Nothing"), "org.varlink.service.MethodNotFound"),
      (call("\(LinkInterface.name).Watch"), "org.varlink.service.ExpectedMore"),
      (
        call("\(LinkInterface.name).Open", .object([]), more: true),
        "org.varlink.service.InvalidParameter"
      ),
      (call("\(LinkInterface.name).Ask"), "\(LinkInterface.name).OutOfOrder"),
      (
        call("org.varlink.service.GetInterfaceDescription", .fields(["interface": .string("a.b")])),
        "org.varlink.service.InterfaceNotFound"
      ),
    ]
    for (input, error) in cases {
      var session = LinkSession()
      #expect(try replies(session.handle(input, at: Self.now)).map(\.error) == [error])
    }
  }

  @Test("is cut with the reason after what is no message, or is too long")
  func malformed() {
    var session = opened()
    #expect(
      session.handle(.bytes(Array("hello\u{0}".utf8)), at: Self.now)
        == [.cut(.malformed(.grammar(offset: 0)))])
    #expect(session.handle(ask(.visits(on: true)), at: Self.now).isEmpty)
    var other = opened()
    let flood = LinkSession.Input.bytes([UInt8](repeating: 0x20, count: 65_537))
    #expect(other.handle(flood, at: Self.now) == [.cut(.malformed(.tooLong(limit: 65_536)))])
  }

  @Test("is cut when it opens more than it may, and not when it ends what it opened")
  func tooMany() {
    var limits = LinkSession.Limits()
    limits.subscribers = 10
    var session = opened(limits)
    for number in 1...100 {
      let subscriber = SubscriberID(UInt32(number))
      #expect(session.handle(ask(.authorization(.observe(subscriber))), at: Self.now).count == 1)
      #expect(session.handle(ask(.end(subscriber)), at: Self.now).count == 1)
    }
    var outputs: [LinkSession.Output] = []
    for number in 1...11 {
      outputs = session.handle(
        ask(.authorization(.observe(SubscriberID(UInt32(number))))), at: Self.now)
    }
    #expect(outputs == [.cut(.tooManySubscribers(limit: 10))])
  }

  @Test(
    "border 9: a subscriber beyond 32 bits is refused with the parameter's name, and counted",
    arguments: ["live", "updates", "significantChanges", "region", "monitor", "session", "end"])
  func foreignNumber(_ kind: String) throws {
    var session = opened()
    let request = JSON.object([
      JSON.Member(
        kind,
        .fields([
          "subscriber": .integer(1 << 32 | 7), "ask": .object([JSON.Member("start", .object([]))]),
          "on": .bool(true),
        ]))
    ])
    let outputs = session.handle(
      call("\(LinkInterface.name).Ask", .fields(["request": request])), at: Self.now)
    let reply = try #require(replies(outputs).first)
    #expect(outputs.count == 1)
    #expect(reply.error == "\(LinkInterface.service).InvalidParameter")
    #expect(session.unknownMessages == 1)
  }

  @Test("border 9: a delivery for a subscriber that this client has not is dropped, and counted")
  func strayDelivery() {
    var session = opened()
    let live = Delivery.live(SubscriberID(3), LiveUpdate(fix: nil, stationary: true))
    #expect(session.handle(.delivery(live), at: Self.now).isEmpty)
    #expect(session.strayDeliveries == 1)
    _ = session.handle(ask(.live(SubscriberID(3), .start(LiveOptions()))), at: Self.now)
    #expect(session.handle(.delivery(live), at: Self.now).count == 1)
    _ = session.handle(ask(.end(SubscriberID(3))), at: Self.now)
    #expect(session.handle(.delivery(live), at: Self.now).isEmpty)
    // A stream of diagnostics is a subscriber of its own.
    let stream = Delivery.diagnostics(SubscriberID(5), nil)
    #expect(session.handle(.delivery(stream), at: Self.now).isEmpty)
    let diagnose = SessionRequest.diagnose(stream: SubscriberID(5))
    _ = session.handle(ask(.session(SubscriberID(4), diagnose)), at: Self.now)
    #expect(session.subscriberCount == 2)
    #expect(session.handle(.delivery(stream), at: Self.now).count == 1)
    // What is for the app as a whole has no subscriber.
    #expect(session.handle(.delivery(.authorizationChanged(nil)), at: Self.now).count == 1)
    #expect(session.strayDeliveries == 3)
  }

  @Test("border 12: what comes before the welcome has a bound, and ends the connection there")
  func early() {
    var session = LinkSession()
    _ = session.handle(
      call("\(LinkInterface.name).Open", .fields(["version": .integer(1)]), more: true),
      at: Self.now)
    let limit = LinkSession.Limits().early
    for _ in 0..<limit {
      #expect(session.handle(.delivery(.authorizationChanged(nil)), at: Self.now).isEmpty)
    }
    #expect(
      session.handle(.delivery(.authorizationChanged(nil)), at: Self.now)
        == [.cut(.tooManyEarly(limit: limit))])
  }

  @Test("tells a client that is refused the reason")
  func refused() throws {
    var session = LinkSession()
    _ = session.handle(call("\(LinkInterface.name).Watch", more: true), at: Self.now)
    let outputs = session.handle(.refused("no seat"), at: Self.now)
    #expect(try replies(outputs).first?.parameters["reason"] == .string("no seat"))
    #expect(outputs.last == .cut(.refused("no seat")))
  }
}

extension Samples {
  static let stay = Visit(
    arrival: UnixTime(seconds: 5), coordinate: Coordinate(latitude: 1, longitude: 2),
    horizontalAccuracy: 3)
  static let oneVisit = Delivery.pending(EventNumber(rawValue: 3), .visit(stay))
}
