import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The access log")
struct AccessLogTests {
  private let app = AppIdentity("an.app")
  private let month = Duration.seconds(30 * 86_400)

  @Test("has one record for a stretch, stored when it begins and then once a minute")
  func stretch() {
    var bench = Bench(AccessLog(keeping: month))
    for _ in 0..<180 {
      bench.send(.delivered(app, .live, 1))
      bench.run(for: .seconds(1))
    }
    #expect(bench.machine.accesses.map(\.count) == [180])
    #expect(bench.outputs.count == 3)
    bench.run(for: .seconds(60))
    #expect(bench.outputs.count == 4)
    // Nothing is left to do but to forget.
    #expect(bench.machine.nextDeadline.map { $0 > bench.now.uptime + .seconds(86_400) } == true)
  }

  @Test("begins a new record after ten minutes, and one for each service")
  func pauses() {
    var bench = Bench(AccessLog(keeping: month))
    bench.send(.delivered(app, .live, 1))
    bench.send(.delivered(app, .updates, 3))
    bench.run(for: .seconds(599))
    bench.send(.delivered(app, .live, 1))
    bench.run(for: .seconds(600))
    bench.send(.delivered(app, .live, 1))
    #expect(bench.machine.accesses.map(\.service) == [.live, .updates, .live])
    #expect(bench.machine.accesses.map(\.count) == [2, 3, 1])
  }

  @Test("is read back as it was stored, and goes on")
  func restart() {
    var bench = Bench(AccessLog(keeping: month))
    bench.send(.delivered(app, .live, 1))
    bench.run(for: .seconds(1))
    bench.send(.delivered(app, .live, 1))
    bench.run(for: .seconds(120))
    var next = Bench(AccessLog(keeping: month), startingAt: bench.now.unixTime)
    next.send(.stored(bench.stored))
    #expect(next.machine.accesses == bench.machine.accesses)
    next.send(.delivered(app, .live, 1))
    #expect(next.machine.accesses.map(\.count) == [2, 1])
  }

  @Test("border 12: keeps the newest 200 records of an app, in memory and on disk")
  func bound() {
    var bench = Bench(AccessLog(keeping: .seconds(1_000_000_000)))
    for _ in 0..<250 {
      bench.send(.delivered(app, .live, 1))
      bench.run(for: .seconds(601))
    }
    #expect(bench.machine.accesses.count == AccessLog.most)
    #expect(bench.stored.count == AccessLog.most)
  }

  @Test("keeps a record no longer than its term, also across a restart")
  func expiry() {
    var bench = Bench(AccessLog(keeping: .seconds(3600)))
    bench.send(.delivered(app, .live, 1))
    bench.run(for: .seconds(3599))
    #expect(bench.stored.count == 1)
    var next = Bench(
      AccessLog(keeping: .seconds(3600)), startingAt: bench.now.unixTime + .seconds(1))
    next.send(.stored(bench.stored))
    #expect(next.machine.accesses.isEmpty && next.outputs.count == 1)
    bench.run(for: .seconds(1))
    #expect(bench.stored.isEmpty && bench.machine.nextDeadline == nil)
  }

  @Test("counts what tells of the place of the device, and nothing else")
  func deliveries() {
    let subscriber = SubscriberID(1)
    let fix = Fix(
      coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5,
      time: UnixTime(seconds: 0))
    let delivered = LocationService.access(of: .updates(subscriber, .fixes([fix, fix])))
    #expect(delivered?.service == .updates && delivered?.count == 2)
    #expect(LocationService.access(of: .state(ClientState(lastFix: fix)))?.service == .lastPosition)
    #expect(LocationService.access(of: .state(ClientState())) == nil)
    #expect(LocationService.access(of: .updates(subscriber, .failed(.positionUnknown))) == nil)
    #expect(LocationService.access(of: .authorizationChanged(nil)) == nil)
  }
}
