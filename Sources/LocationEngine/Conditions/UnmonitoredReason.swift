internal import LocationModel

/// Why the state of a condition is not observed or not delivered, in the words of Apple's events where they
/// have one (MON-18, MON-20, MON-33, MON-34).
package enum UnmonitoredReason: String, CaseIterable, Sendable {
  case conditionUnsupported
  /// Larger than the largest circle (REG-5).
  case radiusTooLarge
  /// There is no source of positions.
  case noPositionSource
  case conditionLimitExceeded
  case authorizationDenied
  case authorizationDeniedGlobally
  case authorizationRestricted
  case authorizationRequestInProgress
  case insufficientlyInUse
  case serviceSessionRequired
  case accuracyLimited

  /// The first of the reasons for which an app may not know the state; `nil` if it may.
  init?(_ access: ConditionDiagnostics) {
    let reasons: [(ConditionDiagnostics, UnmonitoredReason)] = [
      (.authorizationDeniedGlobally, .authorizationDeniedGlobally),
      (.authorizationRestricted, .authorizationRestricted),
      (.authorizationDenied, .authorizationDenied),
      (.authorizationRequestInProgress, .authorizationRequestInProgress),
      (.serviceSessionRequired, .serviceSessionRequired),
      (.accuracyLimited, .accuracyLimited), (.insufficientlyInUse, .insufficientlyInUse),
    ]
    guard let first = reasons.first(where: { access.contains($0.0) }) else { return nil }
    self = first.1
  }

  /// The reason for a person.
  package var words: String {
    switch self {
    case .conditionUnsupported: "of a kind or a value that cannot be monitored"
    case .radiusTooLarge: "larger than the largest circle"
    case .noPositionSource: "there is no source of positions"
    case .conditionLimitExceeded: "beyond the limit of conditions"
    case .authorizationDenied: "the app may not know the location"
    case .authorizationDeniedGlobally: "location services are off"
    case .authorizationRestricted: "the app is restricted"
    case .authorizationRequestInProgress: "nobody has decided what the app may know"
    case .insufficientlyInUse: "the app is not in use"
    case .serviceSessionRequired: "the app has no service session"
    case .accuracyLimited: "the app may know the place only roughly"
    }
  }
}

extension Conditions {
  /// Returns why a condition of a monitor would not be monitored if it were added now; `nil` if it would be.
  func reasonAgainst(_ target: ConditionTarget, _ key: ConditionKey) -> UnmonitoredReason? {
    if let reason = reasonAgainst(target) { return reason }
    let isWatched = conditions[key]?.isWatched == true
    if !isWatched, !hasRoom(for: key.app) || conditions[key] == nil && !mayAdd(key, target) {
      return .conditionLimitExceeded
    }
    return UnmonitoredReason(access[key.app]?.flags[key.owner] ?? [])
  }

  /// Returns why the state of a registered condition is not observed or not delivered.
  func reason(of condition: WatchedCondition, _ key: ConditionKey) -> UnmonitoredReason? {
    switch condition.watch {
    case .unsupported: reasonAgainst(condition.target) ?? .conditionUnsupported
    case .surplus: .conditionLimitExceeded
    case .area, .beacon, .paused: UnmonitoredReason(access[key.app]?.flags[key.owner] ?? [])
    }
  }

  private func reasonAgainst(_ target: ConditionTarget) -> UnmonitoredReason? {
    guard target.isSupported else { return .conditionUnsupported }
    guard hasAllowedSize(target) else { return .radiusTooLarge }
    return target.area != nil && !hasPositions ? .noPositionSource : nil
  }
}
