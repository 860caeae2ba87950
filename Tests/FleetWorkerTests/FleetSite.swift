import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import TestSupport

/// A fleet on a real server: its configuration, its files, and its programs.
final class FleetSite {
  private let single: NATSServer?
  private let folder: TemporaryFolder
  let partitions: Int
  let port: Int
  private(set) var broker: NATSBroker

  convenience init(partitions: Int = 2) async throws {
    let server = try await NATSServer()
    try self.init(
      partitions: partitions, server, in: server.folder, at: [server.address],
      settings: "server = \(server.address)\nlease = 1\nsnapshot = 1\n")
  }

  /// On servers that keep copies for one another.
  convenience init(partitions: Int, on cluster: NATSCluster, settings: String) throws {
    try self.init(
      partitions: partitions, nil, in: cluster.folder, at: cluster.addresses,
      settings: cluster.settings + settings)
  }

  private init(
    partitions: Int, _ server: NATSServer?, in folder: TemporaryFolder, at addresses: [String],
    settings: String
  ) throws {
    (single, self.folder, self.partitions) = (server, folder, partitions)
    port = try Loopback.freePort()
    broker = try NATSBroker(servers: addresses, name: "test")
    let text = settings + "partitions = \(partitions)\n"
    try write(text + "port = \(port)\n", to: "fleet.conf")
    // For further workers, which cannot have the same port.
    try write(text, to: "other.conf")
  }

  struct Several: Error {}

  /// The server of a site that has one alone.
  var server: NATSServer {
    get throws {
      guard let single else { throw Several() }
      return single
    }
  }

  func file(_ name: String) -> String { folder.file(name) }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
  }

  /// Makes the streams, and has everybody judge by the fences of a way.
  func prepare(_ walk: FleetWalk) throws {
    try Data(walk.fenceFile()).write(to: URL(fileURLWithPath: file("fences.geojson")))
    for words in [["init"], ["fences", file("fences.geojson")]] {
      let run = try fleet(words)
      guard run.status == 0 else { throw NotPrepared(words: words, said: run.error) }
    }
  }

  struct NotPrepared: Error { var words: [String], said: String }

  /// Runs `locationfleet` to its end.
  @discardableResult
  func fleet(_ words: [String], input: String = "") throws -> FinishedProgram {
    try FinishedProgram("locationfleet", words + ["--config", file("fleet.conf")], input: input)
  }

  func worker(_ configuration: String = "fleet.conf") throws -> RunningProgram {
    try RunningProgram(
      BuiltProgram.path("locationfleet"), ["run", "--config", file(configuration)])
  }

  /// Waits until everything that was published is judged and stored.
  func waitUntilStored() throws {
    for partition in 0..<partitions {
      let end = try last(of: .fixes(partition))
      var from: UInt64 = 1
      let limit = Date(timeIntervalSinceNow: 150)
      search: while true {
        let batch = try answered { try $0.read(.state(partition), from: from, most: 1000) }
        for message in batch.messages {
          from = message.sequence + 1
          guard message.entry.subject == "st.\(partition).checkpoint",
            let found = Checkpoint(message.entry.bytes), found.position >= end
          else { continue }
          break search
        }
        guard Date() < limit else { throw NotStored(partition: partition) }
        if batch.messages.isEmpty { broker.wait(.seconds(1)) }
      }
    }
  }

  struct NotStored: Error { var partition: Int }

  /// Asks again for a minute where a stream does not answer, as it may be electing a leader.
  private func answered<Answer>(_ call: (inout NATSBroker) throws -> Answer) throws -> Answer {
    let limit = Date(timeIntervalSinceNow: 60)
    while true {
      do {
        return try call(&broker)
      } catch BrokerFault.unreachable where Date() < limit {
        broker.wait(.seconds(1))
      }
    }
  }

  /// The number of the last message of a log.
  private func last(of log: FleetLog) throws -> UInt64 {
    try answered { try $0.last(of: log, key: nil).last }
  }

  /// Waits until so many events are there.
  func waitForEvents(_ count: Int, partition: Int = 0) throws {
    var from: UInt64 = 1
    let limit = Date(timeIntervalSinceNow: 60)
    while from <= UInt64(count) {
      let batch = try broker.read(.events(partition), from: from, most: 1000)
      if let last = batch.messages.last {
        from = last.sequence + 1
      } else {
        broker.wait(.seconds(1))
      }
      guard Date() < limit else { throw NotStored(partition: partition) }
    }
  }

  /// Everything that a log keeps.
  func all(_ log: FleetLog) throws -> [LogMessage] {
    try answered { broker in
      var found: [LogMessage] = []
      try broker.forEach(log, waiting: { $0.wait(.seconds(1)) }) { found.append($0) }
      return found
    }
  }

  func events(_ partition: Int) throws -> UInt64 {
    try last(of: .events(partition))
  }

  /// What the worker's port answers.
  func metrics() throws -> String {
    guard let text = Loopback.get("/metrics", port: port) else { throw POSIXError(.ECONNREFUSED) }
    return text
  }

  /// The value of the lease of a partition.
  func lease(_ partition: Int) throws -> String {
    let message = try broker.last(of: .leases, key: "\(partition)").message
    return String(decoding: message?.entry.bytes ?? [], as: UTF8.self)
  }

  /// Appends a message for a device as it is.
  func append(_ text: String, of name: FleetDeviceName) throws {
    let partition = FleetAddress.partition(of: name, count: partitions)
    let entry = LogEntry(
      subject: FleetAddress.fixes(of: name, partition: partition), bytes: Array(text.utf8))
    _ = try broker.append([entry], to: .fixes(partition), expecting: nil)
  }
}
