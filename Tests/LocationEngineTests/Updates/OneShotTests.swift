import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("A request for one location")
struct OneShotTests {
  private var bench = Self.bench()
  private let tenMeters = UpdateOptions(accuracy: .meters(10))

  private static func bench(
    _ flow: Flow = .open, cached: Fix? = nil
  ) -> Bench<StandardUpdates> {
    var updates = StandardUpdates(flow: flow)
    updates.cached = cached
    return Bench(updates) { UpdatesBench.line($0) }
  }

  private mutating func beginWithCached(radius: Double, age: Double) {
    let cached = UpdatesBench.fix(radius: radius, at: bench.now, age: age)
    bench = Self.bench(cached: cached)
  }

  @Test("STD-24, STD-25: is answered once, by the first fix that meets the accuracy, and ends")
  mutating func once() {
    bench.send(.request(.once(tenMeters)))
    #expect(bench.machine.demand.position?.tier == .satellite)
    bench.fix(east: 40, radius: 40)
    bench.run(for: .seconds(2))
    bench.fix(east: 10, radius: 10)
    #expect(bench.machine.demand == .none)
    bench.fix(east: 5, radius: 5)
    bench.run(for: .seconds(30))
    #expect(bench.transcript == "00:00:02  10 m")
  }

  @Test("STD-26: is answered after ten seconds by the best fix so far")
  mutating func best() {
    bench.send(.request(.once(tenMeters)))
    for radius in [60.0, 20, 30] { bench.fix(east: radius, radius: radius) }
    bench.run(for: .seconds(60))
    #expect(bench.transcript == "00:00:10  20 m")
  }

  @Test("STD-26: fails after ten seconds without any fix, and ends")
  mutating func nothing() {
    bench.send(.request(.once(tenMeters)))
    bench.send(.outage(.positionUnknown))
    bench.run(for: .seconds(60))
    bench.fix()
    #expect(bench.transcript == "00:00:10  failed positionUnknown")
    #expect(bench.machine.demand == .none)
  }

  @Test("STD-26a: for a coarse place is answered at once until the next one is due")
  mutating func coarse() {
    beginWithCached(radius: 3000, age: 900)
    bench.send(.request(.once(UpdateOptions(accuracy: .reduced))))
    #expect(bench.transcript == "00:00:00  0 m")
    beginWithCached(radius: 3000, age: 1201)
    bench.send(.request(.once(UpdateOptions(accuracy: .reduced))))
    #expect(bench.transcript.isEmpty)
  }

  @Test(
    "STD-27: takes a cached fix only when it is accurate and younger than ten seconds",
    arguments: [(10.0, 9.0, true), (11, 0, false), (5, 10, false), (5, 500, false)])
  mutating func cached(radius: Double, age: Double, serves: Bool) {
    beginWithCached(radius: radius, age: age)
    bench.send(.request(.once(tenMeters)))
    #expect(bench.transcript == (serves ? "00:00:00  0 m" : ""))
    bench.run(for: .seconds(20))
    #expect(bench.transcript == (serves ? "00:00:00  0 m" : "00:00:10  failed positionUnknown"))
  }

  @Test("STD-28: does nothing while updates run")
  mutating func whileRunning() {
    bench.send(.request(.start(UpdateOptions())))
    bench.send(.request(.once(tenMeters)))
    bench.run(for: .seconds(20))
    bench.fix(east: 1)
    bench.fix(east: 2)
    #expect(bench.transcript == "00:00:20  1 m\n00:00:20  2 m")
  }

  @Test("STD-28: is canceled without a word by stopping, starting, or deferring")
  mutating func canceled() {
    let end = DeferralEnd(distance: nil, timeout: nil)
    let cancels: [UpdatesRequest] = [.stop, .start(UpdateOptions()), .deferUpdates(until: end)]
    for cancel in cancels {
      bench = Self.bench()
      bench.send(.request(.once(tenMeters)))
      bench.send(.request(cancel))
      bench.run(for: .seconds(20))
      let expected: Set = ["", "00:00:00  deferral notUpdating"]
      #expect(expected.contains(bench.transcript), "\(cancel)")
      #expect(bench.machine.nextDeadline == nil)
    }
  }

  @Test("STD-29: asked twice is still one")
  mutating func twice() {
    bench.send(.request(.once(tenMeters)))
    bench.run(for: .seconds(5))
    bench.send(.request(.once(tenMeters)))
    bench.run(for: .seconds(60))
    #expect(bench.transcript == "00:00:10  failed positionUnknown")
  }

  @Test("STD-31: fails at once when denied")
  mutating func denied() {
    bench = Self.bench(.denied)
    bench.send(.request(.once(tenMeters)))
    bench.run(for: .seconds(60))
    #expect(bench.transcript == "00:00:00  failed denied")
  }

  @Test("STD-31: waits for the answer, and its time begins there")
  mutating func undetermined() {
    bench = Self.bench(.undetermined)
    bench.send(.request(.once(tenMeters)))
    bench.run(for: .seconds(100))
    #expect(bench.transcript.isEmpty)
    bench.send(.flow(.open))
    bench.run(for: .seconds(60))
    #expect(bench.transcript == "00:01:50  failed positionUnknown")
  }

  @Test("STD-31: fails when the answer is no")
  mutating func refused() {
    bench = Self.bench(.undetermined)
    bench.send(.request(.once(tenMeters)))
    bench.run(for: .seconds(3))
    bench.send(.flow(.denied))
    #expect(bench.transcript == "00:00:03  failed denied")
  }
}
