import LocationCoding
import LocationHost
import LocationLink
import LocationModel
import LocationProviders

extension Option {
  static let places = Option(
    name: "places", summary: "Also show coordinates, which are hidden otherwise")
}

extension Verb {
  private static let follow = Option(
    name: "follow", summary: "Show which apps use the location, now and as it changes")
  private static let timeout = Option.timeout("With --follow: stop after so many seconds")

  static let status = Verb(
    name: "status", summary: "Show what the location daemon is doing",
    details: [
      """
      Its sources, the programs that are connected and what they ask for, what the hardware is \
      asked for, and how old the last position is.
      """,
      """
      With --follow, the apps that use the location, those in the background with a mark, as the \
      indicator of the desktop shows them; whether one asks to calibrate the compass; and whether a \
      place is set from outside.
      """,
    ],
    options: [.places, follow, timeout, .json],
    examples: [
      "locationctl status", "sudo locationctl status --places", "locationctl status --follow",
    ],
    run: { invocation in
      let daemon = try RunningDaemon.needed()
      guard !invocation.has(follow) else {
        let isJSON = invocation.has(.json)
        return try daemon.follow(.followUse, "use", seconds: invocation.number(timeout)) {
          (status: UseStatus) in
          let report = UseReport(status: status)
          if isJSON { Output.standard.line(report.json) } else { report.print(to: .standard) }
          return true
        }
      }
      let status: DaemonStatus = try daemon.ask(
        .status(places: invocation.has(.places)), "status")
      let report = StatusReport(status: status, socket: daemon.socket)
      guard !invocation.has(.json) else { return Output.standard.line(report.json) }
      report.print(to: .standard)
    })
}

/// How a daemon stands, for people and for programs.
struct StatusReport {
  var status: DaemonStatus
  var socket: String

  // MARK: Text

  func print(to output: Output) {
    output.line("locationd, process \(status.pid), since \(status.since.plain) UTC")
    let services =
      status.servicesEnabled
      ? "on" : output.styled("off", .bad) + (status.servicesReason.map { " (\($0))" } ?? "")
    let state = status.state + (status.unstored.map { "; not stored: \($0)" } ?? "")
    for (name, text) in [
      ("socket", socket), ("state", state), ("key", key), ("launch", status.launch ?? ""),
      ("services", services),
      ("place", status.isSimulated == true ? "set from outside, in place of all sources" : ""),
      ("geoclue", status.geoclue.map { $0.reason.map { "not served: \($0)" } ?? "served" } ?? ""),
      ("gpsd port", Self.words(status.gpsd)),
      ("needed", status.demand.words), ("last fix", lastFix),
    ] where !text.isEmpty {
      output.line("  " + name + String(repeating: " ", count: 10 - name.count) + text)
    }
    output.line("")
    output.table(sources, whenEmpty: "no source")
    output.line("")
    output.table(clients, whenEmpty: "no client")
  }

  private static func words(_ gpsd: GpsdPortStatus?) -> String {
    guard let gpsd else { return "" }
    if let reason = gpsd.reason { return "not served: \(reason)" }
    let closed = gpsd.closed == 0 ? "" : ", \(gpsd.closed) closed by a bound"
    return "\(gpsd.port): \(gpsd.programs) connected\(closed); TCP does not say which programs"
  }

  private var key: String {
    (status.key ?? "") + (status.unread.map { "; \($0)" } ?? "")
  }

  private var lastFix: String {
    guard let fix = status.lastFix else { return "none" }
    let place = fix.place.map { " at \($0.latitude), \($0.longitude)" } ?? ""
    return "\(fix.time.age), within \(Int(fix.accuracy.rounded())) m\(place)"
  }

  private var sources: TextTable {
    var table = TextTable(
      ["SOURCE", "STATUS", "FIXES", "REJECTED", "NETWORK", "REASON"], numbers: [2, 3])
    for source in status.sources {
      table.add([
        source.url, source.status, "\(source.fixes)", "\(source.rejected)",
        Self.words(transport: source.transport), source.reason ?? "",
      ])
    }
    return table
  }

  private static func words(transport: String?) -> String {
    switch transport {
    case nil: "none"
    case "loopback": "this machine"
    case "tls": "encrypted, authenticated"
    default: "neither encrypted nor authenticated"
    }
  }

  private var clients: TextTable {
    var table = TextTable(["CLIENT", "PROCESS", "USER", "SINCE", "ASKS FOR"], numbers: [1, 2])
    for client in status.clients {
      table.add([
        client.app ?? client.program, "\(client.pid)", "\(client.user)", client.since.plain,
        client.services.isEmpty ? "nothing" : client.services.joined(separator: ", "),
      ])
    }
    return table
  }

  // MARK: JSON

  var json: String {
    var line = JSONLine(type: "status")
    line.add("pid", Int(status.pid))
    line.add("since", status.since.iso8601)
    line.add("socket", socket)
    line.add("state", status.state)
    line.add("launch", status.launch)
    line.add("services_enabled", flag: status.servicesEnabled)
    line.add("services_reason", status.servicesReason)
    line.add("not_stored", status.unstored)
    line.add("key", status.key)
    line.add("unread", status.unread)
    if let isSimulated = status.isSimulated { line.add("simulated", flag: isSimulated) }
    if let geoclue = status.geoclue { line.add("geoclue", object: Self.object(geoclue)) }
    if let gpsd = status.gpsd { line.add("gpsd", object: Self.object(gpsd)) }
    line.add("demand", object: demand)
    if let fix = status.lastFix { line.add("last_fix", object: Self.object(fix)) }
    line.add("sources", objects: status.sources.map { Self.object($0) })
    line.add("clients", objects: status.clients.map { Self.object($0) })
    if let agents = status.agents {
      line.add("agents", objects: agents.map { Self.object($0) })
    }
    return line.text
  }

  private var demand: JSONLine {
    var line = JSONLine(type: "demand")
    line.add("tier", status.demand.tier)
    line.add("interval", status.demand.interval.map { Double($0.wholeNanoseconds) * 1e-9 })
    line.add("motion", flag: status.demand.motion)
    line.add("beacons", flag: status.demand.beacons)
    line.add("magnetometer", flag: status.demand.magnetometer)
    return line
  }

  private static func object(_ fix: LastFix) -> JSONLine {
    var line = JSONLine(type: "fix")
    line.add("date", fix.time.iso8601)
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
    return line
  }

  private static func object(_ client: ClientStatus) -> JSONLine {
    var line = JSONLine(type: "client")
    line.add("app", client.app)
    line.add("program", client.program)
    line.add("pid", Int(client.pid))
    line.add("user", Int(client.user))
    line.add("since", client.since.iso8601)
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

  private static func object(_ agent: AgentStatus) -> JSONLine {
    var line = JSONLine(type: "agent")
    line.add("name", agent.name)
    line.add("obstacle", agent.obstacle)
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
