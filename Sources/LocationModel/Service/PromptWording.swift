extension Prompt {
  /// The question in one sentence; what the app calls itself stands escaped in quotation marks.
  package var title: String {
    let name = appName.quotedForDisplay(limit: 64)
    return switch kind {
    case .whenInUse: "Allow \(name) to use your location?"
    case .upgrade: "Allow \(name) to use your location even when it is not in use?"
    case .reminder: "\(name) has used your location in the background. Go on?"
    case .temporaryAccuracy: "Allow \(name) to use your precise location for now?"
    case .beaconAdvertising: "Allow \(name) to make this computer a Bluetooth beacon?"
    }
  }

  /// The app's own reason, escaped.
  package var reason: String { text.escapedForDisplay(limit: 500) }

  /// Who really asks: the app as it is stored, its program, and its user; `nil` where nobody has
  /// verified it.
  package var asker: String? {
    program.map { "\(id.app.name.escapedForDisplay()): \($0.words)" }
  }

  /// The command that answers it instead, ready for a POSIX shell.
  package var command: String {
    let app = id.app.name.escapedForDisplay(limit: .max)
    let word = app.quotedForShell
    let decision =
      switch kind {
      case .whenInUse: "whenInUse"
      case .upgrade, .reminder: "always"
      case .temporaryAccuracy: "--precise yes"
      case .beaconAdvertising: "--beacon yes"
      }
    guard app.hasPrefix("-") else { return "locationctl authorize \(word) \(decision)" }
    return decision.hasPrefix("-")
      ? "locationctl authorize \(decision) -- \(word)"
      : "locationctl authorize -- \(word) \(decision)"
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
