package import LocationCoding
package import LocationModel

/// The declaration of one service session (SESS-1).
package struct SessionGoal: Hashable, JSONStructure {
  package var authorization: AuthorizationGoal
  /// The purpose for which full accuracy is needed; `nil` if it is not.
  package var purposeKey: String?

  package init(_ authorization: AuthorizationGoal, purposeKey: String? = nil) {
    self.authorization = authorization
    self.purposeKey = purposeKey
  }

  package static let fields = JSONFields(
    Self(.none), .get("authorization", \.authorization), .find("purposeKey", \.purposeKey))
}

/// The service sessions of one app, and those that its last process left.
struct ServiceSessions: Hashable, Sendable {
  struct Session: Hashable, Sendable {
    var id: Int
    var goal: SessionGoal
    /// Begun in the foreground, or in a chain of sessions from one that was (SESS-12).
    var isEffective: Bool
    /// The result of the prompt for the purpose, which is put once per session (SESS-5).
    var accuracy = Accuracy.unasked
  }

  enum Accuracy: Hashable, Sendable {
    case unasked
    case asked
    case settled
  }

  /// A session of a process that ended; waits to be created again (SESS-14).
  struct Remnant: Hashable, JSONStructure {
    var goal: SessionGoal
    var isEffective: Bool

    static let fields = JSONFields(
      Self(goal: SessionGoal(.none), isEffective: false),
      .get("goal", \.goal), .get("hasStanding", \.isEffective))
  }

  /// In the order of their creation.
  private(set) var sessions: [Session] = []
  private(set) var remnants: [Remnant] = []

  init(remnants: [Remnant] = []) {
    self.remnants = remnants
  }

  var isEmpty: Bool { sessions.isEmpty && remnants.isEmpty }

  /// The strongest goal of the current sessions (SESS-6).
  var goal: AuthorizationGoal { sessions.map(\.goal.authorization).max() ?? .none }

  /// Whether an effective session makes Always effective for modern sequences (SESS-13).
  var hasEffectiveAlways: Bool {
    sessions.contains { $0.isEffective && $0.goal.authorization == .always }
      || remnants.contains { $0.isEffective && $0.goal.authorization == .always }
  }

  /// The sessions to store across restarts of the daemon.
  var record: [Remnant] {
    sessions.map { Remnant(goal: $0.goal, isEffective: $0.isEffective) } + remnants
  }

  /// Opens a session, once; returns `false` when the app has too many.
  mutating func open(_ id: Int, goal: SessionGoal, inForeground: Bool) -> Bool {
    guard !sessions.contains(where: { $0.id == id }) else { return true }
    guard sessions.count < Bounds.sessions else { return false }
    let inherits =
      sessions.contains(where: \.isEffective) || remnants.contains(where: \.isEffective)
    sessions.append(Session(id: id, goal: goal, isEffective: inForeground || inherits))
    // A session created again in time continues the old one (SESS-15).
    if let old = remnants.firstIndex(where: { $0.goal == goal }) { remnants.remove(at: old) }
    return true
  }

  mutating func invalidate(_ isOver: (Int) -> Bool) {
    sessions.removeAll { isOver($0.id) }
  }

  /// Treats sessions held when the app comes to the foreground as begun there.
  ///
  /// Chosen: otherwise a session made too early could never take effect.
  mutating func enterForeground() {
    for index in sessions.indices { sessions[index].isEffective = true }
  }

  /// Keeps the declarations of the process for the next one (SESS-14), up to the bound.
  mutating func processEnded() {
    remnants = Array(record.prefix(Bounds.sessions))
    sessions = []
  }

  mutating func dropRemnants() {
    remnants = []
  }

  /// Returns the sessions whose purpose prompt is due, and marks them as asked.
  mutating func takeAccuracyRequests() -> [(id: Int, purposeKey: String)] {
    var due: [(id: Int, purposeKey: String)] = []
    for index in sessions.indices where sessions[index].accuracy == .unasked {
      guard let key = sessions[index].goal.purposeKey else { continue }
      sessions[index].accuracy = .asked
      due.append((sessions[index].id, key))
    }
    return due
  }

  mutating func settleAccuracy(_ id: Int, _ accuracy: Accuracy) {
    for index in sessions.indices where sessions[index].id == id {
      sessions[index].accuracy = accuracy
    }
  }
}

extension ServiceSessions.Session {
  /// Returns the present diagnostics of a session.
  func diagnostics(_ facts: AuthorizationFacts, use: AppUse) -> Diagnostics {
    var flags = facts.denial
    if isAsked(facts.openPrompt) { flags.insert(.authorizationRequestInProgress) }
    if isInsufficientlyInUse(facts.status, use: use) { flags.insert(.insufficientlyInUse) }
    let isReduced = facts.status.isGranted && facts.report.accuracy == .reduced
    if accuracy == .settled && isReduced { flags.insert(.fullAccuracyDenied) }
    if isAlwaysDenied(facts) { flags.insert(.alwaysAuthorizationDenied) }
    return flags
  }

  private func isAsked(_ prompt: Prompt.Kind?) -> Bool {
    switch prompt {
    case .whenInUse: true
    case .upgrade: goal.authorization == .always
    case .temporaryAccuracy(let key): goal.purposeKey == key
    case .reminder, .beaconAdvertising, nil: false
    }
  }

  /// Whether sessions have no effect as the app is not enough in use (SESS-11 and SESS-23).
  private func isInsufficientlyInUse(_ status: AuthorizationStatus, use: AppUse) -> Bool {
    guard use != .direct && goal.authorization != .none else { return false }
    switch status {
    case .notDetermined: return true
    case .whenInUse: return use == .none
    case .always: return goal.authorization == .always && !isEffective
    case .restricted, .denied: return false
    }
  }

  /// Whether Always is neither granted nor can be requested any more (SESS-21).
  private func isAlwaysDenied(_ facts: AuthorizationFacts) -> Bool {
    guard goal.authorization == .always && !facts.isDeniedGlobally else { return false }
    return facts.status != .always && facts.isAlwaysDecided && !isAsked(facts.openPrompt)
  }
}
