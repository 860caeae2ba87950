/// A question that an agent puts to a person, or to a policy.
package struct Prompt: Hashable, Sendable {
  /// Identifies one question of one app; never used again.
  package struct ID: Hashable, Comparable, Sendable {
    package var app: AppIdentity
    package var number: Int

    package init(app: AppIdentity, number: Int) {
      self.app = app
      self.number = number
    }

    package static func < (left: ID, right: ID) -> Bool {
      (left.app, left.number) < (right.app, right.number)
    }
  }

  package enum Kind: Hashable, Sendable {
    /// The first question: once, while using, or not.
    case whenInUse
    /// The second question: change to Always, or keep.
    case upgrade
    /// A reminder that the app uses Always in the background (AUTH-38).
    case reminder
    /// Full accuracy for a while, for one purpose (AUTH-47).
    case temporaryAccuracy(purposeKey: String)
    /// Whether the app may make this computer a Bluetooth beacon (docs/decisions/0070).
    case beaconAdvertising

    /// The answers it can have; ``PromptAnswer/dismissed`` is always possible.
    package var answers: [PromptAnswer] {
      switch self {
      case .whenInUse: [.once, .whileUsing, .deny]
      case .upgrade, .reminder: [.always, .keepWhileUsing]
      case .temporaryAccuracy, .beaconAdvertising: [.accept, .decline]
      }
    }
  }

  package var id: ID
  package var kind: Kind
  /// The name of the app as people know it.
  package var appName: String
  /// The app's own reason.
  package var text: String
  /// Whether the person may choose between full and reduced accuracy here (AUTH-40).
  package var offersPrecise: Bool
  /// The program of the app; `nil` if it was not verified.
  package var program: VerifiedProgram?

  package init(id: ID, kind: Kind, appName: String, text: String, offersPrecise: Bool) {
    self.id = id
    self.kind = kind
    self.appName = appName
    self.text = text
    self.offersPrecise = offersPrecise
  }
}

/// The answer to a prompt.
package enum PromptAnswer: String, CaseIterable, Sendable {
  /// Allow Once.
  case once
  /// Allow While Using.
  case whileUsing
  /// Don't Allow.
  case deny
  /// Change to Always Allow.
  case always
  /// Keep Only While Using.
  case keepWhileUsing
  case accept
  case decline
  /// It was closed without an answer; nothing is decided (AUTH-27).
  case dismissed
}

/// What a person can choose for an app in the settings, at any time (AUTH-8, AUTH-9).
package enum AuthorizationSetting: String, CaseIterable, Sendable {
  case never
  case ask
  case whileUsing
  case always
}

/// The reply of an agent to a question.
package enum AgentReply: Hashable, Sendable {
  /// `precise` counts if the question offers the choice.
  case answer(PromptAnswer, precise: Bool)
  /// It does not answer this one; the next agent is asked.
  case passed(reason: String)
}
