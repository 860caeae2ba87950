import LocationHost
import LocationLink
import LocationModel

/// How a daemon stands, for people.
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
    let facts: [(name: String, text: String)] = [
      ("socket", socket), ("version", version), ("config", config), ("state", state), ("key", key),
      ("launch", status.launch ?? ""),
      ("services", services),
      ("place", place),
      ("geoclue", geoclue), ("gpsd port", gpsd), ("uplink", status.uplink?.words ?? ""),
      ("needed", status.demand.words), ("last fix", lastFix), ("coarse", coarse),
      ("heading", status.heading?.words ?? ""), ("motion", status.motion?.words ?? ""),
      ("visit", status.visit?.words ?? ""),
    ]
    for (name, text) in facts where !text.isEmpty {
      output.line("  " + name + String(repeating: " ", count: 10 - name.count) + text)
    }
    output.line("")
    output.table(sources, whenEmpty: "no source")
    if let sky { output.next(sky) }
    if let beacons { output.next(beacons) }
    output.line("")
    output.table(clients, whenEmpty: "no client")
    if let shares = status.shareTable { output.next(shares) }
  }

  private var version: String {
    status.outdated.map { "\($0); next: \(RunningDaemon.restart(at: socket))" } ?? ""
  }

  private var config: String {
    guard let refused = status.refusedReload else { return "" }
    return "the former one is in force; refused since \(refused.since.plain) UTC: \(refused.words)"
  }

  private var place: String {
    status.isSimulated == true ? "set from outside, in place of all sources" : ""
  }

  private var geoclue: String {
    guard let geoclue = status.geoclue else { return "" }
    return geoclue.reason.map { "not served: \($0)" } ?? "served"
  }

  private var gpsd: String {
    guard let gpsd = status.gpsd else { return "" }
    if let reason = gpsd.reason { return "not served: \(reason)" }
    let closed = gpsd.closed == 0 ? "" : ", \(gpsd.closed) closed by a bound"
    return "\(gpsd.port): \(gpsd.programs) connected\(closed); TCP does not say which programs"
  }

  private var key: String {
    (status.key ?? "") + (status.unread.map { "; \($0)" } ?? "")
  }

  private var lastFix: String {
    guard let fix = status.lastFix else { return "none" }
    let place = fix.place.map { " at \($0.words)" } ?? ""
    return "\(fix.time.age), within \(Int(fix.accuracy.rounded())) m\(place)"
  }

  private var sources: TextTable {
    var table = TextTable(
      ["SOURCE", "STATUS", "FIXES", "REJECTED", "NETWORK", "OWN FIX", "REASON"], numbers: [2, 3])
    let now = HostClock.now.unixTime
    for source in status.sources {
      let reason = source.reason ?? source.wrongDate(since: status.since, at: now)?.words
      table.add([
        source.url, source.status, "\(source.fixes)", "\(source.rejected)",
        Self.words(transport: source.transport), source.fix?.words ?? "none", reason ?? "",
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

  private var coarse: String {
    guard let coarse = status.coarse else { return "" }
    let place = coarse.place.map { " around \($0.words)" } ?? ""
    return "within \(Int(coarse.accuracy.rounded())) m\(place), for apps with reduced accuracy"
  }

  /// The satellites of all receivers; `nil` without any.
  private var sky: TextTable? {
    var table = TextTable(
      ["SATELLITE", "ELEVATION", "AZIMUTH", "SIGNAL", "IN USE"], numbers: [1, 2, 3])
    let satellites = status.sources.flatMap { $0.satellites ?? [] }
    for satellite in satellites { table.add(satellite.words) }
    return satellites.isEmpty ? nil : table
  }

  private var beacons: TextTable? {
    guard let beacons = status.beacons, !beacons.isEmpty else { return nil }
    var table = TextTable(
      ["BEACON", "MAJOR", "MINOR", "PROXIMITY", "METERS", "DBM"], numbers: [1, 2, 4, 5])
    for beacon in beacons {
      table.add([
        beacon.identity.uuid.description, "\(beacon.identity.major)", "\(beacon.identity.minor)",
        "\(beacon.proximity)", beacon.accuracy.map { "\(($0 * 10).rounded() / 10)" } ?? "",
        beacon.rssi.map { "\($0)" } ?? "",
      ])
    }
    return table
  }

}

extension DaemonStatus {
  /// What each service needs of the hardware; `nil` where none needs anything.
  var shareTable: TextTable? {
    guard let shares, !shares.isEmpty else { return nil }
    var table = TextTable(["SERVICE", "NEEDS"])
    for share in shares { table.add([share.client, share.demand.words]) }
    return table
  }
}

extension Output {
  /// Writes a table after an empty line.
  fileprivate func next(_ table: TextTable) {
    line("")
    self.table(table, whenEmpty: "")
  }
}

extension UplinkStatus {
  /// The text for a person.
  var words: String {
    let oldest = oldest.map { ", the oldest \($0.age)" } ?? ""
    let dropped = dropped == 0 ? "" : ", \(dropped) dropped"
    return "\(server) as \(device): \(reason ?? "well"); "
      + "\(sent) sent, \(queued) wait\(oldest)\(dropped)"
  }
}
