import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("A loop over live updates")
struct LiveUpdatesTests {
  private var bench = Self.bench()
  private var opening: [String] = []

  private static func bench(
    _ diagnostics: Diagnostics = [], cached: Fix? = nil, isOut: Bool = false,
    activity: ActivityKind = .other
  ) -> Bench<LiveUpdates> {
    let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))
    let machine = LiveUpdates(
      options: LiveOptions(activity: activity), diagnostics: diagnostics, cached: cached,
      isOut: isOut,
      at: now)
    return Bench(machine) { UpdatesBench.line($0) }
  }

  private mutating func open(
    _ diagnostics: Diagnostics = [], cachedAge: Double? = nil, isOut: Bool = false
  ) {
    let cached = cachedAge.map { UpdatesBench.fix(at: bench.now, age: $0) }
    bench = Self.bench(diagnostics, cached: cached, isOut: isOut)
    opening = bench.machine.opening(at: bench.now).map { UpdatesBench.line($0) }
  }

  @Test("LIVE-5, LIVE-6: asks for the best receiver, and for navigation when navigating")
  func configurations() {
    for activity in ActivityKind.allCases {
      let navigates = activity == .automotiveNavigation || activity == .otherNavigation
      let demand = Self.bench(activity: activity).machine.demand
      #expect(demand.position?.tier == (navigates ? .navigation : .satellite))
      #expect(demand.position?.interval == .zero)
    }
  }

  @Test("LIVE-6: gives every fix")
  mutating func everyFix() {
    open()
    bench.fix(east: 1)
    bench.run(for: .seconds(1))
    bench.fix(east: 1)
    #expect(bench.transcript == "00:00:00  1 m\n00:00:01  1 m")
  }

  @Test("LIVE-9: opens with a fix younger than ten seconds", arguments: [(9.0, 1), (10, 0)])
  mutating func recent(age: Double, count: Int) {
    open(cachedAge: age)
    #expect(opening == Array(repeating: "0 m", count: count))
  }

  @Test("LIVE-4, LIVE-12: says at once that the person is being asked")
  mutating func asking() {
    open(.authorizationRequestInProgress, cachedAge: 1)
    #expect(opening == ["no location authorizationRequestInProgress"])
    #expect(bench.machine.demand == .none)
    bench.fix()
    bench.run(for: .seconds(600))
    #expect(bench.transcript.isEmpty)
  }

  @Test(
    "LIVE-13, LIVE-14, LIVE-15, LIVE-20: says all that bars it in one element",
    arguments: [
      Diagnostics.authorizationDenied, [.authorizationDenied, .authorizationDeniedGlobally],
      [.authorizationDenied, .authorizationRestricted], .insufficientlyInUse,
      .serviceSessionRequired, [.insufficientlyInUse, .serviceSessionRequired, .accuracyLimited],
    ])
  mutating func barred(flags: Diagnostics) {
    open(flags, cachedAge: 1)
    #expect(opening == ["no location \(flags)"])
  }

  @Test("LIVE-16: marks each update of a limited accuracy, and is not alarmed by silence")
  mutating func limited() {
    open(.accuracyLimited)
    bench.run(for: .seconds(600))
    bench.fix(east: 2000)
    bench.run(for: .seconds(900))
    bench.fix(east: 3000)
    #expect(
      bench.transcript == """
        00:00:09  no location accuracyLimited
        00:10:00  2000 m accuracyLimited
        00:25:00  3000 m accuracyLimited
        """)
  }

  @Test("LIVE-17: says once that no position can be had, and goes on when one can")
  mutating func unavailable() {
    open()
    bench.fix(east: 1)
    bench.run(for: .seconds(1))
    bench.send(.outage(true))
    bench.run(for: .seconds(600))
    bench.send(.outage(false))
    bench.fix(east: 2)
    #expect(
      bench.transcript == """
        00:00:00  1 m
        00:00:01  no location locationUnavailable
        00:10:01  2 m
        """)
  }

  @Test("LIVE-17: opens with it when the outage is known")
  mutating func opensInOutage() {
    open(isOut: true)
    #expect(opening == ["no location locationUnavailable"])
  }

  @Test("LIVE-18: is never silent for ten seconds without having said why")
  mutating func silence() {
    open()
    bench.run(for: .seconds(600))
    bench.fix(east: 1)
    bench.run(for: .seconds(600))
    #expect(
      bench.transcript == """
        00:00:09  no location locationUnavailable
        00:10:00  1 m
        00:10:09  no location locationUnavailable
        """)
  }

  @Test("LIVE-18: explains itself within ten seconds in random worlds")
  mutating func randomWorlds() {
    for seed in UInt64(1)...200 {
      var random = SeededRandom(seed: seed)
      open()
      for _ in 0..<40 {
        bench.run(for: .seconds(Double.random(in: 0...15, using: &random)))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bench.send(.outage(Bool.random(using: &random)))
        case 1: bench.send(.diagnostics(.authorizationDenied))
        case 2: bench.send(.diagnostics([]))
        case 3: bench.send(.still(Bool.random(using: &random)))
        default: bench.fix()
        }
      }
      var (lastDelivery, isExplained) = (Instant.start, false)
      for (at, update) in bench.outputs {
        #expect(isExplained || at.seconds(since: lastDelivery) <= 10, "seed \(seed)")
        (lastDelivery, isExplained) = (at, !update.diagnostics.isEmpty || update.stationary)
      }
      #expect(isExplained || bench.now.uptime.seconds(since: lastDelivery) <= 10, "seed \(seed)")
    }
  }

  @Test("LIVE-19: says a condition once, and no longer when it is gone")
  mutating func oncePerChange() {
    open()
    for _ in 0..<3 { bench.send(.diagnostics(.authorizationDenied)) }
    bench.send(.diagnostics([.authorizationDenied, .authorizationDeniedGlobally]))
    bench.send(.diagnostics(.authorizationDenied))
    bench.send(.diagnostics([]))
    bench.fix(east: 1)
    #expect(
      bench.transcript == """
        00:00:00  no location authorizationDenied
        00:00:00  no location authorizationDenied authorizationDeniedGlobally
        00:00:00  no location authorizationDenied
        00:00:00  1 m
        """)
  }

  @Test("LIVE-3, LIVE-10, LIVE-21: goes on through denial, and begins again with the grant")
  mutating func granted() {
    open(.authorizationDenied)
    bench.run(for: .seconds(3600))
    bench.fix(east: 1)
    bench.send(.diagnostics([]))
    bench.fix(east: 2)
    #expect(bench.transcript == "01:00:00  2 m")
    #expect(bench.machine.demand.position?.tier == .satellite)
  }

  @Test("LIVE-25: says that the position is lost when it is lost while still")
  mutating func lostWhileStill() {
    open()
    bench.fix(east: 1)
    bench.send(.still(true))
    bench.run(for: .seconds(600))
    bench.send(.outage(true))
    #expect(
      bench.transcript == """
        00:00:00  1 m
        00:00:00  1 m stationary
        00:10:00  no location locationUnavailable
        """)
  }

  @Test("LIVE-27: gives one normal update before a stationary one")
  mutating func alreadyStill() {
    open()
    bench.send(.still(true))
    #expect(bench.transcript.isEmpty)
    bench.fix(east: 1)
    bench.send(.still(true))
    #expect(bench.transcript == "00:00:00  1 m\n00:00:00  1 m stationary")
    bench.send(.still(false))
    bench.fix(east: 9)
    #expect(bench.transcript.hasSuffix("stationary\n00:00:00  9 m"))
  }
}
