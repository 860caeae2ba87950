import LocationEngine
import LocationModel
import Testing

@Suite("Stillness, as those hear of it who rest")
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
    "POW-5, AUTH-5, LIVE-33: nothing stays on for a loop at rest that may hear nothing any more",
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

  @Test("LIVE-23, LIVE-33: a loop that may hear again rests after as long as any other")
  func barredAndBack() {
    var bench = resting()
    bench.live(.background)
    bench.run(seconds: 600)
    bench.live(.foreground)
    _ = bench.heard()
    bench.fixes(170, from: 5000)
    #expect(bench.heard() == Array(repeating: "live 5000 m", count: 170))
    bench.fixes(20, from: 5000)
    #expect(bench.heard().last == "live 5000 m stationary")
  }

  @Test("STD-43, POW-5: nothing stays on for a paused manager that is not in use")
  func pausedBehind() {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    bench.live(.background)
    bench.fixes(1000)
    #expect(bench.heard().contains("paused"))
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
    _ = bench.heard()
    #expect(bench.demand.position?.tier == .network)
    bench.fixes(2, from: meters)
    #expect(bench.heard() == (meters > 100 ? ["resumed", "5000 m"] : []))
  }
}
