import LocationModel
import LocationSecrets
import Synchronization
import Testing

@testable import LocationFleet

/// The keys of tenants in a folder where one may come later.
private final class LaterKeys: Sendable {
  private let missing = Mutex<Set<String>>(["acme"])

  var source: TenantKeySource {
    .elsewhere { (tenant) throws(BrokerFault) in
      guard !self.missing.withLock({ $0.contains(tenant) }) else {
        throw .sealed(tenant: tenant, "there is no file; make it with `tenant-key`")
      }
      return SecretKey(seed: 1 + UInt64(tenant.utf8.count))
    }
  }

  func make(_ tenant: String) { missing.withLock { _ = $0.remove(tenant) } }
}

@Suite("Partitions of a fleet that are held up")
struct HeldPartitionTests {
  private static func lease(_ bench: FleetBench) throws -> LeaseText {
    let found = bench.logs.messages(.leases).last { $0.entry.subject == "$KV.LEASES.0" }
    let bytes = try #require(found).entry.bytes
    return try #require(LeaseText(bytes))
  }

  @Test(
    "FLEET-127: a partition that waits for a key is tried ever more rarely, says so, and goes on at once with the key"
  )
  func waitsForKey() throws {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 60)
    try bench.publishFences()
    let keys = LaterKeys()
    bench.tenantKeys = keys.source
    var broker = MemoryBroker(bench.logs)
    var worker = bench.worker("a")
    var notes: [FleetWorker.Note] = []
    for _ in 0..<120 {
      bench.turn(&worker, &broker)
      notes += worker.takeNotes()
    }
    let figures = worker.figures(at: bench.moment)
    #expect((2...12).contains(figures.takeovers), "\(figures.takeovers) takeovers in 120 s")
    #expect(figures.heldUp == [.key: 1])
    #expect(figures.prometheus.contains("partitions_held_up{cause=\"key\"} 1\n"))
    #expect(notes.count { $0.isFault } <= 3, "\(notes.map(\.text))")
    #expect(notes.count { $0.text.hasPrefix("took partition") } == 1)
    #expect(try Self.lease(bench).obstacle?.tenant == "acme")
    for _ in 0..<40 where !worker.figures(at: bench.moment).partitions.isEmpty {
      bench.turn(&worker, &broker)
    }
    keys.make("acme")
    for _ in 0..<4 { bench.turn(&worker, &broker) }
    #expect(worker.figures(at: bench.moment).heldUp.isEmpty && bench.isDone(worker))
    #expect(try Self.lease(bench).obstacle == nil)
    #expect(bench.events == (try bench.expected()))
  }

  @Test(
    "FLEET-130: the same fault is said once, and then at most once a minute with how often it was")
  func repeats() {
    var notes = RepeatedNotes()
    func say(_ text: String, at second: Double) -> String? {
      notes.text(text, at: .start + .seconds(second))
    }
    #expect(say("a", at: 0) == "a")
    let within = (1..<60).compactMap { say("a", at: Double($0)) }
    #expect(within.isEmpty)
    #expect(say("b", at: 59) == "b")
    #expect(say("a", at: 60) == "a (60 times in 60 s)")
    #expect(say("a", at: 61) == nil)
    #expect(say("b", at: 200) == "b")
    // However many there are, it has room for so many, and says each.
    let many = (0..<1000).compactMap { say("\($0)", at: 200) }
    #expect(many.count == 1000)
  }

  @Test("FLEET-162: faults and answers by turns have one end, when nothing has failed for 5 s")
  func spells() {
    var spell = FaultSpell()
    func end(at second: Double) -> String? { spell.end(at: .start + .seconds(second)) }
    #expect(end(at: 0) == nil, "nothing had failed")
    for second in 1...20 {
      spell.fail(at: .start + .seconds(2 * Double(second)))
      #expect(end(at: 2 * Double(second) + 1) == nil)
    }
    #expect(end(at: 44.9) == nil)
    #expect(end(at: 45) == " (20 faults in 38 s)")
    #expect(end(at: 60) == nil, "it is said once")
    spell.fail(at: .start + .seconds(70))
    #expect(end(at: 75) == "")
  }

  /// A worker that has its partition and has said nothing new, with the server that it asks.
  private static func begun() throws -> (FleetBench, FleetWorker, MemoryBroker) {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 60)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    var worker = bench.worker("a")
    for _ in 0..<10 { bench.turn(&worker, &broker) }
    _ = worker.takeNotes()
    return (bench, worker, broker)
  }

  @Test("FLEET-162: a worker says when its partitions answer again, as the last line of a fault")
  func answersAgain() throws {
    var (bench, worker, broker) = try Self.begun()
    (broker.death, broker.silence) = (broker.calls + 1, 40)
    for _ in 0..<400 { bench.turn(&worker, &broker) }
    let notes = worker.takeNotes()
    let last = notes.last { $0.isFault || $0.text.contains("answer again") }
    #expect(notes.contains { $0.isFault && $0.partition == 0 }, "\(notes)")
    #expect(last?.text.hasPrefix("all partitions of this worker answer again") == true, "\(notes)")
    #expect(last?.isFault == false)
  }

  @Test("FLEET-130: a worker is ready when the leases have answered")
  func ready() throws {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 60)
    var broker = MemoryBroker(bench.logs, death: 1, done: 0)
    broker.silence = 4
    var worker = bench.worker("a")
    bench.turn(&worker, &broker)
    #expect(!worker.isReady)
    for _ in 0..<10 where !worker.isReady { bench.turn(&worker, &broker) }
    #expect(worker.isReady)
  }

  @Test(
    "FLEET-131: while the leases do not answer, nothing is known of what waits; it is said when they answer again"
  )
  func silence() throws {
    var (bench, worker, broker) = try Self.begun()
    #expect(worker.figures(at: bench.moment).silence == 0)
    #expect(worker.figures(at: bench.moment).partitions[0]?.lag != nil)
    // The server is gone for as long as 40 calls.
    (broker.death, broker.silence) = (broker.calls + 1, 40)
    for _ in 0..<4 { bench.turn(&worker, &broker) }
    let figures = worker.figures(at: bench.moment)
    #expect(figures.silence > 0 && figures.partitions[0]?.lag == nil)
    #expect(!figures.prometheus.contains("lag_messages{"))
    #expect(figures.prometheus.contains("meridian_fleet_devices{"))
    for _ in 0..<60 where !bench.isDone(worker) { bench.turn(&worker, &broker) }
    #expect(worker.figures(at: bench.moment).silence == 0)
    #expect(worker.takeNotes().contains { $0.text == "the leases answer again" && !$0.isFault })
    #expect(bench.events == (try bench.expected()))
  }

  @Test("FLEET-132: a worker with another number of buckets judges nothing, and says what to set")
  func buckets() throws {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 20)
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    var other = FleetWorker.Settings()
    (other.partitions, other.partition.buckets) = (1, 16)
    let end = bench.logs.end(.state(0))
    var worker = FleetWorker(name: "b", other, secret: SecretKey(seed: 1), at: bench.now)
    for _ in 0..<12 { bench.turn(&worker, &broker) }
    #expect(worker.unfit?.contains("`buckets` is 16") == true)
    #expect(worker.unfit?.contains("next: set `buckets` to 8") == true)
    #expect(bench.logs.end(.state(0)) == end)
    worker.drain(&broker, at: bench.moment)
    for _ in 0..<3 { bench.turn(&worker, &broker) }
    #expect(worker.isDrained)
  }

  @Test(
    "FLEET-133: a lease says by what its owner judges; one without that is of an earlier version")
  func settings() throws {
    var bench = try FleetBench(seed: 4, devices: 2, fixes: 10)
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    let found = try #require(Self.lease(bench).settings)
    #expect(found == bench.settings.partition.judging && found.contains("window=0.0 "))
    var other = bench.settings.partition
    other.fleet.window = 5
    #expect(other.judging != found)
    other = bench.settings.partition
    other.fleet.clockBounds = ClockBounds(10, ["acme": 60])
    #expect(other.judging != found)
    // What it keeps in memory, and when it stores, changes no event.
    other = bench.settings.partition
    (other.awake, other.snapshotPeriod) = (7, .seconds(1))
    #expect(other.judging == found)
    let earlier = try #require(LeaseText(Array(#"{"worker":"a","epoch":1}"#.utf8)))
    #expect(earlier.settings == nil && earlier.obstacle == nil)
    var odd = LeaseText(worker: "a", epoch: 2)
    odd.obstacle = PartitionObstacle(tenant: "b_e9", cause: "no \"key\"\n\\")
    #expect(LeaseText(odd.bytes)?.obstacle == PartitionObstacle(tenant: "b_e9", cause: "no key"))
  }
}
