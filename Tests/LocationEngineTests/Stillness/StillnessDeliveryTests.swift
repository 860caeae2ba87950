import LocationEngine
import LocationModel
import Testing

@Suite("Stillness, as resting subscribers are notified of it")
struct StillnessDeliveryTests {
  private static let loop = SubscriberID(2)
  private static let later = SubscriberID(3)

  private static func begin(
    _ subscriber: SubscriberID, _ activity: ActivityKind = .other
  ) -> Request {
    .live(subscriber, .start(LiveOptions(activity: activity)))
  }

  // MARK: Nobody's receiver

  /// A loop of a when-in-use app that has rested for three minutes.
  private func resting() -> EngineBench {
    var bench = EngineBench(.whileUsing)
    bench.request(Self.begin(Self.loop))
    bench.fixes(200)
    return bench
  }

  @Test(
    "POW-5, AUTH-5, LIVE-33: nothing stays on for a loop at rest that may receive nothing any more",
    arguments: ["behind others", "denied", "switched off"])
  func barredAtRest(by cause: String) {
    var bench = resting()
    #expect(bench.demand.position == PositionDemand(tier: .network, interval: .seconds(60)))
    switch cause {
    case "behind others": bench.live(.background)
    case "denied": bench.send(.setting(.authorization(EngineBench.app, .never)))
    default: bench.send(.setting(.services(on: false)))
    }
    bench.run(seconds: 10)
    #expect(bench.demand == .none)
  }

  @Test("POW-6: a loop at rest has satellites while the motion sensor says that it sets out")
  func setsOut() {
    var bench = resting()
    let atRest = bench.demand
    #expect(atRest.motion)
    bench.send(.sensor(.motion(MotionActivity(.walking))))
    #expect(bench.demand.position == PositionDemand(tier: .satellite))
    _ = bench.received()
    bench.fixes(1)
    #expect(bench.received() == [], "a fix at the place is no movement, whatever the sensor says")
    bench.send(.sensor(.motion(MotionActivity(.stationary))))
    bench.fixes(30)
    #expect(bench.demand == atRest)
    bench.live(.background)
    bench.run(seconds: 10)
    bench.send(.sensor(.motion(MotionActivity(.walking))))
    #expect(bench.demand == .none, "nobody may be notified")
  }

  @Test("POW-5, STD-43: nobody's paused manager has satellites because others learn of changes")
  func setsOutBehind() {
    var bench = EngineBench(.always)
    bench.start(background: true)
    bench.fixes(1000)
    #expect(bench.received().contains("paused"))
    bench.send(.sensor(.motion(MotionActivity(.walking))))
    #expect(bench.demand.position?.tier == .satellite)
    bench.send(.sensor(.motion(MotionActivity(.stationary))))
    bench.send(.setting(.authorization(EngineBench.app, .whileUsing)))
    bench.live(.background)
    bench.run(seconds: 10)
    bench.send(.sensor(.motion(MotionActivity(.walking))))
    #expect(bench.demand.position?.tier != .satellite)
  }

  @Test("POW-5, LIVE-33: stillness that is seen later switches nothing on for a barred loop")
  func barredBeforeRest() {
    var bench = EngineBench(.whileUsing)
    bench.request(Self.begin(Self.loop))
    bench.fixes(150)
    bench.live(.background)
    bench.run(seconds: 10)
    #expect(bench.demand == .none)
    bench.run(seconds: 60)
    #expect(bench.demand == .none)
  }

  @Test("LIVE-23, LIVE-33: a loop that may receive again rests after as long as any other")
  func barredAndBack() {
    var bench = resting()
    bench.live(.background)
    bench.run(seconds: 600)
    bench.live(.foreground)
    _ = bench.received()
    bench.fixes(170, from: 5000)
    #expect(bench.received() == Array(repeating: "live 5000 m", count: 170))
    bench.fixes(20, from: 5000)
    #expect(bench.received().last == "live 5000 m stationary")
  }

  @Test("STD-43, POW-5: nothing stays on for a paused manager that is not in use")
  func pausedBehind() {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    bench.live(.background)
    bench.fixes(1000)
    #expect(bench.received().contains("paused"))
    bench.run(seconds: 10)
    #expect(bench.demand == .none)
  }

  @Test(
    "STD-42, STD-43: in front again, a paused manager resumes when it is seen to have moved",
    arguments: [5.0, 5000])
  func pausedBehindAndBack(meters: Double) {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    bench.live(.background)
    bench.fixes(1000)
    bench.run(seconds: 3600)
    bench.live(.foreground)
    _ = bench.received()
    #expect(bench.demand.position?.tier == .network)
    bench.fixes(2, from: meters)
    #expect(bench.received() == (meters > 100 ? ["resumed", "5000 m"] : []))
  }

  // MARK: Who comes while it is still

  @Test("LIVE-23, LIVE-27, POW-6: a loop begun while the device is still has one update, and rests")
  func loopAmongStill() {
    var bench = resting()
    bench.run(seconds: 30)
    bench.request(Self.begin(Self.later))
    #expect(bench.demand.position?.tier == .satellite)
    _ = bench.received()
    bench.fixes(3)
    #expect(bench.received() == ["live 0 m", "live 0 m stationary"])
    #expect(bench.demand.position?.tier == .network)
    bench.fixes(3, from: 500, by: 100)
    #expect(bench.received() == ["live 700 m", "live 700 m"])
  }

  @Test("LIVE-23, STD-39: a loop of another activity, or one of a manager's, waits its own time")
  func othersAmongStill() {
    var bench = resting()
    bench.request(Self.begin(Self.later, .fitness))
    bench.start()
    _ = bench.received()
    bench.fixes(100)
    #expect(!bench.received().contains { $0.hasSuffix("stationary") || $0 == "paused" })
  }

  @Test("STD-39, POW-6: a manager that starts while others are paused pauses in its own time")
  func managerAmongStill() {
    var bench = EngineBench(.whileUsing)
    bench.start()
    bench.fixes(1000)
    bench.request(.updates(Self.later, .start(EngineBench.options(false))))
    _ = bench.received()
    #expect(bench.demand.position?.tier == .satellite)
    bench.fixes(950)
    let received = bench.received()
    #expect(received.last == "paused")
    #expect((890...915).contains(received.count { $0 == "0 m" }))
    #expect(bench.demand.position?.tier == .network)
  }

  // MARK: Changes while paused

  private static let changes = [
    UpdateOptions(activity: .other, pausesAutomatically: false),
    UpdateOptions(activity: .fitness, pausesAutomatically: true),
  ]

  @Test(
    "STD-18, STD-42, STD-45: a paused manager goes on when what it was paused for is changed",
    arguments: changes)
  func changedWhilePaused(options: UpdateOptions) {
    var bench = EngineBench(.whileUsing)
    bench.start()
    bench.fixes(1000)
    _ = bench.received()
    bench.request(.updates(EngineBench.manager, .change(options)))
    #expect(bench.demand.position?.tier == .satellite)
    bench.fix()
    #expect(bench.received() == ["resumed", "0 m"])
  }

  @Test("STD-43, STD-45: behind others, such a change waits until the app is in use again")
  func changedWhilePausedBehind() {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    bench.live(.background)
    bench.fixes(1000)
    bench.run(seconds: 10)
    _ = bench.received()
    let options = EngineBench.options(true, .best, false)
    bench.request(.updates(EngineBench.manager, .change(options)))
    bench.fixes(10)
    #expect(bench.received() == [])
    #expect(bench.demand == .none)
    bench.live(.foreground)
    bench.fixes(2)
    #expect(bench.received() == ["resumed", "0 m"])
  }
}
