import LocationModel
import LocationSecrets
import Testing

@testable import LocationFleet

@Suite("With which key a tenant's devices are sealed")
struct TenantKeyRecordTests {
  private static func bucket(_ tenants: String...) -> StateBucket {
    StateBucket(
      position: 1,
      devices: tenants.map {
        StateBucket.Device(name: FleetDeviceName(tenant: $0, device: "a"), bytes: [1])
      })
  }

  private static func keys(_ source: TenantKeySource, of partition: Int = 0) -> StateKeys {
    StateKeys(of: partition, [:], source)
  }

  private static func records(_ logs: MemoryLogs) -> [LogEntry] {
    logs.messages(.leases).map(\.entry).filter { $0.subject.hasPrefix("$KV.LEASES.tenant.") }
  }

  /// Another key than the right one of every tenant that has a name.
  private static let exchangedKeys = TenantKeySource.elsewhere { tenant in
    SecretKey(seed: tenant.isEmpty ? 1 : 77)
  }

  /// A fleet in which devices with and without a tenant are sealed, each with the right key.
  private static func sealed() throws -> FleetBench {
    var bench = try FleetBench(seed: 4, devices: 6, fixes: 60, partitions: 4)
    try bench.publishFences()
    bench.tenantKeys = TenantKeyTests.elsewhere()
    var worker = bench.worker("a")
    var broker = MemoryBroker(bench.logs)
    for _ in 0..<200 where records(bench.logs).count < 2 {
      bench.turn(&worker, &broker, messages: 1)
    }
    return bench
  }

  /// What keeps a bucket from being sealed.
  private static func fault(
    _ keys: inout StateKeys, _ bucket: StateBucket, _ logs: MemoryLogs
  ) -> TenantKeyFault? {
    var broker = MemoryBroker(logs)
    do throws(BrokerFault) { try keys.confirm(bucket, &broker) } catch {
      if case .sealed(_, _, let fault) = error { return fault }
      Issue.record(error)
    }
    return nil
  }

  @Test(
    "FLEET-155: the first key that seals devices of a tenant is known by a digest that is of the tenant's name and of nothing else's"
  )
  func digest() throws {
    let logs = MemoryLogs()
    var keys = Self.keys(TenantKeyTests.elsewhere())
    #expect(Self.fault(&keys, Self.bucket("", "acme", "zeta"), logs) == nil)
    let records = Self.records(logs)
    #expect(records.map { String($0.subject.dropFirst(18)) } == ["_", "acme", "zeta"])
    // Two tenants with one key have two digests, and none has a part of the key.
    #expect(Set(records.map(\.bytes)).count == 3 && records.allSatisfy { $0.bytes.count == 32 })
    let digits = SecretKey(seed: 5).digits
    #expect(
      !records.contains { digits.starts(with: $0.bytes) || digits.suffix(32) == $0.bytes[...] })
    var broker = MemoryBroker(logs)
    #expect(try TenantKeyRecord.isKept(of: "acme", &broker))
    #expect(try !TenantKeyRecord.isKept(of: "beta", &broker))
    // Nobody asks twice in one partition.
    let calls = broker.calls
    try keys.confirm(Self.bucket("acme", "zeta"), &broker)
    #expect(broker.calls == calls)
    // Where keys are in the broker, there is none to be lost.
    var inBroker = Self.keys(.broker)
    #expect(Self.fault(&inBroker, Self.bucket("beta"), logs) == nil)
    #expect(Self.records(logs).count == 3)
  }

  @Test(
    "FLEET-156: nothing is sealed with another key than the first, and what is wrong tells a key that was never made from one that is missing"
  )
  func differs() {
    let logs = MemoryLogs()
    var none = Self.keys(TenantKeyTests.elsewhere(without: ["acme"]))
    #expect(Self.fault(&none, Self.bucket("", "acme"), logs) == .unmade)
    #expect(Self.records(logs).count == 1)
    var first = Self.keys(TenantKeyTests.elsewhere())
    #expect(Self.fault(&first, Self.bucket("acme"), logs) == nil)
    #expect(Self.fault(&none, Self.bucket("acme"), logs) == .missing)
    var other = Self.keys(TenantKeyTests.elsewhere(seed: 2), of: 1)
    #expect(Self.fault(&other, Self.bucket("acme"), logs) == .other)
    #expect(Self.records(logs).count == 2)
    // Each says what to do, and only for the first of them to make a key.
    let steps = [TenantKeyFault.unmade, .missing, .other, .unreadable, .unset].map {
      $0.next(for: "acme").contains("tenant-key acme")
    }
    #expect(steps == [true, false, false, false, false])
  }

  @Test(
    "FLEET-156: of two workers that seal first at the same moment with keys that differ, one has the record, and the other one seals nothing"
  )
  func both() {
    let logs = MemoryLogs()
    var (one, other) = (
      Self.keys(TenantKeyTests.elsewhere()), Self.keys(TenantKeyTests.elsewhere(seed: 2), of: 1)
    )
    var broker = MemoryBroker(logs)
    broker.pause(before: 2) {
      #expect(Self.fault(&other, Self.bucket("acme"), logs) == nil)
    }
    do throws(BrokerFault) {
      try one.confirm(Self.bucket("acme"), &broker)
      Issue.record("it has sealed with another key")
    } catch {
      guard case .sealed("acme", _, .other) = error else {
        Issue.record(error)
        return
      }
    }
    #expect(Self.records(logs).count == 1)
  }

  @Test(
    "FLEET-156: where the key is exchanged for another one, no partition stores anything with it, the lease says why, and with the right one the events are those of replay"
  )
  func exchanged() throws {
    var bench = try Self.sealed()
    bench.tenantKeys = Self.exchangedKeys
    var worker = bench.worker("b")
    var second = MemoryBroker(bench.logs)
    for _ in 0..<80 { bench.turn(&worker, &second) }
    let held = worker.figures(at: bench.moment).heldUp[.key] ?? 0
    let places = Set(
      (0..<3).map { FleetAddress.partition(of: FleetBench.name(2 * $0), count: 4) })
    #expect(held == places.count)
    let leases = bench.logs.messages(.leases).compactMap { LeaseText($0.entry.bytes)?.obstacle }
    #expect(leases.count == held && leases.allSatisfy { $0.tenant == "acme" && $0.key == .other })
    // The right one opens everything, so nothing was sealed with the other.
    bench.tenantKeys = TenantKeyTests.elsewhere()
    var last = MemoryBroker(bench.logs)
    bench.run("c", &last)
    #expect(bench.events == (try bench.expected()))
  }

  @Test(
    "FLEET-155: once a tenant is erased there is no record of its key, also where the key was lost or another one, and a new one is used"
  )
  func erased() throws {
    for wrong in [
      TenantKeyTests.elsewhere(without: ["acme"]),
      Self.exchangedKeys,
    ] {
      var bench = try Self.sealed()
      bench.tenantKeys = wrong
      var worker = bench.worker("b")
      var second = MemoryBroker(bench.logs)
      for _ in 0..<60 { bench.turn(&worker, &second) }
      #expect(bench.isPublished && worker.figures(at: bench.moment).heldUp[.key] ?? 0 > 0)
      var eraser = MemoryBroker(bench.logs)
      var erasure = try TenantErasure(of: "acme", partitions: 4, &eraser)
      for _ in 0..<120 where try !erasure.isForgotten(&eraser) { bench.turn(&worker, &second) }
      #expect(try erasure.isForgotten(&eraser))
      while try !erasure.overwrite(&eraser) {}
      try erasure.finish(&eraser)
      #expect(Self.records(bench.logs).map(\.subject) == ["$KV.LEASES.tenant._"])
      var keys = Self.keys(.elsewhere { _ in SecretKey(seed: 78) })
      #expect(Self.fault(&keys, Self.bucket("acme"), bench.logs) == nil)
    }
  }
}
