import Foundation
import LocationFleet
import TestSupport
import Testing

@Suite(
  "A fleet on three servers", .serialized,
  .enabled(if: NATSCluster.isPossible, "nats-server or openssl is not installed"))
struct FleetClusterTests {
  /// How often something is done; `Scripts/fleet_cluster.sh` says more.
  private static func count(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }

  /// The defaults of a fleet where it is measured; a test waits less long.
  private static var settings: String {
    ProcessInfo.processInfo.environment["CLUSTER_SETTINGS"].map { $0 + "\n" }
      ?? "lease = 3\nsnapshot = 5\n"
  }

  @Test(
    "FLEET-78: each of three servers is killed under load: no event is lost, none repeated, byte for byte"
  )
  func killed() async throws {
    let kills = Self.count("CLUSTER_KILLS", 3)
    let cluster = try await NATSCluster()
    try cluster.waitUntilReady()
    let run = try ClusterRun(
      cluster, settings: Self.settings, steps: 120 + kills * 100,
      partitions: Self.count("CLUSTER_PARTITIONS", 2))
    try run.waitForSteps(12)
    let roles: [String?] = ["FIX_0", "EVT_0", "KV_LEASES", "STATE_0", "FIX_1", "EVT_1", nil]
    for number in 0..<kills {
      // In the small test each node once, else whoever leads something.
      let role = roles[number % roles.count]
      let node = kills <= 3 ? number : cluster.leader(of: role) ?? number % 3
      try await run.kill(node, "\(role ?? "all streams")@\(node)")
    }
    let pauses = try run.finish()
    print(pauses.text)
    #expect(pauses.all.last ?? 0 < 60)
  }

  @Test(
    "FLEET-78: a server that is replaced by an empty one under load fetches all: nothing is lost")
  func replaced() async throws {
    let cluster = try await NATSCluster()
    try cluster.waitUntilReady()
    let run = try ClusterRun(cluster, settings: Self.settings, steps: 200)
    try run.waitForSteps(12)
    for node in 0..<2 {
      run.note("node \(node) replaced")
      try await cluster.replace(node)
      try run.waitForSteps(12)
    }
    print(try run.finish().text)
  }

  @Test(
    "FLEET-78: workers are restarted one after another under load: no event is lost, none repeated"
  )
  func restarted() async throws {
    let rounds = Self.count("CLUSTER_RESTARTS", 1)
    let cluster = try await NATSCluster()
    try cluster.waitUntilReady()
    let run = try ClusterRun(
      cluster, settings: Self.settings, steps: 120 + rounds * 2 * 60,
      partitions: Self.count("CLUSTER_PARTITIONS", 2))
    try run.waitForSteps(24)
    for _ in 0..<rounds { for number in 0..<2 { try run.restart(number) } }
    let pauses = try run.finish()
    print(pauses.text)
    #expect(pauses.all.last ?? 0 < 60)
  }

  /// Adds events while each server is killed in turn; `receive` waits until so many have been handed on.
  private func killEach(
    _ cluster: NATSCluster, _ site: SinkSite, _ receive: (Int) async throws -> Void
  ) async throws {
    var count = 0
    for node in 0..<3 {
      count += try site.add((node * 40)..<(node * 40 + 20), devices: 5)
      cluster.end(node)
      count += try site.add((node * 40 + 20)..<(node * 40 + 40), devices: 5)
      try await receive(count)
      try await cluster.start(node)
      try cluster.waitUntilReady()
    }
  }

  @Test(
    "FLEET-78: while each of three servers is killed a sink hands every event on, in its device's order",
    .enabled(if: isInstalled("python3"), "python3 is not installed"))
  func sink() async throws {
    let webhook = try await TestWebhook(plan: "200")
    let cluster = try await NATSCluster()
    try cluster.waitUntilReady()
    let site = try SinkSite(try webhook.settings(), on: cluster)
    let sink = try await site.start("webhook")
    var seen: [String: [String]] = [:]
    try await killEach(cluster, site) { try await webhook.receive($0, &seen) }
    sink.terminate()
    for device in 0..<5 {
      #expect(seen["truck-\(device)"] == site.identifiers(0..<120, of: device))
    }
    #expect(try site.refused().isEmpty)
  }

  @Test(
    "FLEET-78: so does a sink of MQTT",
    .enabled(if: Mosquitto.isInstalled, "mosquitto or mosquitto-clients is not installed"))
  func transitions() async throws {
    let mosquitto = try await Mosquitto(in: try TemporaryFolder())
    let friend = try await mosquitto.subscribe()
    let cluster = try await NATSCluster()
    try cluster.waitUntilReady()
    let site = try SinkSite("mqtt-out = mqtt://127.0.0.1:\(mosquitto.port)", on: cluster)
    let sink = try await site.start("mqtt")
    var seen: [String: [String]] = [:]
    try await killEach(cluster, site) { try await Mosquitto.receive($0, &seen, by: friend) }
    sink.terminate()
    for device in 0..<5 {
      let topic = "fleet/acme/truck-\(device)/event"
      #expect(seen[topic] == site.identifiers(0..<120, of: device), "\(topic)")
    }
    #expect(try site.refused().isEmpty)
  }

  @Test(
    "FLEET-79: what is asked right after the start of servers, or the death of a leader, is asked again"
  )
  func commands() async throws {
    let cluster = try await NATSCluster()
    let site = try FleetSite(partitions: 1, on: cluster, settings: "lease = 3\nsnapshot = 1\n")
    // The servers have not found one another yet.
    let made = try site.fleet(["init"])
    #expect(made.output == "1 partitions, 8 streams made\n", "\(made.error)")
    try cluster.waitUntilReady()
    let worker = try site.worker()
    let text = try String(contentsOfFile: site.file("fleet.conf"), encoding: .utf8)
    try site.write(text + "tenant = acme keep-events-days=1\n", to: "fleet.conf")
    let walk = FleetWalk(seed: 1, count: 100)
    try Data(walk.fenceFile()).write(to: URL(fileURLWithPath: site.file("fences.geojson")))
    let lines = walk.fixes.map {
      FleetWalk.line($0, of: FleetDeviceName(tenant: "acme", device: "van")) + "\n"
    }.joined()
    for (stream, words) in [
      ("KV_FENCES", ["fences", site.file("fences.geojson")]), ("FIX_0", ["publish"]),
      ("EVT_0", ["events"]), ("EVT_0", ["expire"]), (nil, ["erase", "acme", "van"]),
      ("ERASED", ["erasures"]),
      ("KV_LEASES", ["doctor"]),
    ] as [(String?, [String])] {
      let node = try #require(cluster.leader(of: stream))
      cluster.end(node)
      let run = try site.fleet(words, input: lines)
      if words == ["doctor"] {
        // It does not wait for an election: streams may be without a leader.
        #expect(run.error.hasPrefix("locationfleet: found: server_unreachable"), "\(run.output)")
        #expect(run.output.contains("no  \(cluster.addresses[node])\n"))
      } else {
        #expect(run.status == 0, "\(words): \(run.error)")
      }
      if words == ["events"] { #expect(run.output.split(separator: "\n").count > 5) }
      try await cluster.start(node)
      try cluster.waitUntilReady()
      if words == ["publish"] { try site.waitUntilStored() }
    }
    let well = try site.fleet(["doctor"])
    #expect(well.status == 0, "\(well.output)\(well.error)")
    worker.terminate()
  }
}
