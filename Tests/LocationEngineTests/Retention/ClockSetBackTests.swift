import LocationEngine
import LocationModel
import TestSupport
import Testing

/// The clock of the computer is set back, stands, or is set forward by mistake.
@Suite("What tells where the device was, under a clock that is wrong")
struct ClockSetBackTests {
  private static let app = AppIdentity("an.app")
  private static let day = Duration.seconds(86_400)
  private static let week = Duration.seconds(7 * 86_400)
  private static let tenYears = Duration.seconds(10 * 365 * 86_400)
  private static let terms = RetentionTerms(position: day, visits: week, access: week)
  private static let home = Coordinate(latitude: 48.5, longitude: 11.5)
  private static let work = Coordinate(latitude: 48.6, longitude: 11.6)
  private static let begin = UnixTime(seconds: 1_700_000_000)

  /// An engine, and what a store holds of it, over several runs of its process.
  private struct Device {
    private(set) var bench: Bench<LocationEngine>
    private var entries: [StateKey: [UInt8]] = [:]
    private var seen = 0

    init(at time: UnixTime = ClockSetBackTests.begin) {
      bench = Self.bench(at: time)
      begin()
    }

    private static func bench(at time: UnixTime) -> Bench<LocationEngine> {
      Bench(LocationEngine(providers: 1, keeping: ClockSetBackTests.terms), startingAt: time)
    }

    /// Another run of the process begins when the clock says so.
    mutating func restart(at time: UnixTime) {
      (bench, seen) = (Self.bench(at: time), 0)
      begin()
    }

    private mutating func begin() {
      bench.send(
        .stored(
          entries.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }))
      let client = ClientID(1)
      bench.send(
        .client(
          client,
          .connected(ClientDescription(app: ClockSetBackTests.app, manifest: Manifest()))))
      bench.send(.setting(.authorization(ClockSetBackTests.app, .always)))
      bench.send(.client(client, .request(.visits(on: true))))
      note()
    }

    mutating func stay(at place: Coordinate, for minutes: Int) {
      for _ in 0..<(minutes * 6) {
        run(for: .seconds(10))
        let fix = Fix(coordinate: place, horizontalAccuracy: 8, time: bench.now.unixTime)
        bench.send(.fix(fix, from: ProviderID(0)))
        note()
      }
    }

    mutating func run(for duration: Duration) {
      bench.run(for: duration)
      note()
    }

    mutating func setClock(ahead duration: Duration) { bench.setClock(ahead: duration) }

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

    var hasPosition: Bool {
      bench.machine.current != nil
        || entries[StateKey(domain: "coarse-place", owner: "")] != nil
    }

    /// What is stored of places visited, and of pending visits.
    var visits: String {
      let keys = [
        StateKey(domain: "visit", owner: ""),
        StateKey(domain: "owed", owner: ClockSetBackTests.app.name),
      ]
      return keys.compactMap { entries[$0].map { String(decoding: $0, as: UTF8.self) } }.joined()
    }
  }

  @Test("border 21: is forgotten after its uptime when the clock is set back by ten years")
  func setBack() {
    var device = Device()
    device.stay(at: Self.home, for: 20)
    device.stay(at: Self.work, for: 20)
    device.setClock(ahead: Self.tenYears * -1)
    device.run(for: Self.day - .seconds(60))
    #expect(device.hasPosition && device.visits.contains("48.5"))
    device.run(for: .seconds(120))
    #expect(!device.hasPosition)
    device.run(for: Self.week)
    #expect(!device.visits.contains("48.5") && !device.visits.contains("48.6"))
  }

  @Test("border 21: is forgotten though the clock stands at the same date at each start")
  func standing() {
    var device = Device()
    device.stay(at: Self.home, for: 20)
    device.stay(at: Self.work, for: 20)
    for run in 0..<9 {
      device.restart(at: Self.begin)
      if run == 0 { #expect(device.visits.contains("48.5")) }
      device.run(for: Self.day)
    }
    #expect(!device.visits.contains("48.5") && !device.visits.contains("48.6"))
    #expect(!device.hasPosition)
  }

  @Test("border 21: is forgotten though it is dated in the future, across restarts")
  func future() {
    var device = Device(at: Self.begin + Self.tenYears)
    device.stay(at: Self.home, for: 20)
    device.stay(at: Self.work, for: 20)
    for run in 0..<9 {
      device.restart(at: Self.begin + Self.day * Double(run))
      device.run(for: Self.day - .seconds(600))
    }
    #expect(!device.visits.contains("48.5") && !device.visits.contains("48.6"))
    #expect(!device.hasPosition)
  }

  @Test("is not lost by a jump forward that is set right within the run")
  func forward() {
    var device = Device()
    device.stay(at: Self.home, for: 20)
    device.stay(at: Self.work, for: 20)
    device.setClock(ahead: Self.tenYears)
    device.run(for: .seconds(7200))
    #expect(device.hasPosition && device.visits.contains("48.5"))
    device.stay(at: Self.home, for: 20)
    device.setClock(ahead: Self.tenYears * -1)
    device.run(for: .seconds(7200))
    device.restart(at: device.bench.now.unixTime + .seconds(60))
    #expect(device.visits.contains("48.5") && device.visits.contains("48.6"))
  }

  @Test("border 21: access logs are erased after their uptime, too")
  func accessLogs() {
    for change in [Self.tenYears * -1, .seconds(-2 * 86_400)] {
      var access = Bench(AccessLog(keeping: Self.week))
      access.send(.stored([]))
      access.send(.delivered(Self.app, .live, 1))
      access.setClock(ahead: change)
      access.run(for: Self.week - .seconds(1))
      #expect(access.machine.accesses.count == 1)
      access.run(for: .seconds(1))
      #expect(access.machine.accesses.isEmpty && access.stored.isEmpty)
      var events = Bench(EventLog(keeping: Self.week))
      events.send(.stored([]))
      events.send(.delivered(Self.app, DeliveredEvent(.region, "r", "entered", since: Self.begin)))
      events.setClock(ahead: change)
      events.run(for: Self.week)
      #expect(events.machine.records.isEmpty)
    }
  }

  @Test("border 21: a list that is dated in the future is kept for its time once, and not for ever")
  func futureLists() {
    var access = Bench(AccessLog(keeping: Self.week), startingAt: Self.begin + Self.tenYears)
    access.send(.delivered(Self.app, .live, 1))
    var events = Bench(EventLog(keeping: Self.week), startingAt: Self.begin + Self.tenYears)
    events.send(.delivered(Self.app, DeliveredEvent(.region, "r", "entered", since: Self.begin)))
    var (delivered, received) = (access.stored, events.stored)
    for run in 0..<9 {
      let now = Self.begin + Self.day * Double(run)
      access = Bench(AccessLog(keeping: Self.week), startingAt: now)
      access.send(.stored(delivered))
      if !access.outputs.isEmpty { delivered = access.stored }
      events = Bench(EventLog(keeping: Self.week), startingAt: now)
      events.send(.stored(received))
      if !events.outputs.isEmpty { received = events.stored }
      if run == 6 {
        #expect(access.machine.accesses.count == 1 && events.machine.records.count == 1)
      }
    }
    #expect(access.machine.accesses.isEmpty && events.machine.records.isEmpty)
  }
}
