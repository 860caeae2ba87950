import Testing

@testable import LocationFleet

@Suite("The settings of sinks")
struct SinkConfigurationTests {
  private func faults(_ text: String) -> [FleetConfiguration.Fault] {
    var faults: [FleetConfiguration.Fault] = []
    _ = SinkConfiguration(text, &faults)
    return faults
  }

  @Test("FLEET-48: settings of sinks stand beside those of workers and of the ingress")
  func together() {
    var faults: [FleetConfiguration.Fault] = []
    let all = SinkConfiguration(
      """
      partitions = 8
      http-port = 8080
      webhook = https://hooks.example.org/fleet
      webhook-secret = /etc/locationfleet/webhook
      postgis = host=/run/postgresql dbname=fleet
      mqtt-out = mqtts://broker.example.org
      nats-out = tls://nats.example.org
      give-up = 60
      """, &faults)
    #expect(faults.isEmpty && all.ingress.httpPort == 8080)
    #expect(SinkKind.allCases.allSatisfy { all.missing($0) == nil })
    #expect(all.mqtt.broker?.port == 8883 && all.settings(.postgis).partitions == 8)
  }

  @Test("FLEET-164: a key that is none is named with the nearest one, or with the manual")
  func unknownKeys() {
    #expect(
      faults("tenant globex device-rate=2\npartitons = 8\ncolor = red\n").map(\.cause) == [
        "behind the key `tenant` comes a =; write: tenant = globex device-rate=2",
        "unknown key `partitons`; did you mean `partitions`?",
        "unknown key `color`; next: man locationfleet has all keys",
      ])
  }

  @Test("FLEET-164: a mark before the text and other ends of lines change nothing")
  func otherEditors() {
    let text = "partitions = 8\nhttp-port = 8080\nwebhook = https://a.example.org\ncolor = red\n"
    var (all, marked): ([FleetConfiguration.Fault], [FleetConfiguration.Fault]) = ([], [])
    let plain = SinkConfiguration(text, &all)
    let other = SinkConfiguration("\u{FEFF}" + text.replacing("\n", with: "\r\n"), &marked)
    #expect(other == plain && marked == all && all.map(\.line) == [4])
    #expect(other.ingress.httpPort == 8080 && other.ingress.fleet.worker.partitions == 8)
  }

  @Test(
    "FLEET-137: a setting that stands there twice is named with both lines, one that may is not")
  func repeated() {
    let found = faults(
      "partitions = 8\nlease = 3\npartitions = 8\nhttp-port = 1\nlease = 4\nhttp-port = 2\n"
        + "give-up = 5\ngive-up = 6\nserver = nats://127.0.0.1:1\nserver = nats://127.0.0.1:2\n"
        + "tenant = a\ntenant = b\nsink-tenant = a\nsink-tenant = b\n"
        + "nats-out = nats://127.0.0.1:1\nnats-out = nats://127.0.0.1:2\n")
    #expect(found.map(\.line) == [3, 5, 6, 8])
    #expect(found.first?.cause == "`partitions` is there already, in line 1")
    #expect(found.last?.cause == "`give-up` is there already, in line 7")
  }

  @Test(
    "FLEET-137: ports of one configuration that two listeners want are named",
    arguments: [
      ("port = 9000\ningress-port = 9000", "`ingress-port` is 9000, which `port` has already"),
      ("mqtt-port = 9000\nhttp-port = 9000", "`http-port` is 9000, which `mqtt-port` has already"),
      ("port = 9000\nlisten = 0.0.0.0\nmqtt-port = 9000", "`mqtt-port` is 9000, which `port`"),
      ("port = 9000\nmqtt-out-figures = 9000", "`mqtt-out-figures` is 9000, which `port`"),
      ("port = 9000\nnats-out-figures = 9000", "`nats-out-figures` is 9000, which `port`"),
      ("port = 9000\nlisten = 192.0.2.1\nmqtt-port = 9000", nil),
      ("port = 9000\ningress-port = 9001", nil),
    ])
  func collisions(text: String, cause: String?) {
    var faults: [FleetConfiguration.Fault] = []
    let found = SinkConfiguration(text, &faults).collisions
    guard let cause else {
      #expect(found.isEmpty)
      return
    }
    #expect(found.count == 1 && found.first?.hasPrefix(cause) == true, "\(found)")
  }

  @Test("FLEET-137: for an unknown key those of an ingress and of sinks are named, too")
  func unknownKey() {
    for (typed, meant) in [
      ("partitons", "partitions"), ("mqt-port", "mqtt-port"), ("webhok", "webhook"),
    ] {
      #expect(faults("\(typed) = 1").first?.cause.contains("did you mean `\(meant)`?") == true)
    }
  }

  @Test("FLEET-141: the way to another server of NATS has settings of its own")
  func other() {
    var faults: [FleetConfiguration.Fault] = []
    let all = SinkConfiguration(
      """
      server = tls://own.example.org
      nkey-seed = /own/seed
      nats-out = tls://nats.example.org:4223
      nats-out = tls://other.example.org
      nats-out-nkey-seed = /other/seed
      nats-out-authorities = /other/authorities
      nats-out-certificate = /other/certificate
      nats-out-certificate-key = /other/key
      nats-out-inbox = _INBOX_other
      nats-out-subject = fleets.north
      nats-out-figures = 9469
      """, &faults)
    #expect(faults.isEmpty, "\(faults)")
    let (own, other) = (all.ingress.fleet.access, all.nats.access)
    #expect(own.servers == ["tls://own.example.org"] && own.seed == "/own/seed")
    #expect(own.certificate == nil && own.inbox == nil)
    #expect(other.servers == ["tls://nats.example.org:4223", "tls://other.example.org"])
    #expect(other.seed == "/other/seed" && other.key == "/other/key")
    #expect(other.certificate == "/other/certificate" && other.authorities == "/other/authorities")
    #expect(other.inboxPrefix == "_INBOX_other" && all.nats.subject == "fleets.north")
    #expect(all.ports[.nats] == 9469 && SinkConfiguration("", &faults).nats.subject == "fleet")
    #expect(SinkConfiguration("", &faults).missing(.nats) == "no `nats-out`")
  }

  @Test(
    "FLEET-48: what is wrong with several settings of that way together is named as they are called",
    arguments: [
      ("nats-out = nats://nats.example.org", "needs tls:// or `nats-out-authorities`"),
      ("nats-out-certificate = /a", "`nats-out-certificate` and `nats-out-certificate-key` go"),
      (
        "nats-out-nkey-seed = /a\nnats-out-credentials = /b",
        "`nats-out-nkey-seed` and `nats-out-credentials` exclude"
      ),
    ])
  func otherTogether(text: String, cause: String) {
    let found = faults(text)
    #expect(found.count == 1 && found.first?.line == 0)
    #expect(found.first?.cause.contains(cause) == true, "\(found)")
  }

  @Test("FLEET-109: tenants of sinks stand beside the limits of tenants, and each fault is named")
  func tenants() {
    var faults: [FleetConfiguration.Fault] = []
    let all = SinkConfiguration(
      "tenant = acme rate=5\nsink-tenant = acme\nsink-tenant = -\nsink-tenant = a_20b\n", &faults)
    #expect(faults.isEmpty && all.ingress.tenants.tenants.count == 1)
    for kind in SinkKind.allCases {
      #expect(all.settings(kind).tenants == ["acme", "", "a b"])
    }
    #expect(SinkConfiguration("", &faults).settings(.webhook).tenants == nil)
    for (line, cause) in [
      ("sink-tenant = a b", "`sink-tenant` must be a name"),
      ("sink-tenant = a*", "`sink-tenant` must be a name"),
      ("sink-tenant = \(String(repeating: "a", count: 65))", "`sink-tenant` must be a name"),
      ("sink-tenant = -\nsink-tenant = -", "this tenant is there already"),
      ((0..<257).map { "sink-tenant = t\($0)" }.joined(separator: "\n"), "more than 256 tenants"),
    ] {
      let found = self.faults(line)
      #expect(found.count == 1 && found.first?.cause.hasPrefix(cause) == true, "\(found)")
    }
  }

  @Test(
    "FLEET-48: nothing is handed on beyond this machine without TLS and a checked certificate",
    arguments: [
      "webhook = http://hooks.example.org/", "webhook = ftp://127.0.0.1/",
      "postgis = host=db.example.org dbname=fleet",
      "postgis = host=db.example.org sslmode=require", "postgis = host=/run password=x",
      "postgis = dbname='a b'", "postgis = dbname=fleet", "postgis = service=fleet host=/run",
      "postgis = host=/run/postgresql,db.example.org dbname=fleet",
      "postgis = hostaddr= host=db.example.org",
      "postgis = user= sslmode=verify-full host=db.example.org",
      "mqtt-out = mqtt://broker.example.org",
      "mqtt-out = mqtts://broker.example.org:0", "mqtt-out = broker", "postgis-table = a;b",
      "postgis-table = a.b.c", "postgis-table = \(String(repeating: "a", count: 54))",
      "webhook-parallel = 0", "webhook-secret = secret", "nats-out = nats.example.org",
      "nats-out-subject = evt", "nats-out-subject = erased.a", "nats-out-subject = _INBOX",
      "nats-out-subject = a..b", "nats-out-subject = a.>", "nats-out-subject = $JS",
      "nats-out-subject = a.b.c.d.e.f.g.h.i", "nats-out-nkey-seed = seed", "nats-out-inbox = a",
    ])
  func refused(line: String) {
    let found = faults("partitions = 8\n" + line)
    #expect(found.count == 1 && found.first?.line == 2)
  }

  @Test(
    "FLEET-48: an address without a host, or with a port that is none, is named with what is wrong",
    arguments: [
      ("webhook = http://127.0.0.1:/", "`webhook` has a colon and no port behind it"),
      ("webhook = https://hooks.example.org:x/", "`webhook` has :x where a port from 1"),
      ("webhook = https://:443/", "`webhook` has no host"),
      ("postgis = host=/run dbname=f port=0", "`postgis` must have a port from 1 to 65535, not 0"),
      ("mqtt-out = mqtt://localhost:", "`mqtt-out` must be mqtts://HOST[:PORT]"),
      ("server = nats://127.0.0.1:", "`server` must be nats://HOST:PORT"),
      ("server = tls://:4222", "`server` must be nats://HOST:PORT"),
      ("nats-out = nats://127.0.0.1:", "`nats-out` must be nats://HOST:PORT"),
    ])
  func ports(line: String, cause: String) {
    let found = faults(line)
    #expect(found.count == 1 && found.first?.cause.hasPrefix(cause) == true, "\(found)")
  }

  @Test(
    "FLEET-48: within this machine it may be without TLS",
    arguments: [
      "webhook = http://127.0.0.1:8080/a", "mqtt-out = mqtt://localhost",
      "nats-out = nats://localhost", "nats-out-subject = Fleet_1.a-b",
      "mqtt-out = mqtt://[::1]:1884", "postgis = host=127.0.0.1 dbname=fleet",
      "postgis-table = fleet.order", "postgis = host=db.example.org sslmode=verify-full",
    ])
  func accepted(line: String) { #expect(faults(line).isEmpty) }
}
