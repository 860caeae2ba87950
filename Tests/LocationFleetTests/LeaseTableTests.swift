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
    /// Whether the leases answer, and whether they keep what they do not answer.
    var answers = true
    var keeps = false
    private(set) var dropped = 0
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
          waiting += tables[number].handle(put(key, bytes, revision), at: moment)
        case .handOver(let partition):
          waiting += tables[number].handle(.handedOver(partition), at: moment)
        case .drop: dropped += 1
        case .take: break
        }
      }
    }

    private func put(_ key: String, _ bytes: [UInt8], _ revision: UInt64) -> LeaseTable.Input {
      guard answers || keeps else { return .unanswered }
      var broker = MemoryBroker(logs)
      let new = try? broker.put(bytes, at: key, in: .leases, expecting: revision)
      guard answers else { return .unanswered }
      let found = try? broker.last(of: .leases, key: key).message
      return new.map { .accepted(key: key, revision: $0) } ?? .refused(key: key, found: found)
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

  @Test("FLEET-94: while the leases do not answer each goes on with what it has, and none runs out")
  func noAnswers() {
    let room = Room(partitions: 6)
    room.add("a")
    room.add("b")
    for _ in 0..<40 { room.pass(0.25) }
    let (before, dropped) = (room.tables.map(\.owns), room.dropped)
    #expect(before.allSatisfy { $0.count == 3 })
    room.answers = false
    for _ in 0..<80 {
      room.pass(0.25)
      #expect(room.tables.map(\.owns) == before)
    }
    room.answers = true
    for _ in 0..<40 { room.pass(0.25) }
    #expect(room.tables.map(\.owns) == before && room.dropped == dropped)
  }

  @Test("FLEET-94: who dies while the leases do not answer is followed when they do")
  func deadMeanwhile() {
    let room = Room(partitions: 2)
    room.add("a")
    room.pass(0)
    room.add("b")
    for _ in 0..<20 { room.pass(0.25) }
    #expect(room.tables.map(\.owns.count) == [1, 1])
    room.answers = false
    room.still = [0]
    for _ in 0..<40 { room.pass(0.25) }
    room.answers = true
    var seconds = 0.0
    while room.tables[1].owns.count < 2, seconds < 10 {
      room.pass(0.25)
      seconds += 0.25
    }
    // Half a lease, and two for the sign of life of the dead.
    #expect(seconds <= 6)
  }

  @Test("FLEET-94: a renewal whose answer was lost is its own, and nothing is given up for it")
  func lostAnswer() {
    let room = Room(partitions: 2)
    room.add("a")
    room.pass(0)
    room.answers = false
    room.keeps = true
    for _ in 0..<8 { room.pass(0.25) }
    room.answers = true
    for _ in 0..<8 { room.pass(0.25) }
    #expect(room.tables[0].owns == [0, 1] && room.dropped == 0)
  }

  @Test("FLEET-94: a partition whose claim was kept and not answered is had with the next answer")
  func lostClaim() {
    let room = Room(partitions: 2)
    room.add("a")
    room.answers = false
    room.keeps = true
    room.pass(0)
    room.pass(0.25)
    #expect(room.owners.isEmpty)
    room.answers = true
    room.pass(0.25)
    #expect(room.owners == [0, 1])
  }

  @Test("FLEET-94: an owner that cannot renew gives up what somebody else has written in")
  func fencedOff() {
    let room = Room(partitions: 1)
    room.add("a")
    room.pass(0)
    let at = { Moment(uptime: room.now, unixTime: room.logs.time) }
    // Lately renewed: the next renewal says whose it is.
    #expect(room.tables[0].handle(.fencedOff(0), at: at()).isEmpty)
    room.answers = false
    for _ in 0..<16 { room.pass(0.25) }
    #expect(room.tables[0].handle(.fencedOff(0), at: at()) == [.drop(0)])
    #expect(room.tables[0].owns.isEmpty)
  }

  @Test("FLEET-79: numbers of a copy that is watched are not believed over the leader's")
  func otherNumbers() {
    var table = LeaseTable(worker: "a", partitions: 1, lease: Self.lease, at: .start)
    let at = { Moment(uptime: .start + .seconds($0), unixTime: UnixTime(seconds: Double($0))) }
    let message = { (key: String, sequence: UInt64) in
      let text = #"{"worker":"a","epoch":1}"#
      let entry = LogEntry(subject: "$KV.LEASES.\(key)", bytes: Array(text.utf8))
      return LogMessage(sequence: sequence, time: UnixTime(seconds: 0), entry: entry)
    }
    func revisions(_ outputs: [LeaseTable.Output]) -> [String: UInt64] {
      outputs.reduce(into: [:]) { if case .put(let key, _, let number) = $1 { $0[key] = number } }
    }
    _ = table.handle(.wake, at: at(0))
    _ = table.handle(.accepted(key: "0", revision: 5), at: at(0))
    _ = table.handle(.accepted(key: "worker.a", revision: 6), at: at(0))
    _ = table.handle(.changed(message("0", 900)), at: at(0))
    _ = table.handle(.changed(message("worker.a", 901)), at: at(0))
    #expect(revisions(table.handle(.wake, at: at(1))) == ["0": 5, "worker.a": 901])
    // The leader, asked after it has refused.
    _ = table.handle(.refused(key: "worker.a", found: message("worker.a", 6)), at: at(1))
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
