package import LocationModel

extension Authorization {
  /// The authorization as the app reads it (AUTH-5, AUTH-31).
  package var report: AuthorizationReport {
    AuthorizationReport(status: status, accuracy: accuracy)
  }

  package var status: AuthorizationStatus {
    if isRestricted { return .restricted }
    guard servicesAreOn else { return .denied }
    switch record.grant {
    case .undecided: return .notDetermined
    case .denied: return .denied
    case .once, .whenInUse: return .whenInUse
    case .provisionalAlways, .always: return .always
    }
  }

  /// Also full where it has no meaning (AUTH-16).
  package var accuracy: AccuracyAuthorization {
    guard status.isGranted else { return .full }
    return record.isPrecise || record.hasTemporaryAccuracy ? .full : .reduced
  }

  /// Whether locations may be delivered now by the classic rules.
  package var isEffective: Bool {
    status.isGranted && (record.grant == .always || use != .none)
  }

  /// For the simulator; an app cannot see this (AUTH-31).
  package var isProvisional: Bool { record.grant == .provisionalAlways }

  /// For the simulator; an app cannot see this (AUTH-31).
  package var isForOnce: Bool { record.grant == .once }

  /// Whether a request waits for the answer to a prompt.
  package var isAsking: Bool { !goalRequests.isEmpty }

  /// The open prompt, if any.
  package var openPrompt: Prompt? { open?.prompt }

  /// The facts that sessions and their diagnostics need.
  package var facts: AuthorizationFacts {
    AuthorizationFacts(
      report: report, isDeniedGlobally: !servicesAreOn, isProvisional: isProvisional,
      openPrompt: open?.prompt.kind, isAlwaysDecided: isAlwaysDecided)
  }

  /// Whether an unmet goal of Always stays unmet.
  private var isAlwaysDecided: Bool {
    switch record.grant {
    case .undecided, .once: manifest.alwaysUsage == nil
    case .denied, .provisionalAlways, .always: true
    case .whenInUse: record.opportunityUsed || manifest.alwaysUsage == nil
    }
  }
}

/// The facts about its authorization that the sessions of an app need.
package struct AuthorizationFacts: Hashable, Sendable {
  package var report: AuthorizationReport
  /// Whether the switch of the whole machine is off.
  package var isDeniedGlobally: Bool
  package var isProvisional: Bool
  package var openPrompt: Prompt.Kind?
  /// Whether no prompt for Always can come any more.
  package var isAlwaysDecided: Bool

  package init(
    report: AuthorizationReport, isDeniedGlobally: Bool = false, isProvisional: Bool = false,
    openPrompt: Prompt.Kind? = nil, isAlwaysDecided: Bool = false
  ) {
    self.report = report
    self.isDeniedGlobally = isDeniedGlobally
    self.isProvisional = isProvisional
    self.openPrompt = openPrompt
    self.isAlwaysDecided = isAlwaysDecided
  }

  package var status: AuthorizationStatus { report.status }

  /// The diagnostics that explain why nothing may be delivered (LIVE-13, SESS-20).
  package var denial: Diagnostics {
    var flags: Diagnostics = []
    if status == .denied || status == .restricted { flags.insert(.authorizationDenied) }
    if status == .restricted { flags.insert(.authorizationRestricted) }
    if isDeniedGlobally { flags.formUnion([.authorizationDenied, .authorizationDeniedGlobally]) }
    return flags
  }
}
