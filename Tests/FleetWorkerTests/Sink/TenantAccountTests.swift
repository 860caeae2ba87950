import Foundation
import LocationFleet
import LocationFleetNATS
import TestSupport
import Testing

@Suite(
  "A tenant's own account in the server's configuration of the documentation", .serialized,
  .enabled(
    if: NATSServer.isInstalled && isInstalled("openssl") && isInstalled("python3"),
    "nats-server, openssl, or python3 is not installed"))
struct TenantAccountTests {
  private typealias Site = SecureServerTests.Site

  /// Appends events of a device of each tenant, by their numbers.
  private func add(_ numbers: Range<Int>, of tenants: [String], to site: Site) throws {
    var broker = try NATSBroker(site.access("WORKERS"), name: "test")
    let entries = numbers.flatMap { number in
      let kind = number.isMultiple(of: 2) ? "entered" : "exited"
      return tenants.map { tenant in
        LogEntry(
          subject: "evt.0.\(tenant).truck-0.\(kind)",
          bytes: Array(SinkSite.line(number, of: 0, kind, tenant).utf8))
      }
    }
    _ = try broker.append(entries, to: .events(0), expecting: nil)
  }

  /// Starts a sink that reads with the user of sinks.
  private func start(_ kind: String, _ settings: String, _ site: Site) async throws
    -> RunningProgram
  {
    let text = try String(contentsOfFile: try site.configure("SINKS"), encoding: .utf8)
    try site.write(text + settings, "\(kind).conf")
    let sink = try RunningProgram(
      BuiltProgram.path("locationfleet"),
      ["sink", kind, "--config", site.folder.file("\(kind).conf")]
    )
    _ = try await sink.lines.next { $0.contains("is ready") }
    return sink
  }

  private func settings(_ site: Site, tenant: String) -> String {
    """
    nats-out = tls://127.0.0.1:\(site.server.port)
    nats-out-authorities = \(site.folder.file("authorities.pem"))
    nats-out-certificate = \(site.folder.file("client.pem"))
    nats-out-certificate-key = \(site.folder.file("client-key.pem"))
    nats-out-nkey-seed = \(site.folder.file("ACME-SINK"))
    sink-tenant = \(tenant)

    """
  }

  @Test(
    "FLEET-143: a tenant reads its own events in its account, and nothing of the fleet or of other tenants"
  )
  func own() async throws {
    let site = try await Site()
    #expect(try site.run(["init"], as: "OPERATOR").status == 0)
    let tenant = try NATSReceiver(site.access("ACME"))
    try tenant.make(subjects: "fleet.acme.>")
    try add(0..<20, of: ["acme", "zeta"], to: site)
    let sink = try await start("nats", settings(site, tenant: "acme"), site)
    try tenant.receive(20)
    sink.terminate()
    try tenant.take()
    #expect(Array(tenant.seen.keys) == ["fleet.acme.truck-0"] && tenant.count == 20)
    // Of the fleet's streams it finds none, and of its own alone what it has made.
    let logs: [FleetLog] = [.fixes(0), .state(0), .leases, .fences, .sinks, .refused, .erasures]
    #expect(tenant.look(at: logs).allSatisfy { $0.state == .missing })
    // What is refused goes first: when the other is kept, it would be.
    for (user, refused, kept) in [
      ("ACME-SINK", ["fleet.zeta.truck-0.entered", "fix.0.acme.truck-0"], true),
      ("ACME", ["fleet.acme.truck-0.entered", "fix.0.acme.truck-0", "$KV.LEASES.0"], false),
    ] {
      var writer = try StreamWriter(site.access(user), name: "test")
      for subject in refused + (kept ? ["fleet.acme.truck-1.entered"] : []) {
        _ = try writer.send(
          IngressEntry(subject: subject, identifier: "\(user) \(subject)", bytes: Array("x".utf8)))
      }
      var answers: [Bool] = []
      while let answer = writer.next(2000) { answers.append(answer.isKept) }
      #expect(answers == (kept ? [true] : []), "\(user)")
    }
    // A sink that is set up for another tenant gets nothing of it in, and says why.
    try add(20..<21, of: ["zeta"], to: site)
    #expect(try site.run(["forget-sink", "nats"], as: "OPERATOR").status == 0)
    let other = try await start("nats", settings(site, tenant: "zeta"), site)
    let said = try await other.lines.next { $0.contains("waits: ") }
    #expect(said.contains("may not publish to all of fleet.>; next: ") && !said.contains("truck"))
    other.terminate()
    try tenant.take()
    #expect(tenant.seen["fleet.zeta.truck-0"] == nil)
  }

  @Test(
    "FLEET-143: a full account of a tenant has its sink wait and lose nothing, and other sinks go on"
  )
  func full() async throws {
    let site = try await Site(tenantRoom: "256KB")
    #expect(try site.run(["init"], as: "OPERATOR").status == 0)
    let tenant = try NATSReceiver(site.access("ACME"))
    try tenant.make(subjects: "fleet.acme.>")
    try add(0..<500, of: ["acme"], to: site)
    let sink = try await start("nats", settings(site, tenant: "acme") + "give-up = 1\n", site)
    let said = try await sink.lines.next { $0.contains("waits: ") }
    #expect(
      said.contains("resource limits exceeded for account (error 10002); next: "), "\(said)")
    let webhook = try await TestWebhook(plan: "200")
    let second = try await start("webhook", try webhook.settings(), site)
    var seen: [String: [String]] = [:]
    try await webhook.receive(500, &seen)
    second.terminate()
    try tenant.take()
    #expect(tenant.count > 100 && tenant.count < 500)
    try tenant.purge()
    try tenant.receive(500)
    sink.terminate()
    #expect(tenant.seen["fleet.acme.truck-0"] == seen["truck-0"])
    #expect(try site.run(["refused"], as: "READERS").output.isEmpty)
  }
}
