import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

/// The whole engine in virtual time with one app that declares everything, and its deliveries.
struct EngineBench {
  static let app = AppIdentity("org.example.walk")
  static let manager = SubscriberID(1)
  static let home = UpdatesBench.home

  private(set) var bench: Bench<LocationEngine>
  /// The present process.
  private(set) var client = ClientID(0)

  /// When a bench begins by default.
  static let beginning = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))

  init(
    _ setting: AuthorizationSetting = .always, stored: [StateEntry] = [],
    startingAt moment: Moment = beginning, providers: Int = 1
  ) {
    bench = Bench(
      LocationEngine(providers: providers, secret: SecretKey(seed: 7)), startingAt: moment,
      describe: Self.describe)
    bench.send(.stored(stored))
    connect()
    if stored.isEmpty { bench.send(.setting(.authorization(Self.app, setting))) }
  }

  static let manifest = Manifest([
    Manifest.Key.whenInUse: .string("To draw your walk."),
    Manifest.Key.always: .string("To draw it in your pocket."),
    Manifest.Key.backgroundModes: .array([.string("location")]),
  ])

  /// What has happened since the last look, without the times.
  mutating func received() -> [String] {
    defer { seen = bench.outputs.count }
    return bench.outputs[seen...].compactMap { Self.describe($0.output) }
  }
  private var seen = 0

  var now: Moment { bench.now }
  var demand: Demand { bench.machine.currentDemand }
  var state: ClientState { bench.machine.state(of: client) }
  var lastOutput: LocationEngine.Output? { bench.outputs.last?.output }

  /// Everything stored so far, as a later engine finds it.
  var stored: [StateEntry] {
    var entries: [StateKey: [UInt8]] = [:]
    for case .persist(let change) in bench.outputs.map(\.output) {
      switch change {
      case .set(let key, let value): entries[key] = value
      case .remove(let key): entries[key] = nil
      }
    }
    return entries.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
  }

  /// The numbers of the delivered events.
  var pending: [EventNumber] {
    bench.outputs.compactMap { entry in
      if case .deliver(_, .pending(let number, _)) = entry.output { number } else { nil }
    }
  }

  /// Everything delivered so far.
  var deliveries: [Delivery] {
    bench.outputs.compactMap { entry in
      if case .deliver(_, let delivery) = entry.output { delivery } else { nil }
    }
  }

  mutating func send(_ input: LocationEngine.Input) { bench.send(input) }

  mutating func connect(_ life: AppLife = .foreground) {
    client = ClientID(client.rawValue + 1)
    bench.send(
      .client(
        client, .connected(ClientDescription(app: Self.app, manifest: Self.manifest, life: life))))
  }

  mutating func request(_ request: Request) { bench.send(.client(client, .request(request))) }
  /// What the person says to the question asked last.
  mutating func answer(_ answer: PromptAnswer) throws {
    let prompts = bench.outputs.compactMap { entry -> Prompt? in
      guard case .prompt(let prompt) = entry.output else { return nil }
      return prompt
    }
    bench.send(.answer(try #require(prompts.last).id, answer, precise: true))
  }

  mutating func live(_ life: AppLife) { bench.send(.client(client, .life(life))) }
  mutating func end() { bench.send(.client(client, .disconnected)) }
  mutating func run(seconds: Int) { bench.run(for: .seconds(seconds)) }

  mutating func start(
    background: Bool = false, accuracy: DesiredAccuracy = .best, pausing: Bool = true
  ) {
    request(.updates(Self.manager, .start(Self.options(background, accuracy, pausing))))
  }

  static func options(
    _ background: Bool, _ accuracy: DesiredAccuracy = .best, _ pausing: Bool = true
  ) -> UpdateOptions {
    var options = UpdateOptions(accuracy: accuracy, pausesAutomatically: pausing)
    options.allowsBackground = background
    return options
  }

  /// A fix now; a second passes.
  mutating func fix(east meters: Double = 0, radius: Double = 5) {
    bench.send(
      .fix(UpdatesBench.fix(east: meters, radius: radius, at: now), from: ProviderID(0)))
    run(seconds: 1)
  }

  /// So many fixes, one each second, at one place or on the way east.
  mutating func fixes(_ count: Int, from meters: Double = 0, by step: Double = 0) {
    for index in 0..<count { fix(east: meters + Double(index) * step) }
  }

  private static func describe(_ output: LocationEngine.Output) -> String? {
    switch output {
    case .deliver(_, .updates(_, let delivery)): UpdatesBench.line(delivery)
    case .deliver(_, .live(_, let update)): "live " + UpdatesBench.line(update)
    case .deliver(_, .authorizationChanged(let manager)):
      manager == nil ? "authorization changed" : "authorization delivered"
    case .deliver(_, .pending(_, .visit(let visit))): visit.departure == nil ? "arrived" : "left"
    case .deliver(_, .pending(_, .region(let region, .entered))): "entered \(region.identifier)"
    case .deliver(_, .pending(_, .region(let region, .exited))): "left \(region.identifier)"
    case .launch: "launched"
    case .wakeApp: "woken"
    case .runtimeOver: "time is over"
    case .indicator(_, let shown): shown ? "indicator" : "no indicator"
    case .prompt(let prompt): "asks \(prompt.kind)"
    case .withdraw: "withdraws"
    default: nil
    }
  }
}
