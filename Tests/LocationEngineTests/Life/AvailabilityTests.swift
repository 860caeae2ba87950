import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("Without a source of positions")
struct AvailabilityTests {
  private static let circle = Circle(center: EngineBench.home, radius: 100)
  private static let failure = ["failed positionUnknown"]

  /// A bench without sources, and one with a source that is a compass alone.
  private static var blind: [EngineBench] {
    var bench = EngineBench(providers: 1)
    bench.send(.provider(ProviderID(0), .unavailable(.noPositions)))
    return [EngineBench(providers: 0), bench]
  }

  @Test("AVAIL-3: the equipment is without positions; a source that gives nothing now counts")
  func equipment() {
    for bench in Self.blind { #expect(!bench.state.equipment.hasPositions) }
    var bench = EngineBench()
    #expect(bench.state.equipment.hasPositions)
    bench.send(.provider(ProviderID(0), .unavailable(.missing("no receiver"))))
    #expect(bench.state.equipment.hasPositions)
  }

  @Test("AVAIL-4: significant changes and visits fail once, when they begin")
  func changes() {
    for var bench in Self.blind {
      _ = bench.received()
      bench.request(.significantChanges(EngineBench.manager, on: true))
      #expect(bench.received() == Self.failure)
      bench.request(.visits(on: true, by: EngineBench.manager))
      #expect(bench.received() == Self.failure)
      bench.run(seconds: 3600)
      #expect(bench.received().isEmpty)
    }
  }

  @Test("AVAIL-4: significant changes and visits fail with the source, not while it searches")
  func outage() {
    var bench = EngineBench()
    _ = bench.received()
    bench.request(.significantChanges(EngineBench.manager, on: true))
    bench.request(.visits(on: true, by: EngineBench.manager))
    bench.send(.provider(ProviderID(0), .searching))
    bench.run(seconds: 20)
    #expect(bench.received().isEmpty)
    bench.send(.provider(ProviderID(0), .unavailable(.noDevice)))
    bench.request(.visits(on: false, by: EngineBench.manager))
    bench.request(.visits(on: true, by: EngineBench.manager))
    #expect(bench.received().contains("failed positionUnknown"))
  }

  @Test("STD-33: updates fail with network, but not while another source may give a position")
  func network() {
    var bench = EngineBench()
    bench.start()
    _ = bench.received()
    bench.send(.provider(ProviderID(0), .unavailable(.noNetwork("connect"))))
    #expect(bench.received() == ["failed network"])
    var pair = EngineBench(providers: 2)
    pair.start()
    _ = pair.received()
    pair.send(.provider(ProviderID(1), .searching))
    pair.send(.provider(ProviderID(0), .unavailable(.noNetwork("connect"))))
    #expect(pair.received() == [])
    pair.send(.provider(ProviderID(1), .unavailable(.noDevice)))
    #expect(pair.received() == ["failed network"])
  }

  @Test("AVAIL-4, REG-5: regions fail, and are not registered")
  func regions() {
    for var bench in Self.blind {
      let region = RegionDescription(
        identifier: "home", target: .circle(Self.circle), notices: RegionNotices())
      bench.request(.region(EngineBench.manager, .start(region)))
      #expect(
        bench.deliveries.last == .region(EngineBench.manager, region, .failed(.unavailable)))
      #expect(bench.state.regions.isEmpty)
    }
  }

  @Test("AVAIL-4, MON-20: circular conditions are not supported, and are kept")
  func conditions() {
    for var bench in Self.blind {
      let monitor = SubscriberID(2)
      bench.request(.monitor(monitor, .open(name: "places")))
      bench.request(
        .monitor(
          monitor, .add(identifier: "home", .circle(Self.circle), assuming: .unknown)))
      bench.request(.monitor(monitor, .next(after: .none)))
      let events = bench.deliveries.compactMap { delivery -> ConditionEvent? in
        if case .monitor(_, .event(_, let event)) = delivery { event } else { nil }
      }
      #expect(events.map(\.state) == [.unmonitored])
      #expect(events.first?.diagnostics.contains(.conditionUnsupported) == true)

      var later = EngineBench(stored: bench.stored)
      later.request(.monitor(monitor, .open(name: "places")))
      later.request(.monitor(monitor, .next(after: .none)))
      later.fixes(30)
      let last = later.deliveries.compactMap { delivery -> ConditionEvent? in
        if case .monitor(_, .event(_, let event)) = delivery { event } else { nil }
      }
      #expect(last.last?.state == .satisfied)
    }
  }

  @Test("VISIT-14: visits of an app that is denied fail with just that")
  func denied() {
    var bench = EngineBench(.never, providers: 0)
    _ = bench.received()
    bench.request(.visits(on: true, by: EngineBench.manager))
    #expect(bench.received() == ["failed denied"])
  }
}
