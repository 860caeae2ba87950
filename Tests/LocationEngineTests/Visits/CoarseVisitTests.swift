import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("Visits of an app with reduced accuracy")
struct CoarseVisitTests {
  @Test(
    "VISIT-13: are delivered in time, with the coarse place of the visit, not the one before it")
  func place() throws {
    var bench = EngineBench(.always)
    bench.request(.visits(on: true))
    bench.send(.setting(.precise(EngineBench.app, false)))
    // Past the turn of the first quarter of an hour.
    bench.run(seconds: 400)
    bench.fix()
    let before = try #require(bench.state.lastFix)
    bench.fixes(300, from: 60_000)
    let visit = try #require(bench.visits.first)
    #expect(bench.state.lastFix?.coordinate == before.coordinate, "the next turn has not come")
    let place = EngineBench.home.moved(by: 60_000, towards: 90)
    #expect(visit.coordinate.distance(to: place) < 10_000)
    #expect(visit.coordinate.distance(to: place) > 100)
    #expect(visit.horizontalAccuracy == CoarseLocator.accuracy)
  }
}

extension EngineBench {
  fileprivate var visits: [Visit] {
    bench.outputs.compactMap { entry in
      guard case .deliver(_, .pending(_, .visit(let visit))) = entry.output else { return nil }
      return visit
    }
  }
}
