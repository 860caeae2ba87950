import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

/// Events of regions and visits on their way to an app, and crashes in between.
@Suite("A pending event")
struct PendingEventsTests {
  private static let observe = Request.authorization(.observe(EngineBench.manager))

  /// An Always app at home that has a region there, and has learned of the state.
  private func atHome(startingAt moment: Moment = EngineBench.beginning) -> EngineBench {
    var bench = EngineBench(.always, startingAt: moment)
    let region = RegionDescription(
      identifier: "home", target: .circle(Circle(center: EngineBench.home, radius: 200)),
      notices: RegionNotices())
    bench.request(.region(EngineBench.manager, .start(region)))
    bench.fixes(100)
    return bench
  }

  private func left(startingAt moment: Moment = EngineBench.beginning) -> EngineBench {
    var bench = atHome(startingAt: moment)
    bench.fixes(120, from: 0, by: 10)
    return bench
  }

  /// What an engine that begins with this state tells an app that has a manager at once.
  private func received(by app: EngineBench) -> [String] {
    var later = EngineBench(stored: app.stored)
    _ = later.received()
    later.request(Self.observe)
    return later.received().filter { $0.contains("home") }
  }

  @Test("LIFE-9: is delivered again by each later engine, until the app has acknowledged it")
  func laterEngines() throws {
    var bench = left()
    #expect(bench.received().filter { $0.contains("home") } == ["left home"])
    #expect(received(by: bench) == ["left home"])
    bench.request(.acknowledge(try #require(bench.pending.last)))
    #expect(received(by: bench) == [])
  }

  @Test(
    "LIFE-1: launches an app that has crashed before it acknowledged it, and is delivered again")
  func crash() {
    var bench = left()
    bench.end()
    _ = bench.received()
    bench.run(seconds: 10)
    bench.fix(east: 1190)
    #expect(bench.received() == ["launched"])
    bench.connect(.background)
    bench.request(Self.observe)
    #expect(bench.received().filter { $0.contains("home") } == ["left home"])
  }

  @Test("VISIT-8: tells an app that was launched every visit that came meanwhile, in their order")
  func visitsTogether() throws {
    var bench = EngineBench(.always)
    bench.request(.visits(on: true))
    bench.end()
    bench.fixes(400)
    bench.fixes(120, from: 0, by: 10)
    bench.fixes(400, from: 1190)
    #expect(bench.received().filter { $0 == "launched" }.isEmpty == false)
    bench.connect(.background)
    bench.request(.visits(on: true))
    #expect(bench.received() == ["arrived", "left", "arrived"])
    #expect(bench.pending == bench.pending.sorted() && Set(bench.pending).count == 3)
  }

  @Test("is delivered once to a process, however many managers it makes")
  func managers() {
    var bench = left()
    _ = bench.received()
    bench.request(Self.observe)
    bench.request(.authorization(.observe(SubscriberID(2))))
    #expect(bench.received().filter { $0.contains("home") } == [])
  }

  @Test("keeps its place among those that follow: what is taken is all up to one")
  func order() {
    var bench = left()
    bench.fixes(150, from: 1190, by: -10)
    let numbers = bench.pending
    #expect(numbers.count == 2 && numbers == numbers.sorted())
    bench.request(.acknowledge(numbers[0]))
    #expect(received(by: bench) == ["entered home"])
  }

  @Test("REG-24, REG-25: a state without an entry or exit waits until the app runs by itself")
  func stateAlone() {
    var bench = EngineBench(.always)
    let region = RegionDescription(
      identifier: "home", target: .circle(Circle(center: EngineBench.home, radius: 200)),
      notices: RegionNotices(onEntry: true, onExit: false))
    bench.request(.region(EngineBench.manager, .start(region)))
    bench.fixes(100)
    bench.live(.suspended)
    bench.fixes(120, from: 0, by: 10)
    #expect(bench.states == [.satisfied])
    bench.live(.background)
    #expect(bench.states == [.satisfied, .unsatisfied])
    bench.live(.suspended)
    bench.fixes(150, from: 1190, by: -10)
    bench.live(.background)
    #expect(bench.received().filter { $0.contains("home") } == ["entered home"])
    #expect(bench.states == [.satisfied, .unsatisfied], "an entry says the state itself")
  }

  @Test("has a number above all before, also after the pending events were erased")
  func numbers() throws {
    let bench = left()
    let first = try #require(bench.pending.last)
    var later = EngineBench(stored: bench.stored.filter { $0.key.domain != "owed" })
    later.request(Self.observe)
    later.fixes(400, from: 1190)
    later.fixes(150, from: 1190, by: -10)
    #expect(try #require(later.pending.last) > first)
  }

  @Test("has a number above all before, also when all was erased and the clock set back")
  func numbersByAnyClock() throws {
    let bench = left()
    let first = try #require(bench.pending.last)
    let dayBefore = bench.now.unixTime - .seconds(86_400)
    let later = left(startingAt: Moment(uptime: bench.now.uptime, unixTime: dayBefore))
    #expect(try #require(later.pending.last) > first)
  }

  @Test("LIFE-9: waits for an app that may be on its way back to an engine that has just started")
  func returning() {
    var bench = EngineBench(.always)
    bench.request(.visits(on: true))
    bench.fixes(400)
    #expect(bench.received().contains("arrived"))
    var engine = LocationEngine(providers: 1, secret: SecretKey(seed: 7))
    var now = Moment(uptime: .start, unixTime: bench.now.unixTime)
    for input in [LocationEngine.Input.launchable([]), .stored(bench.stored)] {
      _ = engine.handle(input, at: now)
    }
    // Two minutes of a receiver's dates, in three seconds.
    for _ in 0..<30 {
      now = Moment(uptime: now.uptime + .milliseconds(100), unixTime: now.unixTime + .seconds(4))
      _ = engine.handle(.fix(UpdatesBench.fix(east: 700, at: now), from: ProviderID(0)), at: now)
    }
    let description = ClientDescription(app: EngineBench.app, manifest: EngineBench.manifest)
    _ = engine.handle(.client(ClientID(1), .connected(description)), at: now)
    let delivered = engine.handle(.client(ClientID(1), .request(.visits(on: true))), at: now)
    #expect(
      delivered.contains { output in
        guard case .deliver(_, .pending(_, .visit(let visit))) = output else { return false }
        return visit.arrival != nil && visit.departure != nil
      })
  }

  @Test("AUTH-8: is delivered to nobody once the app may not know exactly where the device is")
  func denied() {
    var bench = left()
    bench.send(.setting(.authorization(EngineBench.app, .never)))
    bench.send(.setting(.authorization(EngineBench.app, .always)))
    #expect(received(by: bench) == [])
  }
}

extension EngineBench {
  /// The states of regions that were delivered alone.
  fileprivate var states: [ConditionState] {
    bench.outputs.compactMap { entry in
      guard case .deliver(_, .region(_, _, .determined(let state))) = entry.output else {
        return nil
      }
      return state
    }
  }
}
