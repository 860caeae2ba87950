internal import LocationCoding

/// The settings of a fleet's ingress; they stand in the file of the fleet, beside those of its workers.
package struct IngressConfiguration: Hashable, Sendable {
  /// The settings that workers have, too.
  package var fleet: FleetConfiguration
  /// The address at which devices are heard, and its ports; `nil` for none.
  package var address = "127.0.0.1"
  package var mqttPort, httpPort: Int?
  package var security = IngressSecurity()
  /// The file of the accounts.
  package var accounts: String?
  package var mostConnections = 10_000
  /// What tenants and their devices may send, and how long what is kept.
  package var tenants = TenantLimits()
  /// Seconds after which what a stream has not acknowledged counts as not kept.
  package var acknowledgeWithin = 5
  /// The port of the loopback at which the figures are served; `nil` for none.
  package var port: Int?

  package static let keys =
    [
      "listen", "mqtt-port", "http-port", "ingress-certificate", "ingress-certificate-key",
      "device-authorities", "without-tls", "accounts", "connections", "acknowledge-within",
      "ingress-port",
    ] + TenantLimits.keys

  /// Reads a file, and reports every fault in it.
  package init(_ text: String, _ faults: inout [FleetConfiguration.Fault]) {
    var (own, rest): ([Substring], [Substring]) = ([], [])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let key = line.prefix { $0 != "=" && $0 != "#" }.split(whereSeparator: \.isWhitespace)
      let isOwn = key.count == 1 && Self.keys.contains(String(key[0]))
      own.append(isOwn ? line : "")
      rest.append(isOwn ? "" : line)
    }
    fleet = FleetConfiguration(rest.joined(separator: "\n"), &faults)
    faults += KeyValueLines.read(own.joined(separator: "\n")) { take($0, $1) }
      .map { FleetConfiguration.Fault(line: $0.line, cause: $0.cause) }
    // What is said of tenants concerns workers, too.
    let bounds = fleet.worker.partition.fleet.clockBounds
    fleet.worker.partition.fleet.clockBounds = tenants.clockBounds(bounds.usual)
    for cause in security.faults(at: address) {
      faults.append(FleetConfiguration.Fault(line: 0, cause: cause))
    }
    faults.sort { $0.line < $1.line }
  }

  /// What is missing for an ingress; `nil` where it can begin.
  package var missing: String? {
    guard mqttPort != nil || httpPort != nil else { return "neither `mqtt-port` nor `http-port`" }
    let isKnown = accounts != nil || security.authorities != nil
    return isKnown ? nil : "no `accounts`, and no `device-authorities`"
  }

  private mutating func take(_ key: String, _ value: String) -> String? {
    if TenantLimits.keys.contains(key) { return tenants.take(key, value) }
    switch key {
    case "mqtt-port": return SettingValue.number(&mqttPort, value, in: 1...65_535, key)
    case "http-port": return SettingValue.number(&httpPort, value, in: 1...65_535, key)
    case "ingress-port": return SettingValue.number(&port, value, in: 1...65_535, key)
    case "acknowledge-within":
      return SettingValue.number(&acknowledgeWithin, value, in: 1...60, key)
    case "connections":
      return SettingValue.number(&mostConnections, value, in: 1...1_000_000, key)
    case "listen":
      guard !value.isEmpty, value.allSatisfy({ $0.isHexDigit || ".:".contains($0) }) else {
        return "`listen` must be an address, such as 0.0.0.0 or ::"
      }
      address = value
      return nil
    case "without-tls":
      return SettingValue.flag(&security.isWaived, value, key)
    case "ingress-certificate": return SettingValue.path(&security.certificate, value, key)
    case "ingress-certificate-key": return SettingValue.path(&security.key, value, key)
    case "device-authorities": return SettingValue.path(&security.authorities, value, key)
    default: return SettingValue.path(&accounts, value, key)
    }
  }
}
