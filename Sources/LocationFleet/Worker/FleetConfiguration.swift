internal import LocationCoding
internal import LocationProviders

/// The settings of a fleet's worker, from a file with one `key = value` on a line; `#` begins a
/// comment.
package struct FleetConfiguration: Hashable, Sendable {
  package struct Fault: Hashable, Sendable {
    package var line: Int
    package var cause: String
  }

  package var access = BrokerAccess()
  package var worker = FleetWorker.Settings()
  /// The folder of the keys of tenants; `nil` where they are in the broker.
  package var tenantKeys: String?
  package var replicas = 1
  package var hoursOfFixes = 72
  package var daysOfEvents = 30
  /// Devices that a worker keeps as they are between their fixes, if it owns every partition.
  private var awake = 65_536
  /// The port of the loopback at which the figures are served; `nil` for none.
  package var port: Int?

  package init() {}

  /// Reads a file, and reports every fault in it, not only the first.
  package init(_ text: String, _ faults: inout [Fault]) {
    faults += KeyValueLines.read(text) { take($0, $1) }
      .map { Fault(line: $0.line, cause: $0.cause) }
    worker.partition.awake = max(awake / worker.partitions, 1024)
    if access.servers.isEmpty { access.servers = ["nats://127.0.0.1:4222"] }
    for cause in access.faults { faults.append(Fault(line: 0, cause: cause)) }
  }

  /// Applies a setting and returns what is wrong with it, or `nil`.
  private mutating func take(_ key: String, _ value: String) -> String? {
    switch key {
    case _ where BrokerAccess.keys.contains(key): return access.take(key, value)
    case "tenant-keys": return SettingValue.path(&tenantKeys, value, key)
    case "partitions":
      return SettingValue.number(&worker.partitions, value, in: 1...Self.mostPartitions, key)
    case "replicas":
      guard ["1", "3", "5"].contains(value) else { return "`replicas` must be 1, 3, or 5" }
      replicas = Int(value) ?? 1
      return nil
    case "lease": return SettingValue.seconds(&worker.lease, value, in: 1...60, key)
    case "snapshot":
      return SettingValue.seconds(&worker.partition.snapshotPeriod, value, in: 1...3600, key)
    case "window":
      return SettingValue.decimal(
        &worker.partition.fleet.window, value, in: 0...FixOrder.longestWindow, key)
    case "default-accuracy":
      return SettingValue.decimal(&worker.partition.accuracy, value, in: 1...10_000, key)
    case "clock-ahead":
      var usual = 0.0
      let cause = SettingValue.decimal(&usual, value, in: ClockBounds.range, key)
      if cause == nil { worker.partition.fleet.clockBounds = ClockBounds(usual) }
      return cause
    case "visits": return SettingValue.flag(&worker.partition.fleet.visits, value, key)
    case "moves": return SettingValue.flag(&worker.partition.fleet.moves, value, key)
    case "buckets":
      return SettingValue.number(&worker.partition.buckets, value, in: 1...65_536, key)
    case "devices":
      return SettingValue.number(&worker.partition.mostDevices, value, in: 1...10_000_000, key)
    case "awake": return SettingValue.number(&awake, value, in: 0...10_000_000, key)
    case "keep-fixes-hours": return SettingValue.number(&hoursOfFixes, value, in: 1...8760, key)
    case "keep-events-days": return SettingValue.number(&daysOfEvents, value, in: 1...3650, key)
    case "port": return SettingValue.number(&port, value, in: 1...65_535, key)
    default: return Self.unknown(key, value)
    }
  }

  /// Partitions of a fleet.
  package static let mostPartitions = 1024

  /// What is wrong with a key that is none, and what was probably meant.
  private static func unknown(_ key: String, _ value: String) -> String {
    let known = SinkConfiguration.everyKey
    let words = key.split(whereSeparator: \.isWhitespace)
    if let first = words.first, words.count > 1, known.contains(String(first)) {
      let rest = words.dropFirst().joined(separator: " ")
      return "behind the key `\(first)` comes a =; write: "
        + "\(first) = \(rest.prefix(64))=\(value.prefix(64))"
    }
    let near = NearWord.find(for: key, among: known).map { "did you mean `\($0)`?" }
    return "unknown key `\(key.prefix(64))`; \(near ?? "next: man locationfleet has all keys")"
  }

  package static let keys =
    BrokerAccess.keys + [
      "tenant-keys", "partitions", "replicas", "lease", "snapshot", "window", "default-accuracy",
      "clock-ahead", "visits", "moves", "buckets", "devices", "awake", "keep-fixes-hours",
      "keep-events-days", "port",
    ]
}
