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
