import Foundation
import LocationFleet
import LocationFleetNATS
import TestSupport
import Testing

@testable import locationctl

@Suite(
  "The doctor of a fleet on a real server", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct DoctorServerTests {
  private struct Found: Decodable, Hashable {
    var subject, code, message: String
    var ok: Bool
    var next: String?
  }

  private static let walk = FleetWalk(seed: 86, count: 60)

  private static var lines: String {
    (0..<4).map { number in
      let name = FleetDeviceName(tenant: "acme", device: "truck \(number)")
      return walk.fixes.map { FleetWalk.line($0, of: name) + "\n" }.joined()
    }.joined()
  }

  private func ask(_ site: FleetSite) throws -> (run: FinishedProgram, found: [String: Found]) {
    let run = try site.fleet(["doctor", "--json"])
    let found = try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Found.self, from: Data($0.utf8))
    }
    for one in found { #expect(one.ok || one.next?.isEmpty == false, "\(one.code)") }
    return (run, Dictionary(found.map { ($0.code, $0) }) { first, _ in first })
  }

  @Test("FLEET-86: a fleet that is well ends with 0, as locationctl prints it, and is not changed")
  func well() async throws {
    let site = try await FleetSite()
    try site.prepare(Self.walk)
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines)
    try site.waitUntilStored()
    let before = try site.fleet(["events"]).output
    let (run, found) = try ask(site)
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)\(run.output)")
    #expect(
      Set(found.keys) == [
        "configuration_valid", "server_works", "streams_work", "partitions_work", "fences_work",
      ])
    #expect(found["server_works"]?.message.hasPrefix("nats-server 2.") == true)
    #expect(found["streams_work"]?.message == "11 are there")
    let text = try site.fleet(["doctor"])
    let good = try #require(found["streams_work"])
    let finding = Finding(
      subject: good.subject, code: good.code, verdict: .good, message: good.message, next: nil)
    #expect(text.output.contains(finding.text(.standard) + "\n"))
    #expect(run.output.contains(finding.json + "\n"))
    #expect(!run.output.contains("truck"))
    #expect(try site.fleet(["events"]).output == before)
    worker.terminate()
  }

  @Test("FLEET-87: a server that is gone is named, and the other one is asked for all else")
  func goneServer() async throws {
    let site = try await FleetSite(partitions: 1)
    try site.prepare(Self.walk)
    let other = try await NATSServer()
    other.end()
    let text = try String(contentsOfFile: site.file("fleet.conf"), encoding: .utf8)
    try site.write("server = \(other.address)\n" + text, to: "fleet.conf")
    let worker = try site.worker("other.conf")
    _ = try await worker.lines.next { $0.contains("took partition 0 over") }
    let (run, found) = try ask(site)
    #expect(run.status == 1)
    #expect(run.error == "locationfleet: found: server_unreachable\n")
    #expect(found["server_unreachable"]?.subject == other.address)
    #expect(found["server_unreachable"]?.message == "Connection refused")
    #expect(found["server_works"]?.subject == (try site.server.address))
    #expect(found["partitions_work"]?.message.hasPrefix("1, of ") == true)
    worker.terminate()
  }

  @Test("FLEET-87: a server without JetStream, and one that does not let the user in")
  func unusableServers() async throws {
    let folder = try TemporaryFolder()
    try "max_connections: 10\n".write(
      toFile: folder.file("plain.conf"), atomically: true, encoding: .utf8)
    try "authorization { user: somebody, password: else }\n".write(
      toFile: folder.file("closed.conf"), atomically: true, encoding: .utf8)
    let plain = try await NATSServer(in: folder, configuration: folder.file("plain.conf"))
    let closed = try await NATSServer(in: folder, configuration: folder.file("closed.conf"))
    try "server = \(plain.address)\nserver = \(closed.address)\n".write(
      toFile: folder.file("fleet.conf"), atomically: true, encoding: .utf8)
    let run = try FinishedProgram(
      "locationfleet", ["doctor", "--config", folder.file("fleet.conf")])
    #expect(run.status == 1)
    #expect(run.error == "locationfleet: found: server_without_jetstream, server_refuses\n")
    #expect(run.output.contains("lets this user not in: Auth"), "\(run.output)")
  }

  @Test("FLEET-88: a partition without a worker is named, and who had it and was killed")
  func withoutWorker() async throws {
    let site = try await FleetSite()
    try site.prepare(Self.walk)
    let never = try ask(site)
    #expect(never.run.status == 1)
    #expect(
      never.found["partitions_without_worker"]?.message == "no worker has partitions 0, 1")
    let worker = try RunningProgram(
      BuiltProgram.path("locationfleet"),
      ["run", "--config", site.file("fleet.conf"), "--name", "first"])
    for partition in 0..<2 {
      _ = try await worker.lines.next { $0.contains("took partition \(partition) over") }
    }
    #expect(try ask(site).run.status == 0)
    worker.end(with: SIGKILL)
    let killed = try ask(site)
    #expect(killed.run.error == "locationfleet: found: partitions_without_worker\n")
    let message = killed.found["partitions_without_worker"]?.message ?? ""
    #expect(message.hasPrefix("no worker has partitions 0, 1; first-"), "\(message)")
    #expect(message.hasSuffix(" had it and has not renewed it for 1 s"), "\(message)")
  }

  @Test("FLEET-89: what init has not made, and what is not as the configuration says, is named")
  func differing() async throws {
    let site = try await FleetSite()
    let bare = try ask(site)
    #expect(bare.run.status == 1)
    #expect(bare.found["streams_missing"]?.message.hasPrefix("11 of 11 are not there") == true)
    #expect(bare.found["streams_missing"]?.next == "locationfleet init")
    try site.prepare(Self.walk)
    let text = try String(contentsOfFile: site.file("fleet.conf"), encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: site.file("keys"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try site.write(
      text + """
        replicas = 3
        keep-fixes-hours = 24
        tenant = acme keep-events-days=7
        tenant-keys = \(site.file("keys"))
        webhook = https://hooks.example.org/fleet

        """, to: "fleet.conf")
    let run = try ask(site)
    #expect(run.run.status == 1)
    for (code, message) in [
      ("replicas_differ", "`replicas` is 3, and KV_LEASES"),
      ("retention_differs", "`keep-fixes-hours` is 24, and FIX_0 keeps 72"),
      ("tenant_key_faulty", "there is no \(site.file("keys"))/acme"),
      ("sink_never", "it is in the configuration"),
    ] {
      #expect(run.found[code]?.message.hasPrefix(message) == true, "\(code)")
    }
    #expect(run.found["fences_work"] != nil)
  }

  @Test("FLEET-97: a tenant that is being erased is named, as that holds new fences back")
  func erasing() async throws {
    let site = try await FleetSite()
    try site.prepare(Self.walk)
    var broker = try NATSBroker(servers: [try site.server.address], name: "test")
    for tenant in ["acme", "zeta"] {
      _ = try TenantErasure(of: tenant, partitions: 2, &broker)
    }
    let found = try ask(site).found["fences_held_back"]
    #expect(found?.message.hasPrefix("being erased: tenant acme, zeta; no fences") == true)
    #expect(found?.next?.hasSuffix("locationfleet erase acme --all") == true)
    #expect(try site.fleet(["fences", site.file("fences.geojson")]).status == 1)
  }

  @Test("FLEET-86: a configuration that is faulty is a finding, and ends with 1")
  func configuration() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.conf")
    try "color = red\n".write(toFile: path, atomically: true, encoding: .utf8)
    let run = try FinishedProgram("locationfleet", ["doctor", "--config", path])
    #expect(run.status == 1 && run.error == "locationfleet: found: configuration_faulty\n")
    #expect(run.output.hasPrefix("no  configuration\n    found: \(path):1: unknown key `color`"))
  }
}
