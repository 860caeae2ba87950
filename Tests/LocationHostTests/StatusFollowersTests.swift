import LocationDaemon
import LocationLink
import LocationModel
import TestSupport
import Testing

@Suite("Who follows the status")
struct StatusFollowersTests {
  private var bench = Bench(StatusFollowers()) { output in
    switch output {
    case .look(let places, let all): "look\(places ? " at places" : "")\(all ? ", all" : "")"
    case .send(let number, let change):
      "send \(number):\(change.status.map { " status \($0.pid)" } ?? "")"
        + (change.conditions == nil ? "" : " conditions") + (change.apps == nil ? "" : " apps")
        + (change.events.map { " events \($0.map(\.number))" } ?? "")
        + (change.access.map { " access \($0.map(\.count))" } ?? "")
    case .awaitReader(let number): "await \(number)"
    }
  }

  private static func view(_ pid: Int32, events: [Int]? = nil, access: [Int]? = nil) -> StatusView {
    var view = StatusView()
    view.status = DaemonStatus(pid: pid, since: UnixTime(seconds: 0), state: "")
    view.apps = events.map { _ in [] }
    view.events = events?.map {
      EventRecord(
        number: $0, app: AppIdentity("a.b"),
        event: DeliveredEvent(.visit, nil, "arrived", since: UnixTime(seconds: 0)),
        delivered: UnixTime(seconds: 0))
    }
    view.access = access?.enumerated().map {
      AccessRecord(
        app: "app \($0.offset)", service: "live", first: UnixTime(seconds: 0),
        last: UnixTime(seconds: 0), count: $0.element)
    }
    return view
  }

  private mutating func see(_ view: StatusView, places: Bool = false, blocked: Set<Int> = []) {
    bench.send(.seen(view, places: places, blocked: blocked))
  }

  @Test("ADMIN-4: a follower gets everything, and then the parts that have changed")
  mutating func changes() {
    bench.send(.follow(1, places: false))
    see(Self.view(7, events: [3, 4], access: [1, 1]))
    bench.send(.changed)
    see(Self.view(7, events: [3, 4], access: [1, 1]))
    see(Self.view(8, events: [3, 4, 5], access: [1, 2]))
    see(Self.view(8))
    #expect(
      bench.transcript == """
        00:00:00  look, all
        00:00:00  send 1: status 7 conditions apps events [3, 4] access [1, 1]
        00:00:00  look, all
        00:00:00  send 1: status 8 events [5] access [2]
        """)
  }

  @Test("ADMIN-4: looks ten times a second at most, at all once, and never without a change")
  mutating func pace() {
    bench.send(.follow(1, places: false))
    for _ in 0..<25 {
      bench.send(.changed)
      bench.run(for: .milliseconds(40))
    }
    bench.run(for: .seconds(3600))
    let looks = bench.outputs.map(\.output)
    #expect(looks.filter { $0 == .look(places: false, all: true) }.count == 3)
    #expect((9...11).contains(looks.filter { $0 == .look(places: false, all: false) }.count))
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("ADMIN-4: places go only to those who asked for them")
  mutating func places() {
    bench.send(.follow(1, places: false))
    bench.send(.follow(2, places: true))
    bench.send(.changed)
    see(Self.view(7), places: true)
    #expect(
      bench.transcript == """
        00:00:00  look, all
        00:00:00  look at places, all
        00:00:00  look, all
        00:00:00  look at places, all
        00:00:00  send 2: status 7 conditions
        """)
  }

  @Test("ADMIN-5: nothing waits for one that does not read; then it gets the newest alone")
  mutating func slow() {
    bench.send(.follow(1, places: false))
    see(Self.view(1))
    for pid in 2...50 { see(Self.view(Int32(pid)), blocked: [1]) }
    bench.send(.ready(1))
    see(Self.view(51))
    #expect(
      bench.transcript == """
        00:00:00  look, all
        00:00:00  send 1: status 1 conditions
        00:00:00  await 1
        00:00:00  look, all
        00:00:00  send 1: status 51
        """)
  }

  @Test("ADMIN-4: nothing is looked at for one that has gone")
  mutating func gone() {
    bench.send(.follow(1, places: false))
    bench.send(.leave(1))
    bench.send(.changed)
    bench.send(.ready(1))
    see(Self.view(1))
    #expect(bench.machine.isEmpty && bench.machine.nextDeadline == nil)
    #expect(bench.transcript == "00:00:00  look, all")
  }
}
