import Foundation
import LocationFleet
import LocationFleetNATS
import LocationSecrets
import TestSupport
import Testing

@Suite(
  "The way of a fleet's programs to a real server with TLS", .serialized,
  .enabled(
    if: NATSServer.isInstalled && isInstalled("openssl"), "nats-server or openssl is not installed")
)
struct SecureServerTests {
  /// A server with the configuration of the documentation, and files for those who come in.
  final class Site {
    let folder: TemporaryFolder
    let server: NATSServer
    static let users = [
      "WORKERS", "INGRESS", "OPERATOR", "READERS", "SINKS", "ACME-SINK", "ACME",
    ]

    /// With less room for the account of a tenant, where one is given.
    init(tenantRoom: String = "256MB") async throws {
      folder = try TemporaryFolder()
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      var text = try String(
        contentsOf: root.appending(path: "docs/fleet-server.conf"), encoding: .utf8)
      let include = "include \"fleet-tenant.conf\""
      #expect(text.contains("# \(include)"))
      text = text.replacing("/etc/nats/", with: folder.file(""))
        .replacing("/var/lib/nats", with: folder.file("store"))
        .replacing("# \(include)", with: include)
      var tenant = try String(
        contentsOf: root.appending(path: "docs/fleet-tenant.conf"), encoding: .utf8
      ).replacing("max_file: 256MB", with: "max_file: \(tenantRoom)")
      for (number, user) in Self.users.enumerated() {
        let seed = NATSSeed.text(of: SecretKey(seed: UInt64(number)))
        try Self.write(seed + "\n", folder.file(user))
        let key = try NATSSeed.publicKey(of: seed)
        let places = (text + tenant).split(separator: "@\(user)@", omittingEmptySubsequences: false)
        #expect(places.count > 2, "a key and an inbox")
        text = text.replacing("@\(user)@", with: key)
        tenant = tenant.replacing("@\(user)@", with: key)
      }
      #expect(!tenant.contains("\"@"))
      try Self.write(tenant, folder.file("fleet-tenant.conf"))
      try Self.write(text, folder.file("server.conf"))
      try Self.makeAuthority(folder, "authorities")
      try Self.makeAuthority(folder, "strangers")
      try Self.makeCertificate(folder, "server", by: "authorities", for: "IP:127.0.0.1")
      try Self.makeCertificate(folder, "client", by: "authorities", for: "DNS:worker")
      try Self.makeCertificate(folder, "stranger", by: "strangers", for: "DNS:worker")
      server = try await NATSServer(in: folder, configuration: folder.file("server.conf"))
    }

    private static func write(_ text: String, _ path: String) throws {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      chmod(path, 0o600)
    }

    func write(_ text: String, _ name: String) throws { try Self.write(text, folder.file(name)) }

    static func openssl(_ folder: TemporaryFolder, _ words: [String]) throws {
      let run = try FinishedProgram("/usr/bin/openssl", words, in: folder.path)
      #expect(run.status == 0, "\(words): \(run.error)")
    }

    private static let keyed = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    static func makeAuthority(_ folder: TemporaryFolder, _ name: String) throws {
      try openssl(
        folder,
        ["req", "-x509"] + keyed + [
          "-keyout", "\(name)-key.pem", "-out", "\(name).pem", "-subj", "/CN=\(name)", "-days", "2",
        ])
    }

    static func makeCertificate(
      _ folder: TemporaryFolder, _ name: String, by authority: String, for subject: String
    ) throws {
      try openssl(
        folder,
        ["req", "-x509"] + keyed + [
          "-keyout", "\(name)-key.pem", "-out", "\(name).pem", "-subj", "/CN=\(name)", "-days", "2",
          "-addext", "subjectAltName=\(subject)", "-CA", "\(authority).pem", "-CAkey",
          "\(authority)-key.pem", "-addext", "basicConstraints=critical,CA:FALSE",
        ])
      chmod(folder.file("\(name)-key.pem"), 0o600)
    }

    /// The settings of a program that comes in as a user.
    func configure(
      _ user: String, certificate: String? = "client", authority: String = "authorities",
      host: String = "127.0.0.1"
    ) throws -> String {
      var text = """
        server = tls://\(host):\(server.port)
        authorities = \(folder.file(authority)).pem
        nkey-seed = \(folder.file(user))
        partitions = 1
        lease = 1
        snapshot = 1

        """
      if let certificate {
        text += "certificate = \(folder.file(certificate)).pem\n"
        text += "certificate-key = \(folder.file(certificate))-key.pem\n"
      }
      try write(text, "\(user).conf")
      return folder.file("\(user).conf")
    }

    func access(_ user: String) throws -> BrokerAccess {
      var faults: [FleetConfiguration.Fault] = []
      let text = try String(contentsOfFile: try configure(user), encoding: .utf8)
      var access = FleetConfiguration(text, &faults).access
      access.publicKey = try NATSSeed.publicKey(
        of: try String(contentsOfFile: folder.file(user), encoding: .utf8).prefix(58))
      return access
    }

    func run(_ words: [String], as user: String, input: String = "") throws -> FinishedProgram {
      try FinishedProgram("locationfleet", words + ["--config", try configure(user)], input: input)
    }
  }

  @Test(
    "FLEET-65: with the server's configuration of the documentation each program can do what it has to"
  )
  func works() async throws {
    let site = try await Site()
    let walk = FleetWalk(seed: 3, count: 120)
    try site.write(String(decoding: walk.fenceFile(), as: UTF8.self), "fences.geojson")
    let made = try site.run(["init"], as: "OPERATOR")
    #expect(made.output == "1 partitions, 8 streams made\n", "\(made.error)")
    let fences = try site.run(["fences", site.folder.file("fences.geojson")], as: "OPERATOR")
    #expect(fences.status == 0, "\(fences.error)")
    let worker = try RunningProgram(
      BuiltProgram.path("locationfleet"), ["run", "--config", try site.configure("WORKERS")])
    let name = FleetDeviceName(tenant: "acme", device: "truck")
    let lines = walk.fixes.map { FleetWalk.line($0, of: name) + "\n" }.joined()
    _ = try await worker.lines.next { $0.contains("took partition 0 over") }
    #expect(try site.run(["publish"], as: "OPERATOR", input: lines).status == 0)
    // Answered when everything before it is judged.
    let other = try site.run(["erase", "acme", "nobody"], as: "OPERATOR")
    #expect(other.status == 0, "\(other.error)")
    let events = try site.run(["events"], as: "READERS")
    #expect(events.output.split(separator: "\n").count > 3, "\(events.error)")
    let path = try site.configure("OPERATOR")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try site.write(text + "tenant = acme keep-events-days=1\n", "expire.conf")
    let expired = try FinishedProgram(
      "locationfleet", ["expire", "--config", site.folder.file("expire.conf")])
    #expect(expired.output.hasPrefix("acme: 0 events before "), "\(expired.error)")
    let webhook = try await TestWebhook(plan: "410,200")
    let settings = try String(contentsOfFile: try site.configure("SINKS"), encoding: .utf8)
    try site.write(settings + webhook.settings(), "sink.conf")
    let sink = try RunningProgram(
      BuiltProgram.path("locationfleet"),
      ["sink", "webhook", "--config", site.folder.file("sink.conf")])
    _ = try await sink.lines.next { $0.contains("aside: status 410") }
    _ = try await webhook.next()
    #expect(!(try site.run(["refused"], as: "READERS")).output.isEmpty)
    sink.terminate()
    let erased = try site.run(["erase", "acme", "truck"], as: "OPERATOR")
    #expect(erased.output.contains("120 messages of fixes"), "\(erased.error)")
    #expect(erased.output.contains("and 1 that sinks had set aside"))
    #expect(try site.run(["events"], as: "READERS").output.isEmpty)
    #expect(try site.run(["refused"], as: "READERS").output.isEmpty)
    worker.terminate()
  }

  @Test("FLEET-86: the doctor leaves no fault in the log of a server with TLS")
  func doctor() async throws {
    let site = try await Site()
    let run = try site.run(["doctor"], as: "OPERATOR")
    #expect(run.output.contains("with JetStream and TLS"), "\(run.output)\(run.error)")
    // Whoever hangs up before the handshake is the first who does.
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #expect(Loopback.connect(descriptor, port: site.server.port))
    let port = try Loopback.port(of: descriptor)
    close(descriptor)
    let fault = try await site.server.lines.next { $0.contains("TLS handshake error") }
    #expect(fault.contains("127.0.0.1:\(port) "), "\(fault)")
  }

  @Test("FLEET-110: no user of that configuration can read what another one is answered")
  func inboxes() async throws {
    let site = try await Site()
    let own = try Site.users.map { try site.access($0).inboxPrefix }
    #expect(Set(own).count == Site.users.count && own.allSatisfy { $0.hasPrefix("_INBOX_U") })
    for user in Site.users {
      var access = try site.access(user)
      _ = try NATSBroker(access, name: "test")
      let usual = access.inboxPrefix
      for inbox in own + ["_INBOX"] where inbox != usual {
        access.inbox = inbox
        let fault = #expect(throws: BrokerFault.self) { _ = try NATSBroker(access, name: "test") }
        #expect(fault.map { "\($0)" }?.contains("Subscription to \"\(inbox).") == true)
      }
    }
    // Who says nothing waits for answers that never come; so it is said, with the setting.
    let text = try String(contentsOfFile: site.configure("READERS"), encoding: .utf8)
    try site.write(text + "inbox = _INBOX\n", "other.conf")
    let run = try FinishedProgram(
      "locationfleet", ["events", "--config", site.folder.file("other.conf")])
    #expect(run.status == 1 && run.error.contains("or name by `inbox` what it may"), "\(run.error)")
  }

  @Test("FLEET-112: the ingress's user of that configuration may ask how many partitions there are")
  func ingress() async throws {
    let site = try await Site()
    #expect(try site.run(["init"], as: "OPERATOR").status == 0)
    let hash = try FinishedProgram(
      "locationfleet", ["password"], input: IngressSite.password("u") + "\n")
    try site.write("u acme truck - \(hash.output)", "accounts")
    let text = try String(contentsOfFile: site.configure("INGRESS"), encoding: .utf8)
    try site.write(
      text + "mqtt-port = \(Loopback.freePort())\naccounts = \(site.folder.file("accounts"))\n",
      "ingress.conf")
    let ingress = try RunningProgram(
      BuiltProgram.path("locationfleet"),
      ["ingress", "--config", site.folder.file("ingress.conf")])
    _ = try await ingress.lines.next { $0.contains("takes fixes at mqtt ") }
    ingress.terminate()
  }

  @Test("FLEET-66: a program that may not write somewhere writes nothing there")
  func permissions() async throws {
    let site = try await Site()
    #expect(try site.run(["init"], as: "OPERATOR").status == 0)
    let name = FleetDeviceName(tenant: "acme", device: "truck")
    let fix = FleetAddress.fixes(of: name, partition: 0)
    let event = "evt.0.acme.truck.entered"
    let control = FleetAddress.control(of: 0)
    // What is refused goes first: when the other is kept, it would be.
    for (user, refused, kept) in [
      ("WORKERS", [fix], event), ("INGRESS", [event, control], fix), ("OPERATOR", [event], fix),
      ("SINKS", [fix, event], "ref.test.acme.truck"),
    ] {
      var writer = try StreamWriter(site.access(user), name: "test")
      var number: UInt64 = 0
      for subject in refused + [kept] {
        let bytes = Array((subject == kept ? "kept" : "refused").utf8)
        number = try writer.send(
          IngressEntry(subject: subject, identifier: "\(user) \(subject)", bytes: bytes))
      }
      while let answer = writer.next(5000), answer.number != number {}
    }
    var reader = try NATSBroker(site.access("READERS"), name: "test")
    let entry = LogEntry(subject: event, bytes: Array("refused".utf8))
    #expect(throws: BrokerFault.self) {
      try reader.append([entry], to: .events(0), expecting: nil)
    }
    for (log, count) in [(FleetLog.fixes(0), 2), (.events(0), 1), (.refused, 1)] {
      let found = try reader.find(">", in: log, 1...10).messages
      let texts = found.map { String(decoding: $0.entry.bytes, as: UTF8.self) }
      #expect(texts == Array(repeating: "kept", count: count))
    }
  }

  @Test(
    "FLEET-65: who has no certificate, another one, or another seed does not come in, and no server is believed whose certificate is of another"
  )
  func strangers() async throws {
    let site = try await Site()
    #expect(try site.run(["init"], as: "OPERATOR").status == 0)
    func events(_ path: String) throws -> Int32 {
      try FinishedProgram("locationfleet", ["events", "--config", path]).status
    }
    #expect(try events(site.configure("OPERATOR")) == 0)
    #expect(try events(site.configure("OPERATOR", certificate: nil)) == 1)
    #expect(try events(site.configure("OPERATOR", certificate: "stranger")) == 1)
    #expect(try events(site.configure("OPERATOR", authority: "strangers")) == 1)
    // The server's certificate is of another name.
    #expect(try events(site.configure("OPERATOR", host: "localhost")) == 1)
    try site.write(NATSSeed.text(of: SecretKey(seed: 99)), "OPERATOR")
    let run = try site.run(["events"], as: "OPERATOR")
    #expect(run.status == 1)
    #expect(run.error.contains("tls://127.0.0.1"))
  }
}
