package import LocationModel

/// Why an authorization did not change, as text for the log and the tests.
package enum AuthorizationExplanation: Hashable, Sendable, CustomStringConvertible {
  /// AUTH-19: the app does not declare why it uses locations.
  case missingUsage(key: String, file: String)
  /// AUTH-25: the text is under the older key, and is accepted.
  case olderAlwaysKey(file: String)
  /// AUTH-20: prompts are put in the foreground only, and requests are not queued.
  case notInDirectUse
  /// AUTH-18: there is nothing left to decide.
  case alreadyDecided
  case denied
  case restricted
  case servicesOff
  /// AUTH-23: the prompt for Always was put before, and is put only once.
  case opportunityUsed
  /// AUTH-24: a grant for once cannot become Always.
  case grantedOnceOnly
  /// The prompt went unanswered; it is put again at the next direct use (SESS-23).
  case unansweredInThisUse
  /// AUTH-48: accuracy is already full.
  case accuracyIsFull
  /// The app has the greatest number of open requests for full accuracy.
  case tooManyRequests
  /// An answer to a prompt that is not open.
  case staleAnswer(Prompt.ID)
  /// An answer that the prompt does not offer.
  case answerNotOffered(PromptAnswer)
  /// The stored record cannot be read; the app counts as never asked.
  case unreadableRecord

  package var description: String {
    switch self {
    case .missingUsage(let key, let file):
      "no question is asked: add the key \(key) with the reason to \(file)"
    case .olderAlwaysKey(let file):
      "\(file) has only the older key \(Manifest.Key.olderAlways): use \(Manifest.Key.always)"
    case .notInDirectUse: "ignored: the app is not in the foreground"
    case .alreadyDecided: "nothing to ask: already decided"
    case .denied: "nothing to ask: denied"
    case .restricted: "location is restricted on this machine and not the person's to change"
    case .servicesOff: "location services are off for the whole machine"
    case .opportunityUsed: "Always was asked for once already; change it in the settings"
    case .grantedOnceOnly: "ignored: the present grant is for once"
    case .unansweredInThisUse: "the question went unanswered; it comes back with the next use"
    case .accuracyIsFull: "accuracy is full already"
    case .tooManyRequests: "\(Bounds.accuracyRequests) requests for full accuracy are open already"
    case .staleAnswer(let id): "no open question has the number \(id.number)"
    case .answerNotOffered(let answer): "the question does not offer the answer \(answer.rawValue)"
    case .unreadableRecord: "the stored authorization cannot be read and counts as never asked"
    }
  }
}
