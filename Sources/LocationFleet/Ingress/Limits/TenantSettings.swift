package import LocationModel

/// What the configuration says of one tenant: `NAME key=value …`.
package struct TenantSettings: Hashable, Sendable {
  package var rate, burst, deviceRate, deviceBurst: Double?
  package var connections: Int?
  /// Days after which its events are erased; `nil` for as long as the streams keep them.
  package var daysOfEvents: Int?
  /// Seconds for which dates of its devices may be ahead of their arrival.
  package var clockAhead: Double?

  package init() {}

  static let keys = [
    "rate", "burst", "device-rate", "device-burst", "connections", "keep-events-days",
    "clock-ahead",
  ]

  /// Reads the words behind the name; returns what is wrong with them, or `nil`.
  mutating func read(_ words: some Sequence<Substring>) -> String? {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return "expected KEY=VALUE, found `\(word.prefix(64))`" }
      if let cause = take(String(parts[0]), String(parts[1])) { return cause }
    }
    return nil
  }

  private mutating func take(_ key: String, _ value: String) -> String? {
    switch key {
    case "rate": return Self.decimal(&rate, value, key)
    case "burst": return Self.decimal(&burst, value, key)
    case "device-rate": return Self.decimal(&deviceRate, value, key)
    case "device-burst": return Self.decimal(&deviceBurst, value, key)
    case "connections": return SettingValue.number(&connections, value, in: 1...1_000_000, key)
    case "keep-events-days": return SettingValue.number(&daysOfEvents, value, in: 1...3650, key)
    case "clock-ahead":
      var bound = 0.0
      let cause = SettingValue.decimal(&bound, value, in: ClockBounds.range, key)
      if cause == nil { clockAhead = bound }
      return cause
    default:
      return "unknown key `\(key.prefix(64))`; known are \(Self.keys.joined(separator: ", "))"
    }
  }

  /// Reads fixes a second, or fixes.
  static func decimal(_ place: inout Double?, _ value: String, _ key: String) -> String? {
    guard let number = Double(value), number == 0 || (0.001...10_000_000).contains(number) else {
      let meaning = key.hasSuffix("rate") ? ", for no limit," : ""
      return "`\(key)` must be 0\(meaning) or a number from 0.001 to 10000000"
    }
    place = number
    return nil
  }

  /// What it may send, where the configuration says nothing else of all.
  func share(_ usual: SendingLimits.Share) -> SendingLimits.Share {
    var share = usual
    share.tenant.fixes = rate ?? share.tenant.fixes
    share.tenant.burst = burst ?? rate.map { 2 * $0 } ?? share.tenant.burst
    share.device.fixes = deviceRate ?? share.device.fixes
    share.device.burst = deviceBurst ?? deviceRate.map { 20 * $0 } ?? share.device.burst
    share.connections = connections ?? share.connections
    return share
  }
}

/// The tenants' part of a configuration.
package struct TenantLimits: Hashable, Sendable {
  /// Of those that have a line of their own, by name.
  package private(set) var tenants: [ExactName: TenantSettings] = [:]
  private var all = TenantSettings()
  /// Bytes of a message of a device.
  package private(set) var longestMessage = DeviceReport.longest

  static let keys = [
    "tenant", "tenant-rate", "tenant-burst", "tenant-connections", "device-rate", "device-burst",
    "message-bytes",
  ]

  package init() {}

  /// Applies a setting and returns what is wrong with it, or `nil`.
  mutating func take(_ key: String, _ value: String) -> String? {
    switch key {
    case "tenant": return addTenant(value)
    case "tenant-rate": return TenantSettings.decimal(&all.rate, value, key)
    case "tenant-burst": return TenantSettings.decimal(&all.burst, value, key)
    case "device-rate": return TenantSettings.decimal(&all.deviceRate, value, key)
    case "device-burst": return TenantSettings.decimal(&all.deviceBurst, value, key)
    case "message-bytes":
      guard let number = Int(value), (1024...DeviceReport.longest).contains(number) else {
        return "`\(key)` must be a whole number from 1024 to \(DeviceReport.longest)"
      }
      longestMessage = number
    default:
      guard let number = Int(value), (1...1_000_000).contains(number) else {
        return "`\(key)` must be a whole number from 1 to 1000000"
      }
      all.connections = number
    }
    return nil
  }

  private mutating func addTenant(_ value: String) -> String? {
    let words = value.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, let text = first == "-" ? "" : FleetAddress.name(first) else {
      return "`tenant` must begin with a name, other bytes than letters, digits, and `-` escaped"
    }
    let name = ExactName(text)
    guard tenants[name] == nil else { return "this tenant is there already" }
    guard tenants.count < Self.mostTenants else { return "more than \(Self.mostTenants) tenants" }
    var settings = TenantSettings()
    if let cause = settings.read(words.dropFirst()) { return cause }
    tenants[name] = settings
    return nil
  }

  /// The limits of all, of which there may be so many connections together.
  package func limits(connections: Int) -> SendingLimits {
    let usual = all.share(SendingLimits.Share())
    return SendingLimits(usual, tenants.mapValues { $0.share(usual) }, connections: connections)
  }

  /// For how long the dates of devices may be ahead of their arrival, where all others' may be for `usual` seconds.
  func clockBounds(_ usual: Double) -> ClockBounds {
    ClockBounds(usual, tenants.compactMapValues(\.clockAhead))
  }

  /// Those that keep events for a time of their own, and the date before which these are too old.
  package func retentions(at now: UnixTime) -> [(tenant: String, date: UnixTime)] {
    tenants.sorted { $0.key < $1.key }.compactMap { name, settings in
      settings.daysOfEvents.map {
        (name.text, UnixTime(nanoseconds: now.nanoseconds - Int64($0) * 86_400_000_000_000))
      }
    }
  }

  private static let mostTenants = 100_000
}
