import LocationCoding
import LocationLink
import LocationModel

// How a daemon stands, for programs.
extension StatusReport {
  var json: String {
    var line = JSONLine(type: "status")
    line.add("pid", Int(status.pid))
    line.add("since", status.since)
    line.add("socket", socket)
    line.add("state", status.state)
    line.add("launch", status.launch)
    line.add("services_enabled", flag: status.servicesEnabled)
    line.add("services_reason", status.servicesReason)
    line.add("not_stored", status.unstored)
    line.add("key", status.key)
    line.add("unread", status.unread)
    line.add("version", status.version)
    if let isReplaced = status.isReplaced { line.add("program_replaced", flag: isReplaced) }
    if let refused = status.refusedReload {
      var object = JSONLine(type: "refused_reload")
      object.add("since", refused.since)
      object.add("reason", refused.reason)
      line.add("refused_reload", object: object)
    }
    if let isSimulated = status.isSimulated { line.add("simulated", flag: isSimulated) }
    if let geoclue = status.geoclue { line.add("geoclue", object: Self.object(geoclue)) }
    if let gpsd = status.gpsd { line.add("gpsd", object: Self.object(gpsd)) }
    if let uplink = status.uplink { line.add("uplink", object: Self.object(uplink)) }
    line.add("demand", object: Self.object(status.demand))
    if let fix = status.lastFix { line.add("last_fix", object: Self.object(fix)) }
    line.add("sources", objects: status.sources.map { Self.object($0) })
    line.add("clients", objects: status.clients.map { Self.object($0) })
    if let agents = status.agents {
      line.add("agents", objects: agents.map { Self.object($0) })
    }
    observe(&line)
    return line.text
  }

  /// What is known of the moment, where there is anything.
  private func observe(_ line: inout JSONLine) {
    if let heading = status.heading { line.add("heading", object: HeadingReport(heading).object) }
    if let coarse = status.coarse { line.add("coarse", object: Self.object(coarse)) }
    if let beacons = status.beacons {
      line.add("beacons", objects: beacons.map { BeaconReport($0).json })
    }
    if let motion = status.motion { line.add("motion", object: Self.object(motion)) }
    if let visit = status.visit { line.add("visit", object: Self.object(visit)) }
    if let shares = status.shares { line.add("shares", objects: shares.map { Self.object($0) }) }
  }

  private static func object(_ demand: DemandStatus) -> JSONLine {
    var line = JSONLine(type: "demand")
    line.add("tier", demand.tier)
    line.add("interval", demand.interval.map { Double($0.wholeNanoseconds) * 1e-9 })
    line.add("motion", flag: demand.motion)
    line.add("beacons", flag: demand.beacons)
    line.add("magnetometer", flag: demand.magnetometer)
    return line
  }

  private static func object(_ share: ShareStatus) -> JSONLine {
    var line = JSONLine(type: "share")
    line.add("client", share.client)
    line.add("demand", object: object(share.demand))
    return line
  }

  private static func object(_ motion: MotionStatus) -> JSONLine {
    var line = JSONLine(type: "motion")
    line.add("activity", motion.activity)
    line.add("speed", motion.speed)
    line.add("doubting", flag: motion.isDoubting)
    return line
  }

  private static func object(_ visit: VisitStatus) -> JSONLine {
    var line = JSONLine(type: "visit")
    line.add("arrival", visit.arrival)
    line.add("horizontal_accuracy", visit.accuracy)
    line.add(visit.place)
    if let belief = visit.departure { line.add("departure", object: belief.object) }
    return line
  }

  private static func object(_ fix: OwnFixStatus) -> JSONLine {
    var line = JSONLine(type: "own_fix")
    line.add("date", fix.time)
    line.add("horizontal_accuracy", fix.accuracy)
    line.add("use", fix.use)
    line.add("reason", fix.reason)
    line.add(fix.place)
    return line
  }

  private static func object(_ satellite: Satellite) -> JSONLine {
    var line = JSONLine(type: "satellite")
    line.add("system", satellite.system.rawValue)
    line.add("number", satellite.number)
    line.add("elevation", satellite.elevation)
    line.add("azimuth", satellite.azimuth)
    line.add("signal", satellite.signal)
    line.add("used", flag: satellite.isUsed)
    return line
  }

  private static func object(_ fix: LastFix) -> JSONLine {
    var line = JSONLine(type: "fix")
    line.add("date", fix.time)
    line.add("horizontal_accuracy", fix.accuracy)
    line.add(fix.place)
    return line
  }

  private static func object(_ source: SourceStatus) -> JSONLine {
    var line = JSONLine(type: "source")
    line.add("url", source.url)
    line.add("status", source.status)
    line.add("reason", source.reason)
    line.add("fixes", source.fixes)
    line.add("rejected", source.rejected)
    line.add("transport", source.transport)
    if let fix = source.fix { line.add("own_fix", object: object(fix)) }
    if let satellites = source.satellites {
      line.add("satellites", objects: satellites.map { object($0) })
    }
    return line
  }

  private static func object(_ client: ClientStatus) -> JSONLine {
    var line = JSONLine(type: "client")
    line.add("app", client.app)
    line.add("program", client.program)
    line.add("pid", Int(client.pid))
    line.add("user", Int(client.user))
    line.add("since", client.since)
    line.add("services", texts: client.services)
    return line
  }

  private static func object(_ geoclue: GeoClueStatus) -> JSONLine {
    var line = JSONLine(type: "geoclue")
    line.add("state", geoclue.state)
    line.add("reason", geoclue.reason)
    return line
  }

  private static func object(_ gpsd: GpsdPortStatus) -> JSONLine {
    var line = JSONLine(type: "gpsd")
    line.add("port", gpsd.port)
    line.add("state", gpsd.state)
    line.add("reason", gpsd.reason)
    line.add("programs", gpsd.programs)
    line.add("closed", gpsd.closed)
    return line
  }

  private static func object(_ uplink: UplinkStatus) -> JSONLine {
    var line = JSONLine(type: "uplink")
    line.add("app", uplink.app)
    line.add("server", uplink.server)
    line.add("tenant", uplink.tenant)
    line.add("device", uplink.device)
    line.add("state", uplink.state)
    line.add("reason", uplink.reason)
    line.add("next", uplink.next)
    line.add("queued", uplink.queued)
    line.add("oldest", uplink.oldest)
    line.add("sent", uplink.sent)
    line.add("dropped", uplink.dropped)
    line.add("last_sent", uplink.lastSent)
    return line
  }

  private static func object(_ agent: AgentStatus) -> JSONLine {
    var line = JSONLine(type: "agent")
    line.add("name", agent.name)
    line.add("obstacle", agent.obstacle)
    return line
  }
}

extension BeliefStatus {
  var object: JSONLine {
    var line = JSONLine(type: "belief")
    line.add("towards", towards)
    line.add("probability", probability)
    line.add("threshold", threshold)
    line.add("since", since)
    line.add("fixes", fixes)
    line.add("earliest", earliest)
    return line
  }
}

extension JSONLine {
  /// A coordinate, if it is shown.
  mutating func add(_ place: Coordinate?) {
    add("latitude", place?.latitude)
    add("longitude", place?.longitude)
  }
}
