import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("A device whose clock is ahead")
struct ClockAheadTests {
  private static func date(_ seconds: Double) -> UnixTime { FleetWalk.start + .seconds(seconds) }

  /// A fix that is taken at `time`; its place says which one it is.
  private static func fix(_ time: Double, ahead: Double = 0) -> Fix {
    Fix(
      coordinate: FleetWalk.place(east: time, north: 0), horizontalAccuracy: 8,
      time: date(time + ahead))
  }

  /// What becomes of fixes; those that are handed on by their time and the correction.
  private struct Taken: Equatable, CustomStringConvertible {
    var time = 0.0
    var ahead = 0
    var reason: FixOrder.Reason?
    var isSetBack = false

    var description: String { reason.map(\.rawValue) ?? "\(time) \(ahead) \(isSetBack)" }

    static func fix(_ time: Double, ahead: Int) -> Taken { Taken(time: time, ahead: ahead) }
    static func rejected(_ reason: FixOrder.Reason) -> Taken { Taken(reason: reason) }
  }

  /// A device that sends to an order of fixes.
  private struct Sender {
    var order = FixOrder()
    var clock: Double
    var window = 0.0

    /// Sends a fix of `time`, which comes `delay` seconds later.
    mutating func send(_ time: Double, delay: Double = 1) -> [Taken] {
      order.take(
        ClockAheadTests.fix(time, ahead: clock), received: ClockAheadTests.date(time + delay),
        limit: ClockAheadTests.date(0), window: window
      ).map {
        switch $0 {
        case .fix(let fix, let ahead): Taken(time: Self.seconds(fix), ahead: ahead)
        case .setBack(let fix, let ahead):
          Taken(time: Self.seconds(fix), ahead: ahead, isSetBack: true)
        case .rejected(let reason): .rejected(reason)
        }
      }
    }

    /// Since the start, to the millisecond.
    private static func seconds(_ fix: Fix) -> Double {
      (fix.time.seconds(since: FleetWalk.start) * 1000).rounded() / 1000
    }

    /// Sends a fix each 10 s.
    mutating func send(_ times: ClosedRange<Int>) -> [Taken] {
      stride(from: times.lowerBound, through: times.upperBound, by: 10).flatMap {
        send(Double($0))
      }
    }

    /// One that is known to be 300 s ahead, and has sent until 100 s.
    static var known: Sender {
      var sender = Sender(clock: 300)
      _ = sender.send(0...100)
      return sender
    }
  }

  @Test("FLEET-121: three fixes in a row show it, and dates are corrected from the third on")
  func begins() {
    var sender = Sender(clock: 300)
    #expect(sender.send(0...10) == [.rejected(.future), .rejected(.future)])
    #expect(sender.send(20...90) == (2...9).map { .fix(10 * Double($0) + 1, ahead: 299) })
    #expect(sender.send(90) == [.rejected(.duplicate)])
    // Less than the bound, and more than a day.
    for clock in [9.0, 90_000] {
      var sender = Sender(clock: clock)
      let taken = sender.send(0...90)
      #expect(taken.allSatisfy { $0 == .rejected(.future) || $0.ahead == 0 })
      #expect((taken[9] == .rejected(.future)) == (clock > 10))
      #expect(!sender.order.isUnsure)
    }
  }

  @Test("FLEET-121: where it is not known when fixes came, nothing is corrected")
  func noArrival() {
    var order = FixOrder()
    for number in 0..<20 {
      let fix = Self.fix(10 * Double(number), ahead: 300)
      let taken = order.take(fix, received: nil, limit: Self.date(1000), window: 0)
      #expect(taken == [.fix(fix)])
      let late = order.take(fix, received: nil, limit: Self.date(0), window: 0)
      #expect(late == [.rejected(.future)])
    }
    #expect(!order.isUnsure)
  }

  @Test("FLEET-121: one wrong date changes nothing, however often it is sent again")
  func oneWrong() {
    var sender = Sender(clock: 0)
    _ = sender.send(0...50)
    for delay in [1.0, 8, 20, 40] {
      sender.clock = 300
      #expect(sender.send(60, delay: delay) == [.rejected(.future)])
    }
    sender.clock = 0
    #expect(sender.send(110...200).allSatisfy { $0.ahead == 0 && $0.reason == nil })
    #expect(!sender.order.isUnsure)
  }

  @Test("FLEET-121: messages with a minute of fixes each show it by their newest ones")
  func minutes() {
    var sender = Sender(clock: 300)
    func message(_ minute: Int) -> [Taken] {
      (0..<6).flatMap { number in
        let time = 60 * Double(minute) + 10 * Double(number)
        return sender.send(time, delay: 51 - 10 * Double(number))
      }
    }
    #expect((message(0) + message(1)).allSatisfy { $0 == .rejected(.future) })
    for minute in 2..<20 {
      let numbers = 6 * minute..<6 * (minute + 1)
      #expect(message(minute) == numbers.map { .fix(10 * Double($0) + 1, ahead: 299) })
    }
  }

  @Test(
    "FLEET-121: dates that are whole seconds ahead are corrected by these",
    arguments: [15.0, 20, 30, 60, 61, 90, 3600])
  func wholeSeconds(clock: Double) {
    var sender = Sender(clock: clock)
    let taken = (0..<5).flatMap { sender.send(10 * Double($0), delay: 0) }
    #expect(taken.last == .fix(40, ahead: Int(clock)))
  }

  @Test("FLEET-121: a backlog of a device that nobody knows changes nothing before it is over")
  func backlog() {
    var sender = Sender(clock: 300)
    let late = (0..<30).flatMap { sender.send(10 * Double($0), delay: 300 - 9.9 * Double($0)) }
    #expect(late.prefix(2) == [.fix(300, ahead: 0), .fix(310, ahead: 0)])
    #expect(late.dropFirst(2).allSatisfy { $0 == .rejected(.future) })
    #expect(
      sender.send(310...350) == [
        .rejected(.future), .rejected(.future), .fix(331, ahead: 299), .fix(341, ahead: 299),
        .fix(351, ahead: 299),
      ])
  }

  @Test(
    "FLEET-122: delays, and the backlog of a device that is known, do not change the correction")
  func delayed() {
    var sender = Sender.known
    #expect(sender.send(110, delay: 90) == [.fix(111, ahead: 299)])
    // An hour without a network, sent within seconds.
    for time in stride(from: 210.0, to: 3800, by: 10) {
      #expect(sender.send(time, delay: 0.99 * (3800 - time) + 1) == [.fix(time + 1, ahead: 299)])
    }
    #expect(sender.send(3800...3900) == (380...390).map { .fix(10 * Double($0) + 1, ahead: 299) })
  }

  @Test("FLEET-122: a clock that is right again was not set back, and no fix is used twice")
  func rightAgain() {
    var sender = Sender.known
    sender.clock = 0
    let right = (13...17).map { Taken.fix(10 * Double($0), ahead: 0) }
    #expect(sender.send(110...170) == [.rejected(.late), .rejected(.late)] + right)
    sender.clock = 300
    #expect(sender.send(100, delay: 75) == [.rejected(.duplicate)])
    sender.clock = 0
    #expect(sender.order.isUnsure)
    _ = sender.send(180...300)
    #expect(!sender.order.isUnsure)
  }

  @Test(
    "FLEET-122: of a device that sends each ten minutes eight fixes show that its clock is right again"
  )
  func rightAgainSlowly() {
    var sender = Sender(clock: 300)
    _ = (0..<5).map { sender.send(600 * Double($0)) }
    sender.clock = 0
    let taken = (5..<20).flatMap { sender.send(600 * Double($0)) }
    #expect(taken.prefix(7).allSatisfy { $0.ahead == 299 })
    #expect(taken.dropFirst(7).allSatisfy { $0.ahead == 0 && $0.reason == nil })
    #expect(zip(taken, taken.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(!sender.order.isUnsure)
  }

  @Test(
    "FLEET-122: a device that sends on whole minutes, and whose clock is right again, loses two fixes",
    arguments: [600.0, 3600, 4800])
  func rightAgainOnWholeMinutes(clock: Double) {
    var sender = Sender(clock: clock)
    _ = (0..<12).map { sender.send(600 * Double($0), delay: 0) }
    sender.clock = 0
    let taken = (12..<30).flatMap { number -> [Taken] in
      let first = sender.send(600 * Double(number), delay: 0)
      // What is sent twice is used once.
      #expect(sender.send(600 * Double(number), delay: 3).allSatisfy { $0.reason != nil })
      return first
    }
    let used = taken.filter { $0.reason == nil }
    #expect(used.count >= taken.count - 2, "\(taken)")
    #expect(zip(used, used.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(used.last == .fix(600 * 29, ahead: 0))
  }

  @Test("FLEET-122: a clock that was ahead and is behind was set back")
  func setBack() {
    var sender = Sender.known
    sender.clock = -3600
    #expect(
      sender.send(110...140) == [
        .rejected(.late), .rejected(.late), Taken(time: -3470, isSetBack: true),
        .fix(-3460, ahead: 0),
      ])
  }

  @Test("FLEET-122: what waits in a window is corrected as it was when it came")
  func window() {
    var sender = Sender(clock: 0, window: 30)
    _ = sender.send(0...100)
    sender.clock = 300
    // 70 s are handed on; 80, 90, and 100 wait.
    let taken = sender.send(110...160)
    #expect(taken.prefix(2) == [.rejected(.future), .rejected(.future)])
    #expect(
      taken.dropFirst(2) == [
        .fix(80, ahead: 0), .fix(90, ahead: 0), .fix(100, ahead: 0), .fix(131, ahead: 299),
      ])
  }

  @Test(
    "FLEET-122: however a clock changes, no fix is used twice, and none after a later one",
    arguments: Array(1...40 as ClosedRange<UInt64>), [0.0, 10])
  func anyClock(seed: UInt64, window: Double) throws {
    var random = SeededRandom(seed: seed)
    var (clock, left) = (0.0, 0)
    var sent: [(fix: Fix, came: Double)] = []
    for number in 0..<1000 {
      if left == 0 {
        left = .random(in: 20...120, using: &random)
        // By less than fixes are delayed nothing shows that a clock was changed.
        clock = [0, 40, 300, 5000][Int.random(in: 0..<4, using: &random)]
      }
      left -= 1
      let time = 10 * Double(number)
      let isLate = Int.random(in: 0..<20, using: &random) == 0
      let delay = Double.random(in: 0.2...1.8, using: &random) + (isLate ? 15 : 0)
      sent.append((Self.fix(time, ahead: clock), time + delay))
      guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
      sent.append((Self.fix(time, ahead: clock), time + delay + 14))
    }
    var order = FixOrder()
    var (places, times): ([Double], [UnixTime]) = ([], [])
    for (fix, came) in sent.sorted(by: { $0.came < $1.came }) {
      for output in order.take(fix, received: Self.date(came), limit: Self.date(0), window: window)
      {
        switch output {
        case .fix(let fix, _):
          places.append(fix.coordinate.longitude)
          times.append(fix.time)
          #expect(fix.time.seconds(since: Self.date(came)) <= 10)
        case .rejected: break
        case .setBack: Issue.record("set back at \(came)")
        }
      }
    }
    #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(places.count > 700)
  }
}

@Suite("The events of a device whose clock is ahead")
struct ClockAheadEventTests {
  private static let name = FleetDeviceName(tenant: "acme", device: "truck-12")

  /// The fixes as the device dates them, with their arrival a second after they were taken.
  private static func sent(_ walk: FleetWalk) -> [(fix: Fix, came: UnixTime)] {
    walk.fixes.map { fix in
      var dated = fix
      dated.time = fix.time + .seconds(300)
      return (dated, fix.time + .seconds(1))
    }
  }

  private static func events(
    _ fixes: [(fix: Fix, came: UnixTime)], _ walk: FleetWalk, isStored: Bool = false
  ) throws -> [FleetEvent] {
    let fences = try walk.index()
    var device = FleetDevice(name)
    var events: [FleetEvent] = []
    for (fix, came) in fixes {
      events += device.take(fix, received: came, fences, .init()).events
      guard isStored else { continue }
      let bytes = device.stored(fences)
      device = try #require(FleetDevice(name, stored: bytes, fences))
      #expect(device.stored(fences) == bytes && FleetDevice.isWhole(bytes))
    }
    return events
  }

  @Test(
    "FLEET-121: they are those of the corrected fixes, say how far it is ahead, and are the same when it is stored",
    arguments: Array(1...10 as ClosedRange<UInt64>))
  func events(seed: UInt64) throws {
    let walk = FleetWalk(seed: seed)
    let right: [(fix: Fix, came: UnixTime)] = walk.fixes.dropFirst(2).map { fix in
      var right = fix
      right.time = fix.time + .seconds(1)
      return (fix: right, came: right.time)
    }
    let expected = try Self.events(right, walk)
    let found = try Self.events(Self.sent(walk), walk)
    #expect(found.allSatisfy { $0.clockAhead == 299 } && found.count > 3)
    #expect(
      expected
        == found.map {
          var event = $0
          event.clockAhead = 0
          return event
        })
    #expect(try Self.events(Self.sent(walk), walk, isStored: true) == found)
  }

  @Test(
    "FLEET-121: of a device whose clock is right nothing more is stored, of another one some bytes")
  func stored() throws {
    let walk = FleetWalk(seed: 3, count: 40)
    let fences = try walk.index()
    var (right, ahead) = (FleetDevice(Self.name), FleetDevice(Self.name))
    for (number, sent) in Self.sent(walk).enumerated() {
      let (fix, came) = sent
      _ = ahead.take(fix, received: came, fences, .init())
      guard number > 1 else { continue }
      var rightly = fix
      rightly.time = came
      _ = right.take(rightly, received: came, fences, .init())
    }
    #expect(right.stored(fences)[0] == 6 && ahead.stored(fences)[0] == 7)
    #expect(ahead.stored(fences).count < right.stored(fences).count + 48)
  }

  /// The lines and figures of a partition that gets the fixes.
  private static func judge(
    _ walk: FleetWalk, _ bounds: ClockBounds
  ) throws -> (lines: String, figures: [String: Int]) {
    var settings = PartitionState.Settings()
    settings.fleet.clockBounds = bounds
    var state = PartitionState(
      0, settings, at: 0, done: nil, fences: ("", try walk.index()), now: .start)
    var lines = ""
    for (number, sent) in sent(walk).enumerated() {
      let entry = LogEntry(
        subject: FleetAddress.fixes(of: name, partition: 0),
        bytes: Array(FleetWalk.line(sent.fix, of: name).utf8))
      let message = LogMessage(sequence: UInt64(number + 1), time: sent.came, entry: entry)
      guard case .append(let entries) = state.take(message) else { continue }
      for entry in entries { lines += String(decoding: entry.bytes, as: UTF8.self) }
    }
    return (lines, state.figures.fixes["acme"] ?? [:])
  }

  @Test("FLEET-121: a worker has the events of replay, and counts corrected fixes by tenant")
  func worker() throws {
    let walk = FleetWalk(seed: 5)
    var fleet = Fleet(try walk.index())
    var expected = ""
    for (fix, came) in Self.sent(walk) {
      guard let read = try FleetLineFix.read(FleetWalk.line(fix, of: Self.name)) else { continue }
      for event in fleet.take(read, of: Self.name, received: came)?.events ?? [] {
        expected += String(decoding: FleetEventLine.encoded(event, of: Self.name), as: UTF8.self)
      }
    }
    let (lines, figures) = try Self.judge(walk, ClockBounds())
    #expect(lines == expected)
    let all = lines.split(separator: "\n")
    #expect(all.count > 3 && all.allSatisfy { $0.contains(#""clock_ahead":"#) })
    #expect(figures == ["future": 2, "corrected": 398])
  }

  @Test("FLEET-123: a tenant's own bound counts for its devices alone")
  func tenant() throws {
    let walk = FleetWalk(seed: 5)
    let (lines, figures) = try Self.judge(walk, ClockBounds(10, ["acme": 400]))
    #expect(figures == ["accepted": 400] && !lines.contains("clock_ahead"))
    let others = try Self.judge(walk, ClockBounds(10, ["other": 400]))
    #expect(others.figures == ["future": 2, "corrected": 398])
  }

  @Test(
    "FLEET-123: the configuration has a bound for all and for a tenant, and each fault is named")
  func configuration() {
    var faults: [FleetConfiguration.Fault] = []
    func bounds(_ text: String) -> ClockBounds {
      faults = []
      return IngressConfiguration(text, &faults).fleet.worker.partition.fleet.clockBounds
    }
    #expect(bounds("") == ClockBounds() && ClockBounds().of("acme") == 10)
    let both = bounds("tenant = acme clock-ahead=60\nclock-ahead = 30\ntenant = b rate=1\n")
    #expect(faults.isEmpty)
    #expect([both.of("acme"), both.of("b"), both.of("")] == [60, 30, 30])
    #expect(both.least == 30)
    _ = bounds("clock-ahead = 0\ntenant = acme clock-ahead=3601\nclock-ahead = x")
    #expect(faults.map(\.line) == [1, 2, 3])
    #expect(faults.allSatisfy { $0.cause.contains("`clock-ahead` must be a number from 1.0 to") })
  }
}
