import LocationEngine
import LocationModel
import Testing

@Suite("An app that reads Always, though the person was asked once only")
struct ProvisionalTests {
  private static let region = RegionDescription(
    identifier: "home", target: .circle(Circle(center: EngineBench.home, radius: 200)),
    notices: RegionNotices())
  private static let loop = SubscriberID(3)
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
    bench.live(.background)
    bench.run(seconds: 10)
    switch place {
    case .background: break
    case .suspended: bench.live(.suspended)
    case .dead: bench.end()
    }
    _ = bench.received()
  }

  @Test(
    "AUTH-37: in use by a background session it receives as when in use, suspended or ended, too")
  func activity() throws {
    for place in Place.allCases {
      var bench = try bench([
        .region(EngineBench.manager, .start(Self.region)),
        .significantChanges(EngineBench.manager, on: true),
        .session(SubscriberID(2), .openBackgroundActivity),
      ])
      leave(&bench, to: place)
      bench.fixes(120, by: 10)
      let received = bench.received()
      #expect(received.contains("left home") == (place == .background))
      #expect(!received.contains(Self.upgrade))
    }
  }

  @Test(
    "AUTH-32, AUTH-33: out of use, a region asks about Always, and is delivered after a yes",
    arguments: Place.allCases)
  func region(_ place: Place) throws {
    var bench = try bench([.region(EngineBench.manager, .start(Self.region))])
    leave(&bench, to: place)
    bench.fixes(120, by: 10)
    #expect(bench.received() == [Self.upgrade])
    try bench.answer(.always)
    if place == .suspended { bench.live(.background) }
    let found = bench.received()
    #expect(
      found
        == [
          .background: ["left home"], .suspended: ["woken", "left home"], .dead: ["launched"],
        ][place])
  }

  @Test("AUTH-35: the answer that keeps it while using drops the event")
  func kept() throws {
    var bench = try bench([.region(EngineBench.manager, .start(Self.region))])
    leave(&bench, to: .background)
    bench.fixes(120, by: 10)
    try bench.answer(.keepWhileUsing)
    bench.live(.foreground)
    #expect(!bench.received().contains("left home"))
  }

  @Test("REG-24: a state found out of use is no event that asks")
  func determined() throws {
    var bench = try bench([])
    leave(&bench, to: .background)
    bench.request(.region(EngineBench.manager, .start(Self.region)))
    bench.fixes(100)
    #expect(bench.received() == [])
  }

  @Test(
    "AUTH-32, AUTH-33: out of use, a visit asks about Always, and is delivered after a yes",
    arguments: Place.allCases)
  func visit(_ place: Place) throws {
    var bench = try bench([.visits(on: true)])
    leave(&bench, to: place)
    bench.fixes(60, by: 20)
    bench.fixes(140, from: 1200)
    #expect(bench.received() == [Self.upgrade])
    try bench.answer(.always)
    if place == .suspended { bench.live(.background) }
    let found = bench.received()
    #expect(
      found == [.background: ["left"], .suspended: ["woken", "left"], .dead: ["launched"]][place])
  }

  @Test(
    "AUTH-32, AUTH-33: out of use, a significant change asks about Always, and is delivered after a yes",
    arguments: Place.allCases)
  func change(_ place: Place) throws {
    var bench = try bench([.significantChanges(EngineBench.manager, on: true)])
    leave(&bench, to: place)
    bench.fix(east: 700)
    #expect(bench.received() == [Self.upgrade])
    try bench.answer(.always)
    if place == .suspended { bench.live(.background) }
    let found = bench.received()
    #expect(
      found
        == [.background: ["700 m"], .suspended: ["woken", "700 m"], .dead: ["launched"]][place])
  }

  @Test("AUTH-33: a change that waits for the answer is not lost with its process")
  func changeOfEndedProcess() throws {
    var bench = try bench([.significantChanges(EngineBench.manager, on: true)])
    leave(&bench, to: .background)
    bench.fix(east: 700)
    bench.end()
    _ = bench.received()
    try bench.answer(.always)
    #expect(bench.received() == ["launched"])
  }

  @Test(
    "AUTH-33, MON-39: out of use, an event of a monitor asks about Always, and waits",
    arguments: Place.allCases)
  func monitor(_ place: Place) throws {
    let circle = ConditionTarget.circle(Circle(center: EngineBench.home, radius: 200))
    var bench = try bench([
      .monitor(Self.loop, .open(name: "house")),
      .monitor(Self.loop, .add(identifier: "home", circle, assuming: .satisfied)),
      .monitor(Self.loop, .next(after: .none)),
    ])
    leave(&bench, to: place)
    bench.fixes(120, by: 10)
    #expect(bench.received() == [Self.upgrade])
  }
}
