import LocationEngine
import LocationModel
import Testing

@Suite("The pace of coarse places")
struct CoarsePaceTests {
  enum Way: CaseIterable {
    case manager, wish, loop, changes

    var request: Request {
      let subscriber = SubscriberID(1)
      switch self {
      case .manager: return .updates(subscriber, .start(UpdateOptions()))
      case .wish: return .updates(subscriber, .start(UpdateOptions(accuracy: .reduced)))
      case .loop: return .live(subscriber, .start(LiveOptions()))
      case .changes: return .significantChanges(subscriber, on: true)
      }
    }
  }

  @Test(
    "AUTH-41, AUTH-42, POW-7: the first is found at once, then a receiver works four times an hour",
    arguments: Way.allCases)
  func pace(way: Way) throws {
    var bench = EngineBench(.whileUsing)
    if way != .wish { bench.send(.setting(.precise(EngineBench.app, false))) }
    bench.request(way.request)
    var fixes: [Instant] = []
    for second in 0..<(4 * 3600) {
      let demand = try #require(bench.demand.position, "after \(second) s")
      #expect(demand.tier == .cell)
      guard fixes.last.map({ bench.now.uptime - $0 >= demand.interval }) ?? true else {
        bench.run(seconds: 1)
        continue
      }
      fixes.append(bench.now.uptime)
      bench.fix(east: 25 * Double(second), radius: 100)
      if let place = bench.state.lastFix, way != .wish {
        #expect(bench.now.unixTime.seconds(since: place.time) < 1202)
      }
    }
    let received = bench.received()
    #expect((15...18).contains(fixes.count))
    #expect(received.count { $0.contains(" m") } >= 12)
    #expect(!received.contains { $0.contains("positionUnknown") || $0.contains("Unavailable") })
  }
}
