import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@Suite(
  "A server that counts messages which are not there", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct MiscountedLogTests {
  /// Has the server say of each message that as many more are behind it, of which it counts less than ten.
  private static func relay(to port: Int, adding more: Int) throws -> Relay {
    try Relay(to: port) { way, bytes in
      guard way == .back else { return bytes }
      // A character for each byte, as values are none.
      let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      // `$JS.ACK.STREAM.CONSUMER.1.SEQUENCE.DELIVERED.TIME.LEFT`
      return text.replacing(#/(\$JS\.ACK\.[-_.A-Za-z0-9]*\.)([0-9]) /#) { match in
        "\(match.1)\((Int(match.2) ?? 0) + more) "
      }.unicodeScalars.map { UInt8($0.value) }
    }
  }

  private static func broker(through relay: Relay) throws -> NATSBroker {
    try NATSBroker(servers: ["nats://127.0.0.1:\(relay.port)"], name: "reader")
  }

  @Test("FLEET-99: what it does not deliver is not waited for, in any log")
  func ends() async throws {
    let server = try await NATSServer()
    var writer = try NATSBroker(servers: [server.address], name: "writer")
    for log in NATSBroker.logs(partitions: 1) { _ = try writer.create(log, NATSBroker.Storage()) }
    for key in ["a", "b"] {
      _ = try writer.put([1], at: "st.0.\(key)", in: .state(0), expecting: 0)
      _ = try writer.put([2], at: key, in: .leases, expecting: 0)
    }
    var reader = try Self.broker(through: Self.relay(to: server.port, adding: 4))
    // The two may come one after the other.
    var (found, left) = ([LogMessage](), [Int]())
    repeat {
      let part = try reader.read(.state(0), from: UInt64(found.count) + 1, most: 10)
      found += part.messages
      left.append(part.left)
    } while left.last != 0
    #expect(found.map(\.entry.bytes) == [[1], [1]])
    #expect(left.dropLast().last == 4)
    #expect(try reader.watch().map(\.entry.bytes) == [[2], [2]])
    // What comes later is not lost by that, nor waited for again.
    _ = try writer.put([3], at: "c", in: .leases, expecting: 0)
    var later: [LogMessage] = []
    while later.isEmpty {
      reader.wait(.seconds(10))
      later = try reader.watch()
    }
    #expect(later.map(\.entry.bytes) == [[3]])
  }

  @Test("FLEET-99: a partition is taken over all the same, with its devices")
  func takesOver() async throws {
    let site = try await FleetSite(partitions: 1)
    let walk = FleetWalk(seed: 1, count: 120)
    try site.prepare(walk)
    let lines = walk.fixes.map {
      FleetWalk.line($0, of: FleetDeviceName(tenant: "acme", device: "van")) + "\n"
    }.joined()
    let worker = try site.worker()
    try site.fleet(["publish"], input: lines)
    try site.waitUntilStored()
    worker.terminate()
    let relay = try Self.relay(to: site.server.port, adding: 4)
    var broker = try Self.broker(through: relay)
    var (fences, faults) = (FenceCache(), [FleetConfiguration.Fault]())
    let settings = FleetConfiguration("partitions = 1", &faults).worker.partition
    let run = try PartitionRun(
      takingOver: 0, settings, &fences, &broker, secret: SecretKey(seed: 1),
      at: Instant(nanoseconds: 0))
    #expect(run.state.devices == 1 && run.state.position == 121)
  }
}
