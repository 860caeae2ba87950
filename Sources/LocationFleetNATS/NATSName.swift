import LocationFleet

/// The streams and subjects of a fleet in JetStream.
enum NATSName {
  static let input = "Fleet-In"
  static let index = "Fleet-K"

  static func stream(_ log: FleetLog) -> String {
    switch log {
    case .fixes(let partition): "FIX_\(partition)"
    case .events(let partition): "EVT_\(partition)"
    case .state(let partition): "STATE_\(partition)"
    case .leases: "KV_LEASES"
    case .fences: "KV_FENCES"
    case .erasures: "ERASED"
    case .sinks: "KV_SINKS"
    case .refused: "REFUSED"
    }
  }

  /// The subject of a key.
  static func subject(_ key: String, in log: FleetLog) -> String {
    switch log {
    case .leases: "$KV.LEASES.\(key)"
    case .fences: "$KV.FENCES.\(key)"
    case .sinks: "$KV.SINKS.\(key)"
    default: key
    }
  }

  /// What a stream takes.
  static func subjects(of log: FleetLog) -> String {
    switch log {
    case .fixes(let partition): "fix.\(partition).>"
    case .events(let partition): "evt.\(partition).>"
    case .state(let partition): "st.\(partition).>"
    case .leases: "$KV.LEASES.>"
    case .fences: "$KV.FENCES.>"
    case .erasures: "erased.>"
    case .sinks: "$KV.SINKS.>"
    case .refused: "ref.>"
    }
  }
}
