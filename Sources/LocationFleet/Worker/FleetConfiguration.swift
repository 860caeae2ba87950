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
    for cause in accessFaults { faults.append(Fault(line: 0, cause: cause)) }
  }

  /// What is wrong with all settings of the servers together.
  private var accessFaults: [String] {
    var causes: [String] = []
    if (access.certificate == nil) != (access.key == nil) {
      causes.append("`certificate` and `certificate-key` go together")
    }
    if access.seed != nil, access.credentials != nil {
      causes.append("`nkey-seed` and `credentials` exclude each other")
    }
    if let server = access.exposed {
      causes.append("\(server) is not on this computer: it needs tls:// or `authorities`")
    }
    return causes
  }

  /// Applies a setting and returns what is wrong with it, or `nil`.
  private mutating func take(_ key: String, _ value: String) -> String? {
    switch key {
    case "server": return addServer(value)
    case "credentials": return Self.path(&access.credentials, value, key)
    case "nkey-seed": return Self.path(&access.seed, value, key)
    case "authorities": return Self.path(&access.authorities, value, key)
    case "certificate": return Self.path(&access.certificate, value, key)
    case "certificate-key": return Self.path(&access.key, value, key)
    case "tenant-keys": return Self.path(&tenantKeys, value, key)
    case "partitions": return Self.number(&worker.partitions, value, in: 1...1024, key)
    case "replicas":
      guard ["1", "3", "5"].contains(value) else { return "`replicas` must be 1, 3, or 5" }
      replicas = Int(value) ?? 1
      return nil
    case "lease": return Self.seconds(&worker.lease, value, in: 1...60, key)
    case "snapshot": return Self.seconds(&worker.partition.snapshotPeriod, value, in: 1...3600, key)
    case "window":
      return Self.decimal(
        &worker.partition.fleet.window, value, in: 0...FixOrder.longestWindow, key)
    case "default-accuracy":
      return Self.decimal(&worker.partition.accuracy, value, in: 1...10_000, key)
    case "visits": return Self.flag(&worker.partition.fleet.visits, value, key)
    case "moves": return Self.flag(&worker.partition.fleet.moves, value, key)
    case "buckets": return Self.number(&worker.partition.buckets, value, in: 1...65_536, key)
    case "devices":
      return Self.number(&worker.partition.mostDevices, value, in: 1...10_000_000, key)
    case "awake": return Self.number(&awake, value, in: 0...10_000_000, key)
    case "keep-fixes-hours": return Self.number(&hoursOfFixes, value, in: 1...8760, key)
    case "keep-events-days": return Self.number(&daysOfEvents, value, in: 1...3650, key)
    case "port":
      var number = 0
      let cause = Self.number(&number, value, in: 1...65_535, key)
      if cause == nil { port = number }
      return cause
    default:
      return "unknown key `\(key.prefix(64))`; known are \(Self.keys.joined(separator: ", "))"
    }
  }

  package static let keys = [
    "server", "credentials", "nkey-seed", "authorities", "certificate", "certificate-key",
    "tenant-keys", "partitions", "replicas", "lease", "snapshot", "window", "default-accuracy",
    "visits", "moves",
    "buckets", "devices", "awake", "keep-fixes-hours", "keep-events-days", "port",
  ]

  private mutating func addServer(_ value: String) -> String? {
    let isKnown = ["nats://", "tls://"].contains { value.hasPrefix($0) && value.count > $0.count }
    guard isKnown, !value.contains(where: \.isWhitespace), ServerAddress(value) != nil else {
      return "`server` must be nats://HOST:PORT or tls://HOST:PORT"
    }
    guard access.servers.count < 16 else { return "more than 16 servers" }
    access.servers.append(value)
    return nil
  }

  private static func path(_ place: inout String?, _ value: String, _ key: String) -> String? {
    guard value.hasPrefix("/") else { return "`\(key)` must be an absolute path" }
    place = value
    return nil
  }

  private static func number(
    _ place: inout Int, _ value: String, in range: ClosedRange<Int>, _ key: String
  ) -> String? {
    guard let number = Int(value), range.contains(number) else {
      return "`\(key)` must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    place = number
    return nil
  }

  private static func decimal(
    _ place: inout Double, _ value: String, in range: ClosedRange<Double>, _ key: String
  ) -> String? {
    guard let number = Double(value), range.contains(number) else {
      return "`\(key)` must be a number from \(range.lowerBound) to \(range.upperBound)"
    }
    place = number
    return nil
  }

  private static func seconds(
    _ place: inout Duration, _ value: String, in range: ClosedRange<Double>, _ key: String
  ) -> String? {
    var number = 0.0
    if let cause = decimal(&number, value, in: range, key) { return cause + " seconds" }
    place = .seconds(number)
    return nil
  }

  private static func flag(_ place: inout Bool, _ value: String, _ key: String) -> String? {
    guard value == "yes" || value == "no" else { return "`\(key)` must be yes or no" }
    place = value == "yes"
    return nil
  }
}
