import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@Suite("An app that does not run")
struct LaunchTests {
  private static let changes = Request.significantChanges(EngineBench.manager, on: true)

  private static let region = RegionDescription(
    identifier: "home", target: .circle(Circle(center: EngineBench.home, radius: 200)),
    notices: RegionNotices())

  /// An Always app that follows significant changes, at home, and has ended.
  private func follower() -> EngineBench {
    var bench = EngineBench(.always)
    bench.request(Self.changes)
    bench.fix()
    bench.run(seconds: 400)
    bench.end()
    _ = bench.received()
    return bench
  }

  @Test("SLC-8: is launched for a significant change, and is notified when it starts again")
  func significantChange() {
    var bench = follower()
    bench.fix(east: 300)
    #expect(bench.received() == [])
    #expect(bench.demand.position?.tier == .network)
    bench.fix(east: 700)
    bench.fix(east: 720)
    #expect(bench.received() == ["launched"])
    bench.connect(.background)
    #expect(bench.state.lastFix?.coordinate == EngineBench.home.moved(by: 720, towards: 90))
    bench.request(Self.changes)
    #expect(bench.received() == ["720 m"])
    bench.run(seconds: 10)
    #expect(bench.received() == ["time is over"])
  }

  @Test(
    "AUTH-33, AUTH-34: is launched for a significant change once the person has allowed Always",
    arguments: [(PromptAnswer.always, ["launched"]), (.keepWhileUsing, [])])
  func provisional(_ answer: PromptAnswer, _ launches: [String]) throws {
    var bench = EngineBench(.ask)
    bench.request(.authorization(.request(.always, by: EngineBench.manager)))
    try bench.answer(.whileUsing)
    bench.request(Self.changes)
    bench.fix()
    bench.run(seconds: 400)
    bench.end()
    _ = bench.received()
    bench.fix(east: 700)
    bench.fix(east: 720)
    #expect(bench.received().filter { $0 == "launched" } == [])
    try bench.answer(answer)
    #expect(bench.received().filter { $0 == "launched" } == launches)
  }

  @Test(
    "LIFE-4, AUTH-34: is not launched for what waited for the answer where the person has ended it",
    arguments: [true, false])
  func provisionalEnded(_ honorsQuit: Bool) throws {
    var bench = EngineBench(.ask)
    bench.send(.setting(.honorsQuit(honorsQuit)))
    bench.request(.authorization(.request(.always, by: EngineBench.manager)))
    try bench.answer(.whileUsing)
    bench.request(Self.changes)
    bench.fix()
    bench.run(seconds: 400)
    bench.request(.life(.quit))
    bench.end()
    bench.fix(east: 700)
    bench.fix(east: 720)
    try bench.answer(.always)
    #expect(bench.received().contains("launched") == !honorsQuit)
  }

  @Test(
    "SLC-9, LIFE-3, LIFE-6: that does not start again within ten seconds has nothing pending any more"
  )
  func noRestart() {
    var bench = follower()
    bench.fix(east: 700)
    bench.connect(.background)
    bench.run(seconds: 20)
    bench.end()
    #expect(bench.received() == ["launched", "time is over"])
    bench.run(seconds: 400)
    bench.fix(east: 5000)
    #expect(bench.received() == [])
    #expect(bench.demand == .none)
  }

  @Test("SLC-9: that crashes before its time is over still has it pending")
  func crash() {
    var bench = follower()
    bench.fix(east: 700)
    bench.connect(.background)
    bench.end()
    bench.run(seconds: 400)
    _ = bench.received()
    bench.fix(east: 1500)
    #expect(bench.received() == ["launched"])
  }

  @Test("SLC-10, STD-51: that may know only in use is launched for nothing")
  func whenInUse() {
    var bench = EngineBench(.whileUsing)
    bench.request(Self.changes)
    bench.start(background: true)
    bench.fix()
    bench.end()
    _ = bench.received()
    bench.run(seconds: 400)
    bench.fix(east: 5000)
    #expect(bench.received() == [])
  }

  @Test("LIFE-9: is launched by an engine that was started since, too")
  func afterRestart() {
    let before = follower()
    var bench = EngineBench(stored: before.stored)
    bench.end()
    bench.run(seconds: 10)
    var fresh = Fresh(stored: bench.stored + before.stored.filter { $0.key.domain != "claims" })
    #expect(fresh.walk() == 0, "an app opened since, that started nothing, has nothing pending")
    var restarted = Fresh(stored: before.stored)
    #expect(restarted.walk() > 0, "at once, and again while it does not come")
  }

  @Test("LIFE-1, LIFE-5: receives the events that waited only by a manager, in their order")
  func order() {
    var bench = EngineBench(.always)
    for (name, radius) in [("far", 560.0), ("near", 200)] {
      let circle = Circle(center: EngineBench.home, radius: radius)
      let region = RegionDescription(
        identifier: name, target: .circle(circle), notices: RegionNotices())
      bench.request(.region(EngineBench.manager, .start(region)))
    }
    bench.fixes(100)
    bench.end()
    _ = bench.received()
    // A drive of 8 m/s, up to some seconds after the first event.
    var launched: Int?
    for second in 0..<160 where second < (launched ?? 160) + 55 {
      bench.fix(east: Double(second) * 8)
      if bench.received().contains("launched"), launched == nil { launched = second }
    }
    bench.connect(.background)
    #expect(bench.received() == [], "nobody listens yet")
    bench.request(.authorization(.observe(EngineBench.manager)))
    #expect(bench.received() == ["authorization delivered", "left near", "left far"])
  }

  @Test("LIFE-6, VISIT-1: visits and regions stay registered when an event was not fetched")
  func unfetched() {
    var bench = EngineBench(.always)
    bench.request(.region(EngineBench.manager, .start(Self.region)))
    bench.fixes(100)
    bench.end()
    _ = bench.received()
    bench.fixes(120, from: 100, by: 10)
    #expect(bench.received().first == "launched")
    bench.connect(.background)
    bench.run(seconds: 20)
    bench.request(.authorization(.observe(EngineBench.manager)))
    #expect(bench.received().filter { $0.contains("home") } == [])
    #expect(bench.state.regions == [Self.region])
    bench.fixes(150, from: 1200, by: -10)
    #expect(bench.received().contains("entered home"))
  }

  // MARK: Live updates

  /// A when-in-use app with a background activity session and a loop, gone behind others.
  private func walker() -> EngineBench {
    var bench = EngineBench(.whileUsing)
    bench.request(.session(SubscriberID(2), .openBackgroundActivity))
    bench.request(.live(SubscriberID(3), .start(LiveOptions())))
    bench.fix()
    bench.live(.background)
    bench.run(seconds: 10)
    bench.end()
    _ = bench.received()
    return bench
  }

  @Test("LIVE-35, POW-8: is launched at the next update where its background session goes on")
  func live() {
    var bench = walker()
    #expect(bench.demand.position != nil)
    let shares = bench.bench.machine.demandShares.filter { $0.demand.position != nil }
    #expect(shares.map(\.client) == [EngineBench.app.name + "/claims"], "POW-8")
    bench.fix(east: 10)
    bench.fix(east: 20)
    #expect(bench.received() == ["launched"])
    bench.connect(.background)
    bench.request(.session(SubscriberID(2), .openBackgroundActivity))
    bench.request(.live(SubscriberID(3), .start(LiveOptions())))
    bench.fix(east: 30)
    #expect(bench.received().suffix(1) == ["live 30 m"])
  }

  @Test("LIVE-37: has some seconds for each update that it receives on the time it was given")
  func runtimeOfUpdate() {
    var bench = EngineBench(.whileUsing)
    bench.request(.session(SubscriberID(2), .openBackgroundActivity))
    bench.request(.live(SubscriberID(3), .start(LiveOptions())))
    bench.live(.suspended)
    bench.fix()
    bench.live(.background)
    _ = bench.received()
    bench.run(seconds: 6)
    bench.fix(east: 10)
    bench.run(seconds: 3)
    #expect(bench.received() == ["live 10 m"])
    bench.run(seconds: 2)
    #expect(bench.received() == ["time is over"])
  }

  @Test(
    "LIVE-35, SLC-8: has an update and a change pending, and is not woken while it does not connect"
  )
  func liveAndChange() {
    var bench = EngineBench(.whileUsing)
    bench.send(.setting(.authorization(EngineBench.app, .always)))
    bench.request(.session(SubscriberID(2), .openBackgroundActivity))
    bench.request(.live(SubscriberID(3), .start(LiveOptions())))
    bench.request(Self.changes)
    bench.fix()
    bench.run(seconds: 100)
    bench.fix(east: 700)
    bench.end()
    bench.run(seconds: 10)
    bench.fix(east: 710)
    _ = bench.received()
    bench.run(seconds: 600)
    let deadline = bench.bench.machine.nextDeadline
    #expect(deadline.map { $0 > bench.now.uptime } ?? true)
  }

  @Test("LIVE-36: that does not iterate again in time is launched no more")
  func liveNotResumed() {
    var bench = walker()
    bench.fix(east: 10)
    bench.connect(.background)
    bench.run(seconds: 11)
    bench.end()
    _ = bench.received()
    bench.fixes(5, from: 20, by: 10)
    #expect(bench.received() == [])
    #expect(bench.demand == .none)
  }

  @Test("LIVE-35, LIVE-38: without a session that outlives it an ended loop launches nothing")
  func liveWithoutSession() {
    for setting in [AuthorizationSetting.whileUsing, .always] {
      var bench = EngineBench(setting)
      bench.request(.live(SubscriberID(3), .start(LiveOptions())))
      bench.fix()
      bench.end()
      _ = bench.received()
      bench.run(seconds: 10)
      bench.fix(east: 10)
      #expect(bench.received() == [])
    }
  }

  @Test(
    "REG-33: a region that a suspended app may not know now is delivered when it is in use again")
  func regionHeldForActivity() {
    var bench = EngineBench(.whileUsing)
    bench.request(.authorization(.observe(EngineBench.manager)))
    bench.request(.session(SubscriberID(2), .openBackgroundActivity))
    bench.request(.region(EngineBench.manager, .start(Self.region)))
    bench.fixes(100)
    bench.live(.background)
    bench.run(seconds: 10)
    bench.live(.suspended)
    _ = bench.received()
    bench.fixes(120, by: 10)
    #expect(bench.received() == [])
    bench.live(.background)
    #expect(bench.received() == ["left home"])
  }

  @Test("SLC-2, SLC-10: a move that comes due out of use is delivered in use again")
  func moveComesDueOutOfUse() {
    var bench = EngineBench(.whileUsing)
    bench.request(Self.changes)
    bench.fix()
    bench.run(seconds: 100)
    bench.fix(east: 600)
    bench.live(.background)
    _ = bench.received()
    bench.run(seconds: 600)
    #expect(bench.received() == [])
    bench.live(.foreground)
    bench.run(seconds: 1)
    #expect(bench.received() == ["600 m"])
  }

  @Test("SLC-10, AUTH-5: an app that is denied, or finds location switched off, fails to start")
  func deniedChanges() {
    var bench = EngineBench(.never)
    _ = bench.received()
    bench.request(Self.changes)
    #expect(bench.received() == ["failed denied"])
    bench.send(.setting(.authorization(EngineBench.app, .always)))
    bench.send(.setting(.services(on: false)))
    _ = bench.received()
    bench.request(Self.changes)
    #expect(bench.received() == ["failed denied"])
  }

  // MARK: What is said of a process

  @Test(
    "MODEL-2: its framework says where it is; one that the system has stopped is suspended")
  func words() {
    var bench = EngineBench(.whileUsing)
    bench.start()
    bench.request(.life(.background))
    bench.run(seconds: 10)
    _ = bench.received()
    bench.fix()
    #expect(bench.received() == [])
    bench.request(.life(.foreground))
    bench.fix()
    #expect(bench.received().contains("0 m"))
    bench.send(.client(bench.client, .frozen(true)))
    bench.request(.life(.foreground))
    bench.fix(east: 10)
    #expect(bench.received() == [])
    bench.send(.client(bench.client, .frozen(false)))
    bench.fix(east: 20)
    #expect(bench.received().contains("20 m"))
  }

  @Test("SESS-1, MODEL-1: a process takes its sessions with it, though another of the app runs on")
  func sessionsOfOneProcess() {
    var bench = EngineBench(.whileUsing)
    bench.request(.session(SubscriberID(2), .openBackgroundActivity))
    let first = bench.client
    bench.connect()
    bench.live(.background)
    bench.send(.client(first, .disconnected))
    bench.run(seconds: 10)
    #expect(bench.received().suffix(2) == ["indicator", "no indicator"])
    bench.request(.live(SubscriberID(3), .start(LiveOptions())))
    bench.fix()
    #expect(!bench.received().contains("live 0 m"))
  }

  @Test("MODEL-6: a question that only a process asked that is gone is withdrawn")
  func questionOfOneProcess() {
    var bench = EngineBench(.ask)
    let first = bench.client
    bench.connect()
    _ = bench.received()
    bench.send(
      .client(
        first, .request(.authorization(.request(.whenInUse, by: EngineBench.manager)))))
    #expect(bench.received() == ["asks whenInUse"])
    bench.send(.client(first, .disconnected))
    #expect(bench.received() == ["withdraws"])
  }

  @Test(
    "AUTH-28, LIFE-9: a grant for once outlives a restart of the daemon, and the app never",
    arguments: [(0, false, true), (0, true, false), (60, false, false)])
  func once(_ seconds: Int, isNew: Bool, lasts: Bool) throws {
    var bench = EngineBench(.ask)
    bench.request(.authorization(.request(.whenInUse, by: EngineBench.manager)))
    try bench.answer(.once)
    var later = Bench(LocationEngine(providers: 1, secret: SecretKey(seed: 7)))
    later.send(.stored(bench.stored))
    later.run(for: .seconds(seconds))
    var process = ClientDescription(app: EngineBench.app, manifest: EngineBench.manifest)
    process.isNew = isNew
    later.send(.client(ClientID(1), .connected(process)))
    let status = later.machine.state(of: ClientID(1)).authorization.status
    #expect(status == (lasts ? .whenInUse : .notDetermined))
  }

  @Test("LIFE-4: a process that said that the person ends it counts as ended by the person")
  func quit() {
    var bench = EngineBench(.always)
    bench.request(Self.changes)
    bench.fix()
    bench.request(.life(.quit))
    bench.run(seconds: 400)
    bench.fix(east: 1000)
    #expect(bench.received().contains("1000 m"), "it still runs")
    bench.end()
    _ = bench.received()
    bench.run(seconds: 400)
    bench.fix(east: 2000)
    #expect(
      bench.received() == ["launched"], "quitting is not honored unless the daemon is configured so"
    )
  }

  @Test(
    "LIFE-4, STD-53: is launched for nothing when the owner has said so",
    arguments: [
      (Setting.honorsQuit(true), true, false), (.honorsQuit(true), false, true),
      (.honorsQuit(false), true, true), (.backgroundRefresh(EngineBench.app, false), false, false),
      (.backgroundRefresh(AppIdentity("a.b"), false), false, true),
      (.backgroundRefresh(EngineBench.app, true), false, true),
    ])
  func ownersPolicy(setting: Setting, quits: Bool, launches: Bool) {
    for isEarly in [true, false] {
      var bench = EngineBench(.always)
      if isEarly { bench.send(.setting(setting)) }
      bench.request(Self.changes)
      bench.fix()
      if quits { bench.request(.life(.quit)) }
      bench.end()
      if !isEarly { bench.send(.setting(setting)) }
      _ = bench.received()
      bench.run(seconds: 400)
      bench.fix(east: 2000)
      #expect(bench.received() == (launches ? ["launched"] : []), "\(setting)")
    }
  }

  @Test("AUTH-3: an app that is restricted knows nothing, also when that was said before it came")
  func restricted() {
    var bench = EngineBench(.always)
    #expect(bench.state.authorization.status == .always)
    bench.send(.setting(.restricted(EngineBench.app, true)))
    #expect(bench.state.authorization.status == .restricted)
    let stored = bench.stored
    var later = Bench(LocationEngine(providers: 1, secret: SecretKey(seed: 7)))
    later.send(.setting(.restricted(EngineBench.app, true)))
    later.send(.stored(stored))
    later.send(
      .client(
        ClientID(1),
        .connected(ClientDescription(app: EngineBench.app, manifest: EngineBench.manifest))))
    #expect(later.machine.state(of: ClientID(1)).authorization.status == .restricted)
    #expect(later.machine.limits(of: EngineBench.app) == ["restricted"])
    later.send(.setting(.restricted(EngineBench.app, false)))
    #expect(later.machine.state(of: ClientID(1)).authorization.status == .always)
  }

  /// An engine that knows only what was stored, and no process.
  private struct Fresh {
    var engine = LocationEngine(providers: 1, secret: SecretKey(seed: 7))
    var now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_100_000))

    init(stored: [StateEntry]) {
      _ = engine.handle(.stored(stored), at: now)
    }

    /// Goes from home to far away; how often the app is launched.
    mutating func walk() -> Int {
      var launches = 0
      for index in 0..<60 {
        now = Moment(uptime: now.uptime + .seconds(10), unixTime: now.unixTime + .seconds(10))
        let fix = UpdatesBench.fix(east: Double(max(0, index - 20)) * 60, at: now)
        for input in [LocationEngine.Input.wake, .fix(fix, from: ProviderID(0))] {
          for case .launch in engine.handle(input, at: now) { launches += 1 }
        }
      }
      return launches
    }
  }
}
