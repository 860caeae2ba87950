import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

// Permission that changes, sleep, clocks that are not set, and other configurations.
extension UplinkTests {
  private func fix(at time: UnixTime) -> Fix {
    Fix(
      coordinate: Coordinate(latitude: 46.5, longitude: 6.6), horizontalAccuracy: 5, time: time)
  }

  private static let noNetwork = WebAnswer.unreachable("no network")

  /// As on a computer without a clock that goes on while it is off.
  private static let unset = Moment(uptime: .start, unixTime: UnixTime(seconds: 60))

  @Test(
    "UPLINK-4, UPLINK-6: permission taken and given again while a request is on its way makes no second one",
    arguments: [Uplink.Permission.none, .reduced])
  mutating func givenAgain(_ less: Uplink.Permission) {
    begin()
    bench.send(.fix(fix(0)))
    let request = lastPost
    bench.send(.permission(less))
    bench.send(.permission(.full))
    bench.run(for: .seconds(10))
    bench.send(.fix(fix(10)))
    #expect(posts == [[0]] && bench.machine.queued == 1)
    bench.send(.answer(request, Self.noNetwork))
    #expect(posts == [[0], [10]] && bench.machine.standing == .good)
    answer(200)
    #expect(rows.isEmpty && bench.machine.figures.sent == 1)
  }

  @Test("UPLINK-7: a retry for which the computer slept comes at once, and pauses begin anew")
  mutating func slept() throws {
    begin()
    bench.send(.fix(fix(0)))
    for _ in 0..<10 {
      bench.send(.answer(lastPost, Self.noNetwork))
      let due = try #require(bench.machine.nextDeadline)
      bench.run(for: due - bench.now.uptime)
    }
    bench.send(.answer(lastPost, Self.noNetwork))
    var machine = bench.machine
    let later = Moment(
      uptime: bench.now.uptime + .seconds(3600), unixTime: bench.now.unixTime + .seconds(3600))
    let outputs = machine.handle(.wake, at: later)
    guard case .post(let number, _)? = outputs.last else {
      Issue.record("\(outputs.count) outputs")
      return
    }
    _ = machine.handle(.answer(number, Self.noNetwork), at: later)
    let due = try #require(machine.nextDeadline)
    #expect((1...1.25).contains((due - later.uptime).inSeconds))
  }

  @Test("UPLINK-8: a redirection to another server is said once, keeps fixes, and is tried seldom")
  mutating func redirected() {
    begin()
    bench.send(.fix(fix(0)))
    for _ in 0..<3 {
      bench.send(.answer(lastPost, .refused("it redirects to another server")))
      bench.run(for: .seconds(239))
      #expect(bench.machine.nextDeadline != nil)
      bench.run(for: .seconds(61))
    }
    #expect(posts.count == 4 && rows.count == 1 && said.count == 1, "\(said)")
    answer(200)
    #expect(rows.isEmpty && said.last == "the ingress takes fixes again; 0 wait")
  }

  // MARK: A clock that is not set

  @Test("UPLINK-10: a fix with a date of its own outlasts a run whose clock was not set")
  mutating func clockNotSet() {
    bench = Self.bench(at: Self.unset)
    begin()
    bench.send(.fix(fix(at: UnixTime(seconds: 50))))
    bench.send(.answer(lastPost, Self.noNetwork))
    #expect(said.count == 1 && said[0].contains("the clock of this computer is not set"), "\(said)")
    bench.run(for: .milliseconds(9600))
    bench.send(.fix(fix(at: UnixTime(seconds: 60))))
    // From here on the receiver has satellites.
    bench.run(for: .milliseconds(10_400))
    bench.send(.fix(fix(0)))
    #expect(bench.machine.queued == 3)
    restart(asleep: Self.start + .seconds(3600) - bench.now.unixTime)
    bench.send(.permission(.full))
    #expect(posts == [[0]] && bench.machine.figures.dropped == 2)
    #expect(said.count == 1 && said[0].contains("the clock was not set"), "\(said)")
  }

  @Test("UPLINK-10: what another run has left is not kept for longer as its clock was not set")
  mutating func clockSetLater() {
    begin()
    bench.send(.fix(fix(0)))
    bench.send(.answer(lastPost, Self.noNetwork))
    let set = bench.now.unixTime + .seconds(80 * 3600)
    restart(asleep: Self.unset.unixTime - bench.now.unixTime)
    #expect(bench.machine.queued == 1)
    bench.setClock(ahead: set - bench.now.unixTime)
    bench.send(.permission(.full))
    #expect(posts.isEmpty && rows.isEmpty && bench.machine.figures.dropped == 1)
    #expect(said.count == 1 && said[0].contains("72 hours"), "\(said)")
  }

  @Test("UPLINK-10: of an interval of an hour nothing younger than 71 hours is dropped")
  mutating func seldom() {
    bench = Self.bench(every: .seconds(3600))
    begin()
    for number in 0..<100 {
      bench.send(.fix(fix(3600 * number)))
      bench.send(.answer(lastPost, Self.noNetwork))
      bench.run(for: .seconds(3600))
    }
    #expect((71...73).contains(bench.machine.queued), "\(bench.machine.queued)")
  }

  @Test("UPLINK-10: each reason for which fixes are dropped is said once")
  mutating func reasons() {
    begin()
    bench.send(.fix(fix(0)))
    bench.send(.answer(lastPost, Self.noNetwork))
    bench.run(for: .seconds(72 * 3600))
    bench.send(.answer(lastPost, Self.noNetwork))
    for number in 0..<10_101 {
      bench.send(.fix(fix(300_000 + 10 * number)))
      bench.run(for: .seconds(10))
    }
    #expect(said.filter { $0.contains("no room") }.count == 1)
    #expect(said.filter { $0.contains("72 hours") }.count == 1)
  }

  // MARK: Another configuration

  @Test("UPLINK-12: what waits of another device's name is dropped, counted, and said")
  mutating func renamed() {
    begin()
    drive(2)
    let next = FleetDeviceName(tenant: "acme", device: "van-71")
    restart(as: next)
    bench.send(.permission(.full))
    bench.send(.fix(fix(30)))
    #expect(posts == [[30]] && rows.count == 1 && bench.machine.figures.dropped == 2)
    #expect(said.count == 1 && said[0].contains("another device"), "\(said)")
  }

  @Test("UPLINK-5: without an interval every fix is taken, and none twice")
  mutating func everyFix() {
    bench = Self.bench(every: .zero)
    begin()
    for second in 0..<5 {
      bench.send(.fix(fix(second)))
      bench.send(.fix(fix(second)))
    }
    #expect(bench.machine.queued == 5)
  }
}
