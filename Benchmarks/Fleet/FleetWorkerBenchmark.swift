import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationSecrets
import TestSupport

/// A fleet's worker against a real server on the loopback: fixes a second, and per second of this
/// process's processor time, against fetching the same messages alone.
func measureFleetWorker(_ world: FleetWorld) async throws {
  guard NATSServer.isInstalled else { throw MissingPeer(text: "nats-server is not installed") }
  var rates: [Double] = []
  for (name, join) in [("single", 1), ("joined", 20)] {
    let server = try await NATSServer()
    var broker = try NATSBroker(servers: [server.address], name: "benchmark")
    for log in NATSBroker.logs(partitions: 1) { _ = try broker.create(log, NATSBroker.Storage()) }
    let version = try FenceStore.publish(world.file, partitions: 1, to: &broker)
    var fences = FenceCache()
    _ = try fences.get(version, &broker)
    let lines = world.lines(devices: 20_000, fixes: 20)
    let entries = join == 1 ? single(lines) : joined(lines, devices: 20_000)
    for start in stride(from: 0, to: entries.count, by: 10_000) {
      let part = Array(entries[start..<min(start + 10_000, entries.count)])
      _ = try broker.append(part, to: .fixes(0), expecting: nil)
    }
    let fetch = try measure(lines.count) { try fetchAll(&broker) }
    let all = try measure(lines.count) { try judgeAll(&broker, &fences) }
    try Figure.report("fleet.fetch.\(name)", fetch.wall, "/s", "fetch only, \(join) a message")
    try Figure.report(
      "fleet.worker.\(name)", all.wall, "/s", "worker, \(join) a message, all detectors")
    try Figure.report(
      "fleet.worker.\(name).processor", all.processor, "/s",
      "worker, \(join) a message, per second of its processor time")
    try Figure.report(
      "fleet.worker.\(name).processor.ratio", all.processor / fetch.processor, "",
      "over fetch only, both for a second of processor time")
    try Figure.report("fleet.worker.\(name).ratio", all.wall / fetch.wall, "", "over fetch only")
    rates.append(all.wall)
  }
  try Figure.report("fleet.worker.gain", rates[1] / rates[0], "", "20 a message over 1 a message")
}

private func single(_ lines: [[UInt8]]) -> [LogEntry] {
  lines.enumerated().map { number, line in
    LogEntry(subject: "fix.0._.device-\(number % 20_000)", bytes: line)
  }
}

/// All fixes of one device in a message.
private func joined(_ lines: [[UInt8]], devices: Int) -> [LogEntry] {
  (0..<devices).map { number in
    let own = stride(from: number, to: lines.count, by: devices).map { lines[$0] }
    return LogEntry(
      subject: "fix.0._.device-\(number)", bytes: Array(own.joined(separator: [0x0a])))
  }
}

private func fetchAll(_ broker: inout NATSBroker) throws {
  let end = try broker.last(of: .fixes(0), key: nil).last
  var from: UInt64 = 1
  while from <= end {
    let batch = try broker.read(.fixes(0), from: from, most: 1000)
    if let last = batch.messages.last { from = last.sequence + 1 } else { broker.wait(.seconds(1)) }
  }
}

private func judgeAll(_ broker: inout NATSBroker, _ fences: inout FenceCache) throws {
  let end = try broker.last(of: .fixes(0), key: nil).last
  var clock = 0.0
  var faults: [FleetConfiguration.Fault] = []
  let settings = FleetConfiguration("partitions = 1", &faults).worker.partition
  var run = try PartitionRun(
    takingOver: 0, settings, &fences, &broker, secret: SecretKey(seed: 1), at: .start)
  while run.state.position < end {
    clock += 0.01
    let count = try run.turn(&fences, &broker, at: .start + .seconds(clock))
    if count == 0 { broker.wait(.seconds(1)) }
  }
}

/// Fixes a second, and for a second of processor time.
private func measure(
  _ count: Int, _ body: () throws -> Void
) throws -> (wall: Double, processor: Double) {
  let begin = clock()
  let wall = try wallTime(of: body)
  let used = Double(clock() - begin) / Double(CLOCKS_PER_SEC)
  return (Double(count) / wall, Double(count) / used)
}
