import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

/// Everything that apps with reduced accuracy can gather from the whole engine.
@Suite("Apps with reduced accuracy")
struct PoolingTests {
  private static let secret = SecretKey(seed: 8)
  private static let apps = (0..<10).map { AppIdentity("org.example.\($0)") }

  /// What ten apps of one maker have got: places, and when each of them came.
  private struct Pool {
    var places: [ClientID: Set<Coordinate>] = [:]
    var times: [Instant] = []
    var crossings = 0

    mutating func take(_ output: LocationEngine.Output, at now: Moment) {
      guard case .deliver(let client, let delivery) = output else { return }
      switch delivery {
      case .updates(_, .fixes(let fixes)): for fix in fixes { take(fix, of: client, at: now) }
      case .live(_, let update): if let fix = update.fix { take(fix, of: client, at: now) }
      case .pending(_, .visit(let visit)): places[client, default: []].insert(visit.coordinate)
      case .state(let state):
        if let fix = state.lastFix { places[client, default: []].insert(fix.coordinate) }
      case .pending(_, .region): crossings += 1
      case .monitor(_, .event(_, let event)): if event.evidence != nil { crossings += 1 }
      default: break
      }
    }

    private mutating func take(_ fix: Fix, of client: ClientID, at now: Moment) {
      places[client, default: []].insert(fix.coordinate)
      times.append(now.uptime)
    }
  }

  private static let circle = Circle(center: Wanderer(seed: 21).home, radius: 300)

  /// Each app uses the engine in another way.
  private static func requests(of index: Int) -> [Request] {
    let subscriber = SubscriberID(1)
    switch index {
    case 0: return [.updates(subscriber, .start(UpdateOptions()))]
    case 1: return [.updates(subscriber, .start(UpdateOptions(accuracy: .bestForNavigation)))]
    case 2: return [.updates(subscriber, .start(UpdateOptions(distanceFilter: 1)))]
    case 3: return [.updates(subscriber, .start(UpdateOptions(accuracy: .reduced)))]
    case 4: return [.live(subscriber, .start(LiveOptions()))]
    case 5: return [.live(subscriber, .start(LiveOptions(activity: .fitness)))]
    case 6: return [.significantChanges(subscriber, on: true)]
    case 7: return [.visits(on: true)]
    case 8:
      let region = RegionDescription(
        identifier: "home", target: .circle(circle), notices: RegionNotices())
      return [.region(subscriber, .start(region))]
    default:
      return [
        .monitor(subscriber, .open(name: "home")),
        .monitor(
          subscriber, .add(identifier: "home", .circle(circle), assuming: .unknown)),
        .monitor(subscriber, .next(after: .none)),
      ]
    }
  }

  @Test(
    "border 6: ten that use every service and pool it for two weeks have the cells, and no more")
  func pooling() throws {
    let person = Wanderer(seed: 21)
    var bench = Bench(LocationEngine(providers: 1, secret: Self.secret), describe: { _ in nil })
    var locator = CoarseLocator(secret: Self.secret)
    var pool = Pool()
    var delivered: Set<CoarseGrid.Cell> = []
    var turns: Set<Instant> = []
    bench.send(.stored([]))
    for (index, app) in Self.apps.enumerated() {
      let client = ClientID(UInt64(index + 1))
      let description = ClientDescription(app: app, manifest: EngineBench.manifest)
      bench.send(.client(client, .connected(description)))
      bench.send(.setting(.authorization(app, .always)))
      bench.send(.setting(.precise(app, false)))
      for request in Self.requests(of: index) { bench.send(.client(client, .request(request))) }
    }
    var seen = 0
    for turn in 0..<5_040 {
      let fix = Fix(
        coordinate: person.position(at: Double(turn) * 240), horizontalAccuracy: 10,
        time: bench.now.unixTime)
      if turn % 15 == 0 {
        let once = Request.updates(SubscriberID(2), .once(UpdateOptions()))
        bench.send(.client(ClientID(1), .request(once)))
      }
      for output in locator.handle(.fix(fix), at: bench.now) {
        guard case .place(let place) = output else { continue }
        delivered.insert(place.cell)
        turns.insert(bench.now.uptime)
      }
      bench.send(.fix(fix, from: ProviderID(0)))
      bench.run(for: .seconds(240))
      for output in locator.handle(.wake, at: bench.now) {
        guard case .place(let place) = output else { continue }
        delivered.insert(place.cell)
      }
      for entry in bench.outputs[seen...] {
        pool.take(entry.output, at: Moment(uptime: entry.at, unixTime: bench.now.unixTime))
      }
      seen = bench.outputs.count
    }
    for (index, app) in Self.apps.enumerated() {
      var points = locator.points(of: app)
      let own = Set(delivered.map { points.point(of: $0) })
      let received = pool.places[ClientID(UInt64(index + 1)), default: []]
      #expect(received.isSubset(of: own), "\(app)")
    }
    #expect((pool.places[ClientID(1)] ?? []).count > 5)
    #expect((pool.places[ClientID(1)] ?? []).isDisjoint(with: pool.places[ClientID(5)] ?? []))
    #expect(pool.crossings == 0)
  }

  // MARK: From exact to coarse

  /// Whether a place exact to the meter was delivered since.
  private func exact(_ received: [String]) -> [String] {
    received.filter { $0.contains("123 m") }
  }

  @Test("AUTH-41: a start that waits for the answer begins with no exact place when it is reduced")
  func waitingStart() throws {
    var bench = EngineBench(.ask)
    bench.start()
    bench.request(.live(SubscriberID(3), .start(LiveOptions())))
    bench.fix(east: 123)
    bench.request(
      .authorization(.request(.whenInUse, by: EngineBench.manager)))
    let prompts = bench.bench.outputs.compactMap { entry -> Prompt? in
      if case .prompt(let prompt) = entry.output { prompt } else { nil }
    }
    let prompt = try #require(prompts.last)
    _ = bench.received()
    bench.send(.answer(prompt.id, .whileUsing, precise: false))
    bench.run(seconds: 600)
    #expect(exact(bench.received()) == [])
  }

  @Test("AUTH-41: no exact place comes after the person turns Precise off")
  func preciseOff() {
    var bench = EngineBench(.always)
    bench.request(.significantChanges(SubscriberID(4), on: true))
    bench.fix(east: 5000)
    // A significant change in its quiet time, one fix pending, and a device at rest.
    bench.run(seconds: 20)
    bench.request(.live(SubscriberID(3), .start(LiveOptions())))
    for _ in 0..<17 {
      bench.fix(east: 123)
      bench.run(seconds: 10)
    }
    bench.request(
      .updates(SubscriberID(2), .once(EngineBench.options(false, .meters(1)))))
    bench.fix(east: 123)
    _ = bench.received()
    bench.send(.setting(.precise(EngineBench.app, false)))
    bench.run(seconds: 900)
    #expect(exact(bench.received()) == [])
  }

  @Test(
    "STD-50: what waits for a suspended app is forgotten when it may not know it any more",
    arguments: [
      Setting.precise(EngineBench.app, false), .authorization(EngineBench.app, .never),
      .services(on: false),
    ])
  func queued(setting: Setting) {
    var bench = EngineBench(.always)
    bench.start()
    bench.live(.suspended)
    bench.fix(east: 123)
    bench.send(.setting(setting))
    _ = bench.received()
    bench.live(.foreground)
    #expect(exact(bench.received()) == [])
  }
}
