import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@Suite("A monitor of an app that may not know")
struct MonitorAccessTests {
  @Test("MON-2, MON-40: who opens a name a second time learns which other process has it open")
  func opener() {
    var bench = Bench(LocationEngine(providers: 1, secret: SecretKey(seed: 7))) {
      output -> String? in
      guard case .deliver(let client, .monitor(_, .refused(let process))) = output else {
        return nil
      }
      return "client \(client.rawValue) by \(process.map { "\($0)" } ?? "itself")"
    }
    for (number, subscribers) in [(1, [1, 2]), (2, [1])] as [(UInt64, [UInt32])] {
      var description = ClientDescription(app: World.app, manifest: Manifest())
      description.process = Int32(100 + number)
      bench.send(.client(ClientID(number), .connected(description)))
      for subscriber in subscribers {
        let request = Request.monitor(SubscriberID(subscriber), .open(name: "places"))
        bench.send(.client(ClientID(number), .request(request)))
      }
    }
    #expect(
      bench.transcript.split(separator: "\n").map { $0.dropFirst(10) }
        == ["client 1 by itself", "client 2 by 101"])
  }

  @Test("MON-34, SESS-10: tells of each condition that a session is required, and of its end")
  func session() {
    var world = World(.always, requiresSession: true)
    world.stay(30)
    world.ask(.next(after: .none))
    #expect(world.events() == ["home unknown, session", "work unknown, session"])
    let open = SessionRequest.open(.whenInUse, purposeKey: nil)
    world.bench.send(.client(World.client, .request(.session(SubscriberID(2), open))))
    #expect(world.events() == ["home satisfied", "work satisfied"])
  }

  /// A world whose app has a loop, and was delivered that both conditions are satisfied.
  private func satisfied(_ setting: AuthorizationSetting) -> World {
    var world = World(setting, requiresSession: false)
    world.ask(.next(after: .none))
    world.stay(30)
    #expect(world.events() == ["home satisfied", "work satisfied"])
    return world
  }

  @Test("MON-34, MON-39: tells of each condition that the app is not in use, and no state then")
  func notInUse() {
    var world = satisfied(.whileUsing)
    world.bench.send(.client(World.client, .life(.background)))
    world.stay(10)
    #expect(world.events() == ["home unknown, not in use", "work unknown, not in use"])
    world.bench.send(.client(World.client, .life(.foreground)))
    #expect(world.events() == ["home satisfied", "work satisfied"])
  }

  @Test("MON-33: with reduced accuracy that alone is said, and the state when it is full again")
  func reduced() {
    var world = satisfied(.whileUsing)
    world.bench.send(.setting(.precise(World.app, false)))
    #expect(world.events() == ["home unknown, accuracy", "work unknown, accuracy"])
    world.bench.send(.setting(.precise(World.app, true)))
    world.stay(30)
    #expect(world.events() == ["home satisfied", "work satisfied"])
  }

  @Test("MON-42: no position is needed while location services are off")
  func servicesOff() {
    var world = satisfied(.always)
    world.bench.send(.setting(.services(on: false)))
    #expect(world.demand?.position == nil)
    #expect(world.events() == ["home unknown", "work unknown"])
    world.bench.send(.setting(.services(on: true)))
    #expect(world.demand?.position != nil)
    world.stay(30)
    #expect(world.events() == ["home satisfied", "work satisfied"])
  }

  @Test("MON-34: tells a suspended app when it runs again")
  func suspended() {
    var world = satisfied(.whileUsing)
    world.bench.send(.client(World.client, .life(.suspended)))
    world.stay(10)
    #expect(world.events() == [])
  }

  @Test("MON-23, MON-37a: counts the current event as handled though no more may be delivered")
  func handled() {
    var world = World(.whileUsing, requiresSession: false)
    world.ask(.next(after: .none))
    world.stay(30)
    world.bench.send(.client(World.client, .life(.background)))
    world.stay(10)
    world.ask(.next(after: world.lastEvent))
    #expect(world.lastStates == [.satisfied, .unknown])
  }

  @Test("MON-23: a loop of an older version acknowledges by asking")
  func withoutNumbers() {
    var world = World(.whileUsing, requiresSession: false)
    world.ask(.next(after: .latest))
    world.stay(30)
    for _ in 0..<3 { world.ask(.next(after: .latest)) }
    #expect(world.count == 2)
    #expect(world.lastStates == [.satisfied, .satisfied])
  }

  @Test("MON-37a: a loop that asks for what is on its way does not get it twice")
  func onItsWay() {
    var world = World(.whileUsing, requiresSession: false)
    world.ask(.next(after: .none))
    world.stay(30)
    let first = world.lastEvent
    // A request from before, which was sent again over a new connection.
    world.ask(.next(after: .none))
    world.ask(.next(after: first))
    let second = world.lastEvent
    #expect(second != first)
    world.ask(.next(after: first))
    world.ask(.next(after: second))
    #expect(world.count == 2)
    #expect(world.lastStates == [.satisfied, .satisfied])
  }
}

/// The whole engine with one app, and its loop over a monitor of two circles at home.
private struct World {
  static let app = AppIdentity("org.example.walk")
  static let client = ClientID(1)
  static let monitor = SubscriberID(1)

  var bench = Bench(
    LocationEngine(providers: 1, secret: SecretKey(seed: 7)),
    describe: { event($0).map { describe($0.event) } })
  private var seen = 0

  init(_ setting: AuthorizationSetting, requiresSession: Bool) {
    var entries = ["UIBackgroundModes": ManifestValue.array([.string("location")])]
    if requiresSession { entries["NSLocationRequireExplicitServiceSession"] = .bool(true) }
    let description = ClientDescription(app: Self.app, manifest: Manifest(entries))
    bench.send(.stored([]))
    bench.send(.client(Self.client, .connected(description)))
    bench.send(.setting(.authorization(Self.app, setting)))
    ask(.open(name: "places"))
    for name in ["home", "work"] {
      let circle = Circle(center: EngineBench.home, radius: 200)
      ask(.add(identifier: name, .circle(circle), assuming: .unknown))
    }
  }

  mutating func ask(_ request: MonitorRequest) {
    bench.send(.client(Self.client, .request(.monitor(Self.monitor, request))))
  }

  mutating func stay(_ seconds: Int) {
    for _ in 0..<seconds {
      bench.send(.fix(UpdatesBench.fix(at: bench.now), from: ProviderID(0)))
      bench.run(for: .seconds(1))
    }
  }

  /// What the loop gets, asking again after each event; it waits when it ends.
  mutating func events() -> [String] {
    var events: [String] = []
    while bench.outputs.count > seen {
      let found = bench.outputs[seen...].compactMap { Self.event($0.output) }
      seen = bench.outputs.count
      events += found.map { Self.describe($0.event) }
      if let last = found.last { ask(.next(after: last.number)) }
    }
    return events
  }

  /// What the engine last asked for.
  var demand: Demand? {
    bench.outputs.compactMap { output -> Demand? in
      guard case .demand(let demand) = output.output else { return nil }
      return demand
    }.last
  }

  /// How many events the loop received.
  var count: Int { bench.outputs.count { Self.event($0.output) != nil } }

  /// The number of the last event of the loop.
  var lastEvent: EventNumber {
    bench.outputs.compactMap { Self.event($0.output)?.number }.last ?? .none
  }

  /// The states that the app has handled, as last delivered.
  var lastStates: [MonitoredState] {
    var records: [NamedRecord] = []
    for case .deliver(_, .monitor(_, let delivery)) in bench.outputs.map(\.output) {
      records.apply(delivery)
    }
    return records.map(\.record.lastEvent.state)
  }

  private static func event(
    _ output: LocationEngine.Output
  ) -> (number: EventNumber, event: ConditionEvent)? {
    guard case .deliver(_, .monitor(_, .event(let number, let event))) = output else { return nil }
    return (number, event)
  }

  private static func describe(_ event: ConditionEvent) -> String {
    let flags = event.diagnostics
    return "\(event.identifier) \(event.state)"
      + (flags.contains(.serviceSessionRequired) ? ", session" : "")
      + (flags.contains(.accuracyLimited) ? ", accuracy" : "")
      + (flags.contains(.insufficientlyInUse) ? ", not in use" : "")
  }
}
