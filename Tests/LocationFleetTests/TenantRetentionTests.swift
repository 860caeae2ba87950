import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("Events that a tenant keeps no longer")
struct TenantRetentionTests {
  /// A fleet that has judged all its fixes, and the middle of its time.
  private struct Scene {
    var bench: FleetBench
    let middle: UnixTime

    init(seed: UInt64) throws {
      bench = try FleetBench(seed: seed, devices: 4, fixes: 60)
      try bench.publishFences()
      var broker = MemoryBroker(bench.logs)
      bench.run("a", &broker)
      let times = bench.logs.messages(.events(0)).map(\.time)
      middle = times[times.count / 2]
    }

    /// Events of a tenant that are older.
    func old(_ tenant: String, before date: UnixTime) -> [LogMessage] {
      bench.logs.messages(.events(0)).filter {
        $0.entry.subject.hasPrefix("evt.0.\(FleetAddress.part(tenant)).") && $0.time < date
      }
    }
  }

  @Test(
    "FLEET-77: the old events of a tenant go, and nothing else",
    arguments: 1...4 as ClosedRange<UInt64>)
  func expires(seed: UInt64) throws {
    let scene = try Scene(seed: seed)
    let before = scene.bench.logs.messages(.events(0))
    let old = Set(scene.old("acme", before: scene.middle).map(\.sequence))
    #expect(!old.isEmpty)
    var broker = MemoryBroker(scene.bench.logs)
    var retention = TenantRetention(of: "acme", before: scene.middle)
    try retention.pass(0, &broker)
    #expect(retention.erased == old.count && !retention.isBlocked)
    #expect(scene.bench.logs.messages(.events(0)) == before.filter { !old.contains($0.sequence) })
    try retention.pass(0, &broker)
    #expect(retention.erased == old.count)
  }

  @Test(
    "FLEET-77: the last event goes when the owner has appended a mark behind it, and a successor repeats nothing"
  )
  func last() throws {
    var scene = try Scene(seed: 7)
    var broker = MemoryBroker(scene.bench.logs)
    let later = UnixTime(seconds: 2_000_000_000)
    let last = try #require(scene.bench.logs.messages(.events(0)).last)
    let tenant = last.entry.subject.hasPrefix("evt.0.acme.") ? "acme" : ""
    let part = FleetAddress.part(tenant)
    let other = try scene.bench.expected().filter { !$0.key.hasPrefix("\(part).") }
    var retention = TenantRetention(of: tenant, before: later)
    try retention.pass(0, &broker)
    #expect(retention.isBlocked)
    #expect(scene.old(tenant, before: later) == [last])
    try TenantRetention.askForMark(0, &broker)
    var second = MemoryBroker(scene.bench.logs)
    scene.bench.run("b", &second)
    try retention.pass(0, &broker)
    #expect(!retention.isBlocked && scene.old(tenant, before: later).isEmpty)
    var third = MemoryBroker(scene.bench.logs)
    scene.bench.run("c", &third)
    #expect(scene.bench.events == other)
    let marks = scene.bench.marks[0]
    #expect(zip(marks, marks.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("FLEET-85: what sinks have set aside of those events goes with them, and nothing else")
  func copies() throws {
    let scene = try Scene(seed: 9)
    let old = scene.old("acme", before: scene.middle)
    let newer = scene.old("acme", before: UnixTime(seconds: 4e9)).dropFirst(old.count)
    let other = scene.old("", before: scene.middle)
    func copy(_ events: some Sequence<LogMessage>, of tenant: String) -> [String] {
      events.map { event in
        let subject = "ref.hook.\(tenant).truck_\(event.sequence)"
        let text = #"{"type":"refused","partition":0,"sequence":\#(event.sequence)}"#
        let entry = LogEntry(subject: subject, bytes: Array(text.utf8))
        _ = scene.bench.logs.add(entry, to: .refused)
        return subject
      }
    }
    let gone = copy(old, of: "acme")
    let kept = copy(newer, of: "acme") + copy(other, of: "_")
    let none = LogEntry(subject: "ref.hook.acme.truck", bytes: [1])
    _ = scene.bench.logs.add(none, to: .refused)
    #expect(!gone.isEmpty && kept.count > newer.count && !newer.isEmpty)
    var broker = MemoryBroker(scene.bench.logs)
    var retention = TenantRetention(of: "acme", before: scene.middle)
    try retention.pass(0, &broker)
    try retention.passCopies(&broker)
    #expect(retention.copies == gone.count)
    #expect(
      scene.bench.logs.messages(.refused).map(\.entry.subject) == kept + ["ref.hook.acme.truck"])
  }

  @Test("FLEET-77: what is interrupted in any call is carried to its end by the next pass")
  func dies() throws {
    let whole = try Scene(seed: 9)
    var counted = MemoryBroker(whole.bench.logs)
    var retention = TenantRetention(of: "acme", before: whole.middle)
    try retention.pass(0, &counted)
    for death in 1...counted.calls {
      for done in [0, 1, Int.max] {
        let scene = try Scene(seed: 9)
        var broker = MemoryBroker(scene.bench.logs, death: death, done: done)
        var first = TenantRetention(of: "acme", before: scene.middle)
        #expect(throws: BrokerFault.self) { try first.pass(0, &broker) }
        var again = MemoryBroker(scene.bench.logs)
        var second = TenantRetention(of: "acme", before: scene.middle)
        try second.pass(0, &again)
        #expect(
          scene.bench.logs.messages(.events(0)) == whole.bench.logs.messages(.events(0)),
          "death in call \(death)")
      }
    }
  }
}

@Suite("How long tenants keep events")
struct RetentionDateTests {
  @Test("FLEET-77: a day is one of 24 hours before now, for each tenant that has days")
  func dates() {
    var faults: [FleetConfiguration.Fault] = []
    let configuration = IngressConfiguration(
      "tenant = b keep-events-days=7\ntenant = c rate=1\ntenant = - keep-events-days=3650\n",
      &faults)
    #expect(faults.isEmpty)
    let found = configuration.tenants.retentions(at: UnixTime(seconds: 2e9))
    #expect(found.map(\.tenant) == ["", "b"])
    #expect(
      found.map(\.date) == [
        UnixTime(seconds: 2e9 - 3650 * 86_400), UnixTime(seconds: 2e9 - 7 * 86_400),
      ])
  }
}
