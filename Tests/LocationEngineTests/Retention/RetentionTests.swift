import LocationCoding
import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("What tells where the device was")
struct RetentionTests {
  private static let terms = RetentionTerms(
    position: .seconds(86_400), visits: .seconds(7 * 86_400))
  private static let app = AppIdentity("an.app")

  /// A machine with one app that may know, listens for visits, and gets a fix every 10 s at a place
  /// for so long.
  private struct Machine {
    var bench = Bench(LocationEngine(providers: 1, keeping: RetentionTests.terms))
    let client = ClientID(1)
    var entries: [StateKey: [UInt8]] = [:]

    init(restoring entries: [StateKey: [UInt8]] = [:], at time: UnixTime? = nil) {
      if let time {
        bench = Bench(
          LocationEngine(providers: 1, keeping: RetentionTests.terms), startingAt: time)
      }
      self.entries = entries
      let stored = entries.sorted { $0.key < $1.key }.map {
        StateEntry(key: $0.key, value: $0.value)
      }
      bench.send(.stored(stored))
      let description = ClientDescription(app: RetentionTests.app, manifest: Manifest())
      bench.send(.client(client, .connected(description)))
      bench.send(.setting(.authorization(RetentionTests.app, .always)))
      bench.send(.client(client, .request(.visits(on: true))))
      note()
    }

    mutating func stay(at place: Coordinate, for minutes: Int) {
      for _ in 0..<(minutes * 6) {
        run(for: .seconds(10))
        bench.send(
          .fix(
            Fix(coordinate: place, horizontalAccuracy: 8, time: bench.now.unixTime),
            from: ProviderID(0)))
        note()
      }
    }

    mutating func run(for duration: Duration) {
      bench.run(for: duration)
      note()
    }

    private var seen = 0
    private mutating func note() {
      for output in bench.outputs[seen...] {
        guard case .persist(let change) = output.output else { continue }
        switch change {
        case .set(let key, let value): entries[key] = value
        case .remove(let key): entries[key] = nil
        }
      }
      seen = bench.outputs.count
    }

    var lastFix: Fix? { bench.machine.state(of: client).lastFix }
    func stored(_ domain: String) -> String? {
      entries[StateKey(domain: domain, owner: "")].map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static let home = Coordinate(latitude: 48.5, longitude: 11.5)
  private static let work = Coordinate(latitude: 48.6, longitude: 11.6)

  @Test("is forgotten a day after the last position, in memory and on disk, and not before")
  func position() throws {
    var machine = Machine()
    machine.stay(at: Self.home, for: 2)
    #expect(machine.stored("coarse-place") != nil)
    machine.run(for: .seconds(86_399))
    #expect(machine.lastFix != nil && machine.bench.machine.current != nil)
    machine.run(for: .seconds(2))
    #expect(machine.lastFix == nil && machine.bench.machine.current == nil)
    #expect(machine.stored("coarse-place") == nil)
    #expect(machine.stored("position-date") == nil)
    machine.stay(at: Self.work, for: 1)
    #expect(machine.lastFix?.coordinate == Self.work)
  }

  @Test("is not kept longer by a restart")
  func restart() {
    var machine = Machine()
    machine.stay(at: Self.home, for: 2)
    machine.run(for: .seconds(20 * 3600))
    var next = Machine(restoring: machine.entries, at: machine.bench.now.unixTime)
    #expect(next.stored("coarse-place") != nil)
    next.run(for: .seconds(4 * 3600 + 1))
    #expect(next.stored("coarse-place") == nil)
  }

  @Test("STD-2, STD-9: is read in the next run with its date, stored at most once a minute")
  func nextRun() throws {
    var machine = Machine()
    machine.stay(at: Self.home, for: 10)
    let writes = machine.bench.outputs.count {
      if case .persist(.set(LastPosition.key, _)) = $0.output { true } else { false }
    }
    #expect((10...11).contains(writes))
    let last = try #require(machine.lastFix)
    let next = Machine(
      restoring: machine.entries, at: machine.bench.now.unixTime + .seconds(3600))
    let restored = try #require(next.lastFix)
    #expect(restored.coordinate == Self.home && restored.horizontalAccuracy == 8)
    #expect(last.time.seconds(since: restored.time) <= 60)
  }

  @Test("STD-9: is not read in a run after its retention, and then removed")
  func nextRunTooLate() {
    var machine = Machine()
    machine.stay(at: Self.home, for: 2)
    #expect(machine.stored("position") != nil)
    let next = Machine(
      restoring: machine.entries, at: machine.bench.now.unixTime + .seconds(86_401))
    #expect(next.lastFix == nil && next.stored("position") == nil)
  }

  @Test(
    "STD-9: is not read where its row was changed to numbers that no fix has, and is removed",
    arguments: [
      ("0", false), ("-5", false), ("8,\"verticalAccuracy\":0", false),
      ("8,\"altitude\":480,\"verticalAccuracy\":-1", false), ("8,\"speed\":-1", false),
      ("8,\"course\":360", false), ("9", true), ("8,\"verticalAccuracy\":1", true),
    ])
  func changedRow(_ accuracy: String, isRead: Bool) throws {
    var machine = Machine()
    machine.stay(at: Self.home, for: 2)
    let row = try #require(machine.stored("position"))
    let parts = row.split(separator: "\"accuracy\":8.0", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let changed = Array("\(parts[0])\"accuracy\":\(accuracy)\(parts[1])".utf8)
    machine.entries[LastPosition.key] = changed
    let next = Machine(
      restoring: machine.entries, at: machine.bench.now.unixTime + .seconds(60))
    #expect((next.lastFix != nil) == isRead)
    #expect((next.stored("position") != nil) == isRead)
  }

  @Test(
    "VISIT-6: a visit whose row was changed to no place is not delivered",
    arguments: [(8.0, 1), (0, 0), (-5, 0), (1e300, 1)])
  func changedVisit(_ accuracy: Double, count: Int) {
    let visit = Visit(
      arrival: UnixTime(seconds: 1_700_000_000), coordinate: Self.home,
      horizontalAccuracy: accuracy)
    let event = String(decoding: PendingEvent.visit(visit).json.bytes, as: UTF8.self)
    let text = #"{"last":1,"waiting":[{"number":1,"event":\#(event)}]}"#
    var machine = Machine()
    machine.stay(at: Self.home, for: 2)
    machine.entries[StateKey(domain: "owed", owner: Self.app.name)] = Array(text.utf8)
    let next = Machine(
      restoring: machine.entries, at: machine.bench.now.unixTime + .seconds(60))
    let delivered = next.bench.outputs.count {
      if case .deliver(_, .pending(_, .visit)) = $0.output { true } else { false }
    }
    #expect(delivered == count)
  }

  @Test("STD-9: is read by an app with reduced accuracy as the coarse place of the run before")
  func nextRunCoarse() throws {
    var machine = Machine()
    machine.bench.send(.setting(.precise(Self.app, false)))
    machine.stay(at: Self.home, for: 3)
    let last = try #require(machine.lastFix)
    #expect(last.coordinate != Self.home)
    let next = Machine(
      restoring: machine.entries, at: machine.bench.now.unixTime + .seconds(600))
    #expect(next.lastFix == last)
  }

  @Test("MON-7: ends for a condition that was moved aside with the longest of the terms")
  func damaged() {
    let key = StateKey(
      domain: Conditions.damagedDomain, owner: Self.app.name,
      name: "1700000000 monitor/places/home")
    var machine = Machine(restoring: [key: [1]], at: UnixTime(seconds: 1_700_000_100))
    machine.run(for: .seconds(6 * 86_400))
    #expect(machine.entries[key] == [1])
    machine.run(for: .seconds(2 * 86_400))
    #expect(machine.entries[key] == nil)
    let next = Machine(restoring: [key: [1]], at: UnixTime(seconds: 1_701_000_000))
    #expect(next.entries[key] == nil)
  }

  @Test("is forgotten place by place, a week after each was seen last")
  func visits() throws {
    var machine = Machine()
    machine.stay(at: Self.home, for: 20)
    machine.run(for: .seconds(2 * 86_400))
    machine.stay(at: Self.work, for: 20)
    let both = try #require(machine.stored("visit"))
    #expect(both.contains("48.5") && both.contains("48.6"))
    machine.run(for: .seconds(5 * 86_400))
    let one = try #require(machine.stored("visit"))
    #expect(!one.contains("48.5,") && one.contains("48.6"))
    machine.run(for: .seconds(3 * 86_400))
    let none = try #require(machine.stored("visit"))
    #expect(!none.contains("48.6"))
  }

  @Test("is kept as long as it is of use where nobody says how long")
  func forever() {
    var bench = Bench(Retention(RetentionTerms()))
    bench.send(.position)
    bench.send(.visits(oldest: UnixTime(seconds: 0)))
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.outputs.isEmpty)
  }

  @Test("ends at once for what is dated centuries back")
  func centuries() throws {
    let start = try #require(UnixTime(iso8601: "2200-01-01T00:00:00Z"))
    let oldest = try #require(UnixTime(iso8601: "1700-01-01T00:00:00Z"))
    var retention = Bench(Retention(Self.terms), startingAt: start)
    retention.send(.visits(oldest: oldest))
    #expect(retention.machine.nextDeadline == .start)
  }
}
