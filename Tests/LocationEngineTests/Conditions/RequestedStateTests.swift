import LocationEngine
import LocationModel
import Testing

@Suite("The state of a region on request")
struct RequestedStateTests {
  private var bench = EngineBench(.always)

  private static func region(east: Double = 0, _ name: String = "any") -> RegionDescription {
    let circle = Circle(center: EngineBench.home.moved(by: east, towards: 90), radius: 200)
    return RegionDescription(identifier: name, target: .circle(circle), notices: RegionNotices())
  }

  /// What the app is answered.
  private mutating func state(of region: RegionDescription) -> ConditionState? {
    bench.request(.region(EngineBench.manager, .state(region)))
    guard case .deliver(_, .region(_, region, .determined(let state))) = bench.lastOutput else {
      return nil
    }
    return state
  }

  @Test("REG-26: of a region that is not monitored is what the current fix says, once")
  mutating func unmonitored() {
    bench.start()
    bench.fix()
    #expect(state(of: Self.region()) == .satisfied)
    #expect(state(of: Self.region(east: 900)) == .unsatisfied)
    #expect(state(of: Self.region(east: 203)) == .unknown, "too near the boundary to say")
    bench.run(seconds: 120)
    #expect(state(of: Self.region()) == .unknown, "nobody knows where the device is now")
  }

  @Test("REG-26: of a region that is no longer monitored is no memory of it")
  mutating func removed() {
    bench.start()
    bench.request(.region(EngineBench.manager, .start(Self.region())))
    bench.fixes(60)
    bench.request(.region(EngineBench.manager, .stop(identifier: "any")))
    bench.fixes(60, from: 0, by: 30)
    #expect(state(of: Self.region()) == .unsatisfied)
    #expect(state(of: Self.region(east: 1770)) == .satisfied)
  }

  @Test("REG-26, REG-7, REG-36, AUTH-8: is unknown to an app that may not know where it is")
  mutating func forbidden() {
    bench.start()
    let home = Self.region("home")
    bench.request(.region(EngineBench.manager, .start(home)))
    bench.fixes(60)
    #expect(state(of: home) == .satisfied)
    let other = Self.region(east: 900)
    for setting in [
      Setting.precise(EngineBench.app, false), .authorization(EngineBench.app, .never),
    ] {
      bench.send(.setting(setting))
      bench.fix()
      #expect(state(of: home) == .unknown)
      #expect(state(of: other) == .unknown)
    }
    bench.send(.setting(.precise(EngineBench.app, true)))
    bench.send(.setting(.authorization(EngineBench.app, .whileUsing)))
    bench.live(.background)
    bench.run(seconds: 10)
    bench.fix()
    #expect(state(of: home) == .unknown)
    #expect(state(of: other) == .unknown)
    bench.live(.foreground)
    #expect(state(of: home) == .satisfied)
  }
}
