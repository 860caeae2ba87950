import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("An app that is suspended, and that nobody wakes")
struct SleepingAppTests {
  private static let live = SubscriberID(2)

  /// A suspended app whose live updates would wake it.
  private func bench() -> EngineBench {
    var bench = EngineBench(.always)
    bench.request(.session(SubscriberID(3), .open(.always, purposeKey: nil)))
    bench.request(.live(Self.live, .start(LiveOptions())))
    bench.fixes(3, by: 10)
    bench.live(.suspended)
    _ = bench.received()
    return bench
  }

  @Test("LIVE-38: gets no delivery before it runs, and is to be woken for each")
  func nothing() {
    var bench = bench()
    bench.fixes(3, from: 30, by: 10)
    #expect(bench.received() == ["woken", "woken", "woken"])
    bench.live(.background)
    #expect(bench.received().count { $0.hasPrefix("live") } == 3)
  }

  @Test("border 12, LIVE-30: then gets the newest 64 locations, and no element with news is lost")
  func bounded() {
    var bench = bench()
    bench.fixes(200, from: 30, by: 10)
    bench.send(.setting(.precise(EngineBench.app, false)))
    bench.send(.setting(.precise(EngineBench.app, true)))
    bench.fixes(200, from: 2030, by: 10)
    _ = bench.received()
    let before = bench.deliveries.count
    bench.live(.background)
    let updates = bench.deliveries[before...].compactMap { delivery -> LiveUpdate? in
      if case .live(Self.live, let update) = delivery { update } else { nil }
    }
    #expect(updates.count { $0.fix != nil } <= Bounds.waitingLive + 4)
    #expect(updates.count >= Bounds.waitingLive)
    #expect(updates.contains { $0.diagnostics.contains(.accuracyLimited) })
    let news = updates.compactMap(\.fix?.time)
    #expect(news == news.sorted())
  }

  @Test("LIFE-5: gets a crossing once, when it runs")
  func crossing() {
    var bench = EngineBench(.always)
    let region = RegionDescription(
      identifier: "home", target: .circle(Circle(center: EngineBench.home, radius: 100)),
      notices: RegionNotices())
    bench.request(.authorization(.observe(EngineBench.manager)))
    bench.request(.region(EngineBench.manager, .start(region)))
    bench.fixes(30)
    bench.live(.suspended)
    _ = bench.received()
    bench.fixes(120, by: 10)
    #expect(bench.received().filter { $0 != "time is over" } == ["woken"])
    #expect(bench.pending.isEmpty)
    bench.live(.background)
    #expect(bench.pending.count == 1)
    bench.live(.foreground)
    #expect(bench.pending.count == 1)
  }

  @Test("MODEL-2: that only reports to be suspended, and is seen to run, gets its events")
  func reported() {
    var bench = EngineBench(.always)
    bench.request(.significantChanges(EngineBench.manager, on: true))
    bench.fix()
    bench.run(seconds: 400)
    bench.request(.life(.suspended))
    _ = bench.received()
    bench.fix(east: 700)
    #expect(bench.received() == ["woken"])
    bench.live(.background)
    #expect(bench.received() == ["700 m"])
  }
}
