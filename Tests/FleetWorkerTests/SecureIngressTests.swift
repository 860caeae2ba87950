import Foundation
import LocationFleet
import TestSupport
import Testing

/// An ingress with TLS, and real clients that come to it.
private final class SecureSite {
  let site: IngressSite
  let owners, strangers: TestAuthority

  init(devices: Int = 1, more: String = "") async throws {
    let folder = try TemporaryFolder()
    owners = try TestAuthority("owners", in: folder)
    strangers = try TestAuthority("strangers", in: folder)
    try owners.sign("server", "/CN=ingress", usage: "serverAuth")
    try owners.sign("truck", "/O=acme/OU=trucks/CN=truck 9")
    try strangers.sign("stranger", "/O=acme/CN=truck 9")
    site = try await IngressSite(
      devices: devices,
      more: """
        ingress-certificate = \(folder.file("server.pem"))
        ingress-certificate-key = \(folder.file("server-key.pem"))
        device-authorities = \(folder.file("owners.pem"))
        \(more)
        """)
  }

  func file(_ name: String) -> String { owners.folder.file(name) }

  /// Mosquitto's client publishes with QoS 1.
  func publish(
    _ second: Int, to topic: String = "in/acme/truck_209", by certificate: String?,
    user: String? = nil
  ) async throws -> Bool {
    var words = [
      "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(site.mqtt)", "-q", "1", "-d", "--cafile",
      file("owners.pem"), "-t", topic, "-m", IngressSite.report(second),
    ]
    if let certificate {
      words += ["--cert", file("\(certificate).pem"), "--key", file("\(certificate)-key.pem")]
    }
    if let user { words += ["-u", user, "-P", IngressSite.password(user)] }
    return try await runToEnd(words).lines.contains { $0.contains("received PUBACK") }
  }

  /// The status that curl gets.
  func ask(_ words: [String], _ path: String) async throws -> String {
    let all = [
      "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "30", "--cacert",
      file("owners.pem"),
    ]
    let found = try await runToEnd(all + words + ["https://127.0.0.1:\(site.web)\(path)"])
    return found.lines.first ?? ""
  }

  func certificate(_ name: String) -> [String] {
    ["--cert", file("\(name).pem"), "--key", file("\(name)-key.pem")]
  }
}

@Suite(
  "A fleet's ingress with TLS", .serialized,
  .enabled(
    if: NATSServer.isInstalled && TestAuthority.isPossible && isInstalled("mosquitto_pub")
      && isInstalled("curl"), "nats-server, openssl, mosquitto_pub, or curl is not installed"))
struct SecureIngressTests {
  private static let fix = "lat=46.5&lon=6.6&timestamp=178000000"

  @Test(
    "FLEET-70: a device is what its certificate says, and may speak for no other; without one its user and password count"
  )
  func names() async throws {
    let site = try await SecureSite()
    #expect(try await site.publish(1, by: "truck"))
    #expect(try await site.publish(2, to: "owntracks/truck 9/truck 9", by: "truck"))
    #expect(try await !site.publish(3, to: "in/acme/truck-0", by: "truck"))
    // What it says beside the certificate does not count.
    #expect(try await !site.publish(3, to: "in/acme/truck-0", by: "truck", user: "dev-0"))
    #expect(try await site.publish(4, to: "in/acme/truck-0", by: nil, user: "dev-0"))
    let own = site.certificate("truck")
    #expect(try await site.ask(own, "/?\(Self.fix)5") == "200")
    #expect(try await site.ask(own, "/?id=truck-0&\(Self.fix)6") == "403")
    // As OwnTracks says it of itself.
    let header = ["-H", "X-Limit-U: whoever"]
    #expect(try await site.ask(own + header, "/?\(Self.fix)9") == "200")
    let auth = ["-u", "dev-0:\(IngressSite.password("dev-0"))"]
    #expect(try await site.ask(auth, "/?\(Self.fix)7") == "200")
    #expect(try await site.ask([], "/?\(Self.fix)8") == "401")
    let kept = try site.site.kept()
    #expect(kept["truck 9"].map(Set.init) == [1, 2, 5, 9])
    #expect(kept["truck-0"].map(Set.init) == [4, 7])
  }

  @Test("FLEET-70: many messages of a device come through TLS as they were sent, each acknowledged")
  func many() async throws {
    let site = try await SecureSite()
    let lines = (0..<500).map { IngressSite.report($0) + "\n" }.joined()
    try site.site.write(lines, to: "lines")
    let words = ["-h", "127.0.0.1", "-p", "\(site.site.mqtt)", "-q", "1", "-l", "-t"]
    let command =
      "mosquitto_pub \(words.joined(separator: " ")) in/acme/truck_209 --cafile \(site.file("owners.pem"))"
      + " --cert \(site.file("truck.pem")) --key \(site.file("truck-key.pem"))"
    let found = try await runToEnd(
      ["sh", "-c", "\(command) < \(site.site.folder.file("lines"))"])
    #expect(found.status == "0")
    #expect(try site.site.kept()["truck 9"].map(Set.init) == Set(0..<500))
  }

  @Test(
    "FLEET-72: no TLS, an earlier version of it, and a certificate that is of another authority, for another purpose, or names no device do not come in"
  )
  func refused() async throws {
    let site = try await SecureSite()
    try site.owners.sign("purpose", "/O=acme/CN=truck 9", usage: "serverAuth")
    try site.owners.sign("nameless", "/O=acme")
    try site.owners.sign("double", "/O=acme/CN=truck 9/CN=truck-0")
    try site.owners.sign("tenants", "/O=acme/O=other/CN=truck 9")
    for name in ["stranger", "purpose", "nameless", "double", "tenants"] {
      #expect(try await !site.publish(1, by: name), "\(name)")
      #expect(try await site.ask(site.certificate(name), "/?\(Self.fix)1") != "200", "\(name)")
    }
    #expect(throws: MQTTDevice.Gone.self) { try site.site.device(0) }
    for (version, isKept) in [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
      for port in [site.site.mqtt, site.site.web] {
        let words = ["s_client", version, "-cipher", "DEFAULT@SECLEVEL=0", "-CAfile"]
        let found = try await runToEnd(
          ["openssl"] + words + [site.file("owners.pem"), "-connect", "127.0.0.1:\(port)"])
        #expect((found.status == "0") == isKept, "\(version) \(port)")
      }
    }
    #expect(try site.site.kept().isEmpty)
    let closed = try await site.site.metrics().first {
      $0.hasPrefix("meridian_fleet_ingress_closed_total{reason=\"security\"}")
    }
    #expect(Int(closed?.split(separator: " ").last ?? "") ?? 0 >= 6, "\(closed ?? "")")
  }

  @Test("FLEET-72: a certificate that is revoked does not come in, from the next SIGHUP on")
  func revoked() async throws {
    let site = try await SecureSite()
    try site.owners.sign("other", "/O=acme/CN=truck 8")
    #expect(try await site.publish(1, by: "truck"))
    try site.owners.revoke(["truck"])
    site.site.ingress?.signal(SIGHUP)
    _ = try await site.site.ingress?.lines.next { $0.contains("read the accounts again") }
    #expect(try await !site.publish(2, by: "truck"))
    #expect(try await site.ask(site.certificate("truck"), "/?\(Self.fix)2") == "401")
    #expect(try await site.publish(3, to: "in/acme/truck_208", by: "other"))
    #expect(try await site.ask(site.certificate("other"), "/?\(Self.fix)4") == "200")
    #expect(try site.site.kept().mapValues(Set.init) == ["truck 9": [1], "truck 8": [3, 4]])
  }

  @Test(
    "FLEET-72: SIGHUP ends those who came by a certificate where others are believed than before, and leaves the others"
  )
  func ends() async throws {
    let site = try await SecureSite()
    let path = site.file("input")
    mkfifo(path, 0o600)
    let input = open(path, O_RDWR | O_CLOEXEC)
    defer { close(input) }
    func writeReport(_ second: Int) {
      _ = (IngressSite.report(second) + "\n").utf8CString
        .withUnsafeBytes { write(input, $0.baseAddress, $0.count - 1) }
    }
    let certificate = "--cert \(site.file("truck.pem")) --key \(site.file("truck-key.pem"))"
    let client = try RunningProgram(
      "/bin/sh",
      [
        "-c",
        "exec stdbuf -oL mosquitto_pub -h 127.0.0.1 -p \(site.site.mqtt) -q 1 -d -l -t in/acme/truck_209"
          + " --cafile \(site.file("owners.pem")) \(certificate) < \(path)",
      ])
    defer { client.end() }
    writeReport(1)
    _ = try await client.lines.next { $0.contains("received PUBACK") }
    func reload() async throws -> String? {
      site.site.ingress?.signal(SIGHUP)
      _ = try await site.site.ingress?.lines.next { $0.contains("read the accounts again") }
      return try await site.site.metrics().first {
        $0.hasPrefix("meridian_fleet_ingress_closed_total{reason=\"security\"}")
      }
    }
    #expect(try await reload() == nil)
    try site.owners.revoke(["truck"])
    #expect(try await reload() != nil)
    #expect(try await !site.publish(2, by: "truck"))
  }

  @Test("FLEET-72: a certificate of an authority that is revoked does not come in")
  func intermediate() async throws {
    let site = try await SecureSite()
    try site.owners.sign("depot", "/CN=depot", isAuthority: true)
    let depot = TestAuthority(existing: "depot", in: site.owners.folder)
    try depot.sign("van", "/O=acme/CN=van 1")
    let own = try String(contentsOfFile: site.owners.file, encoding: .utf8)
    let other = try String(contentsOfFile: depot.file, encoding: .utf8)
    for revoked in [[], ["depot"]] {
      let lists = try site.owners.list(revoked) + depot.list([])
      try (own + other + lists).write(toFile: site.owners.file, atomically: true, encoding: .utf8)
      site.site.ingress?.signal(SIGHUP)
      _ = try await site.site.ingress?.lines.next { $0.contains("read the accounts again") }
      let isBelieved = revoked.isEmpty
      #expect(try await site.publish(1, to: "in/acme/van_201", by: "van") == isBelieved)
      let status = try await site.ask(site.certificate("van"), "/?\(Self.fix)2")
      #expect(status == (isBelieved ? "200" : "401"))
      #expect(try await site.publish(3, by: "truck"))
    }
  }

  @Test("FLEET-70: SIGHUP reads the accounts also where a file of TLS is torn, and says both")
  func torn() async throws {
    let site = try await SecureSite()
    try "torn".write(toFile: site.file("server.pem"), atomically: true, encoding: .utf8)
    site.site.ingress?.signal(SIGHUP)
    _ = try await site.site.ingress?.lines.next { $0.contains("keeps the files of TLS it has") }
    _ = try await site.site.ingress?.lines.next { $0.contains("read the accounts again") }
    #expect(try await site.publish(1, by: "truck"))
  }

  @Test("FLEET-72: half handshakes keep nobody out: the oldest one ends when there is another")
  func half() async throws {
    let site = try await SecureSite(more: "connections = 8")
    let halves = try (0..<5).map { _ in try HalfHandshake(port: site.site.mqtt) }
    defer { for half in halves { half.close() } }
    #expect(try await site.publish(1, by: "truck"))
    // At most two are there, of whom the client was one.
    for index in 0..<4 {
      let isClosed = halves[index].isClosed()
      #expect(isClosed, "\(index)")
    }
    let metrics = try await site.site.metrics()
    #expect(metrics.contains("meridian_fleet_ingress_closed_total{reason=\"surplus\"} 4"))
  }

  @Test("FLEET-71: an address beyond this computer needs TLS, or the owner's word")
  func address() throws {
    let folder = try TemporaryFolder()
    let authority = try TestAuthority("owners", in: folder)
    try authority.sign("server", "/CN=ingress", usage: "serverAuth")
    try authority.sign("other", "/CN=other")
    try "torn".write(toFile: folder.file("torn"), atomically: true, encoding: .utf8)
    try "".write(toFile: folder.file("accounts"), atomically: true, encoding: .utf8)
    chmod(folder.file("accounts"), 0o600)
    func check(_ settings: String) throws -> FinishedProgram {
      try "mqtt-port = 1\naccounts = \(folder.file("accounts"))\n\(settings)\n".write(
        toFile: folder.file("fleet.conf"), atomically: true, encoding: .utf8)
      return try FinishedProgram(
        "locationfleet", ["ingress", "--check", "--config", folder.file("fleet.conf")])
    }
    func files(_ certificate: String, _ key: String) -> String {
      "ingress-certificate = \(folder.file(certificate))\n"
        + "ingress-certificate-key = \(folder.file(key))\n"
    }
    let good = files("server.pem", "server-key.pem")
    for settings in [
      "", "listen = 127.0.0.2", "listen = ::1", "listen = 0.0.0.0\nwithout-tls = yes",
      good, good + "listen = ::\ndevice-authorities = \(authority.file)",
    ] {
      let run = try check(settings)
      #expect(run.status == 0, "\(settings): \(run.error)")
    }
    for (settings, words) in [
      ("listen = 0.0.0.0", "0.0.0.0 is not on this computer: it needs `ingress-certificate`"),
      ("listen = ::\nwithout-tls = no", ":: is not on this computer"),
      ("listen = example.org", "`listen` must be an address"), ("listen = 1.2", "no"),
      (good + "listen = 1:2", "is no address"), ("without-tls = perhaps", "yes or no"),
      ("ingress-certificate = /a", "go together"),
      ("device-authorities = /a", "needs `ingress-certificate`"),
      (files("server.pem", "absent"), "-key` \(folder.file("absent")): No such"),
      (files("torn", "server-key.pem"), "no -----BEGIN CERTIFICATE"),
      (files("server.pem", "other-key.pem"), "server.pem"),
      (good + "device-authorities = \(folder.file("torn"))", "`device-authorities`"),
    ] {
      let run = try check(settings)
      #expect(run.status == 2, "\(settings)")
      #expect(run.error.contains(words), "\(settings): \(run.error)")
    }
    chmod(folder.file("server-key.pem"), 0o644)
    #expect(try check(good).error.contains("others can read"))
  }
}

/// A client that begins TLS and goes no further.
private struct HalfHandshake {
  private let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard Loopback.connect(descriptor, port: port) else { throw MQTTDevice.Gone() }
    // The head of a record, and the first bytes of a greeting of 512.
    let bytes: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1]
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Whether the other side ends it.
  func isClosed() -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    return count == 0 || (count < 0 && errno == ECONNRESET)
  }

  func close() { Glibc.close(descriptor) }
}
