import Foundation
import LocationCoding
import LocationLink
import LocationService
import LocationModel
import LocationProviders
import LocationRadio
import TestSupport
import Testing

@testable import locationctl

@Suite("What locationctl prints")
struct OutputTests {
  @Test("as JSON keeps the order of the keys, escapes text, and leaves out what is not known")
  func json() throws {
    var line = JSONLine(type: "test")
    line.add("text", "a \"quote\", a \\, a tab\t, a line\n, and \u{1}")
    line.add("missing", nil as String?)
    line.add("whole", 3.0)
    line.add("small", 0.000_01)
    line.add("infinite", Double.infinity)
    line.add("flag", flag: false)
    #expect(line.text.hasPrefix("{\"type\":\"test\",\"text\":\"a \\\"quote\\\""))
    #expect(line.text.hasSuffix("\"whole\":3,\"small\":1e-05,\"flag\":false}"))
    let value = try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any]
    #expect(value?["text"] as? String == "a \"quote\", a \\, a tab\t, a line\n, and \u{1}")
    #expect(value?.count == 5)
  }

  @Test("as JSON has objects without their types, and escapes what is not seen")
  func nestedJSON() {
    var inner = JSONLine(type: "inner")
    let empty = inner
    inner.add("a", 1)
    inner.add("b", texts: ["\u{1f}", "é"])
    var line = JSONLine(type: "t")
    line.add("one", object: inner)
    line.add("none", object: empty)
    line.add("all", objects: [inner, empty])
    line.addOrNull("date", nil)
    line.add("turned\u{202e}", texts: [])
    #expect(
      line.text
        == #"{"type":"t","one":{"a":1,"b":["\u001f","é"]},"none":{},"#
        + #""all":[{"a":1,"b":["\u001f","é"]},{}],"date":null,"turned\u202e":[]}"#)
  }

  @Test(
    "is colored on a terminal only, and never where NO_COLOR is set",
    arguments: [
      (true, nil, "xterm", true), (true, "", "xterm", true), (true, "1", "xterm", false),
      (true, "0", "xterm", false), (true, nil, "dumb", false), (false, nil, "xterm", false),
    ] as [(Bool, String?, String, Bool)])
  func color(_ isTerminal: Bool, _ noColor: String?, _ terminal: String, _ expected: Bool) {
    #expect(
      Output.isColored(isTerminal: isTerminal, noColor: noColor, terminal: terminal) == expected)
  }

  @Test(
    "of numbers is as the C library has it, whatever the language",
    arguments: [
      (48.1234565, 6, 0, "48.123457"), (0.5, 0, 0, "0"), (1.5, 0, 0, "2"), (-0.04, 1, 0, "-0.0"),
      (7, 1, 5, "  7.0"), (123_456, 1, 5, "123456.0"), (.infinity, 1, 5, "  inf"),
      (-.greatestFiniteMagnitude, 0, 0, String(format: "%.0f", -Double.greatestFiniteMagnitude)),
    ] as [(Double, Int, Int, String)])
  func digits(_ number: Double, _ count: Int, _ width: Int, _ expected: String) {
    #expect(number.digits(count, width: width) == expected)
  }

  @Test("of a text is filled to a width, and never cut")
  func padding() {
    #expect("5".padded(to: 3) == "  5" && "near".padded(to: 9, behind: true) == "near     ")
    #expect("± 5".padded(to: 2) == "± 5")
  }

  @Test("of a report without location is its reason")
  func silence() {
    let report = Report(location: nil, diagnostics: [.authorizationDenied, .locationUnavailable])
    #expect(
      report.json == """
        {"type":"update","stationary":false,"authorization_denied":true,\
        "location_unavailable":true}
        """)
    #expect(
      report.text(at: UnixTime(seconds: 0))
        == "no position: authorization denied, location unavailable")
    var silent = Report(location: nil, diagnostics: [.locationUnavailable])
    silent.reason = ("gpx:///a.gpx: it is not there", UnixTime(seconds: 1_000_000_000))
    #expect(
      silent.json == """
        {"type":"update","date":"2001-09-09T01:46:40.000Z","stationary":false,\
        "location_unavailable":true,"reason":"gpx:///a.gpx: it is not there"}
        """)
    #expect(
      silent.text(at: UnixTime(seconds: 0)) == "no position: gpx:///a.gpx: it is not there")
  }

  @Test("of a location has the date where it is not today's")
  func oldDate() {
    let fix = Fix(
      coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5,
      time: UnixTime(seconds: 1_000_000_000))
    let report = Report(location: fix)
    #expect(report.text(at: UnixTime(seconds: 1_000_070_000)).hasPrefix("01:46:40 "))
    #expect(report.text(at: UnixTime(seconds: 1_000_090_000)).hasPrefix("2001-09-09 01:46:40 "))
  }

  @Test(
    "of a date that is wrong is by how much, of a source that has just given it, or of a daemon's")
  func wrongDate() throws {
    let now = UnixTime(seconds: 1_700_000_000)
    func code(_ url: String, _ seconds: Double) throws -> Finding? {
      var report = SourceReport(source: try Source(url: url), status: .working, fixes: 1)
      report.fixTime = now + .seconds(seconds)
      return DateDiagnosis.finding(of: report, at: now)
    }
    let rolledOver = try #require(try code("nmea+tcp://there:1", -1024 * 7 * 86_400))
    #expect(rolledOver.code == "wrong_date" && rolledOver.verdict == .doubtful)
    #expect(rolledOver.message.contains("7168 days behind this computer's"))
    #expect(try code("gpsd://there", 3 * 86_400)?.message.contains("3 days ahead of") == true)
    #expect(try code("gpsd://there", -3600) == nil)
    #expect(try code("log:///a.log", -1024 * 7 * 86_400) == nil, "a recording is old")
    var status = SourceStatus(
      url: "gpsd://there:2947", status: "idle", reason: nil, fixes: 1, rejected: 0)
    status.fix = OwnFixStatus(time: now + .seconds(-3 * 86_400), accuracy: 5, use: "current")
    #expect(status.wrongDate(since: now + .seconds(-4 * 86_400), at: now) == nil, "merely old")
    let words = try #require(status.wrongDate(since: now + .seconds(-60), at: now)?.words)
    #expect(words.contains("behind this computer's"))
  }

  @Test(
    "of a source's URL can be typed again",
    arguments: [
      "gpsd://localhost:2947", "gpsd://[::1]:99", "nmea:///dev/ttyUSB0?baud=4800",
      "nmea+tcp://there:10110", "nmea+udp://:10110",
      "nmea+udp://0.0.0.0:1?from=10.0.0.0/8,::1", "gpx:///a/b.gpx?speed=2.0&loop=reverse",
      "log:///a%20b/c%3Fd.log?rate=10.0", "fixed:51.5,-0.25,5.0", "fixes:///a.jsonl", "zone:",
    ])
  func urls(_ url: String) throws {
    let source = try Source(url: url)
    #expect(source.url == url)
    #expect(try Source(url: source.url) == source)
  }
}

@Suite("The diagnosis of a source")
struct SourceDiagnosisTests {
  static let cases: [(url: String, status: ProviderStatus, code: String, next: String?)] = [
    (
      "gpsd://localhost", .unavailable(.unreachable("connect: Connection refused")),
      "gpsd_unreachable", "sudo systemctl start gpsd.socket"
    ),
    (
      "gpsd://boat", .unavailable(.unreachable("timed out")), "gpsd_unreachable",
      "check that gpsd runs on boat"
    ),
    (
      "nmea+tcp://boat:10110",
      .unavailable(.noNetwork("connect: Network is unreachable")), "no_network", "ip route get"
    ),
    ("gpsd://localhost", .unavailable(.noDevice), "gpsd_no_device", "gpsdctl add"),
    (
      "nmea:///dev/null", .unavailable(.noPermission("open /dev/null: Permission denied")),
      "no_permission", "sudo usermod -aG dialout $USER"
    ),
    (
      "nmea:///dev/ttyUSB7", .unavailable(.missing("open: No such file or directory")), "missing",
      "ls /dev/serial/by-id"
    ),
    (
      "nmea:///dev/ttyUSB0?baud=9600", .unavailable(.garbled), "wrong_baud_rate",
      "try 4800, 38400, 115200: locationctl doctor --source 'nmea:///dev/ttyUSB0?baud=4800'"
    ),
    ("nmea+tcp://there:1", .unavailable(.garbled), "garbled", "gpsd://HOST"),
    ("gpx:///a.gpx", .unavailable(.malformed("line 3: no latitude")), "malformed", "mend"),
    (
      "log:///tmp", .unavailable(.unreachable("open /tmp: Is a directory")), "unreachable",
      "name a file"
    ),
    ("fixed:1,2", .working, "working", nil),
    ("log:///a.log", .unavailable(.ended), "ended", nil),
  ]

  @Test("names the case and the next step", arguments: cases.indices)
  func reasons(_ index: Int) throws {
    let row = Self.cases[index]
    let report = SourceReport(source: try Source(url: row.url), status: row.status, fixes: 1)
    let finding = SourceDiagnosis(report).finding
    #expect(finding.code == row.code)
    #expect((finding.verdict == .good) == (row.next == nil))
    if let next = row.next { #expect(finding.next?.contains(next) == true, "\(finding)") }
  }

  @Test("RADIO-74: a modem whose cell is not known is a finding that names what is known")
  func regions() throws {
    for (silence, code, words) in [
      (RadioSilence.areaOnly, "cell_area", "cell area"),
      (.countryOnly, "network_country", "network's country"), (.nothingKnown, "not_in_map", "map"),
    ] {
      let finding = SourceDiagnosis(
        SourceReport(source: .modem(), status: .working, silence: silence)
      ).finding
      #expect(finding.code == code && finding.verdict == .doubtful)
      #expect(finding.message.contains(words))
      #expect(finding.next?.contains("locationctl map import") == true)
    }
  }

  @Test("RADIO-87: a receiver without its assistance data is a finding with the next step")
  func assistance() throws {
    let source = try Source(url: "modem:?assistance=/var/lib/xtra3grc.bin")
    var report = SourceReport(source: source, status: .working)
    #expect(ModemAssistanceFault.findings(of: report).isEmpty)
    report.evidence.assistance = .given(bytes: 1)
    #expect(ModemAssistanceFault.findings(of: report).isEmpty)
    #expect(SourceDiagnosis(report).message.contains("assistance data given"))
    for fault in ModemAssistanceFault.allCases {
      report.evidence.assistance = .fault(fault)
      let finding = try #require(ModemAssistanceFault.findings(of: report).first)
      #expect(finding.code == "modem_assistance_\(fault)" && finding.verdict == .doubtful)
      #expect(finding.message == fault.rawValue && finding.next?.isEmpty == false)
      #expect(finding.subject == "modem:?assistance=/var/lib/xtra3grc.bin")
    }
  }

  @Test("RADIO-48: a service that accepts nothing is a finding with its reason")
  func submissions() throws {
    let source = try Source(url: "geosubmit:https://give.test?key=k1")
    func finding(_ status: ProviderStatus) -> Finding {
      SourceDiagnosis(SourceReport(source: source, status: status)).finding
    }
    let refused = finding(.unavailable(.noPermission("the key is not valid")))
    #expect(refused.code == "service_refuses" && refused.verdict == .bad)
    #expect(refused.message == "the key is not valid")
    let silent = finding(.unavailable(.unreachable("no answer")))
    #expect(silent.code == "service_unreachable" && silent.message.contains("no answer"))
    for status in [ProviderStatus.idle, .working] {
      #expect(finding(status).code == "submits" && finding(status).verdict == .good)
    }
  }

  @Test("border 8: tells whose gpsd is not believed, and how to name one's own")
  func untrusted() {
    let report = SourceReport(
      source: .localGpsd(port: 2947),
      status: .unavailable(.noPermission("port 2947 is served by user 1000 (alice)")))
    let finding = SourceDiagnosis(report).finding
    #expect(finding.code == "gpsd_not_believed")
    #expect(finding.message.contains("alice"))
    #expect(finding.next?.contains("ss -ltnp 'sport = :2947'") == true)
    #expect(finding.next?.contains("--source gpsd://localhost") == true)
  }

  @Test(
    "border 8: tells when the network may say where the computer is",
    arguments: [
      ("nmea+udp://:10110", nil), ("nmea+udp://127.0.0.1:10110", nil),
      ("nmea+udp://[::1]:10110", nil), ("nmea+udp://localhost:1", nil),
      ("nmea+udp://0.0.0.0:10110", "accepts_any_sender"),
      ("nmea+udp://[::]:10110?rest=true", "accepts_any_sender"),
      ("nmea+udp://192.168.1.2:10110", "accepts_any_sender"),
      ("nmea+udp://0.0.0.0:10110?from=192.168.1.20", "plain_on_the_network"),
      ("gpsd://boat", "plain_on_the_network"), ("nmea+tcp://boat:10110", "plain_on_the_network"),
      ("nmea+tls://boat:10110", nil), ("nmea+tcp://localhost:10110", nil),
    ] as [(String, String?)])
  func exposure(url: String, code: String?) throws {
    let finding = SourceDiagnosis.exposure(of: try Source(url: url))
    #expect(finding?.code == code)
    guard let finding else { return }
    // Neither datagrams nor gpsd have TLS.
    let step =
      switch (finding.code, url.hasPrefix("nmea+tcp")) {
      case ("accepts_any_sender", _): "from="
      case (_, true): "nmea+tls://"
      case (_, false): "tunnel"
      }
    #expect(finding.next?.contains(step) == true)
  }

  @Test("tells a receiver under a roof by its satellites")
  func noFix() throws {
    var evidence = SourceEvidence(diagnosis: .noPosition)
    evidence.satellites = SatelliteSummary(inView: 3, used: 0)
    let report = SourceReport(
      source: try Source(url: "nmea:///dev/ttyUSB0"), status: .searching,
      rejections: [SourceRejection(reason: "checksum", count: 2)], evidence: evidence)
    let finding = SourceDiagnosis(report).finding
    #expect(finding.code == "no_fix")
    #expect(
      finding.message
        == "the receiver works and has no position yet (3 satellites in view, 0 used)"
        + "; turned away: 2 × checksum")
  }

  @Test(
    "tells silence, and sentences without position, apart",
    arguments: [
      (NMEAReceiverStatus.Diagnosis.silent, "silent"), (.noText, "wrong_baud_rate"),
      (.noSentences, "wrong_baud_rate"), (.noPositionSentences, "no_position_sentences"),
    ])
  func searching(_ diagnosis: NMEAReceiverStatus.Diagnosis, _ code: String) throws {
    let report = SourceReport(
      source: try Source(url: "nmea:///dev/ttyUSB0"), status: .searching,
      evidence: SourceEvidence(diagnosis: diagnosis))
    #expect(SourceDiagnosis(report).code == code)
  }

  @Test("keeps as many unread reports as the table of bounds says")
  func bounds() throws {
    #expect(
      try BoundsTable.values(of: "bound of `locationctl`") == [
        "unread reports": Output.unreadReports
      ])
  }
}
