import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("A fleet's sink")
struct SinkTests {
  private func isWhole(_ bench: SinkBench, devices: Int) -> Bool {
    (0..<devices).allSatisfy { bench.arrived($0) == bench.expected($0) }
  }

  @Test(
    "FLEET-40: a sink that dies in any call is followed by one that hands on every event, in the order of its device",
    arguments: [(1, 0), (1, Int.max), (3, 0), (50, 1)])
  func diesAnywhere(batch: Int, done: Int) {
    let base = SinkBench(devices: 4, events: 6)
    var whole = base
    var counted = MemoryBroker(whole.logs)
    whole.run("a", &counted)
    #expect(isWhole(whole, devices: 4) && whole.received.count == 24)
    for death in 1...counted.calls {
      var bench = SinkBench(devices: 4, events: 6)
      bench.settings.queue.batch = batch
      var first = MemoryBroker(bench.logs, death: death, done: done)
      bench.run("a", &first)
      var second = MemoryBroker(bench.logs)
      bench.run("b", &second)
      #expect(isWhole(bench, devices: 4), "death in call \(death)")
      #expect(bench.position?.owner == "")
    }
  }

  @Test(
    "FLEET-40: a sink that dies in any delivery is followed by one that repeats at most what was not remembered",
    arguments: 1...24)
  func diesInDelivery(most: Int) {
    var bench = SinkBench(devices: 4, events: 6)
    bench.settings.queue.parallel = 2
    var first = MemoryBroker(bench.logs)
    bench.run("a", &first, most: most, drains: false)
    let remembered = bench.position?.settled.reduce(0, +) ?? 0
    var second = MemoryBroker(bench.logs)
    bench.run("b", &second)
    #expect(isWhole(bench, devices: 4))
    #expect(bench.received.count <= 24 + most - Int(remembered))
  }

  @Test("FLEET-162: a sink says once that streams do not answer, and once that they do again")
  func spell() {
    var bench = SinkBench(devices: 2, events: 4)
    var broker = MemoryBroker(bench.logs)
    (broker.death, broker.silence) = (5, 12)
    bench.run("a", &broker)
    #expect(isWhole(bench, devices: 2))
    #expect(bench.notes.filter { $0 == "no answer: silent" }.count == 1, "\(bench.notes)")
    let again = bench.notes.filter { $0.hasPrefix("the streams answer again") }
    #expect(again.count == 1, "\(bench.notes)")
  }

  @Test("FLEET-42: what is refused for good is kept aside with its reason, and its device goes on")
  func refused() {
    var bench = SinkBench(devices: 3, events: 4)
    let bad = bench.expected(1)[1]
    bench.answer = { event, _ in event.id == bad ? .refused("status 400") : .confirmed }
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    #expect(bench.arrived(0) == bench.expected(0) && bench.arrived(2) == bench.expected(2))
    #expect(bench.arrived(1) == bench.expected(1).filter { $0 != bad })
    #expect(bench.refused.count == 1)
    #expect(bench.refused[0].contains(#""reason":"status 400""#) && bench.refused[0].contains(bad))
    let total = bench.position?.settled.reduce(0, +)
    #expect(total == 12)
    // What is said of it names no place.
    #expect(bench.notes.contains("set event \(bad) aside: status 400"))
  }

  @Test("FLEET-42: what was set aside is not lost when the sink dies before it is kept")
  func diesBeforeAside() {
    let base = SinkBench(devices: 2, events: 3)
    let bad = base.expected(0)[0]
    var counted = MemoryBroker(base.logs)
    var whole = base
    whole.answer = { event, _ in event.id == bad ? .refused("status 410") : .confirmed }
    whole.run("a", &counted)
    for death in 1...counted.calls {
      var bench = SinkBench(devices: 2, events: 3)
      bench.answer = whole.answer
      var first = MemoryBroker(bench.logs, death: death)
      bench.run("a", &first)
      var second = MemoryBroker(bench.logs)
      bench.run("b", &second)
      #expect(bench.refused.count >= 1 && bench.refused.allSatisfy { $0.contains(bad) })
      #expect(bench.arrived(0) + [bad] == Array(bench.expected(0).dropFirst()) + [bad])
    }
  }

  @Test("FLEET-42: a message that is no event is kept aside, and nothing waits for it")
  func unreadable() {
    var bench = SinkBench(devices: 1, events: 2)
    _ = bench.logs.add(
      LogEntry(subject: "evt.0.acme.truck-9.entered", bytes: Array("{\"type\"".utf8)),
      to: .events(0))
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    #expect(isWhole(bench, devices: 1))
    #expect(bench.refused.count == 1 && bench.refused[0].contains(#""reason":"unreadable""#))
    #expect(bench.position?.settled.reduce(0, +) == 3)
  }

  @Test("FLEET-43: while the other side is not there nothing is lost, and little is tried")
  func notThere() {
    var bench = SinkBench(devices: 20, events: 3)
    var attempts = 0
    var isThere = false
    bench.answer = { _, _ in
      attempts += 1
      return isThere ? .confirmed : .unreachable("nobody listens", after: nil)
    }
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker, for: .seconds(600))
    // Eight are on their way when it fails first; then one after 1, 2, 4, … 30 seconds.
    #expect(attempts < 40 && attempts > 20)
    isThere = true
    var second = MemoryBroker(bench.logs)
    bench.run("b", &second)
    #expect(isWhole(bench, devices: 20) && bench.refused.isEmpty)
    #expect(bench.notes.contains("waits: nobody listens"))
  }

  @Test("FLEET-43: when everything is refused little is set aside before somebody has repaired it")
  func refusesEverything() {
    var bench = SinkBench(devices: 100, events: 3)
    bench.answer = { _, _ in .refused("status 404") }
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker, for: .seconds(300))
    #expect((16...24).contains(bench.refused.count), "those on their way, and no more")
    bench.answer = { _, _ in .confirmed }
    var second = MemoryBroker(bench.logs)
    let before = bench.refused.count
    bench.run("b", &second)
    #expect(bench.refused.count == before && bench.received.count == 300 - before)
  }

  @Test("FLEET-44: of two sinks of one name one hands on, until it leaves or is silent for a lease")
  func twoProcesses() {
    var bench = SinkBench(devices: 2, events: 2)
    var broker = MemoryBroker(bench.logs)
    var first = Sink(name: "test", life: "a", bench.settings)
    var other = Sink(name: "test", life: "b", bench.settings)
    func turn(_ sink: inout Sink) {
      for delivery in sink.turn(&broker, at: bench.now) {
        sink.settle(delivery.number, .confirmed, at: bench.now)
      }
    }
    for _ in 0..<40 {
      turn(&first)
      turn(&other)
      bench.now = bench.now + .milliseconds(250)
    }
    #expect(first.isActive && !other.isActive)
    // The first one stands still.
    for _ in 0..<40 {
      turn(&other)
      bench.now = bench.now + .milliseconds(250)
    }
    #expect(other.isActive)
    // What it still holds, it hands on no more.
    #expect(!first.isOwner(at: bench.now))
    for _ in 0..<8 {
      turn(&first)
      turn(&other)
      bench.now = bench.now + .milliseconds(250)
    }
    #expect(!first.isActive && other.isActive)
    #expect(first.takeNotes().map(\.text).contains("another process hands on"))
    other.drain()
    for _ in 0..<40 {
      turn(&other)
      turn(&first)
      bench.now = bench.now + .milliseconds(250)
    }
    #expect(other.isDrained && first.isActive)
  }

  @Test("FLEET-40: events that were gone before they were handed on are counted and said")
  func missed() {
    var bench = SinkBench(devices: 1, events: 4, partitions: 1)
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    for number in 4..<9 { bench.add(number, of: 0) }
    bench.logs.age(.events(0), before: 8)
    var second = MemoryBroker(bench.logs)
    bench.run("b", &second)
    #expect(bench.notes.contains("events 5 to 7 were gone before they were handed on"))
    #expect(bench.received.count == 6)
  }

  @Test("FLEET-44: a position that cannot be read, or is of another fleet, is left as it is")
  func damaged() {
    for text in ["{\"owner\"", #"{"owner":"","settled":[1]}"#] {
      var bench = SinkBench(devices: 1, events: 1)
      var broker = MemoryBroker(bench.logs)
      _ = try? broker.put(Array(text.utf8), at: "test", in: .sinks, expecting: 0)
      bench.run("a", &broker)
      #expect(bench.received.isEmpty && !bench.notes.isEmpty)
      #expect(bench.logs.messages(.sinks).map(\.entry.bytes) == [Array(text.utf8)])
    }
  }

  /// Events of three tenants, of none of them, and of a whole partition, and messages that are no events.
  private func severalTenants() -> SinkBench {
    let bench = SinkBench(devices: 3, events: 4)
    for number in 0..<4 {
      for device in 0..<3 {
        for tenant in ["zeta", "", "caf\u{e9}"] { bench.add(number, of: device, tenant: tenant) }
      }
    }
    for subject in ["evt.0.acme.truck-9.entered", "evt.1.zeta.truck-9.entered", "evt.1.a"] {
      let number = subject.hasPrefix("evt.0") ? 0 : 1
      _ = bench.logs.add(LogEntry(subject: subject, bytes: [0x7b]), to: .events(number))
    }
    _ = bench.logs.add(
      LogEntry(subject: "evt.0.-.gap", bytes: Array(#"{"type":"gap"}"#.utf8)), to: .events(0))
    return bench
  }

  @Test(
    "FLEET-109: with tenants in its settings a sink hands on and sets aside only what is theirs, wherever it dies",
    arguments: [["zeta"], ["", "acme"], ["cafe\u{301}"]])
  func tenants(names: [String]) {
    let wanted = Set(names.map { ExactName($0) })
    // `é` in two scalars is another name than `é` in one.
    let count = 12 * names.filter { ["acme", "zeta", ""].contains($0) }.count
    let unreadable = names.filter { ["acme", "zeta"].contains($0) }.count
    var (death, most) = (0, 0)
    repeat {
      var bench = severalTenants()
      bench.settings.tenants = wanted
      var first = MemoryBroker(bench.logs, death: death > 0 ? death : nil)
      bench.run("a", &first)
      if death == 0 { most = first.calls }
      var second = MemoryBroker(bench.logs)
      if death > 0 { bench.run("b", &second) }
      #expect(bench.received.allSatisfy { wanted.contains(ExactName($0.device.tenant)) })
      #expect(Set(bench.received.map(\.id)).count == count, "death in call \(death)")
      // One that dies before it has remembered a copy leaves another one.
      #expect(Set(bench.refused).count == unreadable)
      let kept = (0..<2).reduce(0) { $0 + bench.logs.messages(.events($1)).count }
      #expect(bench.position?.settled.reduce(0, +) == UInt64(kept))
      #expect(bench.position?.tenants?.count == names.count)
      death += 1
    } while death <= most
  }

  @Test("FLEET-109: a sink whose tenants are others than before hands nothing on, and says so")
  func otherTenants() {
    for (before, after, text) in [
      (["acme"], ["zeta"], "of tenant acme, and is to hand on those of tenant zeta"),
      (nil, ["zeta", ""], "of all tenants, and is to hand on those of tenants -, zeta"),
      (["acme"], nil, "of tenant acme, and is to hand on those of all tenants"),
    ] as [([String]?, [String]?, String)] {
      var bench = severalTenants()
      func tenants(_ names: [String]?) -> Set<ExactName>? {
        names.map { Set($0.map { ExactName($0) }) }
      }
      bench.settings.tenants = tenants(before)
      var broker = MemoryBroker(bench.logs)
      bench.run("a", &broker)
      let (position, count) = (bench.position, bench.received.count)
      bench.settings.tenants = tenants(after)
      var second = MemoryBroker(bench.logs)
      bench.run("b", &second)
      #expect(bench.received.count == count && bench.position == position)
      let note = bench.notes.last { $0.hasPrefix("refused: test has handed on the events ") }
      #expect(note?.contains(text) == true && note?.contains("locationfleet init") == false)
    }
  }
}
