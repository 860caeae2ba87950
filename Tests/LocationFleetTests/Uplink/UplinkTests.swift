import LocationModel
import LocationProviders
import TestSupport
import Testing

@testable import LocationFleet

@Suite("The uplink of a device")
struct UplinkTests {
  static let start = UnixTime(seconds: 1_790_000_000)
  static let app = AppIdentity("uplink:ingress.example.org")
  static let device = FleetDeviceName(tenant: "acme", device: "van-7")

  var bench = Self.bench()
  var stored: [StateKey: [UInt8]] = [:]

  static func bench(
    after known: UnixTime? = nil, at moment: Moment? = nil, every interval: Duration = .seconds(10),
    as device: FleetDeviceName = device
  ) -> Bench<Uplink> {
    Bench(
      Uplink(device, of: app, every: interval, after: known),
      startingAt: moment ?? Moment(uptime: .start, unixTime: start))
  }

  func fix(_ second: Int) -> Fix {
    Fix(
      coordinate: Coordinate(latitude: 46.5, longitude: 6.6), horizontalAccuracy: 5,
      time: Self.start + .seconds(second))
  }

  /// The requests so far, each as the seconds of its fixes.
  var posts: [[Int]] {
    bench.outputs.compactMap { entry -> [Int]? in
      guard case .post(_, let bytes) = entry.output else { return nil }
      return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
        (try? FleetLine(Array(line)))?.fix.time.seconds(since: Self.start)
      }.map { Int($0) }
    }
  }

  var lastPost: Int {
    bench.outputs.compactMap { if case .post(let number, _) = $0.output { number } else { nil } }
      .last ?? 0
  }

  var said: [String] {
    bench.outputs.compactMap { if case .say(let text, _) = $0.output { text } else { nil } }
  }

  /// What is on the disk now.
  var rows: [StateEntry] {
    var rows: [StateKey: [UInt8]] = stored
    for case .persist(let change) in bench.outputs.map(\.output) {
      switch change {
      case .set(let key, let value): rows[key] = value
      case .remove(let key): rows[key] = nil
      }
    }
    return rows.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
  }

  mutating func begin(_ permission: Uplink.Permission = .full) {
    bench.send(.stored([]))
    bench.send(.permission(permission))
  }

  /// A fix each ten seconds, which nobody answers.
  mutating func drive(_ count: Int, from first: Int = 0) {
    for number in first..<first + count {
      bench.send(.fix(fix(10 * number)))
      bench.run(for: .seconds(10))
    }
  }

  mutating func answer(_ status: Int, retryAfter: Duration? = nil) {
    let body = status == 200 ? Uplink.acknowledgement : []
    bench.send(.answer(lastPost, .response(status: status, body: body, retryAfter: retryAfter)))
  }

  /// Another run, with what this one has left on the disk.
  mutating func restart(
    after known: UnixTime? = nil, asleep: Duration = .zero, as device: FleetDeviceName = device
  ) {
    let left = rows
    bench = Self.bench(
      after: known, at: Moment(uptime: .start, unixTime: bench.now.unixTime + asleep), as: device)
    stored = left.reduce(into: [:]) { $0[$1.key] = $1.value }
    bench.send(.stored(left))
  }

  // MARK: Permission

  @Test(
    "UPLINK-2, UPLINK-3: without permission nothing is taken or sent; a fix is stored before it is sent"
  )
  mutating func permission() {
    bench.send(.stored([]))
    bench.send(.fix(fix(0)))
    #expect(bench.outputs.isEmpty && bench.machine.standing == .forbidden)
    bench.send(.permission(.full))
    bench.send(.fix(fix(1)))
    #expect(posts == [[1]] && rows.count == 1)
    let kinds = bench.outputs.map { if case .persist = $0.output { "row" } else { "post" } }
    #expect(kinds == ["row", "post"])
  }

  @Test(
    "UPLINK-4: permission taken away empties the queue, on the disk too, and a late answer changes nothing"
  )
  mutating func forbidden() {
    begin()
    drive(3)
    #expect(bench.machine.queued == 3)
    let request = lastPost
    bench.send(.permission(.none))
    #expect(rows.isEmpty && bench.machine.queued == 0 && bench.machine.nextDeadline == nil)
    #expect(said.last == "3 fixes that waited are erased: the uplink may not know that any more")
    bench.send(.permission(.full))
    bench.send(.fix(fix(100)))
    bench.send(.answer(request, .response(status: 200, body: [], retryAfter: nil)))
    #expect(bench.machine.queued == 1 && bench.machine.figures.sent == 0)
    #expect(posts.last == [100])
  }

  @Test(
    "UPLINK-4: exact places that wait are erased when only coarse ones may be known, also by another run"
  )
  mutating func reduced() {
    begin()
    drive(2)
    restart()
    bench.send(.permission(.reduced))
    #expect(rows.isEmpty && posts.isEmpty)
    bench.send(.fix(fix(30)))
    bench.send(.permission(.full))
    #expect(bench.machine.queued == 1)
  }

  // MARK: Sending

  @Test("UPLINK-5: at most one fix in the interval, and none twice")
  mutating func interval() {
    bench = Self.bench(after: Self.start)
    begin()
    // What was known before.
    bench.send(.fix(fix(0)))
    for second in 1...30 {
      bench.send(.fix(fix(second)))
      bench.send(.fix(fix(second)))
      if second % 10 == 1 { answer(200) }
      bench.run(for: .seconds(1))
    }
    #expect(posts == [[1], [11], [21]])
  }

  @Test("UPLINK-6: one request at a time, in order, up to 50 fixes, gone only when acknowledged")
  mutating func order() {
    begin()
    drive(121)
    #expect(posts == [[0]] && bench.machine.queued == 121)
    answer(200)
    #expect(posts.last == (1...50).map { $0 * 10 })
    answer(503)
    bench.run(for: .seconds(2))
    #expect(posts[1] == posts[2] && posts.count == 3)
    answer(200)
    answer(200)
    answer(200)
    #expect(posts.flatMap(\.self).suffix(70) == (51...120).map { $0 * 10 }[...])
    #expect(rows.isEmpty && bench.machine.figures.sent == 121)
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test(
    "UPLINK-7: failures double the pause up to 300 s, an answer ends it, and Retry-After is heeded"
  )
  mutating func pauses() {
    begin()
    bench.send(.fix(fix(0)))
    var waits: [Double] = []
    for _ in 0..<12 {
      let begin = bench.now.uptime
      bench.send(.answer(lastPost, .unreachable("no answer")))
      let end = bench.machine.nextDeadline ?? begin
      waits.append((end - begin).inSeconds)
      bench.run(for: end - begin)
    }
    for (index, wait) in waits.enumerated() {
      let whole = min(Double(1 << index), 240)
      #expect((whole...whole * 1.25).contains(wait), "\(waits)")
    }
    #expect(said == ["the ingress has not taken 1 fixes, which wait: no answer"])
    answer(429, retryAfter: .seconds(1000))
    let next = bench.machine.nextDeadline.map { $0 - bench.now.uptime } ?? .zero
    #expect(next == .seconds(1000))
    bench.run(for: next)
    answer(200)
    #expect(said.last == "the ingress takes fixes again; 0 wait")
  }

  @Test(
    "UPLINK-8: an answer that is for good is said with the next step, keeps the fixes, and is tried seldom",
    arguments: [
      (400, "http-port"), (401, "uplink-password-file"), (403, "uplink-device"), (404, "http-port"),
      (413, "limit"),
    ])
  mutating func refused(_ status: Int, _ word: String) {
    begin()
    bench.send(.fix(fix(0)))
    for _ in 0..<10 {
      answer(status)
      bench.run(for: .seconds(239))
      #expect(bench.machine.queued == 1)
      bench.run(for: .seconds(61))
    }
    #expect(posts.count == 11 && rows.count == 1)
    #expect(said.count == 1 && said[0].contains(word), "\(said)")
    guard case .refused = bench.machine.standing else {
      Issue.record("\(bench.machine.standing)")
      return
    }
    answer(200)
    #expect(rows.isEmpty)
  }

  @Test(
    "UPLINK-8: where a request is too long, then half as many fixes are sent, and the rest stays"
  )
  mutating func tooLong() {
    begin()
    drive(9)
    answer(200)
    #expect(posts.last?.count == 8)
    answer(413)
    bench.run(for: .seconds(2))
    #expect(posts.last == [10, 20, 30, 40])
    answer(200)
    #expect(bench.machine.queued == 4 && posts.last == [50, 60, 70, 80])
  }

  @Test("UPLINK-6, UPLINK-8: a server that answers 200 to everything is none of a fleet")
  mutating func website() {
    begin()
    bench.send(.fix(fix(0)))
    let page = Array("<html>".utf8)
    bench.send(.answer(lastPost, .response(status: 200, body: page, retryAfter: nil)))
    #expect(rows.count == 1 && bench.machine.figures.sent == 0)
    #expect(said.count == 1 && said[0].contains("http-port"), "\(said)")
    bench.run(for: .seconds(300))
    answer(200)
    #expect(rows.isEmpty && bench.machine.figures.sent == 1)
  }

  @Test("UPLINK-8: once everything is sent, requests are as long as before one was too long")
  mutating func longAgain() {
    begin()
    drive(3)
    answer(200)
    answer(413)
    bench.run(for: .seconds(2))
    answer(200)
    answer(200)
    #expect(bench.machine.queued == 0)
    drive(4, from: 3)
    answer(200)
    #expect(posts.last == [40, 50, 60])
  }

  // MARK: The queue

  @Test(
    "UPLINK-9: another run sends what this one has left, in order, the same bytes for what was tried"
  )
  mutating func restarted() {
    begin()
    drive(5)
    answer(200)
    let tried = posts.last
    restart(after: Self.start + .seconds(40))
    bench.send(.permission(.full))
    bench.send(.fix(fix(40)))
    bench.send(.fix(fix(50)))
    answer(200)
    #expect(posts == [tried ?? [], [50]] && tried == [10, 20, 30, 40])
  }

  @Test("UPLINK-6, UPLINK-10: what is on its way is not too old, and nothing is sent beside it")
  mutating func underway() {
    begin()
    bench.send(.fix(fix(0)))
    bench.run(for: .seconds(71 * 3600))
    bench.send(.fix(fix(71 * 3600)))
    bench.run(for: .seconds(2 * 3600))
    #expect(posts.count == 1 && bench.machine.queued == 2)
    answer(200)
    #expect(bench.machine.figures.sent == 1 && bench.machine.figures.dropped == 0)
    #expect(posts.count == 2)
  }

  @Test("UPLINK-10: beyond 10,000 fixes the oldest go, counted and said once")
  mutating func full() {
    begin()
    for number in 0..<10_101 {
      bench.send(.fix(fix(10 * number)))
      bench.run(for: .seconds(10))
    }
    #expect(bench.machine.queued <= Uplink.mostFixes)
    #expect(bench.machine.queued + bench.machine.figures.dropped == 10_101)
    #expect(said.filter { $0.contains("no room") }.count == 1)
    #expect(rows.count <= 220)
  }

  @Test(
    "UPLINK-10: what is older than 72 hours goes, whether the computer ran or not, and the clock is set or not"
  )
  mutating func old() {
    begin()
    bench.send(.fix(fix(0)))
    bench.send(.answer(lastPost, .unreachable("no network")))
    bench.setClock(ahead: .seconds(-86_400))
    for _ in 0..<2000 where bench.machine.queued > 0 {
      bench.run(for: .seconds(300))
      bench.send(.answer(lastPost, .unreachable("no network")))
    }
    #expect(rows.isEmpty && bench.machine.figures.dropped == 1)
    #expect(bench.now.uptime - .start <= .seconds(73 * 3600))
    bench.send(.fix(fix(1)))
    restart(asleep: .seconds(80 * 3600))
    bench.send(.permission(.full))
    #expect(rows.isEmpty && posts.isEmpty && bench.machine.nextDeadline == nil)
  }

  @Test("UPLINK-10: rows that cannot be read are left out")
  mutating func damaged() {
    let key = StateKey(domain: Uplink.domain, owner: Self.app.name, name: "1")
    bench.send(
      .stored([
        StateEntry(key: key, value: Array("{".utf8)),
        StateEntry(key: StateKey(domain: "uplink", owner: "other", name: "2"), value: []),
      ]))
    bench.send(.permission(.full))
    #expect(bench.machine.queued == 0 && posts.isEmpty)
  }
}
