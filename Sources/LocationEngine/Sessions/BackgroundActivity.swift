import LocationModel

/// The background activity sessions of one app, and those that its last process left.
struct BackgroundActivity: Hashable, Sendable {
  struct Session: Hashable, Sendable {
    var id: Int
    var isActive: Bool
  }

  /// The conditions under which a session is active (BGA-2).
  struct Conditions: Hashable, Sendable {
    var isGranted: Bool
    var hasBackgroundMode: Bool
    /// An explicit service session is required, and none is held (SESS-10).
    var needsSession: Bool
    var isForeground: Bool

    var allowActivity: Bool { isGranted && hasBackgroundMode && !needsSession }
  }

  /// In the order of their creation.
  private(set) var sessions: [Session] = []
  /// The number of active sessions that a process left when it ended (BGA-7).
  private(set) var remnants: Int

  init(remnants: Int = 0) {
    self.remnants = max(0, remnants)
  }

  /// Whether the app is in use in the background until the last one ends (BGA-4, BGA-13).
  var isActive: Bool { remnants > 0 || sessions.contains(where: \.isActive) }

  /// The number to store across restarts of the daemon.
  var record: Int { remnants + sessions.count(where: \.isActive) }

  /// Adds a session, which continues one that an earlier process left (BGA-1, BGA-7).
  ///
  /// Adds each number once; returns `false` when the app has too many.
  mutating func open(_ id: Int) -> Bool {
    guard !sessions.contains(where: { $0.id == id }) else { return true }
    guard sessions.count < Bounds.sessions else { return false }
    sessions.append(Session(id: id, isActive: remnants > 0))
    remnants = max(0, remnants - 1)
    return true
  }

  mutating func invalidate(_ isOver: (Int) -> Bool) {
    sessions.removeAll { isOver($0.id) }
  }

  mutating func processEnded() {
    remnants = min(record, Bounds.sessions)
    sessions = []
  }

  mutating func dropRemnants() {
    remnants = 0
  }

  /// Activates sessions in direct use only; they stay active while permitted (BGA-2, BGA-10).
  mutating func settle(_ conditions: Conditions) {
    if !conditions.allowActivity { remnants = 0 }
    for index in sessions.indices {
      let mayBegin = sessions[index].isActive || conditions.isForeground
      sessions[index].isActive = mayBegin && conditions.allowActivity
    }
  }
}

extension BackgroundActivity.Session {
  /// Returns the present diagnostics of a session (BGA-11).
  func diagnostics(
    _ facts: AuthorizationFacts, _ conditions: BackgroundActivity.Conditions
  ) -> Diagnostics {
    var flags = facts.denial
    if facts.openPrompt == .whenInUse { flags.insert(.authorizationRequestInProgress) }
    if conditions.needsSession { flags.insert(.serviceSessionRequired) }
    let isUndenied = flags.isDisjoint(with: .authorizationDenied)
    if !isActive && !conditions.isForeground && isUndenied { flags.insert(.insufficientlyInUse) }
    return flags
  }
}
