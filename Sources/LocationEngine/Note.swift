package import LocationModel

/// An entry of the log for the owner of the machine.
package enum Note: Sendable {
  case authorization(AppIdentity, AuthorizationExplanation)
  case session(AppIdentity, SessionExplanation)
  /// An app has reached one of its ``Bounds``; the text says what was refused.
  case limit(AppIdentity, String)
  /// A prompt that no agent can answer, with the reason of each agent.
  case unanswerable(Prompt, [String])
  case provider(ProviderID, ProviderStatus)
  /// An app has asked for a calibration of the compass (HEAD-9).
  case calibration(AppIdentity)
  /// An app that did not run was started for an event; or why it could not be.
  case launched(AppIdentity, String?)
  /// How an app is used, as the system shows it, has changed; and what shows it.
  case use(AppIdentity, AppLife, String)
  /// Why it is not known whose window is active.
  case windows(String)
  /// An app that is suspended cannot be woken for an event, or suspended again afterward; and why.
  case asleep(AppIdentity, String)
  /// An app uses the location in the background, and no desktop shows it; and why.
  case unseen(AppIdentity, String)
  /// The durable state could not be read or written; in the words of the database.
  case store(String)
  /// The configuration of a source is not valid.
  case source(String)
}
