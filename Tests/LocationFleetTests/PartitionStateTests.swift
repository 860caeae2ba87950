import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationFleet

@Suite("What a successor finds of a partition")
struct PartitionStateTests {
  @Test(
    "FLEET-101: however often fences change within a snapshot, a successor judges by those of its checkpoint",
    arguments: [40, 71, 140])
  func manyFences(count: Int) throws {
    func run(dying: Bool) throws -> [String: String] {
      var bench = try FleetBench(seed: 4, devices: 5, fixes: 60)
      try bench.publishFences()
      var broker = MemoryBroker(bench.logs)
      var worker = bench.worker("a")
      for _ in 0..<6 { bench.turn(&worker, &broker) }
      bench.pass()
      for number in 0..<count {
        let isMoved = number.isMultiple(of: 2)
        try bench.publishFences(shift: isMoved ? 0.004 : 0, revision: isMoved ? 2 : 3)
      }
      let moment = bench.moment
      _ = worker.turn(&broker) { moment }
      var reader = MemoryBroker(bench.logs)
      let stored = try #require(try Checkpoint.stored(in: 0, &reader))
      let end = bench.logs.end(.fixes(0))
      #expect(stored.fences == Self.fences(bench.logs, at: stored.position))
      #expect(count <= 64 || stored.position == end)
      if dying {
        var second = MemoryBroker(bench.logs)
        bench.run("b", &second)
      } else {
        for _ in 0..<400 where !bench.isDone(worker) { bench.turn(&worker, &broker) }
        #expect(bench.isDone(worker))
      }
      return bench.events
    }
    let whole = try run(dying: false)
    let successor = try run(dying: true)
    #expect(whole == successor)
    #expect(!whole.isEmpty)
  }

  /// The version that the input up to a message asks for.
  private static func fences(_ logs: MemoryLogs, at position: UInt64) -> String? {
    var version: String?
    for message in logs.messages(.fixes(0)) where message.sequence <= position {
      guard message.entry.subject == FleetAddress.control(of: 0),
        case .fences(let found) = ControlMessage(message.entry.bytes)
      else { continue }
      version = found
    }
    return version
  }

  @Test(
    "FLEET-102: a device whose record was changed, or is of a later version, does not begin anew: its partition is left",
    arguments: [0, 20])
  func damagedRecord(place: Int) throws {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 60)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    let key = try #require(try Self.damage(bench.logs, at: place))
    let ends = (bench.logs.end(.state(0)), bench.logs.end(.events(0)))
    var next = MemoryBroker(bench.logs)
    var successor = bench.worker("b")
    for _ in 0..<10 { bench.turn(&successor, &next) }
    #expect(bench.logs.end(.state(0)) == ends.0)
    #expect(bench.logs.end(.events(0)) == ends.1)
    let notes = successor.takeNotes()
    #expect(notes.contains { $0.isFault && $0.text.contains(key) })
    #expect(successor.figures(at: bench.moment).takeovers == 0)
  }

  /// A partition of one bucket, which has 68 places: 51 for one tenant at most.
  private struct Crowd {
    var state: PartitionState
    private var sequence: UInt64 = 0
    private let fix = FleetWalk(seed: 1, count: 1).fixes[0]

    init(_ bucket: StateBucket? = nil) {
      var settings = PartitionState.Settings()
      (settings.buckets, settings.mostDevices) = (1, 4)
      sequence = bucket?.position ?? 0
      state = PartitionState(
        0, settings, at: sequence, done: nil, fences: ("", FleetFences()), now: .start)
      if let bucket { state.restore(0, bucket) }
    }

    private mutating func take(_ entry: LogEntry) {
      sequence += 1
      let message = LogMessage(
        sequence: sequence, time: fix.time + .seconds(Int(sequence)), entry: entry)
      _ = state.take(message)
    }

    mutating func send(_ numbers: Range<Int>, of tenant: String) {
      for number in numbers {
        let name = FleetDeviceName(tenant: tenant, device: "d\(number)")
        take(
          LogEntry(
            subject: FleetAddress.fixes(of: name, partition: 0),
            bytes: Array(FleetWalk.line(fix, of: name).utf8)))
      }
    }

    mutating func ask(_ control: ControlMessage) {
      take(LogEntry(subject: FleetAddress.control(of: 0), bytes: Array(control.text.utf8)))
    }

    func count(_ tenant: String, _ reason: String) -> Int {
      state.figures.fixes[ExactName(tenant)]?[reason] ?? 0
    }
  }

  @Test("FLEET-18: no gap where no input is gone, whatever number a log gives its first one")
  func noGap() {
    func gap(from position: UInt64, to first: UInt64) -> LogEntry? {
      PartitionState(
        0, PartitionState.Settings(), at: position, done: nil, fences: ("", FleetFences()),
        now: .start
      ).gap(to: first)
    }
    #expect(gap(from: 0, to: 0) == nil && gap(from: 0, to: 1) == nil)
    #expect(gap(from: 7, to: 0) == nil && gap(from: 7, to: 8) == nil)
    #expect(gap(from: .max, to: .max) == nil && gap(from: .max, to: 0) == nil)
    #expect(gap(from: 7, to: 9)?.mark == EventMark(input: 8, index: 0))
  }

  @Test("FLEET-108: a tenant has three quarters of a bucket at most; others have the last one")
  func crowd() {
    var crowd = Crowd()
    crowd.send(0..<80, of: "a")
    #expect(crowd.count("a", "accepted") == 51 && crowd.count("a", "surplus") == 29)
    crowd.send(0..<20, of: "b")
    #expect(crowd.count("b", "accepted") == 17 && crowd.count("b", "surplus") == 3)
    // Those that are there stay: the same fix again is one of a known device.
    crowd.send(0..<51, of: "a")
    #expect(crowd.count("a", "duplicate") == 51 && crowd.state.devices == 68)
    crowd.ask(.erase(FleetDeviceName(tenant: "a", device: "d0")))
    crowd.send(90..<92, of: "a")
    #expect(crowd.count("a", "accepted") == 52 && crowd.count("a", "surplus") == 30)
    crowd.ask(.eraseTenant("b"))
    crowd.send(92..<93, of: "a")
    #expect(crowd.count("a", "surplus") == 31 && crowd.state.devices == 51)
  }

  @Test("FLEET-108: a successor has the same places, and keeps all that were stored")
  func crowdOfSuccessor() {
    var crowd = Crowd()
    crowd.send(0..<51, of: "a")
    var successor = Crowd(crowd.state.bucket(0))
    successor.send(60..<61, of: "a")
    successor.send(0..<20, of: "")
    #expect(successor.count("a", "surplus") == 1)
    #expect(successor.count("", "accepted") == 17 && successor.count("", "surplus") == 3)
    // As a version before this one has stored it.
    var full = crowd.state.bucket(0)
    full.devices += (51..<68).map {
      StateBucket.Device(
        name: FleetDeviceName(tenant: "a", device: "d\($0)"), bytes: full.devices[0].bytes)
    }
    var later = Crowd(full)
    later.send(0..<69, of: "a")
    #expect(later.state.devices == 68 && later.count("a", "surplus") == 1)
  }

  /// Changes a byte of a device's record in a bucket that is sealed as its owner does; returns the bucket's key.
  private static func damage(_ logs: MemoryLogs, at place: Int) throws -> String? {
    let messages = logs.messages(.state(0))
    var keys = StateKeys(of: 0, Dictionary(messages.map { ($0.entry.subject, $0) }) { $1 })
    var generator = KeyedGenerator(SecretKey(seed: 7))
    for message in messages {
      var entry = message.entry
      guard Int(entry.subject.dropFirst("st.0.".count)) != nil else { continue }
      var bucket = try keys.open(Array(entry.bytes.dropFirst()), at: entry.subject).bucket
      guard !bucket.devices.isEmpty else { continue }
      bucket.devices[0].bytes[place] ^= 0x41
      let sealed = try keys.seal(bucket, at: entry.subject, using: &generator)
      entry.bytes = Array(entry.bytes.prefix(1)) + sealed
      _ = logs.add(entry, to: .state(0))
      return entry.subject
    }
    return nil
  }
}
