import Glibc
import LocationService
import LocationModel
import LocationProviders
import LocationRadio

/// Why a source gives no position, and what a person can do about it.
struct SourceDiagnosis {
  var code: String
  var verdict: Finding.Verdict
  var message: String
  var next: String?
  private let subject: String

  var finding: Finding {
    Finding(subject: subject, code: code, verdict: verdict, message: message, next: next)
  }

  /// Nobody names a source, and there is none to discover.
  static func noSource(_ origin: SourceChoice.Origin) -> Failure {
    let cause =
      origin == .environment ? "$CORELOCATION_SOURCES names no source" : "no source is named"
    return .refused(cause, next: howToName)
  }

  static let howToName =
    "locationctl setup finds what is here; or name one: --source gpsd://localhost, --source "
    + "'nmea:///dev/ttyUSB0?baud=9600', or the same in $CORELOCATION_SOURCES"

  /// Evaluates the status of one source.
  init(_ report: SourceReport) {
    self.init(report, verdict: .bad, code: "unknown", message: "")
    if let sensors = report.evidence.sensors {
      judge(sensors, isRefusing: !report.rejections.isEmpty)
    } else if case .working = report.lastStatus, case .wifi = report.source, report.fixes == 0 {
      judgeHearing(report)
    } else if case .ichnaea = report.source {
      judgeService(report)
    } else if report.source == .bluez {
      judgeBluetooth(report)
    } else if case .geosubmit = report.source {
      judgeSubmission(report)
    } else {
      judge(report)
    }
    if verdict != .good, !report.rejections.isEmpty {
      let counts = report.rejections.map { "\($0.count) × \($0.reason)" }
      message += "; turned away: " + counts.joined(separator: ", ")
    }
  }

  /// What a person should know of a source however well it works; `nil` for most.
  static func exposure(of source: Source) -> Finding? {
    guard source.acceptsAnySender else { return plain(source) }
    let address = source.url.contains("?") ? "&from=" : "?from="
    return Finding(
      subject: source.url, code: "accepts_any_sender", verdict: .doubtful,
      message: "any machine that reaches this port can send this one a position",
      next: "name who may: \(source.url)\(address)192.168.1.20 (addresses, or ranges as 10.0.0.0/8)"
    )
  }

  /// Reports a source that comes over a network unprotected.
  private static func plain(_ source: Source) -> Finding? {
    guard source.transport == .plain else { return nil }
    let isNMEA = if case .nmeaTCP = source.receiver { true } else { false }
    return Finding(
      subject: source.shownURL, code: "plain_on_the_network", verdict: .doubtful,
      message:
        "neither encrypted nor authenticated: who is on the way can read and change positions",
      next: isNMEA
        ? "where the receiver has TLS: nmea+tls://HOST:PORT"
        : "keep it in a network of its own, or lead it through a tunnel (WireGuard, ssh)")
  }

  /// What the sensors of this computer measure; `nil` for another source, and without any.
  static func sensors(of report: SourceReport) -> Finding? {
    report.evidence.sensors == nil ? nil : SourceDiagnosis(report).finding
  }

  /// That there are sensors, and no barometer among them; `nil` for another source.
  static func barometer(of report: SourceReport) -> Finding? {
    guard let sensors = report.evidence.sensors, !sensors.quantities.contains(.pressure) else {
      return nil
    }
    return Finding(
      subject: "iio: barometer", code: "no_barometer", verdict: .doubtful,
      message: "the kernel has none: altitudes are those of satellites, and floors are not counted",
      next: nil)
  }

  private init(_ report: SourceReport, verdict: Finding.Verdict, code: String, message: String) {
    subject = report.source.shownURL
    self.verdict = verdict
    self.code = code
    self.message = message
  }

  private mutating func judge(_ report: SourceReport) {
    if let lack = ModemLack(report) { return conclude(.bad, lack.code, lack.rawValue, lack.next) }
    if let lack = GeoIPLack(report) { return conclude(.bad, lack.code, lack.rawValue, lack.next) }
    switch report.lastStatus {
    case .working where report.source.region != nil:
      conclude(
        .doubtful, "region",
        "\(report.source.region ?? ""), for requests that accept any position",
        "name a source of positions beside it")
    case .working where report.silence != nil: judgeScans(report)
    case .working: conclude(.good, "working", Self.working(report))
    case .idle: conclude(.doubtful, "idle", "nothing was asked of it", nil)
    case .searching: judgeSearch(report)
    case .unavailable(let reason):
      judge(reason, of: report.source)
      // Each adapter has a step of its own.
      if !report.evidence.adapters.isEmpty { next = nil }
    }
  }

  /// Sensors give no positions, so their status is no finding here.
  private mutating func judge(_ sensors: SensorEvidence, isRefusing: Bool) {
    let words = sensors.quantities.map(\.rawValue).joined(separator: " and ")
    let lack = sensors.compassFault.map { ", and there is no compass: \($0.text)" }
    conclude(isRefusing ? .doubtful : .good, "sensors", "it reports " + words + (lack ?? ""))
  }

  /// Radio is heard; positions come from what was learned of it.
  private mutating func judgeHearing(_ report: SourceReport) {
    let count = report.evidence.adapters.compactMap(\.stations).max() ?? 0
    conclude(
      .doubtful, "no_place_known",
      "\(count) access points are heard, and gave no position yet",
      "a place is learned where a satellite receiver gives good positions: name one, too")
  }

  mutating func conclude(
    _ verdict: Finding.Verdict, _ code: String, _ message: String, _ next: String? = nil
  ) {
    self.verdict = verdict
    self.code = code
    self.message = message
    self.next = next
  }

  static func working(_ report: SourceReport) -> String {
    let fixes = report.fixes == 1 ? "1 position" : "\(report.fixes) positions"
    let cells = report.evidence.cells.map { $0 == 1 ? ", 1 cell" : ", \($0) cells" } ?? ""
    let assistance =
      if case .given? = report.evidence.assistance { ", assistance data given" } else { "" }
    let satellites = report.evidence.satellites.map { ", " + words(for: $0) } ?? ""
    return fixes + cells + assistance + satellites
  }

  private static func words(for satellites: SatelliteSummary) -> String {
    let inView = satellites.inView.map { "\($0) satellites in view" }
    let used = satellites.used.map { "\($0) used" }
    return [inView, used].compactMap { $0 }.joined(separator: ", ")
  }

  // MARK: Open, and no position yet

  private mutating func judgeSearch(_ report: SourceReport) {
    let evidence = report.evidence
    let sky = evidence.satellites.map { " (" + Self.words(for: $0) + ")" } ?? ""
    let name = evidence.devices.isEmpty ? "the receiver" : evidence.devices.joined(separator: ", ")
    switch evidence.diagnosis {
    case .noPosition:
      conclude(
        .bad, "no_fix", "\(name) works and has no position yet\(sky)",
        "give the antenna a clear view of the sky; a cold start takes some minutes")
    case .noPositionSentences:
      conclude(
        .bad, "no_position_sentences", "sentences arrive, and none of them has a position",
        "switch GGA or RMC on in the receiver")
    case .noText, .noSentences: judgeGarbled(report.source, bytes: evidence.bytes)
    case .silent: judgeSilence(report.source, name)
    case .working, nil:
      conclude(
        .doubtful, "waiting", "no answer within the time", "wait longer: --timeout 60")
    }
  }

  /// Evaluates a source that receives transmitters, none of which leads to a position.
  private mutating func judgeScans(_ report: SourceReport) {
    let step =
      "the map is learned while a satellite receiver has the place, or: locationctl map import FILE"
    switch report.silence {
    case .areaOnly?: conclude(.doubtful, "cell_area", report.silence?.text ?? "", step)
    case .countryOnly?: conclude(.doubtful, "network_country", report.silence?.text ?? "", step)
    case .nothingHeard?:
      conclude(
        .doubtful, "nothing_received", report.silence?.text ?? "",
        "hidden networks, and those whose owners have opted out, are not used; elsewhere there may be "
          + "others")
    case .nothingKnown?, nil:
      conclude(.doubtful, "not_in_map", report.silence?.text ?? "", step)
    }
  }

  private mutating func judgeSilence(_ source: Source, _ name: String) {
    guard source.receiver.isGpsd else {
      return conclude(
        .bad, "silent", "it is open, and not a byte has come",
        "check the cable and the baud rate, and that the receiver is powered")
    }
    conclude(
      .bad, "silent", "gpsd runs, and \(name) sends nothing",
      "check the cable, then look at gpsd's own view: gpspipe -R -n 10, or cgps")
  }

  private mutating func judgeGarbled(_ source: Source, bytes: Int? = nil) {
    let amount = bytes.map { "\($0) bytes" } ?? "bytes"
    guard case .nmeaSerial(let path, let baud) = source.receiver else {
      return conclude(
        .bad, "garbled", "\(amount) came, and no NMEA sentence among them",
        "check that NMEA 0183 is spoken there; for gpsd write gpsd://HOST")
    }
    let others = [4800, 9600, 38_400, 115_200].filter { $0 != baud }.map(String.init)
    let example = "locationctl doctor --source 'nmea://\(path)?baud=\(others[0])'"
    conclude(
      .bad, "wrong_baud_rate",
      "\(amount) came at \(baud) baud, and no NMEA sentence among them: wrong baud rate, or a "
        + "binary protocol",
      "try \(others.joined(separator: ", ")): \(example)")
  }

  // MARK: Not to be had

  private mutating func judge(_ reason: ProviderStatus.Reason, of source: Source) {
    switch reason {
    case .unreachable(let text): judgeUnreachable(text, source)
    case .noNetwork(let text):
      conclude(.bad, "no_network", text, "see which network leads there: ip route get ADDRESS")
    case .noPermission(let text):
      if case .localGpsd(let port) = source.receiver {
        return conclude(
          .bad, "gpsd_not_believed", text,
          "find the program that listens: sudo ss -ltnp 'sport = :\(port)'; where it is your own gpsd, "
            + "name it: --source gpsd://localhost")
      }
      if case .wifi = source { return conclude(.bad, "no_permission", text) }
      conclude(.bad, "no_permission", text, Self.permissionStep(for: source))
    case .missing(let text):
      conclude(.bad, "missing", text, Self.missingStep(for: source))
    case .noDevice:
      conclude(
        .bad, "gpsd_no_device", reason.text,
        "add it to gpsd: sudo gpsdctl add /dev/ttyUSB0, or put it into DEVICES in /etc/default/gpsd"
      )
    case .garbled: judgeGarbled(source)
    case .malformed(let text):
      let step = if case .geoip = source { GeoIPLack.database } else { "mend the file" }
      conclude(.bad, "malformed", text, step)
    case .ended, .noPositions: conclude(.good, "\(reason)", reason.text, nil)
    }
  }

  private mutating func judgeUnreachable(_ text: String, _ source: Source) {
    let place: (host: String, port: UInt16)? =
      switch source {
      case .gpsd(let host, let port): (host, port)
      case .localGpsd(let port): ("localhost", port)
      default: nil
      }
    switch place {
    case (let host, let port)?:
      let start = "start it: sudo systemctl start gpsd.socket (Debian: apt install gpsd)"
      let isHere = ["localhost", "127.0.0.1", "::1"].contains(host)
      conclude(
        .bad, "gpsd_unreachable", "gpsd does not answer on port \(port): \(text)",
        isHere ? start : "check that gpsd runs on \(host) with -G, and that no firewall is between")
    case nil where source.isFile:
      conclude(.bad, "unreachable", text, "name a file, and check that it can be read")
    case nil:
      conclude(.bad, "unreachable", text, "check that the other side is there and listens")
    }
  }

  private static func permissionStep(for source: Source) -> String {
    let path = source.path ?? "the device"
    if case .geoip = source { return "let everybody read it: sudo chmod a+r \(path)" }
    let group = source.path.flatMap { Self.group(of: $0) } ?? "dialout"
    return "join the group of \(path): sudo usermod -aG \(group) $USER, then log in again"
  }

  /// The group that owns a file; `nil` when there is no such file.
  private static func group(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_gid != 0, let entry = getgrgid(status.st_gid) else {
      return nil
    }
    return entry.pointee.gr_name.map { String(cString: $0) }
  }

  private static func missingStep(for source: Source) -> String {
    switch source {
    case .nmeaSerial: "plug the receiver in, and look for its name: ls /dev/serial/by-id /dev/tty*"
    case .gpsd, .localGpsd, .ichnaea, .geosubmit, .nmeaTCP, .nmeaTLS, .nmeaUDP, .scans:
      "check the name of the host"
    case .bluez, .iio, .modem: howToName
    case .zone: "name the place of this computer: sudo timedatectl set-timezone Europe/Berlin"
    case .wifi: "see what the kernel has: ip link; a container or PrivateNetwork= hides it"
    case .nmeaUnix: "start the program that makes it (gnss-share), and check the path"
    case .gpx, .log, .fixed, .fixes: "check the path"
    case .geoip: "check the path; \(GeoIPLack.database)"
    case .resting(let receiver): missingStep(for: receiver)
    }
  }
}

extension Source {
  fileprivate var isGpsd: Bool {
    switch self {
    case .gpsd, .localGpsd: true
    default: false
    }
  }

  /// Whether it reads a file, and nothing that sends.
  fileprivate var isFile: Bool {
    if case .geoip = self { true } else { isRecording }
  }

  /// The region that it gives, as a last resort; `nil` for a source of positions.
  fileprivate var region: String? {
    switch self {
    case .zone: "the time zone"
    case .geoip: "GeoIP: where the database has the public address of this computer"
    default: nil
    }
  }

  /// The file or device it names; `nil` when it names none.
  fileprivate var path: String? {
    switch self {
    case .nmeaSerial(let path, _), .gpx(let path, _), .log(let path, _), .fixes(let path),
      .geoip(let path, _), .nmeaUnix(let path):
      path
    case .gpsd, .localGpsd, .nmeaTCP, .nmeaTLS, .nmeaUDP, .fixed, .scans, .bluez,
      .ichnaea, .geosubmit, .iio, .modem, .wifi, .zone:
      nil
    case .resting(let receiver): receiver.path
    }
  }
}
