import Foundation
import LocationFleet
import LocationModel
import TestSupport
import Synchronization
import Testing

@Suite("The ingress of a fleet")
struct IngressTests {
  private let own = DeviceAccount(user: "u", tenant: "acme", device: "truck 1", hash: "")
  private let gateway = DeviceAccount(user: "gate", tenant: "acme", hash: "")
  private let fix = Array(#"{"_type":"location","lat":46.52,"lon":6.63,"tst":1780000000}"#.utf8)

  @Test("FLEET-33: a device is what it has authenticated as, whatever its topic says")
  func topics() {
    let truck = FleetDeviceName(tenant: "acme", device: "truck 1")
    #expect(own.topic("in/acme/truck_201") == .reports(truck))
    #expect(own.topic("owntracks/u/truck 1") == .reports(truck))
    #expect(own.topic("owntracks/u/truck 1/event") == .other)
    #expect(gateway.topic("in/acme/truck_201") == .reports(truck))
    for topic in [
      "in/acme/truck_202", "in/other/truck_201", "in/_/truck_201", "owntracks/v/truck 1",
      "owntracks/u/truck 2",
    ] { #expect(own.topic(topic) == .foreign, "\(topic)") }
    #expect(gateway.topic("in/other/a") == .foreign)
    #expect(gateway.topic("owntracks/gate/") == .foreign)
  }

  @Test("FLEET-139: a topic of nobody is counted apart from one of another device")
  func unknownTopics() {
    let topics = [
      "in//", "in/acme/truck 1", "in/acme/truck_201/x", "owntracks/u",
      "fix/0/acme/truck_201", "$JS/API", "",
    ]
    var ingress = Ingress(partitions: 4)
    for topic in topics {
      #expect(own.topic(topic) == .unknown, "\(topic)")
      #expect(ingress.take(topic: topic, fix, of: own) == .refused(.topic))
    }
    #expect(ingress.figures.judged.fixes == ["acme": ["topic": topics.count]])
  }

  @Test("FLEET-139: who is refused by HTTP is answered whether the device is missing or another")
  func refusals() {
    var ingress = Ingress(partitions: 4)
    let long = String(repeating: "a", count: 65)
    #expect(ingress.take(query: [], body: fix, claim: nil, of: gateway) == .refused(.missing))
    #expect(ingress.take(query: [], body: fix, claim: long, of: gateway) == .refused(.name))
    #expect(ingress.take(query: [], body: fix, claim: "", of: gateway) == .refused(.name))
    #expect(ingress.take(query: [], body: fix, claim: "truck 2", of: own) == .refused(.device))
  }

  @Test(
    "FLEET-158: a tenant that has to have a key is let in once it has one, and until then it is counted and said once"
  )
  func withoutKey() {
    var open = Ingress(partitions: 4)
    #expect(open.admit("newco") == .granted && open.figures.judged.fixes.isEmpty)
    let hasKey = Mutex(false)
    var ingress = Ingress(partitions: 4) { tenant in tenant == "newco" && !hasKey.withLock { $0 } }
    #expect(ingress.admit("acme") == .granted && ingress.admit("") == .granted)
    #expect(ingress.admit("newco") == .refused(isNew: true))
    #expect(ingress.admit("newco") == .refused(isNew: false))
    #expect(ingress.figures.judged.fixes == ["newco": ["key": 2]])
    hasKey.withLock { $0 = true }
    #expect(ingress.admit("newco") == .granted)
    // Where it goes again, that is said again.
    hasKey.withLock { $0 = false }
    #expect(ingress.admit("newco") == .refused(isNew: true))
    // However many names come by certificates.
    var many = Ingress(partitions: 4) { _ in true }
    #expect((0..<5000).allSatisfy { many.admit("\($0)") == .refused(isNew: true) })
  }

  @Test("FLEET-135: a message that is no UTF-8 is malformed, and names no device")
  func invalidText() {
    var ingress = Ingress(partitions: 4)
    for byte in [0xFE, 0xFF] as [UInt8] {
      let body =
        Array(#"{"device":"f"#.utf8) + [byte]
        + Array(#"","date":"2026-05-28T20:26:40Z","latitude":1,"longitude":1}"#.utf8)
      #expect(DeviceReport.claim(body) == nil)
      #expect(ingress.take(topic: "in/acme/truck_201", body, of: own) == .unusable)
    }
    #expect(ingress.figures.judged.fixes == ["acme": ["malformed": 2]])
  }

  @Test("FLEET-33: a name in a payload that is another's is refused and counted")
  func claims() {
    var ingress = Ingress(partitions: 4)
    #expect(ingress.take(topic: "in/acme/truck_202", fix, of: own) == .refused(.device))
    let other = Array(
      #"{"device":"truck 2","date":"2026-05-28T20:26:40Z","latitude":1,"longitude":1}"#.utf8)
    #expect(ingress.take(topic: "in/acme/truck_201", other, of: own) == .unusable)
    #expect(ingress.take(query: [], body: other, claim: nil, of: own) == .refused(.device))
    #expect(
      ingress.take(query: [("id", "truck 2")], body: [], claim: nil, of: own) == .refused(.device))
    #expect(ingress.take(query: [], body: fix, claim: "truck 2", of: own) == .refused(.device))
    #expect(ingress.take(query: [], body: fix, claim: nil, of: gateway) == .refused(.missing))
    #expect(ingress.figures.judged.fixes == ["acme": ["device": 6]])
  }

  @Test("FLEET-33: fixes go to the subject of their device, with an identifier of their own")
  func entries() throws {
    var ingress = Ingress(partitions: 4)
    let truck = FleetDeviceName(tenant: "acme", device: "truck 1")
    let partition = FleetAddress.partition(of: truck, count: 4)
    var seen: Set<String> = []
    for outcome in [
      ingress.take(topic: "in/acme/truck_201", fix, of: own),
      ingress.take(query: [], body: fix, claim: nil, of: own),
      ingress.take(query: [], body: fix, claim: "truck 1", of: gateway),
    ] {
      guard case .append(let entries) = outcome, let entry = entries.first else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(entry.subject == FleetAddress.fixes(of: truck, partition: partition))
      #expect(entry.identifier.hasPrefix("acme.truck_201."))
      seen.insert(entry.identifier)
    }
    #expect(seen.count == 1)
    #expect(ingress.figures.judged.fixes == ["acme": ["accepted": 3]])
    #expect(ingress.take(topic: "in/acme/truck_201", [], of: own) == .nothing)
    #expect(ingress.take(topic: "owntracks/u/truck 1/cmd", fix, of: own) == .nothing)
    #expect(ingress.take(topic: "in/acme/truck_201", [0x7b], of: own) == .unusable)
  }

  @Test("FLEET-106: a fix with an impossible date is acknowledged and counted, and not stored")
  func impossibleDates() {
    var ingress = Ingress(partitions: 4)
    let now = UnixTime(seconds: 1_780_000_000)
    func body(_ seconds: Int) -> [UInt8] {
      Array(#"{"_type":"location","lat":46.52,"lon":6.63,"tst":\#(seconds)}"#.utf8)
    }
    for seconds in [4_070_908_800, 315_964_800] {
      let payload = body(seconds)
      #expect(ingress.take(topic: "in/acme/truck_201", payload, of: own, at: now) == .nothing)
      #expect(ingress.charge.fixes == 1)
      let web = ingress.take(query: [], body: payload, claim: nil, of: own, at: now)
      #expect(web == .nothing)
    }
    #expect(ingress.figures.judged.fixes == ["acme": ["clock": 2, "future": 2]])
    let text = ingress.figures.text(of: "acme")
    #expect(text.contains("ingress_fixes_total{tenant=\"acme\",result=\"future\"} 2\n"))
    let lines = [1_780_000_000.0, 4_070_908_800].map {
      #"{"date":"\#(UnixTime(seconds: $0).iso8601)","latitude":1,"longitude":1}"#
    }
    let several = Array(lines.joined(separator: "\n").utf8)
    guard
      case .append(let entries) = ingress.take(
        query: [], body: several, claim: nil, of: own, at: now)
    else {
      Issue.record("the good one is not kept")
      return
    }
    #expect(entries.map { String(decoding: $0.bytes, as: UTF8.self).contains("2099") } == [false])
    let counts = ["accepted": 1, "clock": 2, "future": 3]
    #expect(ingress.figures.judged.fixes == ["acme": counts])
  }

  @Test("FLEET-150: a fix with an impossible number is acknowledged and counted for its tenant")
  func impossibleNumbers() {
    var ingress = Ingress(partitions: 4)
    let body = Array(#"{"_type":"location","lat":1,"lon":1,"tst":1780000000,"acc":1e300}"#.utf8)
    let now = UnixTime(seconds: 1_780_000_000)
    #expect(ingress.take(topic: "in/acme/truck_201", body, of: own, at: now) == .nothing)
    let figures = ingress.figures.text(of: "acme")
    #expect(figures.contains("ingress_fixes_total{tenant=\"acme\",result=\"range\"} 1\n"))
  }

  @Test("FLEET-106: the manual has each reason for which an ingress takes no fix")
  func manual() throws {
    let file = SharedData.packageRoot.appending(path: "docs/man/locationfleet.8")
    let sections = try String(contentsOf: file, encoding: .utf8).split(separator: "\n.SH ")
    let section = try #require(sections.first { $0.hasPrefix("INGRESS\n") })
    let words = Set(section.split { !$0.isLetter }.map(String.init))
    for reason in DeviceReport.Reason.allCases {
      #expect(words.contains(reason.rawValue), "\(reason.rawValue)")
    }
  }

  @Test("FLEET-34: the file of accounts names each fault with its line")
  func accounts() {
    var faults: [FleetConfiguration.Fault] = []
    let text = """
      # user tenant device group hash
      u acme truck_201 trucks $argon2id$x  # the first one
      gate acme * - $argon2id$y
      u - d - $argon2id$z
      v acme d $argon2id$z
      w acme - - $argon2id$z
      x acme a.b - $argon2id$z
      y acme d - plain
      - acme d - $argon2id$z
      """
    let accounts = DeviceAccounts(Array(text.utf8), &faults)
    #expect(faults.map(\.line) == [4, 5, 6, 7, 8, 9])
    #expect(accounts.byUser["gate"]?.device == nil && accounts.byUser.count == 2)
    #expect(
      accounts.byUser["u"]
        == DeviceAccount(
          user: "u", tenant: "acme", device: "truck 1", group: "trucks", hash: "$argon2id$x"))
  }

  @Test("FLEET-35: the settings of the ingress stand beside those of the workers")
  func configuration() {
    var faults: [FleetConfiguration.Fault] = []
    let text =
      "partitions = 8\nmqtt-port = 1883\naccounts = /a\nconnections = 5\nnonsense = 1\nhttp-port = x"
    let read = IngressConfiguration(text, &faults)
    #expect(read.fleet.worker.partitions == 8 && read.mqttPort == 1883 && read.mostConnections == 5)
    #expect(faults.map(\.line) == [5, 6] && read.missing == nil)
    var none: [FleetConfiguration.Fault] = []
    #expect(IngressConfiguration("", &none).missing == "neither `mqtt-port` nor `http-port`")
    let nobody = IngressConfiguration("http-port = 80", &none).missing
    #expect(nobody == "no `accounts`, and no `device-authorities`")
    let own = IngressConfiguration(
      "http-port = 80\ningress-certificate = /a\ningress-certificate-key = /b\n"
        + "device-authorities = /c", &none)
    #expect(own.missing == nil && none.isEmpty)
  }

  @Test("FLEET-35: the figures name tenants and reasons, and no device")
  func figures() {
    var ingress = Ingress(partitions: 4)
    _ = ingress.take(topic: "in/acme/truck_201", fix, of: own)
    ingress.figures.ended(.silent)
    ingress.figures.answered(413)
    let text = ingress.figures.prometheus
    #expect(text.contains("ingress_fixes_total{tenant=\"acme\",result=\"accepted\"} 1\n"))
    #expect(text.contains("ingress_closed_total{reason=\"silent\"} 1\n"))
    #expect(text.contains("ingress_http_total{status=\"413\"} 1\n"))
    #expect(!text.contains("truck"))
  }
}
