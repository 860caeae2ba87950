import LocationModel
import Testing

@testable import LocationFleet

@Suite("A fleet's worker")
struct FleetWorkerTests {
  private func isRising(_ marks: [EventMark]) -> Bool {
    zip(marks, marks.dropFirst()).allSatisfy { $0 < $1 }
  }

  @Test(
    "FLEET-11: a worker appends the events that the same fixes cause without it, byte for byte",
    arguments: 1...6 as ClosedRange<UInt64>)
  func sameEvents(seed: UInt64) throws {
    var bench = try FleetBench(seed: seed, devices: 6, fixes: 120, partitions: 2)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    #expect(bench.events == (try bench.expected()))
    #expect(bench.events.count > 3)
  }

  @Test(
    "FLEET-12: a worker that dies in any call, before, within, or after what it asked, is followed by one that loses and repeats nothing",
    arguments: [0, 1, .max])
  func diesAnywhere(done: Int) throws {
    let base = try FleetBench(seed: 5, devices: 4, fixes: 50)
    let expected = try base.expected()
    var whole = base.fresh()
    try whole.publishFences()
    var counted = MemoryBroker(whole.logs)
    whole.run("a", &counted)
    for death in stride(from: 1, through: counted.calls, by: 2) {
      var bench = base.fresh()
      try bench.publishFences()
      var first = MemoryBroker(bench.logs, death: death, done: done)
      bench.run("a", &first)
      var second = MemoryBroker(bench.logs)
      bench.run("b", &second)
      #expect(bench.events == expected, "death in call \(death)")
      #expect(bench.marks.allSatisfy(isRising))
    }
  }

  @Test(
    "FLEET-95: a worker one of whose calls is not answered, whether done or not, goes on with what it has and loses and repeats nothing",
    arguments: [0, 1, .max], [1, 3])
  func notAnswered(done: Int, silence: Int) throws {
    let base = try FleetBench(seed: 5, devices: 4, fixes: 50)
    let expected = try base.expected()
    var whole = base.fresh()
    try whole.publishFences()
    var counted = MemoryBroker(whole.logs)
    whole.run("a", &counted)
    var anew = 0
    // Behind the last one nothing comes that would have it looked at again.
    let calls = Array(stride(from: 1, to: counted.calls, by: 3))
    for call in calls {
      var bench = base.fresh()
      try bench.publishFences()
      var broker = MemoryBroker(bench.logs, death: call, done: done)
      broker.silence = silence
      var worker = bench.worker("a")
      for _ in 0..<2000 where !bench.isDone(worker) {
        bench.pass()
        let moment = bench.moment
        _ = worker.turn(&broker) { moment }
      }
      anew += worker.figures(at: bench.moment).takeovers - bench.settings.partitions
      let isSame = bench.events == expected
      #expect(isSame, "call \(call) of \(counted.calls)")
      #expect(bench.marks.allSatisfy(isRising))
    }
    #expect(anew * 10 <= calls.count, "\(anew) of \(calls.count)")
  }

  @Test(
    "FLEET-95: a bucket in parts is whole where a call is not answered and its owner dies some calls later",
    arguments: 33...35)
  func largeBucketNotAnswered(calls: Int) throws {
    let base = try FleetBench(seed: 2, devices: 6, fixes: 40, buckets: 2, longestValue: 700)
    let expected = try base.expected()
    for call in stride(from: 20, to: 140, by: 2) {
      var bench = base.fresh()
      try bench.publishFences()
      var broker = MemoryBroker(bench.logs, death: call, done: 1)
      (broker.silence, broker.end) = (1, call + calls)
      bench.run("a", &broker)
      var second = MemoryBroker(bench.logs)
      bench.run("b", &second)
      let isSame = bench.events == expected
      #expect(isSame, "call \(call)")
    }
  }

  @Test(
    "FLEET-12: workers that die one after the other lose and repeat nothing",
    arguments: 1...6 as ClosedRange<UInt64>)
  func dieAgainAndAgain(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var bench = try FleetBench(seed: seed, devices: 6, fixes: 80, partitions: 3)
    try bench.publishFences()
    for life in 0..<25 {
      var broker = MemoryBroker(
        bench.logs, death: .random(in: 10...120, using: &random),
        done: .random(in: 0...3, using: &random))
      bench.run("worker-\(life)", &broker)
    }
    var last = MemoryBroker(bench.logs)
    bench.run("last", &last)
    #expect(bench.events == (try bench.expected()))
    #expect(bench.marks.allSatisfy(isRising))
  }

  @Test(
    "FLEET-12: a bucket that is too large for one value is whole in whichever call its owner dies",
    arguments: 1...4 as ClosedRange<UInt64>)
  func largeBuckets(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var bench = try FleetBench(seed: seed, devices: 6, fixes: 60, buckets: 2, longestValue: 700)
    try bench.publishFences()
    for life in 0..<30 {
      var broker = MemoryBroker(
        bench.logs, death: .random(in: 20...120, using: &random), done: life % 2)
      bench.run("worker-\(life)", &broker)
    }
    var last = MemoryBroker(bench.logs)
    bench.run("last", &last)
    #expect(bench.events == (try bench.expected()))
    #expect(bench.marks.allSatisfy(isRising))
    let keys = bench.logs.messages(.state(0)).map(\.entry.subject)
    #expect(keys.contains("st.0.0.0.1") && keys.contains("st.0.0.1.1"))
  }

  @Test(
    "FLEET-13: a worker that stood still and goes on after another has taken over changes nothing",
    arguments: 1...8 as ClosedRange<UInt64>)
  func twoOwners(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var bench = try FleetBench(seed: seed, devices: 5, fixes: 100)
    try bench.publishFences()
    var brokers = [MemoryBroker(bench.logs), MemoryBroker(bench.logs)]
    var workers = [bench.worker("a"), bench.worker("b")]
    var active = 0
    for _ in 0..<600 where !bench.isDone(workers[active]) {
      bench.pass(messages: 3)
      let moment = bench.moment
      if Int.random(in: 0..<9, using: &random) == 0 { active = 1 - active }
      _ = workers[active].turn(&brokers[active]) { moment }
    }
    for _ in 0..<100 where !bench.isDone(workers[active]) {
      bench.pass()
      let moment = bench.moment
      _ = workers[active].turn(&brokers[active]) { moment }
    }
    #expect(bench.events == (try bench.expected()))
    #expect(bench.marks.allSatisfy(isRising))
    let figures = workers.map { $0.figures(at: bench.moment) }
    #expect(figures.contains { $0.takeovers > 1 })
  }

  @Test(
    "FLEET-13: a worker that stands still within a turn finds that another one has written",
    arguments: 1...40)
  func standsStillWithin(call: Int) throws {
    var bench = try FleetBench(seed: 5, devices: 5, fixes: 80)
    let expected = try bench.expected()
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    var worker = bench.worker("a")
    for _ in 0..<8 {
      bench.pass()
      let moment = bench.moment
      _ = worker.turn(&broker) { moment }
    }
    bench.pass(messages: 120)
    let (late, logs) = (bench.moment, bench.logs)
    var other = bench
    broker.pause(before: call) {
      var successor = MemoryBroker(logs)
      other.run("b", &successor)
    }
    for _ in 0..<4 { _ = worker.turn(&broker) { late } }
    var last = MemoryBroker(bench.logs)
    other.run("c", &last)
    #expect(other.events == expected)
    #expect(other.marks.allSatisfy(isRising))
  }

  @Test(
    "FLEET-15: other fences are in force from one place of the input on, for a successor too",
    arguments: 1...6 as ClosedRange<UInt64>)
  func fencesChange(seed: UInt64) throws {
    func run(dying: Bool) throws -> [String: String] {
      var bench = try FleetBench(seed: seed, devices: 5, fixes: 120)
      try bench.publishFences()
      var broker = MemoryBroker(bench.logs)
      var worker = bench.worker("a")
      for step in 0..<400 where step < 60 || !bench.isDone(worker) {
        bench.pass()
        if step % 5 == 4, step < 55 {
          let isMoved = (step / 5).isMultiple(of: 2)
          try bench.publishFences(shift: isMoved ? 0.004 : 0, revision: isMoved ? 2 : 1)
        }
        let moment = bench.moment
        _ = worker.turn(&broker) { moment }
        guard dying, step % 7 == 6 else { continue }
        worker = bench.worker("worker-\(step)")
        broker = MemoryBroker(bench.logs)
      }
      #expect(bench.isDone(worker))
      #expect(bench.marks.allSatisfy(isRising))
      return bench.events
    }
    let whole = try run(dying: false)
    #expect(whole == (try run(dying: true)))
    let unchanged = try FleetBench(seed: seed, devices: 5, fixes: 120).expected()
    #expect(whole != unchanged)
  }

  @Test("FLEET-17: after a hand over the successor judges nothing anew")
  func handOver() throws {
    var bench = try FleetBench(seed: 4, devices: 6, fixes: 60, partitions: 2)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    var worker = bench.worker("a")
    for _ in 0..<100 where !bench.isDone(worker) {
      bench.pass()
      let moment = bench.moment
      _ = worker.turn(&broker) { moment }
    }
    worker.drain(&broker, at: bench.moment)
    for _ in 0..<3 where !worker.isDrained {
      let moment = bench.moment
      _ = worker.turn(&broker) { moment }
    }
    #expect(worker.isDrained)
    var next = MemoryBroker(bench.logs)
    var successor = bench.worker("b")
    let moment = bench.moment
    let count = successor.turn(&next) { moment } + successor.turn(&next) { moment }
    #expect(count == 0)
    #expect(successor.owns == [0, 1])
    #expect(bench.isDone(successor))
  }

  @Test("FLEET-18: inputs that were gone before they were judged are reported, once")
  func gap() throws {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 60)
    try bench.publishFences()
    bench.pass(messages: 100)
    bench.logs.age(.fixes(0), before: 50)
    for name in ["a", "b"] {
      var broker = MemoryBroker(bench.logs)
      bench.run(name, &broker)
    }
    let gaps = bench.logs.messages(.events(0)).filter { $0.entry.subject == "evt.0.-.gap" }
    #expect(
      gaps.map { String(decoding: $0.entry.bytes, as: UTF8.self) }
        == [#"{"type":"gap","partition":0,"first":1,"last":49}"# + "\n"])
    #expect(bench.marks.allSatisfy(isRising))
  }

  @Test("FLEET-19: state that cannot be read is not overwritten, and its partition not judged")
  func damagedState() throws {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 60)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    let stored = try #require(
      bench.logs.messages(.state(0)).first { $0.entry.subject != "st.0.checkpoint" })
    var damaged = stored.entry
    damaged.bytes[damaged.bytes.count / 2] ^= 1
    _ = bench.logs.add(damaged, to: .state(0))
    let end = bench.logs.end(.state(0))
    var next = MemoryBroker(bench.logs)
    var successor = bench.worker("b")
    for _ in 0..<10 {
      bench.pass()
      let moment = bench.moment
      _ = successor.turn(&next) { moment }
    }
    #expect(bench.logs.end(.state(0)) == end)
    #expect(successor.takeNotes().contains { $0.isFault && $0.text.contains("cannot be read") })
    #expect(successor.figures(at: bench.moment).faults > 0)
  }
}
