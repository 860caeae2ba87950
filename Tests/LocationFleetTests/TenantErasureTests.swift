import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationFleet

@Suite("A tenant of a fleet that is erased")
struct TenantErasureTests {
  /// A fleet in the midst of its fixes, with a fence of the tenant's own.
  private struct Scene {
    var bench: FleetBench
    var worker: FleetWorker
    var broker: MemoryBroker

    static let fence = """
      {"type":"Feature","id":"secret depot","geometry":{"type":"Point","coordinates":[6.63,46.52]},\
      "properties":{"radius":500,"tenant":"acme"}},
      """

    init(seed: UInt64, keys: TenantKeySource = .broker) throws {
      bench = try FleetBench(seed: seed, devices: 4, fixes: 60, partitions: 2)
      bench.tenantKeys = keys
      worker = bench.worker("a")
      broker = MemoryBroker(bench.logs)
      try publishFences()
      for _ in 0..<12 { turn() }
    }

    var fences: [UInt8] {
      let plain = String(decoding: bench.walks[0].fenceFile(), as: UTF8.self)
      return Array(plain.replacing("\"features\":[", with: "\"features\":[" + Self.fence).utf8)
    }

    func publishFences() throws {
      var broker = MemoryBroker(bench.logs)
      _ = try FenceStore.publish(fences, partitions: 2, to: &broker)
    }

    mutating func turn(messages: Int = 12) {
      bench.turn(&worker, &broker, messages: messages)
      guard broker.isDead else { return }
      broker = MemoryBroker(bench.logs)
      worker = bench.worker("worker-\(bench.logs.end(.leases))")
    }

    mutating func erase(_ eraser: inout MemoryBroker) throws -> TenantErasure {
      var erasure = try TenantErasure(of: "acme", partitions: 2, &eraser)
      for _ in 0..<60 where try !erasure.isForgotten(&eraser) { turn(messages: 1) }
      #expect(try erasure.isForgotten(&eraser))
      while try !erasure.overwrite(&eraser) {}
      try erasure.finish(&eraser)
      return erasure
    }

    mutating func finish() {
      for _ in 0..<400 where !bench.isDone(worker) { turn() }
      #expect(bench.isDone(worker))
    }

    /// The last inputs, by partition.
    var ends: [UInt64] { (0..<2).map { bench.logs.end(.fixes($0)) } }

    /// How far the logs of state are.
    var states: [UInt64] { (0..<2).map { bench.logs.end(.state($0)) } }

    /// What names the tenant or its fence, in what is kept of before the ends of inputs and state. What was
    /// replaced of state is not looked at here: it opens with no key.
    func remains(before ends: [UInt64], _ states: [UInt64]) -> [String] {
      var logs: [(FleetLog, UInt64)] = [(.fences, .max), (.refused, .max)]
      for (partition, end) in ends.enumerated() {
        logs += [(.fixes(partition), end), (.events(partition), end)]
        logs.append((.state(partition), states[partition]))
      }
      return logs.flatMap { log, end in
        bench.logs.messages(log).filter { ($0.entry.mark?.input ?? $0.sequence) <= end }
          .map { "\($0.entry.subject) \(String(decoding: $0.entry.bytes, as: UTF8.self))" }
      }.filter {
        !$0.hasPrefix("ref.a.acme.-") && ($0.contains("acme") || $0.contains("secret depot"))
      }
    }

    /// Devices of the tenant in what was stored before, with every key that is left.
    func readable(_ ends: [UInt64]) -> Int {
      (0..<2).reduce(0) { count, partition in
        let stored = bench.logs.messages(.state(partition))
        var keys = StateKeys(
          of: partition, Dictionary(stored.map { ($0.entry.subject, $0) }) { $1 },
          bench.tenantKeys)
        let all = stored + (bench.logs.replaced[.state(partition)] ?? [])
        return count
          + all.filter { $0.sequence <= ends[partition] && $0.entry.bytes.first == 4 }.reduce(0) {
            let bytes = Array($1.entry.bytes.dropFirst())
            let found = try? keys.open(bytes, at: $1.entry.subject).bucket.devices
            return $0 + (found ?? []).count { $0.name.tenant == "acme" }
          }
      }
    }

    func others(_ events: [String: String]) -> [String: String] {
      events.filter { !$0.key.hasPrefix("acme.") }
    }
  }

  @Test(
    "FLEET-84: nothing of its devices and fences is left, and others' events are as without it",
    arguments: 1...4 as ClosedRange<UInt64>, [false, true])
  func erases(seed: UInt64, isElsewhere: Bool) throws {
    var scene = try Scene(
      seed: seed, keys: isElsewhere ? TenantKeyTests.elsewhere() : .broker)
    for subject in ["ref.a.acme.truck_200", "ref.a._.truck_201", "ref.a.acme.-"] {
      _ = scene.bench.logs.add(LogEntry(subject: subject, bytes: [1]), to: .refused)
    }
    let (ends, states) = (scene.ends, scene.states)
    #expect(scene.readable(states) > 0 && scene.remains(before: ends, states).count > 20)
    var eraser = MemoryBroker(scene.bench.logs)
    let erasure = try scene.erase(&eraser)
    #expect(erasure.report.fixes > 10 && erasure.report.copies == 1 && erasure.versions == 1)
    #expect(scene.readable(states) == 0)
    #expect(scene.remains(before: ends, states) == [])
    scene.finish()
    #expect(scene.others(scene.bench.events) == scene.others(try scene.bench.expected()))
    // What came later begins new devices, and they are erased as well.
    var again = MemoryBroker(scene.bench.logs)
    _ = try scene.erase(&again)
    #expect(scene.remains(before: [.max, .max], [.max, .max]) == [])
  }

  @Test("FLEET-84: it is resumed after its end in any call, and repeats nothing of others")
  func eraserDies() throws {
    var whole = try Scene(seed: 5)
    var counted = MemoryBroker(whole.bench.logs)
    _ = try whole.erase(&counted)
    for death in 1...counted.calls {
      var scene = try Scene(seed: 5)
      let (ends, states) = (scene.ends, scene.states)
      let done = death % 3 == 2 ? .max : death % 3
      var eraser = MemoryBroker(scene.bench.logs, death: death, done: done)
      #expect(throws: BrokerFault.self) { try scene.erase(&eraser) }
      var second = MemoryBroker(scene.bench.logs)
      _ = try scene.erase(&second)
      #expect(scene.remains(before: ends, states) == [], "death in call \(death)")
      scene.finish()
      #expect(scene.others(scene.bench.events) == scene.others(try scene.bench.expected()))
    }
  }

  @Test(
    "FLEET-84: a worker that dies in any call of it is followed by one that carries it out",
    arguments: [false, true])
  func workerDies(isElsewhere: Bool) throws {
    for death in stride(from: 1, to: 90, by: 4) {
      var scene = try Scene(
        seed: 6, keys: isElsewhere ? TenantKeyTests.elsewhere() : .broker)
      let (ends, states) = (scene.ends, scene.states)
      scene.broker.death = scene.broker.calls + death
      scene.broker.done = death % 3 == 0 ? .max : death % 3
      var eraser = MemoryBroker(scene.bench.logs)
      _ = try scene.erase(&eraser)
      #expect(scene.remains(before: ends, states) == [] && scene.readable(states) == 0, "\(death)")
      scene.finish()
      #expect(scene.others(scene.bench.events) == scene.others(try scene.bench.expected()))
      #expect(scene.bench.marks.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } })
    }
  }

  @Test("FLEET-83: a tenant whose key has gone can be erased, and the partition goes on then")
  func keyDestroyed() throws {
    var scene = try Scene(seed: 8, keys: TenantKeyTests.elsewhere())
    let (ends, states) = (scene.ends, scene.states)
    scene.bench.tenantKeys = TenantKeyTests.elsewhere(without: ["acme"])
    scene.worker = scene.bench.worker("b")
    scene.broker = MemoryBroker(scene.bench.logs)
    for _ in 0..<20 { scene.turn(messages: 0) }
    #expect(scene.worker.takeNotes().contains { $0.text.contains("tenant acme cannot be opened") })
    var eraser = MemoryBroker(scene.bench.logs)
    var erasure = try TenantErasure(of: "acme", partitions: 2, &eraser)
    for _ in 0..<60 where try !erasure.isForgotten(&eraser) { scene.turn(messages: 0) }
    #expect(try erasure.isForgotten(&eraser))
    while try !erasure.overwrite(&eraser) {}
    try erasure.finish(&eraser)
    #expect(scene.remains(before: ends, states) == [])
    // With another key it begins anew, and the others are as if nothing had been.
    scene.bench.tenantKeys = .elsewhere { tenant in SecretKey(seed: tenant.isEmpty ? 1 : 500) }
    scene.worker = scene.bench.worker("c")
    scene.broker = MemoryBroker(scene.bench.logs)
    scene.finish()
    #expect(scene.others(scene.bench.events) == scene.others(try scene.bench.expected()))
    #expect(scene.bench.events.keys.contains { $0.hasPrefix("acme.") })
  }

  @Test(
    "FLEET-83: a tenant of whom nothing is stored, for want of its key, can be erased, however much has come before"
  )
  func keyNeverThere() throws {
    var bench = try FleetBench(seed: 8, devices: 2, fixes: 60)
    bench.tenantKeys = TenantKeyTests.elsewhere(without: ["acme"])
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs)
    var worker = bench.worker("a")
    bench.turn(&worker, &broker, messages: 120)
    // More than a worker reads before each bucket was due.
    let subject = FleetAddress.fixes(of: FleetBench.name(1), partition: 0)
    for _ in 0..<12_000 {
      _ = bench.logs.add(LogEntry(subject: subject, bytes: [1]), to: .fixes(0))
    }
    for _ in 0..<10 { bench.turn(&worker, &broker, messages: 0) }
    #expect(worker.takeNotes().contains { $0.isFault && $0.text.contains("acme") })
    var eraser = MemoryBroker(bench.logs)
    var erasure = try TenantErasure(of: "acme", partitions: 1, &eraser)
    for _ in 0..<20 where try !erasure.isForgotten(&eraser) {
      bench.turn(&worker, &broker, messages: 0)
    }
    #expect(try erasure.isForgotten(&eraser))
    while try !erasure.overwrite(&eraser) {}
    try erasure.finish(&eraser)
    for _ in 0..<20 where !bench.isDone(worker) { bench.turn(&worker, &broker, messages: 0) }
    let others = { (events: [String: String]) in events.filter { !$0.key.hasPrefix("acme.") } }
    #expect(others(bench.events) == others(try bench.expected()))
    #expect(!others(bench.events).isEmpty)
  }

  @Test(
    "FLEET-91: fences are not published while a tenant is being erased, and are again afterwards")
  func fencesRefused() throws {
    var scene = try Scene(seed: 9)
    var eraser = MemoryBroker(scene.bench.logs)
    var erasure = try TenantErasure(of: "acme", partitions: 2, &eraser)
    let fault = #expect(throws: BrokerFault.self) { try scene.publishFences() }
    #expect(fault?.description.contains("erase acme --all") == true)
    for _ in 0..<60 where try !erasure.isForgotten(&eraser) { scene.turn(messages: 1) }
    while try !erasure.overwrite(&eraser) {}
    try erasure.finish(&eraser)
    #expect(!scene.bench.logs.messages(.fences).contains { $0.entry.subject.contains("erasing") })
    try scene.publishFences()
    scene.finish()
  }

  @Test(
    "FLEET-91: a file that is in force and not there whole is stored again although it is refused")
  func mended() throws {
    let scene = try Scene(seed: 9)
    let version = FenceStore.version(of: scene.fences)
    var broker = MemoryBroker(scene.bench.logs)
    _ = try TenantErasure(of: "acme", partitions: 2, &broker)
    let parts = scene.bench.logs.messages(.fences).filter {
      $0.entry.subject.hasSuffix("\(version).0")
    }
    #expect(scene.bench.logs.remove(parts.map(\.sequence), of: .fences) == 1)
    #expect(throws: BrokerFault.self) { try FenceStore.file(version, from: &broker) }
    // Others are not stored.
    let other = Self.otherFences(scene)
    #expect(throws: BrokerFault.self) { try FenceStore.publish(other, partitions: 2, to: &broker) }
    #expect(throws: BrokerFault.self) {
      try FenceStore.file(FenceStore.version(of: other), from: &broker)
    }
    #expect(throws: BrokerFault.self) { try scene.publishFences() }
    #expect(try FenceStore.file(version, from: &broker) == scene.fences)
  }

  /// Fences with some of the tenant's, other ones than those of the scene.
  private static func otherFences(_ scene: Scene) -> [UInt8] {
    let plain = String(decoding: scene.bench.walks[1].fenceFile(), as: UTF8.self)
    return Array(plain.replacing("\"features\":[", with: "\"features\":[" + Scene.fence).utf8)
  }

  /// Whether fences of the tenant are kept anywhere.
  private static func hasTenants(_ scene: Scene) -> Bool {
    scene.bench.logs.messages(.fences).contains {
      String(decoding: $0.entry.bytes, as: UTF8.self).contains("secret depot")
    }
  }

  /// Whether every partition judges by fences that are there whole, the same ones, and none of the tenant's.
  private static func expectSound(
    _ scene: Scene, published file: [UInt8]?, hasTenants: Bool = false
  ) throws {
    var broker = MemoryBroker(scene.bench.logs)
    var versions: [String] = []
    for partition in 0..<2 {
      try ControlMessage.forEach(in: partition, after: 0, &broker) { control, _ in
        if case .fences(let version) = control { versions.append(version) }
      }
      let found = try FenceStore.file(try #require(versions.last), from: &broker)
      guard let file else { continue }
      let rest = try FenceFile.removing("acme", from: file)
      #expect(found == rest || (hasTenants && found == file))
    }
    guard !hasTenants else { return }
    #expect(!Self.hasTenants(scene))
  }

  @Test(
    "FLEET-91: where a tenant is erased before any call of a publication, that is refused, or in force everywhere"
  )
  func erasedMeanwhile() throws {
    var (calls, refusals) = (1, 0)
    for call in 1...100 {
      var scene = try Scene(seed: 9)
      let file = Self.otherFences(scene)
      var publisher = MemoryBroker(scene.bench.logs)
      publisher.pause(before: call) {
        var eraser = MemoryBroker(scene.bench.logs)
        do { _ = try scene.erase(&eraser) } catch { Issue.record("\(error)") }
      }
      let version = try? FenceStore.publish(file, partitions: 2, to: &publisher)
      guard publisher.calls >= call else { break }
      calls = call
      if version == nil { refusals += 1 }
      // What is published anew, after the erasure, may have fences of the tenant's again.
      let isLater = Self.hasTenants(scene)
      try Self.expectSound(scene, published: version.map { _ in file }, hasTenants: isLater)
      scene.finish()
    }
    #expect(calls > 8, "\(calls) calls, \(refusals) refused")
  }

  @Test(
    "FLEET-91: where fences are published before any call of an erasure, they are refused, or in force without the tenant's"
  )
  func publishedMeanwhile() throws {
    var outcomes: Set<Bool> = []
    for call in stride(from: 1, to: 60, by: 2) {
      var scene = try Scene(seed: 9)
      let (file, logs) = (Self.otherFences(scene), scene.bench.logs)
      var isPublished = false
      var eraser = MemoryBroker(logs)
      eraser.pause(before: call) {
        var publisher = MemoryBroker(logs)
        isPublished = (try? FenceStore.publish(file, partitions: 2, to: &publisher)) != nil
      }
      _ = try scene.erase(&eraser)
      outcomes.insert(isPublished)
      try Self.expectSound(scene, published: isPublished ? file : nil)
      scene.finish()
    }
    #expect(outcomes == [true, false])
  }

  @Test("FLEET-84: a request for all devices is none for one, and has an escaped name")
  func control() {
    for tenant in ["", "acme", "a\"b.>*"] {
      let message = ControlMessage.eraseTenant(tenant)
      #expect(ControlMessage(Array(message.text.utf8)) == message)
    }
    for text in [
      #"{"ctl":"erase","tenant":"acme"}"#, #"{"ctl":"erase-tenant"}"#,
      #"{"ctl":"erase-tenant","tenant":"a.b"}"#, #"{"ctl":"erase-tenant","tenant":"-"}"#,
    ] { #expect(ControlMessage(Array(text.utf8)) == nil) }
  }

  @Test("FLEET-84: a file of fences keeps every byte of the others' and loses the tenant's")
  func fences() throws {
    func feature(_ id: String, _ properties: String) -> String {
      #"{"id" : "\#(id)","type":"Feature","geometry":{"type":"Point","coordinates":[6,46]},"#
        + #""properties":{"radius":5\#(properties)}}"#
    }
    let all = [
      feature("everyone", ""), feature("acme", #","tenant":"acme""#),
      feature("group", #","tenant":"acme","audience":{"group":"x"}"#),
      feature("zeta", #","tenant":"zeta""#), feature("none", #","audience":{"device":"d"}"#),
    ]
    func file(_ features: [String]) -> [UInt8] {
      let list = features.joined(separator: ",")
      return Array(#"{ "type":"FeatureCollection","features": [\#(list)] }"#.utf8)
    }
    let whole = file(all)
    #expect(try FenceFile.removing("acme", from: whole) == file([all[0], all[3], all[4]]))
    #expect(try FenceFile.removing("", from: whole) == file(Array(all[0..<4])))
    #expect(try FenceFile.removing("other", from: whole) == nil)
    #expect(try FenceFile.removing("acme", from: file([all[1]])) == file([]))
    #expect(throws: FenceFile.Fault.self) { try FenceFile.removing("acme", from: [1]) }
  }
}
