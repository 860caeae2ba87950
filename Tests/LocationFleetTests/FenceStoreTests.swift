import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("The fences that are published")
struct FenceStoreTests {
  @Test("FLEET-104: a fence with another area and the revision that is in force is named")
  func moved() throws {
    let bench = try FleetBench(seed: 4, devices: 2, fixes: 20, partitions: 2)
    let walk = bench.walks[0]
    func moved(_ file: [UInt8]) throws -> [String] {
      let fences = try FenceFile.read(file)
      var broker = MemoryBroker(bench.logs)
      return try FenceStore.moved(in: fences, partitions: 2, &broker)
    }
    let count = try FenceFile.read(walk.fenceFile()).count
    #expect(count > 0)
    #expect(try moved(walk.fenceFile()).isEmpty)
    try bench.publishFences()
    #expect(try moved(walk.fenceFile()).isEmpty)
    #expect(try moved(walk.fenceFile(shift: 0.004)).count == count)
    #expect(try moved(walk.fenceFile(shift: 0.004, revision: 2)).isEmpty)
    // Those that were in force before are compared with nothing.
    try bench.publishFences(shift: 0.004, revision: 2)
    #expect(try moved(walk.fenceFile()).isEmpty)
    #expect(try moved(walk.fenceFile(revision: 2)).count == count)
    // With what cannot be read nothing can be compared, and it is mended by publishing.
    _ = bench.logs.remove(bench.logs.messages(.fences).map(\.sequence), of: .fences)
    #expect(try moved(walk.fenceFile(revision: 2)).isEmpty)
  }

  @Test("FLEET-138: how many fences are new, changed, and gone is counted against those in force")
  func change() throws {
    let bench = try FleetBench(seed: 4, devices: 2, fixes: 20, partitions: 2)
    let walk = bench.walks[0]
    let fences = try FenceFile.read(walk.fenceFile())
    func inForce() throws -> [FleetFences] {
      var broker = MemoryBroker(bench.logs)
      return try FenceStore.inForce(partitions: 2, &broker)
    }
    #expect(try inForce().allSatisfy { $0.count == 0 })
    #expect(fences.change(since: FleetFences()).new == fences.count)
    try bench.publishFences()
    let before = try #require(try inForce().first)
    #expect(try inForce().count == 1 && before.count == fences.count)
    #expect(fences.change(since: before) == FleetFences.Change())
    let moved = try FenceFile.read(walk.fenceFile(shift: 0.004, revision: 2))
    #expect(moved.change(since: before).changed == fences.count)
    #expect(FleetFences().change(since: before).gone == fences.count)
  }

  /// A fleet whose partitions have judged by two publications, one after the other.
  private static func scene() throws -> (bench: FleetBench, worker: FleetWorker) {
    var bench = try FleetBench(seed: 4, devices: 4, fixes: 60, partitions: 2)
    var broker = MemoryBroker(bench.logs)
    var worker = bench.worker("a")
    for revision in 1...2 {
      try bench.publishFences(revision: revision)
      for _ in 0..<12 { bench.turn(&worker, &broker, messages: 2) }
    }
    return (bench, worker)
  }

  private static func kept(_ logs: MemoryLogs) throws -> Int {
    var broker = MemoryBroker(logs)
    return try FenceStore.versions(in: &broker).count
  }

  @Test("FLEET-105: versions that no partition has in force go, and a successor has those it needs")
  func unneeded() throws {
    var (bench, worker) = try Self.scene()
    var broker = MemoryBroker(bench.logs)
    #expect(try Self.kept(bench.logs) == 2)
    for revision in 3...6 {
      try bench.publishFences(revision: revision)
      // Those of the checkpoint, and the new ones.
      #expect(try Self.kept(bench.logs) == 2)
      for _ in 0..<12 { bench.turn(&worker, &broker, messages: 2) }
    }
    // Of those that come in one moment a successor needs all.
    for revision in 7...9 { try bench.publishFences(revision: revision) }
    #expect(try Self.kept(bench.logs) == 4)
    var next = MemoryBroker(bench.logs)
    var successor = bench.worker("b")
    for _ in 0..<100 where !bench.isDone(successor) { bench.turn(&successor, &next) }
    #expect(bench.isDone(successor))
    #expect(successor.takeNotes().allSatisfy { !$0.isFault })
  }

  @Test(
    "FLEET-105: what is published anew before any call of another publication is there whole",
    arguments: [false, true])
  func atOnce(isOlderPaused: Bool) throws {
    var call = 0
    var isReached = true
    while isReached, call < 300 {
      call += 1
      let (bench, _) = try Self.scene()
      let logs = bench.logs
      let older = bench.walks[0].fenceFile(revision: 1)
      let newer = bench.walks[0].fenceFile(revision: 3)
      var publisher = MemoryBroker(logs)
      publisher.pause(before: call) {
        var other = MemoryBroker(logs)
        let file = isOlderPaused ? newer : older
        do { _ = try FenceStore.publish(file, partitions: 2, to: &other) } catch {
          Issue.record("\(error)")
        }
      }
      let file = isOlderPaused ? older : newer
      _ = try FenceStore.publish(file, partitions: 2, to: &publisher)
      isReached = publisher.calls >= call
      var reader = MemoryBroker(logs)
      for partition in 0..<2 {
        for version in try TenantFences.inForce(in: partition, &reader) where !version.isEmpty {
          let file = try? FenceStore.file(version, from: &reader)
          #expect(file != nil, "call \(call)")
        }
      }
    }
    #expect(call > 15 && !isReached)
  }
}
