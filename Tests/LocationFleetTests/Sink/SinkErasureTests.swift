import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("A fleet's sink and a device that is erased")
struct SinkErasureTests {
  /// What an erasure does behind the back of a sink, to one of three devices of which each event is refused.
  private final class Eraser {
    private let logs: MemoryLogs
    private let partition: Int
    private(set) var hasErasedEvents = false
    private(set) var hasErasedCopies = false

    init(_ bench: SinkBench) {
      logs = bench.logs
      let name = FleetDeviceName(tenant: "acme", device: "truck-1")
      partition = FleetAddress.partition(of: name, count: bench.settings.partitions)
    }

    func eraseEvents() {
      remove(of: .events(partition)) { $0.contains(".acme.truck-1.") }
      hasErasedEvents = true
    }

    func eraseCopies() {
      remove(of: .refused) { $0.hasSuffix(".acme.truck-1") }
      hasErasedCopies = true
    }

    /// What was not done while the sink lived.
    func finish() {
      if !hasErasedEvents { eraseEvents() }
      if !hasErasedCopies { eraseCopies() }
    }

    private func remove(of log: FleetLog, where isOwn: (String) -> Bool) {
      let numbers = logs.messages(log).filter { isOwn($0.entry.subject) }.map(\.sequence)
      _ = logs.remove(numbers, of: log)
    }
  }

  private func bench() -> SinkBench {
    var bench = SinkBench(devices: 3, events: 3)
    bench.answer = { event, _ in
      event.device.device == "truck-0" ? .confirmed : .refused("status 410")
    }
    return bench
  }

  private func copies(_ bench: SinkBench, of device: String) -> Int {
    bench.logs.messages(.refused).count { $0.entry.subject.hasSuffix(".\(device)") }
  }

  @Test(
    "FLEET-49: in whichever calls of a sink a device is erased, and whenever the sink dies then, no copy of its events is left",
    arguments: [0, 1, 2, 3])
  func copies(between: Int) {
    var whole = bench()
    var counted = MemoryBroker(whole.logs)
    whole.run("a", &counted, for: .seconds(4))
    #expect(copies(whole, of: "truck-1") == 3 && copies(whole, of: "truck-2") == 3)
    for call in 1...counted.calls {
      for death in [nil, 0, 1, 2, 3, 4] as [Int?] {
        var bench = bench()
        let eraser = Eraser(bench)
        var first = MemoryBroker(
          bench.logs, death: death.map { call + between + $0 }, done: .max)
        first.pause(before: call) { eraser.eraseEvents() }
        first.pause(before: call + between) { eraser.eraseCopies() }
        bench.run("a", &first, for: .seconds(4))
        eraser.finish()
        var second = MemoryBroker(bench.logs)
        bench.run("b", &second, for: .seconds(10))
        let place = "call \(call), \(between) later, death after \(death ?? -1)"
        #expect(copies(bench, of: "truck-1") == 0, "\(place)")
        #expect(copies(bench, of: "truck-2") >= 3, "\(place)")
        #expect(bench.arrived(0) == bench.expected(0), "\(place)")
      }
    }
  }

  @Test("FLEET-49: what waits for the other side is not handed on when it was erased meanwhile")
  func waiting() {
    var bench = SinkBench(devices: 3, events: 4)
    let eraser = Eraser(bench)
    var broker = MemoryBroker(bench.logs)
    var sink = Sink(name: "test", life: "a", bench.settings)
    var received: [String] = []
    for step in 0..<480 {
      if step == 100 { eraser.finish() }
      let isThere = step > 120
      for delivery in sink.turn(&broker, at: bench.now) {
        if isThere { received += delivery.events.map(\.device.device) }
        sink.settle(
          delivery.number, isThere ? .confirmed : .unreachable("nobody listens", after: nil),
          at: bench.now)
      }
      bench.now = bench.now + .milliseconds(250)
    }
    #expect(received.filter { $0 == "truck-0" }.count == 4)
    #expect(received.filter { $0 == "truck-2" }.count == 4 && received.count == 8)
    #expect(sink.figures.missed == 4)
    #expect(bench.position?.settled.reduce(0, +) == 12)
    let texts = sink.takeNotes().map(\.text)
    #expect(!texts.contains { $0.contains("truck") })
  }

  @Test("FLEET-49: a batch goes on without those of its events that were erased")
  func batch() {
    var bench = SinkBench(devices: 3, events: 4, partitions: 1)
    (bench.settings.queue.batch, bench.settings.queue.parallel) = (100, 1)
    let eraser = Eraser(bench)
    var broker = MemoryBroker(bench.logs)
    var sink = Sink(name: "test", life: "a", bench.settings)
    var batches: [[String]] = []
    for step in 0..<240 {
      if step == 60 { eraser.finish() }
      for delivery in sink.turn(&broker, at: bench.now) {
        if step > 60 { batches.append(delivery.events.map(\.device.device)) }
        sink.settle(
          delivery.number, step > 60 ? .confirmed : .unreachable("nobody listens", after: nil),
          at: bench.now)
      }
      bench.now = bench.now + .milliseconds(250)
    }
    let expected = ["truck-0", "truck-2"].flatMap { Array(repeating: $0, count: 4) }
    #expect(batches.count == 1 && batches.first?.sorted() == expected)
  }

  @Test("FLEET-49: a mark behind what is to be erased is passed over")
  func marks() {
    var bench = SinkBench(devices: 1, events: 2, partitions: 1)
    _ = bench.logs.add(
      LogEntry(
        subject: FleetAddress.mark(of: 0),
        bytes: Array(#"{"type":"erased","partition":0,"input":812}"#.utf8)),
      to: .events(0))
    bench.add(2, of: 0)
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    #expect(bench.received.count == 3 && bench.refused.isEmpty)
    #expect(bench.position?.settled == [4])
  }
}
