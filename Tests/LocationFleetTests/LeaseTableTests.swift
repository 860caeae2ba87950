import LocationModel
import Testing

@testable import LocationFleet

@Suite("The leases of a fleet")
struct LeaseTableTests {
  private static let lease = Duration.seconds(3)

  /// Tables of workers over leases in memory, in virtual time.
  private final class Room {
    let logs = MemoryLogs()
    var now = Instant.start
    var tables: [LeaseTable] = []
    var watched: [UInt64] = []
    /// Workers that do nothing now.
    var still: Set<Int> = []
    let partitions: Int

    init(partitions: Int) { self.partitions = partitions }

    func add(_ name: String) {
      tables.append(LeaseTable(worker: name, partitions: partitions, lease: lease, at: now))
      watched.append(0)
    }

    func pass(_ seconds: Double) {
      now = now + .seconds(seconds)
      for number in tables.indices where !still.contains(number) { turn(number) }
    }

    private func turn(_ number: Int) {
      let moment = Moment(uptime: now, unixTime: logs.time)
      for message in logs.messages(.leases) where message.sequence > watched[number] {
        watched[number] = message.sequence
        _ = tables[number].handle(.changed(message), at: moment)
      }
      var waiting = tables[number].handle(.wake, at: moment)[...]
      while let output = waiting.popFirst() {
        switch output {
        case .put(let key, let bytes, let revision):
          var broker = MemoryBroker(logs)
          let new = try? broker.put(bytes, at: key, in: .leases, expecting: revision)
          let input = new.map { LeaseTable.Input.accepted(key: key, revision: $0) }
          waiting += tables[number].handle(input ?? .refused(key: key), at: moment)
        case .handOver(let partition):
          waiting += tables[number].handle(.handedOver(partition), at: moment)
        case .take, .drop: break
        }
      }
    }

    var owners: [Int] { tables.indices.flatMap { tables[$0].owns }.sorted() }
  }

  @Test("FLEET-14: one worker takes all, and gives up a share to each that joins, one a second")
  func shares() {
    let room = Room(partitions: 12)
    room.add("a")
    room.pass(0)
    #expect(room.owners == Array(0..<12))
    room.add("b")
    var least = 12
    for _ in 0..<40 {
      room.pass(0.5)
      least = min(least, room.tables[0].owns.count)
      #expect(Set(room.owners).count == room.owners.count)
    }
    #expect(room.tables.map(\.owns.count) == [6, 6])
    #expect(least == 6)
    room.add("c")
    for _ in 0..<60 { room.pass(0.5) }
    #expect(room.tables.map(\.owns.count) == [4, 4, 4])
    #expect(room.owners == Array(0..<12))
  }

  @Test("FLEET-14: a lease is free when it has not changed for its time, and not before")
  func runsOut() {
    let room = Room(partitions: 4)
    room.add("a")
    room.pass(0)
    room.still = [0]
    room.add("b")
    var (first, all): (Double?, Double?)
    for step in 1...40 {
      room.pass(0.25)
      if !room.tables[1].owns.isEmpty { first = first ?? Double(step) / 4 }
      if room.tables[1].owns.count == 4 { all = all ?? Double(step) / 4 }
    }
    #expect(first.map { (3.0...4).contains($0) } ?? false)
    // Two leases and a second: then the other one counts no more.
    #expect(all.map { $0 <= 7 } ?? false)
  }

  @Test("FLEET-13: a worker that stood still for longer than its leases gives up what it had")
  func standsStill() {
    let room = Room(partitions: 2)
    room.add("a")
    room.pass(0)
    room.still = [0]
    room.add("b")
    for _ in 0..<40 { room.pass(0.25) }
    #expect(room.tables[1].owns == [0, 1])
    room.still = [1]
    room.pass(0)
    #expect(room.tables[0].owns.isEmpty)
  }

  @Test("FLEET-79: numbers of a copy that is watched are not believed over the leader's")
  func otherNumbers() {
    var table = LeaseTable(worker: "a", partitions: 1, lease: Self.lease, at: .start)
    let at = { Moment(uptime: .start + .seconds($0), unixTime: UnixTime(seconds: Double($0))) }
    let stored = { (key: String, sequence: UInt64) in
      let text = #"{"worker":"a","epoch":1}"#
      let entry = LogEntry(subject: "$KV.LEASES.\(key)", bytes: Array(text.utf8))
      return LeaseTable.Input.changed(
        LogMessage(sequence: sequence, time: UnixTime(seconds: 0), entry: entry))
    }
    func revisions(_ outputs: [LeaseTable.Output]) -> [String: UInt64] {
      outputs.reduce(into: [:]) { if case .put(let key, _, let number) = $1 { $0[key] = number } }
    }
    _ = table.handle(.wake, at: at(0))
    _ = table.handle(.accepted(key: "0", revision: 5), at: at(0))
    _ = table.handle(.accepted(key: "worker.a", revision: 6), at: at(0))
    _ = table.handle(stored("0", 900), at: at(0))
    _ = table.handle(stored("worker.a", 901), at: at(0))
    #expect(revisions(table.handle(.wake, at: at(1))) == ["0": 5, "worker.a": 901])
    // The leader, asked after it has refused.
    _ = table.handle(.refused(key: "worker.a"), at: at(1))
    _ = table.handle(stored("worker.a", 6), at: at(1))
    #expect(revisions(table.handle(.wake, at: at(2))) == ["0": 5, "worker.a": 6])
    #expect(table.owns == [0])
  }

  @Test("FLEET-14: nonsense in a lease changes nothing", arguments: ["", "{", "{}", "nan", "[1]"])
  func nonsense(text: String) {
    let room = Room(partitions: 2)
    room.add("a")
    _ = room.logs.add(LogEntry(subject: "$KV.LEASES.7", bytes: Array(text.utf8)), to: .leases)
    _ = room.logs.add(LogEntry(subject: "$KV.LEASES.x", bytes: Array(text.utf8)), to: .leases)
    room.pass(0)
    #expect(room.owners == [0, 1])
  }
}
