import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("Visits")
struct VisitsTests {
  static let app = AppIdentity("org.example.diary")
  static let other = AppIdentity("org.example.other")

  /// A walk between two places, with a fix a second.
  struct Walk {
    var bench = Bench(Visits())
    var motion = MotionEstimator()
    var random = SeededRandom(seed: 5)
    var east = 0.0
    private var entries: [StateKey: [UInt8]] = [:]
    private var seen = 0

    mutating func stay(_ seconds: Int) {
      for _ in 0..<seconds { fix() }
    }

    /// Walks at 1.4 m/s.
    mutating func walk(to target: Double) {
      while (target - east).magnitude > 1.4 {
        east += target > east ? 1.4 : -1.4
        fix(speed: 1.4)
      }
    }

    /// Walks for ten minutes at a speed that no receiver measures, with a fix every so many seconds
    /// that errs by a third of what it claims.
    mutating func walk(at speed: Double, accuracy: Double, every interval: Double) {
      for _ in 0..<Int(600 / interval) {
        east += speed * interval
        let seconds = bench.now.unixTime.seconds - 1_700_000_000
        let place = east + accuracy / 3 * gaussian(&random)
        send(LocationEngineTests.fix(east: place, accuracy: accuracy, at: seconds))
        bench.run(for: .seconds(interval))
      }
    }

    private mutating func fix(speed: Double = 0) {
      let seconds = bench.now.unixTime.seconds - 1_700_000_000
      let place = east + 3 * gaussian(&random)
      send(LocationEngineTests.fix(east: place, at: seconds, speed: speed))
      bench.run(for: .seconds(1))
    }

    /// Hands in a fix as the engine does, after the estimate for it.
    mutating func send(_ fix: Fix) {
      bench.send(.motion(motion.observe(fix, at: bench.now)))
      bench.send(.fix(fix))
    }

    mutating func feel(_ kind: MotionActivity.Kind) {
      bench.send(.motion(motion.take(MotionActivity(kind), at: bench.now)))
    }

    /// Lets time pass without a fix.
    mutating func wait(_ seconds: Int) {
      let end = bench.now.uptime + .seconds(seconds)
      while let due = motion.nextDeadline, due <= end {
        bench.run(for: due - bench.now.uptime)
        bench.send(.motion(motion.pass(to: bench.now)))
      }
      bench.run(for: end - bench.now.uptime)
    }

    /// The process dies and a new one takes up what was stored.
    mutating func restart() {
      for case .store(let change) in bench.outputs.map(\.output) {
        switch change {
        case .set(let key, let value): entries[key] = value
        case .remove(let key): entries[key] = nil
        }
      }
      let stored = entries.sorted { $0.key < $1.key }
      motion = MotionEstimator()
      bench = Bench(
        Visits(restoring: stored.map { StateEntry(key: $0.key, value: $0.value) }),
        startingAt: bench.now.unixTime)
    }

    func visits(of app: AppIdentity) -> [Visit] {
      bench.outputs.compactMap {
        guard case .visit(app, let visit) = $0.output else { return nil }
        return visit
      }
    }
  }

  var walk = Walk()

  init() {
    walk.bench.send(.start(Self.app))
  }

  @Test("VISIT-2, VISIT-3: tells an arrival, back-dated, and the departure with both dates")
  mutating func arrivalAndDeparture() throws {
    walk.stay(600)
    walk.walk(to: 800)
    let left = 1_700_000_600.0
    let reached = walk.bench.now.unixTime
    walk.stay(900)
    let visits = walk.visits(of: Self.app)
    try #require(visits.count == 3)
    #expect(visits[0].arrival == UnixTime(seconds: 1_700_000_000))
    #expect(visits[0].departure == nil)
    let departure = try #require(visits[1].departure)
    #expect(departure.seconds > left && departure.seconds < left + 45)
    #expect(visits[1].arrival == visits[0].arrival)
    let arrival = try #require(visits[2].arrival)
    #expect(arrival.seconds(since: reached).magnitude < 45)
    let place = place(east: 800)
    #expect(visits[2].coordinate.distance(to: place) < 15)
    #expect(visits[2].horizontalAccuracy >= 30)
  }

  @Test("ADMIN-2, ADMIN-3: the owner sees the visit that lasts, and what speaks for its end")
  mutating func seen() throws {
    #expect(walk.bench.machine.current == nil)
    walk.stay(600)
    let lasting = try #require(walk.bench.machine.current)
    #expect(lasting.visit.arrival == UnixTime(seconds: 1_700_000_000))
    #expect(lasting.departure == nil)
    var beliefs: [Belief] = []
    for step in 1...100 {
      walk.walk(to: 8 * Double(step))
      if let departure = walk.bench.machine.current?.departure { beliefs.append(departure) }
    }
    let last = try #require(beliefs.last)
    #expect(last.towards == .unsatisfied && last.probability > 0.5)
    #expect(last.threshold > 0.5 && last.threshold < 1 && last.since < last.earliest)
    #expect(walk.bench.machine.current == nil)
  }

  @Test("an arrival explains itself by its stay, a departure by the way out of the place")
  mutating func evidence() throws {
    walk.stay(600)
    walk.walk(to: 800)
    walk.stay(900)
    let visits = walk.visits(of: Self.app)
    try #require(visits.count == 3)
    guard case .stay(let stay) = visits[0].evidence, case .crossing(let left) = visits[1].evidence
    else {
      Issue.record("\(visits)")
      return
    }
    #expect(stay.place == .new && stay.dwellSeconds == 165 && stay.scatter < 10)
    #expect(stay.firstFix == visits[0].arrival && stay.policyDelay >= .seconds(165))
    #expect(stay.fixes > 160 && stay.lastFix <= stay.decided)
    #expect(left.crossed == visits[1].departure && left.lastFix == left.decided)
    #expect(try #require(left.sensingDelay) > .zero)
    #expect(left.probability > 0.8 && left.distance > 0 && left.fixes > 1)
  }

  @Test("VISIT-10: a short stop is no visit")
  mutating func shortStop() {
    walk.walk(to: 300)
    walk.stay(60)
    walk.walk(to: 600)
    walk.stay(60)
    walk.walk(to: 1200)
    #expect(walk.visits(of: Self.app).isEmpty)
  }

  @Test("VISIT-4: where it was when visits began is left, and nobody saw it come")
  mutating func leavesFirstPlace() throws {
    walk.stay(60)
    let left = walk.bench.now.unixTime
    walk.walk(to: 600)
    let visit = try #require(walk.visits(of: Self.app).first)
    #expect(visit.arrival == nil)
    #expect(try #require(visit.departure).seconds(since: left).magnitude < 30)
    #expect(visit.coordinate.distance(to: place(east: 0)) < 15)
    #expect(walk.visits(of: Self.app).count == 1)
  }

  @Test("VISIT-10: who is on the way when visits begin leaves no place")
  mutating func beginsOnTheWay() {
    walk.walk(to: 600)
    walk.stay(60)
    walk.walk(to: 1200)
    #expect(walk.visits(of: Self.app).isEmpty)
  }

  @Test(
    "VISIT-10: nor does who begins on the way behind coarse fixes",
    arguments: [(1.4, 65, 20), (1.2, 65, 20), (1.4, 100, 20), (1.4, 45, 20)]
      as [(Double, Double, Double)])
  mutating func beginsOnTheWayCoarsely(speed: Double, accuracy: Double, interval: Double) {
    walk.walk(at: speed, accuracy: accuracy, every: interval)
    #expect(walk.visits(of: Self.app).isEmpty)
  }

  @Test("a stop near a place that was just left is no arrival at it")
  mutating func stopOnTheWay() {
    walk.stay(600)
    walk.walk(to: 80)
    walk.stay(90)
    walk.walk(to: 800)
    #expect(walk.visits(of: Self.app).count { $0.departure == nil } == 1)
  }

  @Test("an arrival at a familiar place is delivered sooner")
  mutating func familiar() throws {
    walk.stay(600)
    walk.walk(to: 800)
    let first = walk.bench.now
    walk.stay(600)
    walk.walk(to: 0)
    let second = walk.bench.now
    walk.stay(600)
    let delivered = walk.bench.outputs.compactMap { entry -> Instant? in
      guard case .visit(_, let visit) = entry.output, visit.departure == nil else { return nil }
      return entry.at
    }
    try #require(delivered.count == 3)
    #expect(delivered[2] - second.uptime < delivered[1] - first.uptime)
  }

  @Test("VISIT-4, VISIT-9: who did not learn of the arrival learns of a departure without one")
  mutating func lateListener() {
    walk.stay(300)
    walk.bench.send(.start(Self.other))
    walk.walk(to: 800)
    #expect(walk.visits(of: Self.other).map(\.arrival) == [nil])
    walk.bench.send(.access(Self.other, false))
    walk.stay(600)
    #expect(walk.visits(of: Self.other).count == 1)
    walk.bench.send(.access(Self.other, true))
    walk.walk(to: 0)
    #expect(walk.visits(of: Self.other).count == 2)
    #expect(walk.visits(of: Self.other).last?.arrival == nil)
    #expect(walk.visits(of: Self.app).allSatisfy { $0.arrival != nil })
  }

  @Test("VISIT-1: goes on after a restart, with the visit that lasted")
  mutating func restart() throws {
    walk.stay(600)
    walk.restart()
    #expect(walk.bench.machine.isListening(Self.app))
    walk.stay(60)
    walk.walk(to: 800)
    let visits = walk.visits(of: Self.app)
    #expect(visits.count == 1)
    #expect(visits.first?.arrival == UnixTime(seconds: 1_700_000_000))
    #expect(visits.first?.departure != nil)
  }

  @Test("VISIT-3: a visit that ended while the engine did not run ends when it is seen elsewhere")
  mutating func endedUnseen() throws {
    walk.stay(600)
    walk.restart()
    walk.bench.run(for: .seconds(50_000))
    let begin = walk.bench.now.unixTime
    walk.east = 5000
    walk.stay(60)
    let visit = try #require(walk.visits(of: Self.app).first)
    #expect(visit.arrival == UnixTime(seconds: 1_700_000_000))
    #expect(visit.departure == begin)
  }

  @Test("VISIT-1, VISIT-2: what was seen before the last listener went is no visit of the next one")
  mutating func anew() throws {
    walk.stay(60)
    walk.bench.send(.stop(Self.app))
    walk.bench.run(for: .seconds(600_000))
    walk.bench.send(.start(Self.app))
    walk.bench.run(for: .seconds(1))
    let begin = walk.bench.now.unixTime
    walk.east = 5000
    walk.stay(400)
    let visits = walk.visits(of: Self.app)
    #expect(visits.map(\.departure) == [nil])
    #expect(try #require(visits.first?.arrival) >= begin)
  }

  @Test("VISIT-4: a stay that ended without a listener is delivered to nobody")
  mutating func endedUnreceived() {
    walk.stay(600)
    walk.bench.send(.stop(Self.app))
    walk.restart()
    walk.bench.run(for: .seconds(600_000))
    walk.bench.send(.start(Self.app))
    walk.east = 5000
    walk.stay(60)
    #expect(walk.visits(of: Self.app).isEmpty)
  }

  @Test("a stay is seen to the end though the device at rest gives no more fixes")
  mutating func silence() {
    walk.walk(to: 800)
    walk.stay(60)
    walk.bench.run(for: .seconds(600))
    #expect(walk.visits(of: Self.app).count == 1)
  }

  @Test("VISIT-10: a place seen for a moment, and again a week later, was not stayed at in between")
  mutating func oldFix() throws {
    walk.stay(2)
    walk.bench.run(for: .seconds(600_000))
    let begin = walk.bench.now.unixTime
    walk.stay(400)
    let visit = try #require(walk.visits(of: Self.app).first)
    #expect(try #require(visit.arrival) >= begin)
  }

  @Test("nobody listens: no hardware, no visits, nothing stored")
  mutating func stopped() {
    #expect(walk.bench.machine.demand.position != nil)
    walk.bench.send(.stop(Self.app))
    #expect(walk.bench.machine.demand == .none)
    walk.stay(600)
    walk.restart()
    #expect(!walk.bench.machine.isListening(Self.app))
  }

  @Test("bears dates that lie centuries apart")
  func centuries() throws {
    var detector = Bench(VisitDetector())
    for date in ["2200-01-01T00:00:00Z", "1700-01-01T00:00:00Z", "1700-01-01T00:00:01Z"] {
      var fix = LocationEngineTests.fix(east: 0, at: 0)
      fix.time = try #require(UnixTime(iso8601: date))
      detector.send(.fix(fix))
      detector.run(for: .seconds(1))
    }
    #expect(detector.outputs.isEmpty)
  }
}
