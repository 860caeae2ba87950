package import LocationModel

extension Prompt {
  /// The question in one sentence.
  package var title: String {
    switch kind {
    case .whenInUse, .locationButton: "Allow “\(appName)” to use your location?"
    case .upgrade: "Allow “\(appName)” to use your location even when it is not in use?"
    case .reminder: "“\(appName)” has used your location in the background. Go on?"
    case .temporaryAccuracy: "Allow “\(appName)” to use your precise location for now?"
    case .beaconAdvertising: "Allow “\(appName)” to make this computer a Bluetooth beacon?"
    }
  }

  /// The command that answers it instead.
  package var command: String {
    let decision =
      switch kind {
      case .whenInUse, .locationButton: "whenInUse"
      case .upgrade, .reminder: "always"
      case .temporaryAccuracy: "--precise yes"
      case .beaconAdvertising: "--beacon yes"
      }
    return "locationctl authorize \(id.app.name) \(decision)"
  }
}

extension PromptAnswer {
  /// What stands on its button.
  package var words: String {
    switch self {
    case .once: "Allow Once"
    case .whileUsing: "Allow While Using"
    case .deny, .decline: "Don’t Allow"
    case .always: "Change to Always Allow"
    case .keepWhileUsing: "Keep Only While Using"
    case .accept: "Allow"
    case .dismissed: ""
    }
  }
}
