import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The standard service")
struct StandardUpdatesTests {
  private var bench = Self.bench()

  private static func bench(
    _ flow: Flow = .open, cached: Fix? = nil
  ) -> Bench<StandardUpdates> {
    var updates = StandardUpdates(flow: flow)
    updates.cached = cached
    return Bench(updates) { UpdatesBench.line($0) }
  }

  private func cached(radius: Double = 5, age: Double) -> Fix {
    UpdatesBench.fix(radius: radius, at: bench.now, age: age)
  }

  // MARK: Starting and stopping

  @Test("STD-1, STD-2: gives a cached fix first, with its own date, then fresh ones")
  mutating func cachedFirst() throws {
    let old = cached(age: 500)
    bench = Self.bench(cached: old)
    bench.send(.request(.start(UpdateOptions())))
    bench.run(for: .seconds(1))
    bench.fix(east: 3)
    #expect(bench.transcript == "00:00:00  0 m\n00:00:01  3 m")
    guard case .fixes(let first)? = bench.outputs.first?.output else { throw Unexpected() }
    #expect(first == [old])
  }

  @Test("STD-3: says nothing before a fix is computed")
  mutating func nothingYet() {
    bench.send(.request(.start(UpdateOptions())))
    bench.run(for: .seconds(5))
    #expect(bench.transcript.isEmpty)
  }

  @Test("STD-4: makes no new beginning when started twice, but after a stop")
  mutating func startTwice() {
    bench.send(.request(.start(UpdateOptions())))
    bench.fix()
    bench.send(.request(.start(UpdateOptions())))
    #expect(bench.transcript == "00:00:00  0 m")
    bench.send(.request(.stop))
    bench.send(.request(.start(UpdateOptions())))
    #expect(bench.transcript == "00:00:00  0 m\n00:00:00  0 m")
  }

  @Test("STD-5: is silent once stopped, and asks for no hardware")
  mutating func stop() {
    bench.send(.request(.start(UpdateOptions())))
    #expect(bench.machine.demand.position?.tier == .satellite)
    bench.send(.request(.stop))
    bench.fix()
    #expect(bench.transcript.isEmpty)
    #expect(bench.machine.demand == .none)
  }

  @Test("STD-6, STD-11, STD-17: gives each fix of a receiver in its order, without filter")
  mutating func everyFix() {
    bench.send(.request(.start(UpdateOptions())))
    for second in 0..<3 {
      bench.fix(east: Double(second))
      bench.run(for: .seconds(1))
    }
    #expect(bench.transcript == "00:00:00  0 m\n00:00:01  1 m\n00:00:02  2 m")
  }

  @Test("STD-12: fails with denied, and with nothing else, when the app is denied")
  mutating func denied() {
    bench = Self.bench(.denied, cached: cached(age: 0))
    bench.send(.request(.start(UpdateOptions())))
    bench.fix()
    bench.send(.outage(.positionUnknown))
    #expect(bench.transcript == "00:00:00  failed denied")
    #expect(bench.machine.demand == .none)
  }

  @Test("STD-13: remembers a start until somebody has answered")
  mutating func undetermined() {
    bench = Self.bench(.undetermined)
    bench.send(.request(.start(UpdateOptions())))
    bench.fix(east: 1)
    #expect(bench.transcript.isEmpty && bench.machine.demand == .none)
    bench.run(for: .seconds(60))
    bench.send(.flow(.open))
    bench.fix(east: 2)
    #expect(bench.transcript == "00:01:00  1 m\n00:01:00  2 m")
  }

  @Test("STD-14: stops when authorization is withdrawn, and must be started again")
  mutating func withdrawn() {
    bench.send(.request(.start(UpdateOptions())))
    bench.fix()
    bench.send(.flow(.denied))
    bench.send(.flow(.open))
    bench.fix(east: 1)
    #expect(bench.transcript == "00:00:00  0 m\n00:00:00  failed denied")
    bench.send(.request(.start(UpdateOptions())))
    #expect(bench.transcript.hasSuffix("00:00:00  1 m"))
  }

  // MARK: Filters and accuracy

  @Test("STD-15: counts the distance filter from the last delivered fix")
  mutating func distanceFilter() {
    bench.send(.request(.start(UpdateOptions(distanceFilter: 10))))
    for meters in [0.0, 9, -9, 12, 3, 21, 22.1] { bench.fix(east: meters) }
    #expect(bench.transcript == "00:00:00  0 m\n00:00:00  12 m\n00:00:00  22 m")
  }

  @Test("STD-16: lets a fix through that is twice as accurate as the last delivered one")
  mutating func moreAccurate() {
    bench.send(.request(.start(UpdateOptions(distanceFilter: 100))))
    for radius in [50.0, 26, 25, 13, 12.5] { bench.fix(east: radius, radius: radius) }
    #expect(bench.transcript == "00:00:00  50 m\n00:00:00  25 m\n00:00:00  13 m")
  }

  @Test("STD-18: applies a changed filter to later fixes, without a new beginning")
  mutating func changedFilter() {
    bench.send(.request(.start(UpdateOptions())))
    bench.fix()
    bench.send(.request(.change(UpdateOptions(accuracy: .meters(1000), distanceFilter: 50))))
    #expect(bench.machine.demand.position?.tier == .cell)
    bench.fix(east: 20)
    bench.fix(east: 60)
    #expect(bench.transcript == "00:00:00  0 m\n00:00:00  60 m")
  }

  @Test("STD-20: does not hold back what is worse, or better, than was asked for")
  mutating func targetNotFilter() {
    bench.send(.request(.start(UpdateOptions(accuracy: .meters(100)))))
    bench.fix(east: 1, radius: 5000)
    bench.fix(east: 2, radius: 1)
    #expect(bench.transcript == "00:00:00  1 m\n00:00:00  2 m")
  }

  @Test(
    "STD-21: asks for the hardware that reaches the accuracy",
    arguments: [
      (DesiredAccuracy.bestForNavigation, PositionTier.navigation), (.best, .satellite),
      (.meters(10), .satellite), (.meters(100), .network), (.meters(999), .network),
      (.meters(3000), .cell), (.reduced, .cell),
    ])
  mutating func tiers(accuracy: DesiredAccuracy, tier: PositionTier) {
    bench.send(.request(.start(UpdateOptions(accuracy: accuracy))))
    #expect(bench.machine.demand.position == PositionDemand(tier: tier))
  }

  // MARK: Errors

  @Test("STD-32, STD-38: fails with position unknown, goes on, and delivers later fixes")
  mutating func outage() {
    bench.send(.request(.start(UpdateOptions())))
    bench.send(.outage(.positionUnknown))
    bench.fix(east: 1)
    #expect(bench.transcript == "00:00:00  failed positionUnknown\n00:00:00  1 m")
  }

  @Test("STD-33: fails with network, and goes on")
  mutating func network() {
    bench.send(.request(.start(UpdateOptions())))
    bench.send(.outage(.network))
    bench.fix(east: 1)
    #expect(bench.transcript == "00:00:00  failed network\n00:00:00  1 m")
  }

  @Test("STD-34: tells an outage once, and the next one again")
  mutating func outageOnce() {
    bench.send(.request(.start(UpdateOptions())))
    for _ in 0..<3 { bench.send(.outage(.positionUnknown)) }
    #expect(bench.outputs.count == 1)
    bench.fix()
    bench.send(.outage(.positionUnknown))
    #expect(bench.outputs.count == 3)
  }
}

/// Something else came than the test had to expect.
struct Unexpected: Error {}
