import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The log of delivered events")
struct EventLogTests {
  private let app = AppIdentity("an.app")
  private let month = Duration.seconds(30 * 86_400)

  private func event(_ identifier: String, _ state: String, at seconds: Double) -> DeliveredEvent {
    let time = UnixTime(seconds: seconds)
    let crossing = CrossingEvidence(
      firstFix: time, lastFix: time, fixes: 3, probability: 0.97, crossed: time, decided: time,
      distance: -12.5, spread: 5)
    return DeliveredEvent(.condition, identifier, state, since: time, .crossing(crossing))
  }

  /// The records that are stored.
  private func records(in bench: Bench<EventLog>) -> [StateEntry] {
    bench.stored.filter { $0.key.domain == "event" }
  }

  @Test("counts them from 1, across a restart, with all of their evidence")
  func restart() {
    var bench = Bench(EventLog(keeping: month))
    let stay = StayEvidence(
      firstFix: UnixTime(seconds: 1), lastFix: UnixTime(seconds: 2), fixes: 9, scatter: 4.5,
      place: .newAfterRide, dwellSeconds: 300, decided: UnixTime(seconds: 3))
    bench.send(.delivered(app, event("home", "satisfied", at: 5)))
    bench.send(
      .delivered(app, DeliveredEvent(.visit, nil, "arrived", since: stay.firstFix, .stay(stay))))
    bench.send(
      .delivered(AppIdentity("other"), DeliveredEvent(.region, "b", "entered", since: stay.lastFix))
    )
    var next = Bench(EventLog(keeping: month), startingAt: bench.now.unixTime)
    next.send(.stored(bench.stored))
    #expect(next.machine.records == bench.machine.records)
    next.send(.delivered(app, event("home", "unsatisfied", at: 9)))
    #expect(next.machine.records.map(\.number) == [1, 2, 3, 4])
  }

  @Test("has one record of an event for several processes, and of one delivered again")
  func once() {
    var bench = Bench(EventLog(keeping: month))
    for _ in 0..<2 { bench.send(.delivered(app, event("home", "satisfied", at: 5))) }
    bench.send(.delivered(app, event("work", "unsatisfied", at: 5)))
    bench.run(for: .seconds(60))
    bench.send(.delivered(app, event("home", "satisfied", at: 5)))
    bench.send(.delivered(app, event("home", "unsatisfied", at: 60)))
    #expect(bench.machine.records.map(\.event.name) == ["home", "work", "home"])
  }

  @Test("has one record of a pending event that is delivered again later, though it has no date")
  func pending() {
    func entered(_ seconds: Double) -> DeliveredEvent {
      DeliveredEvent(.region, "home", "entered", since: UnixTime(seconds: seconds))
    }
    var bench = Bench(EventLog(keeping: month))
    bench.send(.delivered(app, entered(5), pending: EventNumber(rawValue: 7)))
    var next = Bench(EventLog(keeping: month), startingAt: bench.now.unixTime)
    next.send(.stored(bench.stored))
    next.send(.delivered(app, entered(60), pending: EventNumber(rawValue: 7)))
    #expect(next.machine.records.map(\.event) == [entered(5)])
    next.send(.delivered(app, entered(90), pending: EventNumber(rawValue: 8)))
    #expect(next.machine.records.map(\.event) == [entered(5), entered(90)])
  }

  @Test("border 12: keeps the newest hundred of an app, in memory and on disk")
  func bound() {
    var bench = Bench(EventLog(keeping: month))
    bench.send(.delivered(AppIdentity("other"), event("home", "satisfied", at: 0)))
    for number in 1...150 {
      bench.send(.delivered(app, event("home", "satisfied", at: Double(number))))
    }
    #expect(bench.machine.records.count == EventLog.most + 1)
    #expect(records(in: bench).count == EventLog.most + 1)
    #expect(bench.machine.records.last?.number == 151)
  }

  @Test("keeps an event no longer than its term, also across a restart")
  func expiry() {
    var bench = Bench(EventLog(keeping: .seconds(3600)))
    bench.send(.delivered(app, event("home", "satisfied", at: 0)))
    bench.run(for: .seconds(3599))
    #expect(records(in: bench).count == 1)
    var next = Bench(
      EventLog(keeping: .seconds(3600)), startingAt: bench.now.unixTime + .seconds(1))
    next.send(.stored(bench.stored))
    #expect(next.machine.records.isEmpty && next.outputs.count == 1)
    bench.run(for: .seconds(1))
    #expect(records(in: bench).isEmpty && bench.machine.nextDeadline == nil)
  }

  @Test("goes on counting when all were kept long enough, also across a restart")
  func numbers() {
    var bench = Bench(EventLog(keeping: .seconds(3600)))
    for number in 1...3 {
      bench.send(.delivered(app, event("home", "satisfied", at: Double(number))))
    }
    bench.run(for: .seconds(7200))
    #expect(bench.machine.records.isEmpty)
    var next = Bench(EventLog(keeping: .seconds(3600)), startingAt: bench.now.unixTime)
    next.send(.stored(bench.stored))
    for bench in [bench, next] {
      var bench = bench
      bench.send(.delivered(app, event("home", "satisfied", at: 9000)))
      #expect(bench.machine.records.map(\.number) == [4])
    }
  }

  @Test("takes crossings, and leaves states and positions")
  func deliveries() {
    let region = RegionDescription(
      identifier: "r", target: .unsupported,
      notices: RegionNotices(onEntry: true, onExit: true, onDisplay: false))
    let now = UnixTime(seconds: 7)
    let entered = DeliveredEvent(.pending(.none, .region(region, .entered(nil))), at: now)
    #expect(entered == DeliveredEvent(.region, "r", "entered", since: now))
    #expect(DeliveredEvent(.region(nil, region, .determined(.satisfied)), at: now) == nil)
    #expect(DeliveredEvent(.state(ClientState()), at: now) == nil)
    var visit = Visit(
      arrival: UnixTime(seconds: 1), coordinate: Coordinate(latitude: 1, longitude: 2),
      horizontalAccuracy: 30)
    #expect(DeliveredEvent(.pending(.none, .visit(visit)), at: now)?.state == "arrived")
    visit.departure = UnixTime(seconds: 5)
    let left = DeliveredEvent(.pending(.none, .visit(visit)), at: now)
    #expect(left?.state == "departed" && left?.date == UnixTime(seconds: 5))
  }
}
