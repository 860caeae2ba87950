package import LocationEngine
import LocationProviders

/// The words of the settings that the environment and the configuration of a daemon share.
package enum SettingWord {
  /// Whether something is on; `nil` for any word but yes and no.
  package static func flag(_ word: String) -> Bool? { ["yes": true, "no": false][word] }

  /// The longest time without a significant change; `nil` for any word but minutes, hours, or days,
  /// such as 15m.
  package static func heartbeat(_ word: String) -> Duration? {
    let units = ["m": 60, "h": 3600, "d": 86_400]
    guard let unit = units[String(word.suffix(1))], let number = Int(word.dropLast()),
      (1...10_000).contains(number), number * unit >= leastHeartbeat
    else { return nil }
    return .seconds(number * unit)
  }

  /// Seconds between two changes, as documented (SLC-2).
  private static let leastHeartbeat = 300
}

extension HostEnvironment {
  /// The settings of the services of this process's app; of a word that is none, `noting` is called.
  package func settings(noting: (Note) -> Void) -> [Setting] {
    var settings: [Setting] = []
    if let word = variables[Self.pauseVariable] {
      if let needs = SettingWord.flag(word) {
        settings.append(.pauseNeedsRestart(needs))
      } else {
        noting(.source("\(Self.pauseVariable): \"\(word)\" is neither yes nor no"))
      }
    }
    if let word = variables[Self.heartbeatVariable] {
      if let heartbeat = SettingWord.heartbeat(word) {
        settings.append(.heartbeat(heartbeat))
      } else {
        noting(
          .source("\(Self.heartbeatVariable): \"\(word)\" is no time of 5m or more, such as 15m"))
      }
    }
    return settings
  }

  /// The watches of the sessions that the process belongs to; they begin when they are needed.
  package func loginWatches(awaitsUnlock: Bool = false) -> LoginWatches {
    LoginWatches(
      login: LoginWatch(LoginSessions(), bus: nil),
      screen: SessionBus.address(variables).map { LoginWatch(ScreenSaver(), bus: $0) },
      awaitsUnlock: awaitsUnlock)
  }

  /// Whether paused updates resume only when the app starts them again (STD-42): yes or no.
  package static let pauseVariable = "CORELOCATION_PAUSE_NEEDS_RESTART"
  /// The longest time without a significant change (SLC-11), such as 15m.
  package static let heartbeatVariable = "CORELOCATION_SIGNIFICANT_CHANGE_HEARTBEAT"
}
