package import LocationCoding
package import LocationModel

/// The state of a daemon: the reply of `GetStatus`.
package struct DaemonStatus: Hashable, Sendable {
  package var pid: Int32
  /// The time at which it began to serve.
  package var since: UnixTime
  /// The folder of its state.
  package var state: String
  /// The folder of the owner's launch registrations; `nil` from an older daemon.
  package var launch: String?
  package var servicesEnabled: Bool
  /// Why location services are off, if no person has switched them off.
  package var servicesReason: String?
  /// Why the last changes are not stored yet; `nil` if all are stored.
  package var unstored: String?
  package var sources: [SourceStatus]
  package var clients: [ClientStatus]
  /// The agents in the order in which they are asked; `nil` from an older daemon.
  package var agents: [AgentStatus]?
  /// Programs that are registered to answer or to administer; `nil` from an older daemon.
  package var programs: [TrustedProgramStatus]?
  package var demand: DemandStatus
  /// The last fix; `nil` if there is none, or it was forgotten.
  package var lastFix: LastFix?
  /// Whether a place is set from outside (SIM-15); `nil` from an older daemon.
  package var isSimulated: Bool?
  /// Whether programs that ask GeoClue are served; `nil` where the configuration does not want that,
  /// and from an older daemon.
  package var geoclue: GeoClueStatus?
  /// The port of gpsd's programs; `nil` where the configuration names none, and from an older daemon.
  package var gpsd: GpsdPortStatus?
  /// What goes to the ingress of a fleet; `nil` where the configuration names none, and from an older daemon.
  package var uplink: UplinkStatus?
  /// Where the key of the state is from; `nil` while it is kept in memory only, and from an older
  /// daemon.
  package var key: String?
  /// How many rows of the state do not open, and why; `nil` if all do.
  package var unread: String?
  /// The version of the daemon; `nil` from an older daemon.
  package var version: String?
  /// Whether the file of its program was replaced, or removed, since it began; `nil` from an older daemon.
  package var isReplaced: Bool?
  /// Why the configuration on disk is not in force; `nil` if it is, and from an older daemon.
  package var refusedReload: RefusedReload?
  /// The newest heading that an app has; `nil` without one, and from an older daemon, as all that follow.
  package var heading: Heading?
  /// The middle of the cell that apps with reduced accuracy know.
  package var coarse: LastFix?
  /// The beacons that apps range; only with places.
  package var beacons: [RangedBeacon]?
  /// `nil` while nothing needs to know.
  package var motion: MotionStatus?
  /// `nil` while no app asks for visits, and while none lasts.
  package var visit: VisitStatus?
  /// The services that need something of the hardware.
  package var shares: [ShareStatus]?

  package init(pid: Int32, since: UnixTime, state: String) {
    self.pid = pid
    self.since = since
    self.state = state
    servicesEnabled = true
    (sources, clients, demand) = ([], [], DemandStatus())
  }
}

/// One source of a daemon.
package struct SourceStatus: Hashable, Sendable {
  package var url: String
  /// `idle`, `searching`, `working`, or `unavailable`.
  package var status: String
  /// Why it gives no fixes; `nil` if nothing is wrong.
  package var reason: String?
  package var fixes: Int
  /// The number of rejected inputs.
  package var rejected: Int
  /// How it is protected on its way over a network: `loopback`, `tls`, or `plain`; `nil` if it comes over none.
  package var transport: String?
  /// `nil` until it gave one, while a place is set from outside, and from an older daemon.
  package var fix: OwnFixStatus?
  /// What its receiver saw last; `nil` where it names none, and from an older daemon.
  package var satellites: [Satellite]?

  package init(url: String, status: String, reason: String?, fixes: Int, rejected: Int) {
    self.url = url
    self.status = status
    self.reason = reason
    self.fixes = fixes
    self.rejected = rejected
  }
}

/// One process that is connected.
package struct ClientStatus: Hashable, Sendable {
  /// The app; `nil` for a process that has sent no request yet.
  package var app: String?
  package var program: String
  package var pid: Int32
  package var user: UInt32
  package var since: UnixTime
  /// The services that it uses now.
  package var services: [String]

  package init(program: String, pid: Int32, user: UInt32, since: UnixTime) {
    self.program = program
    self.pid = pid
    self.user = user
    self.since = since
    services = []
  }
}

/// An agent that asks a person, or a policy.
package struct AgentStatus: Hashable, Sendable {
  /// The name in the configuration, such as `policy:/etc/meridian/policy`.
  package var name: String
  /// Why it can ask no person now; `nil` if it seems to work.
  package var obstacle: String?

  package init(name: String, obstacle: String?) {
    self.name = name
    self.obstacle = obstacle
  }
}

/// Whether the name of GeoClue on the bus is the daemon's.
package struct GeoClueStatus: Hashable, Sendable {
  /// `serving`, `taken` by another program, or `refused`.
  package var state: String
  /// Why no program is served; `nil` if they are.
  package var reason: String?

  package init(state: String, reason: String?) {
    (self.state, self.reason) = (state, reason)
  }
}

/// That a daemon was to read its configuration again, and goes on with the former one (ADMIN-11).
package struct RefusedReload: Hashable, Sendable {
  /// When it was refused first since the daemon began.
  package var since: UnixTime
  /// The faults at the last time, with file and line; a line each.
  package var reason: String

  package init(since: UnixTime, reason: String) {
    (self.since, self.reason) = (since, reason)
  }

  /// The reason as one line.
  package var words: String {
    let faults = reason.split(separator: "\n")
    let others = faults.count > Self.shown ? ", and \(faults.count - Self.shown) more faults" : ""
    return faults.prefix(Self.shown).joined(separator: "; ") + others
  }

  /// The faults in a line for a person; `locationd --check` has all.
  private static let shown = 3
}

/// The port at which programs that know gpsd alone are served (SERVE-8).
package struct GpsdPortStatus: Hashable, Sendable {
  package var port: Int
  /// `serving`, `taken` by another program, or `refused` by the system.
  package var state: String
  /// Why no program is served; `nil` if they are.
  package var reason: String?
  /// The number of programs that are connected; nobody can say which they are.
  package var programs = 0
  /// The number of connections that a bound has closed.
  package var closed = 0

  package init(port: Int, state: String, reason: String?) {
    (self.port, self.state, self.reason) = (port, state, reason)
  }
}

/// A program that is registered to answer for a person, or to administer.
package struct TrustedProgramStatus: Hashable, Sendable {
  package var path: String
  /// `agent` or `owner`.
  package var role: String
  /// Why it is not trusted; `nil` if it is.
  package var obstacle: String?
  /// The command that corrects it; `nil` if there is none.
  package var mend: String?

  package init(path: String, role: String, obstacle: String?, mend: String?) {
    (self.path, self.role, self.obstacle, self.mend) = (path, role, obstacle, mend)
  }

  /// Why it is not trusted and how to correct it, in a line; `nil` if it is trusted.
  package var fault: String? {
    obstacle.map { "\(role)-program: \($0)" + (mend.map { "; mend it with: \($0)" } ?? "") }
  }
}

/// What all subscribers together need of the hardware.
package struct DemandStatus: Hashable, Sendable {
  /// The name of the tier; `nil` while no subscriber needs positions.
  package var tier: String?
  /// The longest acceptable time between two positions.
  package var interval: Duration?
  package var motion = false
  package var beacons = false
  package var magnetometer = false

  package init() {}
}

/// The last fix; its place only in replies to requests for places.
package struct LastFix: Hashable, Sendable {
  package var time: UnixTime
  /// Horizontal accuracy in meters, at 68 %.
  package var accuracy: Double
  package var place: Coordinate?

  package init(time: UnixTime, accuracy: Double, place: Coordinate?) {
    self.time = time
    self.accuracy = accuracy
    self.place = place
  }
}

extension DaemonStatus: JSONStructure {
  package static let fields = JSONFields(
    DaemonStatus(pid: 0, since: .blank, state: ""),
    .get("pid", \.pid), .get("since", \.since), .get("state", \.state),
    .find("launch", \.launch),
    .get("servicesEnabled", \.servicesEnabled), .find("servicesReason", \.servicesReason),
    .find("unstored", \.unstored), .get("sources", \.sources), .get("clients", \.clients),
    .find("agents", \.agents), .find("programs", \.programs), .get("demand", \.demand),
    .find("lastFix", \.lastFix), .find("simulated", \.isSimulated), .find("geoclue", \.geoclue),
    .find("gpsd", \.gpsd), .find("uplink", \.uplink), .find("key", \.key),
    .find("unread", \.unread), .find("refusedReload", \.refusedReload),
    .find("version", \.version), .find("replaced", \.isReplaced),
    .find("heading", \.heading), .find("coarse", \.coarse), .find("beacons", \.beacons),
    .find("motion", \.motion), .find("visit", \.visit), .find("shares", \.shares))
}

extension RefusedReload: JSONStructure {
  package static let fields = JSONFields(
    RefusedReload(since: .blank, reason: ""), .get("since", \.since), .get("reason", \.reason))
}

extension GpsdPortStatus: JSONStructure {
  package static let fields = JSONFields(
    GpsdPortStatus(port: 0, state: "", reason: nil), .get("port", \.port), .get("state", \.state),
    .find("reason", \.reason), .get("programs", \.programs), .get("closed", \.closed))
}

extension GeoClueStatus: JSONStructure {
  package static let fields = JSONFields(
    GeoClueStatus(state: "", reason: nil), .get("state", \.state), .find("reason", \.reason))
}

extension SourceStatus: JSONStructure {
  package static let fields = JSONFields(
    SourceStatus(url: "", status: "", reason: nil, fixes: 0, rejected: 0),
    .get("url", \.url), .get("status", \.status), .find("reason", \.reason),
    .get("fixes", \.fixes), .get("rejected", \.rejected), .find("transport", \.transport),
    .find("fix", \.fix), .find("satellites", \.satellites))
}

extension ClientStatus: JSONStructure {
  package static let fields = JSONFields(
    ClientStatus(program: "", pid: 0, user: 0, since: .blank),
    .find("app", \.app), .get("program", \.program), .get("pid", \.pid), .get("user", \.user),
    .get("since", \.since), .find("services", \.services))
}

extension AgentStatus: JSONStructure {
  package static let fields = JSONFields(
    AgentStatus(name: "", obstacle: nil), .get("name", \.name), .find("obstacle", \.obstacle))
}

extension TrustedProgramStatus: JSONStructure {
  package static let fields = JSONFields(
    TrustedProgramStatus(path: "", role: "", obstacle: nil, mend: nil),
    .get("path", \.path), .get("role", \.role), .find("obstacle", \.obstacle),
    .find("mend", \.mend))
}

extension DemandStatus: JSONStructure {
  package static let fields = JSONFields(
    DemandStatus(), .find("tier", \.tier), .find("interval", \.interval),
    .find("motion", \.motion), .find("beacons", \.beacons),
    .find("magnetometer", \.magnetometer))
}

extension LastFix: JSONStructure {
  package static let fields = JSONFields(
    LastFix(time: .blank, accuracy: 0, place: nil),
    .get("time", \.time), .get("accuracy", \.accuracy), .find("place", \.place))
}

extension DaemonStatus {
  /// That another program than the installed one runs; `nil` where it is the same, as far as that is known.
  package var outdated: String? {
    if let version, version != Release.version {
      return "it runs version \(version), and this is \(Release.version)"
    }
    return isReplaced == true
      ? "its program was replaced since it began, and the former one runs" : nil
  }
}

extension DemandStatus {
  /// The text for a person.
  package var words: String {
    var parts: [String] = []
    if let tier {
      let seconds = Double(interval?.wholeNanoseconds ?? 0) * 1e-9
      parts.append(seconds > 0 ? "\(tier), every \(Int(seconds.rounded())) s" : tier)
    }
    if motion { parts.append("motion") }
    if beacons { parts.append("beacons") }
    if magnetometer { parts.append("compass") }
    return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
  }
}
