package import LocationEngine
import LocationHost
import LocationModel

// The settings of apps and their services.
extension Configuration {
  /// The keys of these settings.
  static let appKeys = [
    "restrict", "no-background-refresh", "honor-force-quit", "pause-needs-restart",
    "significant-change-heartbeat", "remind-after", "before-first-unlock", "in-use",
    "allow-simulation", "geoclue", "gpsd-port",
  ]

  /// Applies a setting of apps, and returns what is wrong with it, or `nil`.
  mutating func takeApp(_ key: String, _ value: String) -> String? {
    switch key {
    case "restrict": return Self.add(app: value, to: &restricted, key)
    case "no-background-refresh": return Self.add(app: value, to: &withoutRefresh, key)
    case "honor-force-quit": return Self.set(&honorsQuit, value, key)
    case "pause-needs-restart": return Self.set(&pauseNeedsRestart, value, key)
    case "significant-change-heartbeat":
      heartbeat = SettingWord.heartbeat(value)
      let isValid = heartbeat != nil || value == "never"
      return isValid ? nil : "`\(key)` must be a time of 5m or more, such as 15m, or never"
    case "remind-after":
      remindAfter = value.hasSuffix("d") ? Int(value.dropLast()) : nil
      let isValid = remindAfter.map { (1...365).contains($0) } ?? (value == "never")
      return isValid ? nil : "`\(key)` must be a number of days from 1d to 365d, or never"
    case "before-first-unlock":
      awaitsUnlock = value == "wait"
      return ["wait", "launch"].contains(value) ? nil : "`\(key)` must be wait or launch"
    case "geoclue": return Self.set(&servesGeoClue, value, key)
    case "gpsd-port":
      gpsdPort = Int(value).flatMap { (1...65_535).contains($0) ? $0 : nil }
      return gpsdPort == nil && value != "no" ? "`\(key)` must be a port, such as 2947, or no" : nil
    case "allow-simulation":
      allowsSimulation = SettingWord.flag(value)
      return allowsSimulation == nil ? "`\(key)` must be yes or no" : nil
    default:
      use = value
      return ["observed", "assumed"].contains(value) ? nil : "`\(key)` must be observed or assumed"
    }
  }

  private static func set(_ flag: inout Bool, _ value: String, _ key: String) -> String? {
    guard let word = SettingWord.flag(value) else { return "`\(key)` must be yes or no" }
    flag = word
    return nil
  }

  /// Names an app.
  fileprivate static func add(
    app value: String, to list: inout [AppIdentity], _ key: String
  ) -> String? {
    guard let named = NamedProgram(value), named.path == nil else {
      return "`\(key)`: " + NamedProgram.fault(in: value)
    }
    guard list.count < mostApps else { return "`\(key)` names more than \(mostApps)" }
    list.append(named.app)
    return nil
  }

  /// The greatest number of apps of one key. Chosen.
  package static let mostApps = 1024

  /// The settings of apps, in the order in which the engine is given them.
  package var settings: [Setting] {
    restricted.map { .restricted($0, true) }
      + withoutRefresh.map { .backgroundRefresh($0, false) }
      + [
        .honorsQuit(honorsQuit), .pauseNeedsRestart(pauseNeedsRestart), .heartbeat(heartbeat),
        .remindAfter(days: remindAfter),
      ]
  }
}
