import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("The region of the computer")
struct LastResortTests {
  private var bench = EngineBench(providers: 2)

  private static let country = Coordinate(latitude: 51, longitude: 10)

  private mutating func region(
    at place: Coordinate = country, radius: Double = 300_000, from provider: Int = 1
  ) {
    let fix = Fix(
      coordinate: place, horizontalAccuracy: radius, time: bench.now.unixTime,
      origin: Fix.Origin(method: .region))
    bench.send(.fix(fix, from: ProviderID(provider)))
  }

  private var fixes: [Fix] {
    bench.deliveries.flatMap { delivery -> [Fix] in
      guard case .updates(_, .fixes(let fixes)) = delivery else { return [] }
      return fixes
    }
  }

  private var failures: Int {
    bench.deliveries.count { if case .updates(_, .failed) = $0 { true } else { false } }
  }

  @Test("RADIO-40: is given to a request that accepts any position, when no source has one")
  mutating func lastResort() throws {
    region()
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 8)
    #expect(fixes.isEmpty)
    bench.run(seconds: 2)
    let fix = try #require(fixes.first)
    #expect(fix.coordinate == Self.country && fix.horizontalAccuracy == 300_000)
    #expect(fix.time > bench.now.unixTime - .seconds(3))
    #expect(failures == 0)
    bench.run(seconds: 600)
    #expect(fixes.count == 1)
  }

  @Test("RADIO-40: answers a single request that accepts any position")
  mutating func once() throws {
    region()
    bench.request(
      .updates(EngineBench.manager, .once(UpdateOptions(accuracy: .meters(3000)))))
    bench.run(seconds: 30)
    #expect(fixes.map(\.coordinate) == [Self.country])
    #expect(failures == 0)
  }

  @Test("RADIO-40: comes to a request that waits when the region is learned")
  mutating func later() {
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 20)
    #expect(fixes.isEmpty && failures == 1)
    region()
    #expect(fixes.count == 1)
  }

  private static let city = Coordinate(latitude: 52, longitude: 13)

  @Test(
    "RADIO-63: of two the smaller one is given, in whatever order they come", arguments: [0, 1])
  mutating func smaller(first: Int) {
    for provider in [first, 1 - first] {
      let isCity = provider == 0
      region(
        at: isCity ? Self.city : Self.country, radius: isCity ? 20_000 : 300_000, from: provider)
    }
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 10)
    #expect(fixes.map(\.coordinate) == [Self.city])
  }

  @Test("RADIO-63: of two of one size that of the first source is given", arguments: [0, 1])
  mutating func alike(first: Int) {
    for provider in [first, 1 - first] {
      region(at: provider == 0 ? Self.city : Self.country, from: provider)
    }
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 10)
    #expect(fixes.map(\.coordinate) == [Self.city])
  }

  @Test(
    "RADIO-63: when a source gives none any more, the other one's stays",
    arguments: [ProviderStatus.unavailable(.noPositions), .unavailable(.missing("a modem")), .idle])
  mutating func loss(status: ProviderStatus) {
    region(at: Self.city, radius: 20_000, from: 0)
    region(from: 1)
    bench.send(.provider(ProviderID(0), status))
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 10)
    #expect(fixes.map(\.coordinate) == [Self.country])
    bench.send(.provider(ProviderID(1), status))
    bench.request(.updates(EngineBench.manager, .stop))
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 20)
    #expect(fixes.count == 1)
  }

  @Test("RADIO-63: a source that moves gives its last region, also where that is larger")
  mutating func moved() {
    region(from: 1)
    region(at: Self.city, radius: 20_000, from: 0)
    region(at: Coordinate(latitude: 40, longitude: -3), radius: 500_000, from: 0)
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 10)
    #expect(fixes.map(\.coordinate) == [Self.country])
  }

  @Test("RADIO-41: is given to no request for a better position")
  mutating func precise() {
    region()
    bench.start(accuracy: .meters(100))
    bench.run(seconds: 60)
    #expect(fixes.isEmpty && failures == 1)
  }

  @Test("RADIO-41: gives way to a position at once, and never displaces one")
  mutating func position() {
    region()
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 10)
    bench.fix()
    #expect(fixes.last?.horizontalAccuracy == 5)
    bench.run(seconds: 3600)
    region(at: Coordinate(latitude: 0, longitude: 0))
    #expect(bench.bench.machine.current?.horizontalAccuracy == 5)
    #expect(fixes.last?.horizontalAccuracy == 5)
  }

  @Test("RADIO-41: decides no condition, visit, or significant change, and is not stored")
  mutating func decisions() {
    let circle = Circle(center: Self.country, radius: 1000)
    let description = RegionDescription(
      identifier: "country", target: .circle(circle), notices: RegionNotices())
    bench.request(.region(EngineBench.manager, .start(description)))
    bench.request(.significantChanges(SubscriberID(2), on: true))
    bench.request(.visits(on: true, by: SubscriberID(3)))
    for _ in 0..<200 {
      region(radius: 1)
      bench.run(seconds: 10)
    }
    let decided = bench.deliveries.contains { delivery in
      switch delivery {
      case .region(_, _, .determined(.satisfied)), .region(_, _, .determined(.unsatisfied)),
        .updates(_, .fixes), .pending:
        true
      default: false
      }
    }
    #expect(!decided)
    #expect(bench.bench.machine.current == nil)
    #expect(!bench.stored.contains { $0.key == LastPosition.key })
  }

  @Test("RADIO-41: rejects a region without a place or a radius")
  mutating func damage() {
    region(at: Coordinate(latitude: 91, longitude: 0))
    region(radius: .infinity)
    region(radius: -1)
    bench.start(accuracy: .meters(3000))
    bench.run(seconds: 60)
    #expect(fixes.isEmpty && failures == 1)
  }
}
