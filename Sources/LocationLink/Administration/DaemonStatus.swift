package import LocationCoding
package import LocationModel

/// The state of a daemon: the reply of `GetStatus`.
package struct DaemonStatus: Hashable, Sendable {
  package var pid: Int32
  /// The time at which it began to serve.
  package var since: UnixTime
  /// The folder of its state.
  package var state: String
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

extension DaemonStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      pid: try json.get("pid"), since: try json.get("since"), state: try json.get("state"))
    servicesEnabled = try json.get("servicesEnabled")
    servicesReason = try json.find("servicesReason")
    unstored = try json.find("unstored")
    sources = try json.get("sources")
    clients = try json.get("clients")
    agents = try json.find("agents")
    programs = try json.find("programs")
    demand = try json.get("demand")
    lastFix = try json.find("lastFix")
  }

  package var json: JSON {
    .fields([
      "pid": pid.json, "since": since.json, "state": state.json,
      "servicesEnabled": servicesEnabled.json, "servicesReason": servicesReason?.json,
      "unstored": unstored?.json, "sources": sources.json, "clients": clients.json,
      "agents": agents?.json, "programs": programs?.json, "demand": demand.json,
      "lastFix": lastFix?.json,
    ])
  }
}

extension SourceStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      url: try json.get("url"), status: try json.get("status"), reason: try json.find("reason"),
      fixes: try json.get("fixes"), rejected: try json.get("rejected"))
  }

  package var json: JSON {
    .fields([
      "url": url.json, "status": status.json, "reason": reason?.json, "fixes": fixes.json,
      "rejected": rejected.json,
    ])
  }
}

extension ClientStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      program: try json.get("program"), pid: try json.get("pid"), user: try json.get("user"),
      since: try json.get("since"))
    app = try json.find("app")
    services = try json.find("services") ?? []
  }

  package var json: JSON {
    .fields([
      "app": app?.json, "program": program.json, "pid": pid.json, "user": user.json,
      "since": since.json, "services": services.json,
    ])
  }
}

extension AgentStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(name: try json.get("name"), obstacle: try json.find("obstacle"))
  }

  package var json: JSON { .fields(["name": name.json, "obstacle": obstacle?.json]) }
}

extension TrustedProgramStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      path: try json.get("path"), role: try json.get("role"), obstacle: try json.find("obstacle"),
      mend: try json.find("mend"))
  }

  package var json: JSON {
    .fields([
      "path": path.json, "role": role.json, "obstacle": obstacle?.json, "mend": mend?.json,
    ])
  }
}

extension DemandStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init()
    tier = try json.find("tier")
    interval = try json.find("interval")
    motion = try json.find("motion") ?? false
    beacons = try json.find("beacons") ?? false
    magnetometer = try json.find("magnetometer") ?? false
  }

  package var json: JSON {
    .fields([
      "tier": tier?.json, "interval": interval?.json, "motion": motion.json,
      "beacons": beacons.json, "magnetometer": magnetometer.json,
    ])
  }
}

extension LastFix: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      time: try json.get("time"), accuracy: try json.get("accuracy"), place: try json.find("place"))
  }

  package var json: JSON {
    .fields(["time": time.json, "accuracy": accuracy.json, "place": place?.json])
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
