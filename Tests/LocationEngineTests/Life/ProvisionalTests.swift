import LocationEngine
import LocationModel
import Testing

@Suite("An app that reads Always, though the person was asked once only")
struct ProvisionalTests {
  private static let region = RegionDescription(
    identifier: "home", target: .circle(Circle(center: EngineBench.home, radius: 200)),
    notices: RegionNotices())
  private static let upgrade = "asks upgrade"

  /// At home and in front, with what these requests ask for.
  private func bench(_ requests: [Request]) throws -> EngineBench {
    var bench = EngineBench(.ask)
    bench.request(.authorization(.request(.always, by: EngineBench.manager)))
    try bench.answer(.whileUsing)
    bench.request(.authorization(.observe(EngineBench.manager)))
    for request in requests { bench.request(request) }
    bench.fixes(400)
    return bench
  }

  /// Where the app is when it happens.
  enum Place: CaseIterable { case background, suspended, dead }

  private func leave(_ bench: inout EngineBench, to place: Place) {
    switch place {
    case .background: bench.live(.background)
    case .suspended: bench.live(.suspended)
    case .dead: bench.end()
    }
    bench.run(seconds: 10)
    _ = bench.heard()
  }

  @Test("AUTH-37: in use by a background session it hears as when in use, suspended or ended, too")
  func activity() throws {
    for place in Place.allCases {
      var bench = try bench([
        .region(EngineBench.manager, .start(Self.region)),
        .significantChanges(EngineBench.manager, on: true),
        .session(SubscriberID(2), .openBackgroundActivity),
      ])
      leave(&bench, to: place)
      bench.fixes(120, by: 10)
      let heard = bench.heard()
      #expect(heard.contains("left home") == (place == .background))
      #expect(!heard.contains(Self.upgrade))
    }
  }
}
