import Foundation
import TestSupport
import Testing

@Suite(
  "A fleet's sink and a real webhook", .serialized,
  .enabled(
    if: NATSServer.isInstalled && isInstalled("python3") && isInstalled("openssl"),
    "nats-server, python3, or openssl is not installed"))
struct WebhookSinkTests {
  @Test(
    "FLEET-45: whatever a webhook answers at first, each event reaches it signed, in the order of its device",
    arguments: [
      "200", "500,200", "close,close,200", "429:1,200", "redirect,200", "503,200", "hang,200",
      "408,425,502,200", "long,200",
    ])
  func reaches(plan: String) async throws {
    let webhook = try await TestWebhook(plan: plan)
    let site = try await SinkSite(try webhook.settings())
    let count = try site.add(0..<5, devices: 3)
    let sink = try await site.start("webhook")
    var seen: [String: [String]] = [:]
    try await webhook.receive(count, &seen)
    for device in 0..<3 { #expect(seen["truck-\(device)"] == site.identifiers(0..<5, of: device)) }
    sink.terminate()
    #expect(try site.refused().isEmpty)
  }

  @Test("FLEET-109: a webhook of one tenant gets its events alone, and no others later")
  func ofOneTenant() async throws {
    let webhook = try await TestWebhook(plan: "200")
    let site = try await SinkSite(try webhook.settings() + "\nsink-tenant = zeta")
    for tenant in ["acme", "zeta", "omega"] { try site.add(0..<4, devices: 2, tenant: tenant) }
    var sink = try await site.start("webhook")
    var seen: [String: [String]] = [:]
    try await webhook.receive(8, &seen)
    sink.end(with: SIGKILL)
    for tenant in ["omega", "acme", "zeta"] { try site.add(4..<6, devices: 2, tenant: tenant) }
    sink = try await site.start("webhook")
    try await webhook.receive(12, &seen)
    let doctor = try FinishedProgram("locationfleet", ["doctor", "--config", site.configuration])
      .output
    #expect(doctor.contains("it hands on the events of tenant zeta; "), "\(doctor)")
    sink.terminate()
    for device in 0..<2 {
      #expect(
        seen["truck-\(device)"] == site.identifiers(0..<6, of: device, tenant: "zeta"))
    }
    let text = try String(contentsOfFile: site.configuration, encoding: .utf8)
    try text.replacing("sink-tenant = zeta", with: "sink-tenant = acme")
      .write(toFile: site.configuration, atomically: true, encoding: .utf8)
    let other = try await site.start("webhook")
    let said = try await other.lines.next { $0.contains("is to hand on those of tenant acme") }
    #expect(said.contains("has handed on the events of tenant zeta"))
    let found = try FinishedProgram("locationfleet", ["doctor", "--config", site.configuration])
    #expect(found.error.contains("sink_of_other_tenants"), "\(found.error)")
    other.terminate()
  }

  @Test(
    "FLEET-42: what a webhook refuses for good is printed by locationfleet refused, with its reason"
  )
  func refuses() async throws {
    let webhook = try await TestWebhook(plan: "400,200")
    let port = try Loopback.freePort()
    let site = try await SinkSite(try webhook.settings() + "\nwebhook-figures = \(port)")
    let count = try site.add(0..<4, devices: 2)
    let sink = try await site.start("webhook")
    var seen: [String: [String]] = [:]
    try await webhook.receive(count - 1, &seen)
    let status = try FinishedProgram("locationctl", ["fleet", "status", "--port", "\(port)"]).output
    #expect(status.hasPrefix("sink webhook hands on: "), "\(status)")
    #expect(status.contains("set aside: status 400") && !status.contains("truck"))
    sink.terminate()
    let lines = try site.refused()
    #expect(lines.count == 1 && lines.first?.contains(#""reason":"status 400""#) == true)
  }

  @Test(
    "FLEET-40: a sink that is killed again and again hands every event on, in the order of its device"
  )
  func killed() async throws {
    let webhook = try await TestWebhook(plan: "200")
    let site = try await SinkSite(try webhook.settings())
    var seen: [String: [String]] = [:]
    var count = 0
    for life in 0..<5 {
      count += try site.add((life * 20)..<(life * 20 + 20), devices: 5)
      let sink = try await site.start("webhook")
      try await webhook.receive(count - 50, &seen)
      sink.end(with: SIGKILL)
    }
    let sink = try await site.start("webhook")
    try await webhook.receive(count, &seen)
    sink.terminate()
    for device in 0..<5 {
      #expect(seen["truck-\(device)"] == site.identifiers(0..<100, of: device))
    }
  }

  @Test(
    "FLEET-96: a sink is forgotten when no process has it, and begins with the first event then")
  func forgotten() async throws {
    let webhook = try await TestWebhook(plan: "200")
    let site = try await SinkSite(try webhook.settings())
    try site.add(0..<2, devices: 1)
    let ids = site.identifiers(0..<2, of: 0)
    var sink = try await site.start("webhook")
    for id in ids { #expect(try await webhook.next().id == id) }
    let held = try site.forget("webhook")
    #expect(held.status == 1 && held.error.contains("stop it first"), "\(held.error)")
    // One that was killed has left its name in the key.
    sink.end(with: SIGKILL)
    let free = try site.forget("webhook")
    #expect(free.status == 0 && free.output.hasPrefix("forgot sink webhook"), "\(free.error)")
    let gone = try site.forget("webhook")
    #expect(gone.status == 1 && gone.error.contains("no sink is called webhook"))
    sink = try await site.start("webhook")
    for id in ids { #expect(try await webhook.next().id == id) }
    sink.terminate()
    #expect(try site.forget("webhook").status == 0)
  }

  @Test(
    "FLEET-40: SIGTERM waits for what is on its way, remembers it, and nothing of it comes again")
  func drains() async throws {
    let webhook = try await TestWebhook(plan: "hold,200")
    let site = try await SinkSite(try webhook.settings(timeout: 20))
    try site.add(0..<2, devices: 1)
    let first = try await site.start("webhook")
    _ = try await webhook.program.lines.next { $0 == "holds" }
    first.signal(SIGTERM)
    _ = try await first.lines.next { $0.contains("ends when what is on its way is answered") }
    webhook.program.signal(SIGUSR1)
    _ = try await first.lines.next { $0.contains("ended: 2 events read, 1 not confirmed") }
    let ids = site.identifiers(0..<2, of: 0)
    #expect(try await webhook.next().id == ids[0])
    let second = try await site.start("webhook")
    #expect(try await webhook.next().id == ids[1])
    second.terminate()
  }

  @Test(
    "FLEET-48: over TLS a webhook is believed only with a certificate of the authority and of its name"
  )
  func encrypted() async throws {
    let folder = try TemporaryFolder()
    for name in ["authorities", "strangers"] { try TestCertificates.makeAuthority(folder, name) }
    try TestCertificates.make(folder, "server", by: "authorities", for: "DNS:localhost")
    let files = ["server.pem", "server-key.pem"].map { folder.file($0) }
    let webhook = try await TestWebhook(plan: "200", certificate: files)
    let url = "https://localhost:\(webhook.port)/fleet"
    for (url, authorities) in [
      (url, "strangers"), ("https://127.0.0.1:\(webhook.port)/fleet", "authorities"),
    ] {
      let wrong = try await SinkSite(
        try webhook.settings(url: url)
          + "\nwebhook-authorities = \(folder.file(authorities)).pem")
      try wrong.add(0..<1, devices: 1)
      let sink = try await wrong.start("webhook")
      _ = try await sink.lines.next { $0.contains("waits: its certificate is not accepted") }
      sink.terminate()
    }
    let site = try await SinkSite(
      try webhook.settings(url: url)
        + "\nwebhook-authorities = \(folder.file("authorities.pem"))")
    try site.add(0..<2, devices: 2)
    let sink = try await site.start("webhook")
    var seen: [String: [String]] = [:]
    try await webhook.receive(4, &seen)
    sink.terminate()
  }

  @Test("FLEET-48: a secret that others can read, or none, is reported, and nothing starts")
  func secrets() async throws {
    let webhook = try await TestWebhook(plan: "200")
    let folder = try TemporaryFolder()
    func check(_ settings: String) throws -> FinishedProgram {
      let path = folder.file("fleet.conf")
      try settings.write(toFile: path, atomically: true, encoding: .utf8)
      return try FinishedProgram("locationfleet", ["sink", "webhook", "--check", "--config", path])
    }
    let good = try webhook.settings()
    #expect(try check(good).status == 0)
    chmod(webhook.folder.file("secret"), 0o644)
    let open = try check(good)
    #expect(
      open.status == 2 && open.error.contains("`webhook-secret`")
        && open.error.contains("mode 644"), "\(open.error)")
    chmod(webhook.folder.file("secret"), 0o600)
    try "whsec_abc\n".write(
      toFile: webhook.folder.file("secret"), atomically: true, encoding: .utf8)
    chmod(webhook.folder.file("secret"), 0o600)
    #expect(try check(good).error.contains("24 to 64 bytes in base64"))
    #expect(try check("webhook = https://example.org/").error.contains("no `webhook-secret`"))
  }
}
