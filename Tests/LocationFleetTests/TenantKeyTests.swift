import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationFleet

@Suite("The keys of a fleet's tenants")
struct TenantKeyTests {
  /// Keys that are kept elsewhere: of all tenants but those that are missing.
  static func elsewhere(without missing: Set<String> = [], seed: UInt64 = 1) -> TenantKeySource {
    .elsewhere { (tenant) throws(BrokerFault) in
      guard !missing.contains(tenant) else {
        throw .sealed(tenant: tenant, "there is no file; make it with `tenant-key`")
      }
      return SecretKey(seed: seed + UInt64(tenant.utf8.count))
    }
  }

  private static func device(_ tenant: String, _ name: String) -> StateBucket.Device {
    StateBucket.Device(
      name: FleetDeviceName(tenant: tenant, device: name), bytes: Array("state of \(name)".utf8))
  }

  private static let bucket = StateBucket(
    position: 1 << 40,
    devices: [device("", "a"), device("acme", "b"), device("acme", "c"), device("zeta", "d")])

  private static func keys(_ source: TenantKeySource) -> StateKeys {
    var keys = StateKeys(of: 0, [:], source)
    keys.add(SecretKey(seed: 99), number: 3, sequence: 1)
    return keys
  }

  @Test("FLEET-81: a tenant's devices open with both keys, in their place, and with neither alone")
  func sections() throws {
    var keys = Self.keys(Self.elsewhere())
    var generator = KeyedGenerator(SecretKey(seed: 5))
    let bytes = try keys.seal(Self.bucket, at: "st.0.7", using: &generator)
    let text = String(decoding: bytes, as: Unicode.ASCII.self)
    #expect(!text.contains("state of") && !text.contains("acme"))
    let read = try keys.open(bytes, at: "st.0.7")
    #expect(read.bucket == Self.bucket && read.closed.isEmpty)
    // Without a tenant's key only that tenant's devices stay closed.
    var fewer = Self.keys(Self.elsewhere(without: ["acme"]))
    let part = try fewer.open(bytes, at: "st.0.7")
    #expect(part.bucket.devices.map(\.name.device) == ["a", "d"])
    #expect(part.closed.map(\.tenant) == ["acme"])
    // Who has everything that is in the broker opens none.
    var without = Self.keys(.broker)
    #expect(try without.open(bytes, at: "st.0.7").bucket.devices.isEmpty)
    // And with the tenants' keys alone nothing opens.
    var other = StateKeys(of: 0, [:], Self.elsewhere())
    other.add(SecretKey(seed: 98), number: 3, sequence: 1)
    #expect(throws: BrokerFault.damaged("st.0.7")) { try other.open(bytes, at: "st.0.7") }
    #expect(throws: BrokerFault.damaged("st.0.8")) { try keys.open(bytes, at: "st.0.8") }
  }

  @Test("FLEET-81: with 15 devices of each tenant a bucket has no more bytes than before")
  func size() throws {
    let devices = (0..<60).map {
      StateBucket.Device(
        name: FleetDeviceName(tenant: "tenant-\($0 / 15)", device: "device-\($0 + 10_000)"),
        bytes: [UInt8](repeating: 7, count: 350))
    }
    let bucket = StateBucket(position: 1_000_000, devices: devices)
    var keys = Self.keys(Self.elsewhere())
    var generator = KeyedGenerator(SecretKey(seed: 5))
    let now = try keys.seal(bucket, at: "st.0.7", using: &generator).count
    let before = EarlierForm.sealed(bucket, at: "st.0.7", number: 3, SecretKey(seed: 99)).count
    #expect(now <= before)
  }

  @Test("FLEET-81: no damaged byte of a bucket is believed, and no section of another value")
  func damaged() throws {
    var keys = Self.keys(Self.elsewhere())
    var generator = KeyedGenerator(SecretKey(seed: 5))
    let bytes = try keys.seal(Self.bucket, at: "st.0.7", using: &generator)
    let later = try keys.seal(Self.bucket, at: "st.0.7", using: &generator)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x10
      let read = try? keys.open(damaged, at: "st.0.7")
      #expect(read.map { !$0.closed.isEmpty } ?? true, "\(place)")
      #expect((try? keys.open(Array(bytes[..<place]), at: "st.0.7")) == nil, "\(place)")
    }
    // The last section, of the same length, of a value before.
    let mixed = bytes.dropLast(20) + later.suffix(20)
    #expect(try keys.open(Array(mixed), at: "st.0.7").closed.map(\.tenant) == ["zeta"])
  }

  @Test("FLEET-81: a section opens for its own tenant alone, also where two tenants have one key")
  func copiedKey() throws {
    // Names as long as each other have one key here, and these sections are as long as each other.
    let bucket = StateBucket(
      position: 1, devices: [Self.device("acme", "b"), Self.device("zeta", "d")])
    var keys = Self.keys(Self.elsewhere())
    var generator = KeyedGenerator(SecretKey(seed: 5))
    let bytes = try keys.seal(bucket, at: "st.0.7", using: &generator)
    #expect(try keys.open(bytes, at: "st.0.7").bucket == bucket)
    // A count, a name, a record, each behind its length, and a tag.
    let section = 1 + 2 + 11 + 16
    let (first, second) = (bytes.suffix(2 * section).prefix(section), bytes.suffix(section))
    let swapped = bytes.dropLast(2 * section) + second + first
    let read = try keys.open(Array(swapped), at: "st.0.7")
    #expect(read.bucket.devices.isEmpty && read.closed.map(\.tenant) == ["acme", "zeta"])
  }

  // MARK: Workers

  /// What is stored or was replaced of buckets and opens with what is in the broker.
  private static func exposed(_ logs: MemoryLogs) -> [StateBucket.Device] {
    let stored = logs.messages(.state(0))
    var keys = StateKeys(of: 0, Dictionary(stored.map { ($0.entry.subject, $0) }) { $1 })
    return (stored + (logs.replaced[.state(0)] ?? [])).flatMap { message in
      let bytes = Array(message.entry.bytes.dropFirst())
      guard message.entry.bytes.first == 4 else { return [] as [StateBucket.Device] }
      return (try? keys.open(bytes, at: message.entry.subject))?.bucket.devices ?? []
    }
  }

  @Test(
    "FLEET-81: with keys that are kept elsewhere the events are those of replay, whoever dies, and what is in the broker opens nothing",
    arguments: 1...3 as ClosedRange<UInt64>)
  func elsewhere(seed: UInt64) throws {
    var bench = try FleetBench(seed: seed, devices: 5, fixes: 60, longestValue: 900)
    bench.tenantKeys = Self.elsewhere()
    try bench.publishFences()
    for death in [20, 31, 47] {
      var broker = MemoryBroker(bench.logs, death: death, done: 1)
      bench.run("worker-\(death)", &broker)
    }
    var broker = MemoryBroker(bench.logs)
    bench.run("last", &broker)
    #expect(bench.events == (try bench.expected()))
    #expect(Self.exposed(bench.logs).isEmpty)
  }

  @Test("FLEET-81: without a folder a partition's key in the broker opens all, and no other does")
  func inBroker() throws {
    var bench = try FleetBench(seed: 3, devices: 4, fixes: 60)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    bench.run("a", &broker)
    #expect(Set(Self.exposed(bench.logs).map(\.name.tenant)) == ["", "acme"])
    let key = bench.logs.messages(.state(0)).filter { $0.entry.subject == "st.0.key.1" }
    #expect(bench.logs.remove(key.map(\.sequence), of: .state(0)) == 1)
    #expect(Self.exposed(bench.logs).isEmpty)
  }

  @Test("FLEET-82: once keys are kept elsewhere, those in the broker go, and what they opened")
  func moves() throws {
    var bench = try FleetBench(seed: 3, devices: 4, fixes: 60)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs, death: 60)
    bench.run("a", &broker)
    #expect(!Self.exposed(bench.logs).isEmpty)
    bench.tenantKeys = Self.elsewhere()
    for death in stride(from: 16, to: 80, by: 3) {
      var broker = MemoryBroker(bench.logs, death: death, done: 1)
      bench.run("worker-\(death)", &broker)
    }
    var next = MemoryBroker(bench.logs)
    bench.run("b", &next)
    #expect(Self.exposed(bench.logs).isEmpty)
    #expect(bench.events == (try bench.expected()))
    // Without the folder again nothing is judged, and the record says why.
    bench.tenantKeys = .broker
    var last = MemoryBroker(bench.logs)
    var worker = bench.worker("c")
    for _ in 0..<15 { bench.turn(&worker, &last) }
    #expect(worker.takeNotes().contains { $0.isFault && $0.text.contains("set `tenant-keys`") })
  }

  @Test(
    "FLEET-83: a key that is missing or another one stops the partitions that need it, is named, and others go on",
    arguments: [true, false])
  func missing(isOther: Bool) throws {
    // One device of each tenant, in partitions of their own.
    var bench = try FleetBench(seed: 4, devices: 2, fixes: 60, partitions: 5)
    let places = [0, 1].map { FleetAddress.partition(of: FleetBench.name($0), count: 5) }
    #expect(places[0] != places[1])
    bench.tenantKeys = Self.elsewhere()
    try bench.publishFences()
    var first = MemoryBroker(bench.logs, death: 220)
    bench.run("a", &first)
    let end = bench.logs.end(.state(places[0]))
    #expect(end > 0)
    bench.tenantKeys = Self.elsewhere(without: isOther ? [] : ["acme"], seed: isOther ? 2 : 1)
    if isOther {
      // Only one tenant's is another one.
      bench.tenantKeys = .elsewhere { tenant in SecretKey(seed: tenant.isEmpty ? 1 : 77) }
    }
    var broker = MemoryBroker(bench.logs)
    var worker = bench.worker("b")
    for _ in 0..<60 { bench.turn(&worker, &broker) }
    let words = isOther ? "sealed with another key" : "make it with `tenant-key`"
    #expect(
      worker.takeNotes().contains {
        $0.partition == places[0] && $0.isFault && $0.text.contains("tenant acme")
          && $0.text.contains(words)
      })
    #expect(bench.logs.end(.state(places[0])) == end)
    let expected = try bench.expected()
    #expect(bench.events["_.truck_201"] == expected["_.truck_201"])
    // With its key it goes on where it was.
    bench.tenantKeys = Self.elsewhere()
    var last = MemoryBroker(bench.logs)
    bench.run("c", &last)
    #expect(bench.events == expected)
  }
}
