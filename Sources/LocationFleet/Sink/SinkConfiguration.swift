internal import LocationCoding
internal import LocationModel
internal import LocationProviders

/// Where events go.
package enum SinkKind: String, CaseIterable, Sendable {
  case webhook
  case postgis
  case mqtt
  case nats
}

/// The settings of a fleet's sinks; they stand in the file of the fleet, beside those of its workers and its
/// ingress.
package struct SinkConfiguration: Hashable, Sendable {
  package struct Webhook: Hashable, Sendable {
    package var url: String?
    /// The file of the secret.
    package var secret: String?
    package var authorities: String?
    package var parallel = 8
    /// Seconds.
    package var timeout = 15
  }

  package struct PostGIS: Hashable, Sendable {
    /// As libpq takes it: words `key=value`.
    package var connection: String?
    package var table = "fleet_events"
  }

  package struct MQTT: Hashable, Sendable {
    package var broker: BrokerAddress?
    package var user: String?
    /// The file of the password.
    package var password: String?
    package var authorities: String?
  }

  package struct NATS: Hashable, Sendable {
    package var access = BrokerAccess(prefix: "nats-out")
    /// With what the subjects of events begin.
    package var subject = "fleet"
  }

  /// The settings that workers and ingresses have, too.
  package var ingress: IngressConfiguration
  package var webhook = Webhook()
  package var postgis = PostGIS()
  package var mqtt = MQTT()
  package var nats = NATS()
  /// Seconds for which an event is tried while others are taken.
  package var giveUp = 3600
  /// The tenants whose events are handed on; `nil` for all.
  package var tenants: Set<ExactName>?
  /// Ports of the loopback at which the figures are served.
  package var ports: [SinkKind: Int] = [:]

  package static let keys =
    [
      "webhook", "webhook-secret", "webhook-authorities", "webhook-parallel", "webhook-timeout",
      "webhook-figures", "postgis", "postgis-table", "postgis-figures", "mqtt-out", "mqtt-out-user",
      "mqtt-out-password", "mqtt-out-authorities", "mqtt-out-figures",
    ] + ways + ["nats-out-subject", "nats-out-figures", "give-up", "sink-tenant"]

  /// The settings of the way to another server of NATS.
  private static let ways = BrokerAccess.keys.map { NATS().access.name(of: $0) }

  /// Reads a file, and reports every fault in it.
  package init(_ text: String, _ faults: inout [FleetConfiguration.Fault]) {
    let text = KeyValueLines.plain(text)
    var (own, rest): ([Substring], [Substring]) = ([], [])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let key = line.prefix { $0 != "=" && $0 != "#" }.split(whereSeparator: \.isWhitespace)
      let isOwn = key.count == 1 && Self.keys.contains(String(key[0]))
      own.append(isOwn ? line : "")
      rest.append(isOwn ? "" : line)
    }
    ingress = IngressConfiguration(rest.joined(separator: "\n"), &faults)
    faults += KeyValueLines.read(own.joined(separator: "\n")) { take($0, $1) }
      .map { FleetConfiguration.Fault(line: $0.line, cause: $0.cause) }
    faults += Self.repeated(in: text)
    faults += nats.access.faults.map { FleetConfiguration.Fault(line: 0, cause: $0) }
    faults.sort { $0.line < $1.line }
  }

  /// What is missing for a sink; `nil` where it can begin.
  package func missing(_ kind: SinkKind) -> String? {
    switch kind {
    case .webhook where webhook.url == nil: "no `webhook`"
    case .webhook where webhook.secret == nil: "no `webhook-secret`"
    case .postgis where postgis.connection == nil: "no `postgis`"
    case .mqtt where mqtt.broker == nil: "no `mqtt-out`"
    case .mqtt where (mqtt.user == nil) != (mqtt.password == nil):
      "`mqtt-out-user` or `mqtt-out-password` without the other"
    case .nats where nats.access.servers.isEmpty: "no `nats-out`"
    default: nil
    }
  }

  /// How a sink of a kind hands on.
  package func settings(_ kind: SinkKind) -> Sink.Settings {
    var settings = Sink.Settings()
    settings.partitions = ingress.fleet.worker.partitions
    settings.lease = ingress.fleet.worker.lease
    settings.queue.giveUp = .seconds(giveUp)
    settings.tenants = tenants
    settings.queue.window = max(Self.mostOpen / settings.partitions, 256)
    switch kind {
    case .webhook: settings.queue.parallel = webhook.parallel
    case .postgis: (settings.queue.batch, settings.queue.parallel) = (500, 1)
    case .mqtt:
      settings.queue.parallel = 64
      settings.kinds = OwnTracksTransition.kinds
    case .nats: settings.queue.parallel = 64
    }
    return settings
  }

  /// Events of all partitions that are open at once, in about 1.5 kB each.
  private static let mostOpen = 32_768
}

// MARK: - Reading

extension SinkConfiguration {
  /// Applies a setting and returns what is wrong with it, or `nil`.
  private mutating func take(_ key: String, _ value: String) -> String? {
    switch key {
    case "webhook":
      if let fault = WebServer(value).placeFault { return "`webhook` \(fault)" }
      guard WebServer(value).isPrivate, !value.contains(where: \.isWhitespace),
        !value.contains("#")
      else { return "`webhook` must be https://HOST/…, or http:// within this machine" }
      webhook.url = value
      return nil
    case "webhook-secret": return SettingValue.path(&webhook.secret, value, key)
    case "webhook-authorities": return SettingValue.path(&webhook.authorities, value, key)
    case "webhook-parallel": return SettingValue.number(&webhook.parallel, value, in: 1...64, key)
    case "webhook-timeout": return SettingValue.number(&webhook.timeout, value, in: 1...60, key)
    case "webhook-figures": return SettingValue.number(&ports[.webhook], value, in: 1...65_535, key)
    case "postgis": return takeConnection(value)
    case "postgis-table":
      guard PostGISTable.isName(value) else {
        return "`postgis-table` must be NAME or SCHEMA.NAME: 53 of a to z, 0 to 9, and _ at most"
      }
      postgis.table = value
      return nil
    case "postgis-figures": return SettingValue.number(&ports[.postgis], value, in: 1...65_535, key)
    case "mqtt-out":
      guard let address = BrokerAddress(value) else {
        return "`mqtt-out` must be mqtts://HOST[:PORT], or mqtt:// within this machine"
      }
      mqtt.broker = address
      return nil
    case "mqtt-out-user":
      guard value.utf8.count <= 255 else { return "`mqtt-out-user` has more than 255 bytes" }
      mqtt.user = value
      return nil
    case "mqtt-out-password": return SettingValue.path(&mqtt.password, value, key)
    case "mqtt-out-authorities": return SettingValue.path(&mqtt.authorities, value, key)
    case "mqtt-out-figures": return SettingValue.number(&ports[.mqtt], value, in: 1...65_535, key)
    case "nats-out-subject":
      guard NATSPublication.isPrefix(value) else {
        return "`nats-out-subject` must be 1 to 8 parts of letters, digits, -, and _ with dots "
          + "between, and not begin with _ or \(NATSPublication.own.joined(separator: ", "))"
      }
      nats.subject = value
      return nil
    case "nats-out-figures": return SettingValue.number(&ports[.nats], value, in: 1...65_535, key)
    case _ where Self.ways.contains(key): return nats.access.take(key, value)
    case "sink-tenant": return takeTenant(value)
    default: return SettingValue.number(&giveUp, value, in: 1...604_800, key)
    }
  }

  /// `-` is no tenant, as in the file of accounts.
  private mutating func takeTenant(_ value: String) -> String? {
    guard let name = value == "-" ? "" : FleetAddress.name(value),
      value == "-" || FleetLine.isName(name)
    else {
      return "`sink-tenant` must be a name, other bytes than letters, digits, and `-` escaped, or "
        + "- for no tenant"
    }
    guard (tenants?.count ?? 0) < Self.mostTenants else {
      return "more than \(Self.mostTenants) tenants"
    }
    guard tenants?.contains(ExactName(name)) != true else { return "this tenant is there already" }
    tenants = (tenants ?? []).union([ExactName(name)])
    return nil
  }

  /// What a sink remembers of itself each second names them.
  private static let mostTenants = 256

  /// What goes to another computer goes encrypted, to one whose certificate is checked.
  private mutating func takeConnection(_ value: String) -> String? {
    var words: [Substring: Substring] = [:]
    for word in value.split(whereSeparator: \.isWhitespace) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !word.contains("'"), !word.contains("\\") else {
        return "`postgis` must be words KEY=VALUE without quotes, as libpq takes them"
      }
      guard !parts[1].isEmpty, parts[0].allSatisfy({ $0.isLetter || $0 == "_" }) else {
        return "`postgis` must have no empty value: \(parts[0])"
      }
      guard parts[0] != "service", !(parts[0].hasPrefix("host") && parts[1].contains(",")) else {
        return "`postgis` must name one host, and no service"
      }
      guard parts[0] != "password" else {
        return "`postgis` must have no password: name a passfile=PATH"
      }
      words[parts[0]] = parts[1]
    }
    // Without one libpq would ask the environment.
    guard let host = words["hostaddr"] ?? words["host"] else {
      return "`postgis` must have host=, a folder of a socket (/run/postgresql) or a name"
    }
    let isHere =
      host.hasPrefix("/")
      || WebServer("http://\(host.contains(":") ? "[\(host)]" : String(host))").isPrivate
    guard isHere || words["sslmode"] == "verify-full" else {
      return "`postgis` must have sslmode=verify-full for another computer"
    }
    if let port = words["port"], !(Int(port).map { (1...65_535).contains($0) } ?? false) {
      return "`postgis` must have a port from 1 to 65535, not \(port)"
    }
    postgis.connection = value
    return nil
  }
}

/// Where a broker of MQTT is.
package struct BrokerAddress: Hashable, Sendable {
  package var host: String
  package var port: Int
  package var isEncrypted: Bool

  package init?(_ text: String) {
    isEncrypted = text.hasPrefix("mqtts://")
    guard isEncrypted || text.hasPrefix("mqtt://") else { return nil }
    let place = text.drop { $0 != "/" }.dropFirst(2)
    // Where a server of the web may be without TLS, a broker may be as well.
    guard WebServer("\(isEncrypted ? "https" : "http")://\(place)").isPrivate,
      !place.contains(where: { $0.isWhitespace || "/?#@".contains($0) })
    else { return nil }
    var (name, digits) = (place, Substring(isEncrypted ? "8883" : "1883"))
    if place.hasPrefix("[") {
      guard let end = place.firstIndex(of: "]") else { return nil }
      let rest = place[place.index(after: end)...]
      name = place[..<end].dropFirst()
      if !rest.isEmpty { digits = rest.dropFirst() }
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
    } else if let colon = place.firstIndex(of: ":") {
      (name, digits) = (place[..<colon], place[place.index(after: colon)...])
    }
    guard !name.isEmpty, let port = Int(digits), (1...65_535).contains(port) else { return nil }
    (host, self.port) = (String(name), port)
  }
}
