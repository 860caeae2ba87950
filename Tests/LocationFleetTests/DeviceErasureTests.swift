import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationFleet

@Suite("A device of a fleet that is erased")
struct DeviceErasureTests {
  /// A fleet in the midst of its fixes, and what erases its second device.
  private struct Scene {
    var bench: FleetBench
    var worker: FleetWorker
    var broker: MemoryBroker
    let name = FleetBench.name(1)

    init(seed: UInt64) throws {
      bench = try FleetBench(seed: seed, devices: 4, fixes: 60)
      try bench.publishFences()
      worker = bench.worker("a")
      broker = MemoryBroker(bench.logs)
      for _ in 0..<10 { turn() }
    }

    mutating func turn(messages: Int = 12) {
      bench.pass(messages: messages)
      let moment = bench.moment
      _ = worker.turn(&broker) { moment }
      guard broker.isDead else { return }
      broker = MemoryBroker(bench.logs)
      worker = bench.worker("worker-\(bench.logs.end(.leases))")
    }

    /// Erases the device; returns the number of its fixes before that.
    mutating func erase(_ eraser: inout MemoryBroker) throws {
      var erasure = try PartitionErasure(of: name, partitions: 1, &eraser)
      for _ in 0..<30 where try !erasure.isForgotten(&eraser) { turn(messages: 1) }
      #expect(try erasure.isForgotten(&eraser))
      try erasure.overwrite(&eraser)
      try erasure.finish(&eraser)
    }

    mutating func finish() {
      for _ in 0..<400 where !bench.isDone(worker) { turn() }
      #expect(bench.isDone(worker))
    }

    /// Fixes of the device that are in the log, and how many were.
    var fixes: [LogMessage] {
      let subject = FleetAddress.fixes(of: name, partition: 0)
      return bench.logs.messages(.fixes(0)).filter { $0.entry.subject == subject }
    }

    /// Everything that names the device, in what is there and in what was replaced.
    func remains(before request: UInt64) -> [LogMessage] {
      let logs: [FleetLog] = [.fixes(0), .events(0), .state(0), .leases, .fences, .refused]
      return logs.flatMap { bench.logs.messages($0) + (bench.logs.replaced[$0] ?? []) }.filter {
        let text = $0.entry.subject + String(decoding: $0.entry.bytes, as: UTF8.self)
        let isRequest = $0.entry.subject == FleetAddress.control(of: 0)
        let isLater = !isRequest && ($0.entry.mark?.input ?? $0.sequence) > request
        return !isLater && (text.contains("truck 1") || text.contains("truck_201"))
      }
    }

    /// What is stored, or was replaced, of buckets before, and can be read.
    func readable(before sequence: UInt64) -> [String] {
      let stored = bench.logs.messages(.state(0))
      var keys = StateKeys(
        of: 0, Dictionary(stored.map { ($0.entry.subject, $0) }) { $1 })
      return (stored + (bench.logs.replaced[.state(0)] ?? []))
        .filter { $0.sequence <= sequence && $0.entry.bytes.first == 4 }
        .compactMap { message in
          let bytes = Array(message.entry.bytes.dropFirst())
          return (try? keys.open(bytes, at: message.entry.subject)).map { _ in message.entry.subject
          }
        }
    }
  }

  @Test(
    "FLEET-60: nothing of it is left, others are unharmed, and what comes later begins a new device",
    arguments: 1...4 as ClosedRange<UInt64>)
  func erases(seed: UInt64) throws {
    var scene = try Scene(seed: seed)
    let (count, end) = (scene.fixes.count, scene.bench.logs.end(.fixes(0)))
    let states = scene.bench.logs.end(.state(0))
    #expect(count > 0 && !scene.readable(before: states).isEmpty)
    var eraser = MemoryBroker(scene.bench.logs)
    try scene.erase(&eraser)
    #expect(scene.remains(before: end + 1).isEmpty)
    #expect(scene.readable(before: states).isEmpty)
    scene.finish()
    #expect(scene.bench.events == (try scene.bench.expected(1, from: count)))
    // Again: the new device is erased as well.
    var again = MemoryBroker(scene.bench.logs)
    try scene.erase(&again)
    #expect(scene.remains(before: .max).isEmpty)
  }

  @Test("FLEET-49: what sinks have set aside of it is overwritten, and nothing of other devices")
  func copies() throws {
    var scene = try Scene(seed: 7)
    for subject in [
      "ref.a._.truck_201", "ref.b._.truck_201", "ref.a._.truck_203", "ref.a.x.truck_201",
    ] {
      _ = scene.bench.logs.add(LogEntry(subject: subject, bytes: [1]), to: .refused)
    }
    var eraser = MemoryBroker(scene.bench.logs)
    try scene.erase(&eraser)
    #expect(
      scene.bench.logs.messages(.refused).map(\.entry.subject)
        == ["ref.a._.truck_203", "ref.a.x.truck_201"])
  }

  @Test("FLEET-61: it is resumed after its end in any call, and repeats nothing of other devices")
  func eraserDies() throws {
    var whole = try Scene(seed: 5)
    var counted = MemoryBroker(whole.bench.logs)
    try whole.erase(&counted)
    for death in 1...counted.calls {
      for done in [0, 1, Int.max] {
        var scene = try Scene(seed: 5)
        let end = scene.bench.logs.end(.fixes(0))
        var eraser = MemoryBroker(scene.bench.logs, death: death, done: done)
        #expect(throws: BrokerFault.self) { try scene.erase(&eraser) }
        var second = MemoryBroker(scene.bench.logs)
        try scene.erase(&second)
        #expect(scene.remains(before: end + 1).isEmpty, "death in call \(death)")
        scene.finish()
        // Of the device itself a second request erases what came after the first.
        let isOther = { (key: String) in !key.hasSuffix("truck_201") }
        let expected = try scene.bench.expected().filter { isOther($0.key) }
        #expect(scene.bench.events.filter { isOther($0.key) } == expected)
        let marks = scene.bench.marks[0]
        #expect(zip(marks, marks.dropFirst()).allSatisfy { $0 < $1 })
      }
    }
  }

  @Test(
    "FLEET-61: a worker that dies in any call of it is followed by one that carries it out, and nothing that was stored before can be read",
    arguments: [0, 1, .max])
  func workerDies(done: Int) throws {
    for death in 1...90 {
      var scene = try Scene(seed: 6)
      let (count, end) = (scene.fixes.count, scene.bench.logs.end(.fixes(0)))
      let states = scene.bench.logs.end(.state(0))
      scene.broker.death = scene.broker.calls + death
      scene.broker.done = done
      var eraser = MemoryBroker(scene.bench.logs)
      try scene.erase(&eraser)
      #expect(scene.remains(before: end + 1).isEmpty, "death in call \(death)")
      #expect(scene.readable(before: states).isEmpty, "death in call \(death)")
      scene.finish()
      #expect(
        scene.bench.events == (try scene.bench.expected(1, from: count)), "death in call \(death)")
      let marks = scene.bench.marks[0]
      #expect(zip(marks, marks.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test("FLEET-60: the request has escaped names, and what is none is passed over")
  func control() {
    for name in [FleetBench.name(1), FleetDeviceName(tenant: "a\"b", device: "ü\\.>*")] {
      let message = ControlMessage.erase(name)
      #expect(ControlMessage(Array(message.text.utf8)) == message)
    }
    let version = ControlMessage.fences("0123456789abcdef")
    #expect(ControlMessage(Array(version.text.utf8)) == version)
    for text in [
      "", "{}", #"{"ctl":"erase"}"#, #"{"ctl":"erase","tenant":"_","device":"_"}"#,
      #"{"ctl":"erase","tenant":"a.b","device":"c"}"#, #"{"ctl":"later","tenant":"a"}"#,
    ] { #expect(ControlMessage(Array(text.utf8)) == nil) }
  }
}
