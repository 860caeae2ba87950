import LocationProviders
import Testing

@Suite("What setup proposes for a machine")
struct SetupPlanTests {
  @Test("SETUP-1: every part gives a source with its reason, receivers first")
  func everything() {
    var parts = MachineParts()
    parts.ports = [.init(path: "/dev/ttyUSB0", baud: 4800)]
    parts.modems = ["cdc-wdm0"]
    parts.wifi = ["wlan0"]
    parts.bluetooth = ["hci0"]
    parts.sensors = ["iio:device0"]
    let plan = SetupPlan(for: parts)
    #expect(
      plan.sources.map(\.url)
        == ["nmea:///dev/ttyUSB0?baud=4800", "modem:", "wifi:", "bluez:", "iio:"])
    #expect(plan.notes.isEmpty)
    #expect(
      plan.configuration().contains(
        """
        # Because NMEA comes from /dev/ttyUSB0 at 4800 baud.
        source = nmea:///dev/ttyUSB0?baud=4800

        """))
  }

  @Test("SETUP-1: the proposals are sources", arguments: [false, true])
  func sources(answersGpsd: Bool) throws {
    var parts = MachineParts()
    parts.answersGpsd = answersGpsd
    parts.ports = [.init(path: "/dev/ttyS0", baud: 115_200)]
    for proposal in SetupPlan(for: parts).sources { _ = try Source(url: proposal.url) }
  }

  @Test(
    "SETUP-7: the socket of GeoClue's configuration is read",
    arguments: [
      ("nmea-socket=/var/run/gps-share.sock", "/var/run/gps-share.sock"),
      ("nmea-socket = /srv/a=b", "/srv/a=b"), ("nmea-socket=\t/srv/a b ", "/srv/a b"),
      ("# nmea-socket=/run/a", nil), ("nmea-socket=run/a", nil), ("nmea-socket", nil), ("", nil),
    ] as [(String, String?)])
  func socketOfGeoClue(line: String, path: String?) {
    #expect(MachineParts.nmeaSocket(in: line) == path)
  }

  @Test("SETUP-7: a socket that a program serves is a receiver, and no time zone is needed")
  func socket() throws {
    var parts = MachineParts()
    parts.sockets = ["/run/gnss share.sock"]
    let plan = SetupPlan(for: parts)
    #expect(plan.sources.map(\.url) == ["nmea+unix:///run/gnss%20share.sock"])
    #expect(try Source(url: plan.sources[0].url) == .nmeaUnix(path: parts.sockets[0]))
  }

  private static let berlin = "/usr/share/zoneinfo/Europe/Berlin"

  @Test(
    "SETUP-2: without a receiver, the time zone is named where it has a place, and the next step",
    arguments: [(berlin, ["zone:"]), ("/usr/share/zoneinfo/Etc/UTC", []), (nil, [])]
      as [(String?, [String])])
  func nothing(zone: String?, sources: [String]) {
    var parts = MachineParts()
    parts.zone = zone
    let plan = SetupPlan(for: parts)
    #expect(plan.sources.map(\.url) == sources)
    #expect(plan.notes.contains { $0.contains("connect a receiver") })
    #expect(plan.notes.contains { $0.contains("names no place") } == sources.isEmpty)
  }

  @Test("SETUP-11: a configuration has the units that setup has enabled")
  func enabled() {
    let plan = SetupPlan(for: MachineParts())
    let text = plan.configuration(enabling: ["a.socket", "a.service"])
    #expect(SetupPlan.enabled(by: text) == ["a.socket", "a.service"])
    #expect(SetupPlan.isAsWritten(text))
    #expect(SetupPlan.enabled(by: plan.configuration()).isEmpty)
    #expect(SetupPlan.enabled(by: "# By hand\n" + text).isEmpty, "not setup's own")
  }

  @Test("SETUP-4: an edited configuration is not as it was written")
  func edited() {
    var parts = MachineParts()
    parts.wifi = ["wlan0"]
    let text = SetupPlan(for: parts).configuration(keeping: ["geoclue = yes"])
    #expect(SetupPlan.isAsWritten(text))
    for other in [
      text + "\n", text + "source = wifi:\n", text.replacing("yes", with: "no"), "", "\n",
      String(text.dropLast()), SetupPlan.mark + "\n",
    ] {
      #expect(!SetupPlan.isAsWritten(other), "\(other)")
    }
  }

  @Test("SETUP-2: a database of addresses is mentioned where no receiver is, and is no source")
  func database() throws {
    var parts = MachineParts()
    parts.databases = ["/var/lib/GeoIP/GeoLite2-City.mmdb"]
    parts.zone = Self.berlin
    let plan = SetupPlan(for: parts)
    #expect(plan.sources.map(\.url) == ["zone:"])
    #expect(plan.notes.contains { $0.hasSuffix("source = geoip:\(parts.databases[0])") })
    let text = plan.configuration()
    #expect(!text.split(separator: "\n").contains { $0.hasPrefix("source = geoip") })
    parts.answersGpsd = true
    #expect(SetupPlan(for: parts).notes.isEmpty)
  }

  @Test("SETUP-2: a silent port is no source, and is named")
  func silentPort() {
    var parts = MachineParts()
    parts.ports = [.init(path: "/dev/ttyUSB0")]
    parts.zone = Self.berlin
    let plan = SetupPlan(for: parts)
    #expect(plan.sources.map(\.url) == ["zone:"])
    #expect(plan.notes.contains { $0.hasPrefix("no NMEA came from /dev/ttyUSB0") })
  }

  @Test("SETUP-3: two sentences with correct checksums are NMEA, amid noise; wrong ones are not")
  func recognition() {
    let sentence = "$GPGLL,4830.000,N,01130.000,E,120000,A*25\r\n"
    var once = NMEARecognizer()
    once.read(sentence.utf8)
    #expect(!once.isNMEA)
    var twice = NMEARecognizer()
    twice.read([0, 255, 10] + Array((sentence + "noise" + sentence).utf8))
    #expect(twice.isNMEA)
    var wrong = NMEARecognizer()
    wrong.read((sentence + sentence).replacing("*25", with: "*26").utf8)
    #expect(!wrong.isNMEA)
    #expect(wrong.count == 2 * sentence.utf8.count)
  }
}
