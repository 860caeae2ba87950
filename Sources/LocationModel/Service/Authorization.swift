/// What an app may know, as it reads it. Apple's raw values are made in the face (AUTH-1).
package enum AuthorizationStatus: String, CaseIterable, Sendable {
  case notDetermined
  /// Not the person's to change (AUTH-3).
  case restricted
  case denied
  case always
  case whenInUse

  /// Whether some location may ever flow.
  package var isGranted: Bool { self == .always || self == .whenInUse }
}

/// How exactly an app may know it.
package enum AccuracyAuthorization: String, Sendable {
  case full
  case reduced
}

/// The two values an app reads together; a callback follows each change (AUTH-12).
package struct AuthorizationReport: Hashable, Sendable {
  package var status: AuthorizationStatus
  /// Means nothing unless the status is a grant (AUTH-16).
  package var accuracy: AccuracyAuthorization

  package init(status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full) {
    self.status = status
    self.accuracy = accuracy
  }
}

/// What an app asks for, or a service session declares as its goal (SESS-1).
package enum AuthorizationGoal: Int, Comparable, CaseIterable, Sendable {
  /// Never asks; still counts as an explicit session (SESS-4).
  case none
  case whenInUse
  case always

  package static func < (left: AuthorizationGoal, right: AuthorizationGoal) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Where the process of an app is, as its life cycle source tells (MODEL-2).
package enum AppLife: String, CaseIterable, Sendable {
  case foreground
  case background
  case suspended
  /// Ended by the system or a crash, or never started.
  case terminated
  /// Ended by the person (LIFE-4).
  case quit

  /// Whether there is a process at all.
  package var hasProcess: Bool { self != .terminated && self != .quit }
}

/// How much an app is in use.
package enum AppUse: Int, Comparable, CaseIterable, Sendable {
  case none
  /// In the background, within the grace time or with a visible indicator.
  case extended
  /// In the foreground.
  case direct

  package static func < (left: AppUse, right: AppUse) -> Bool { left.rawValue < right.rawValue }
}

/// Why an app in the background still counts as in use.
package enum InUseReason: Hashable, Comparable, Sendable {
  /// An active background activity session (BGA-4).
  case backgroundActivity
  /// Standard updates begun in the foreground with background updates allowed (STD-47).
  case continuousUpdates
  /// A live activity on screen (BGA-14).
  case liveActivity
}

/// The error a request for temporary full accuracy ends with.
package enum AccuracyRefusal: String, Sendable {
  /// No question could be shown (AUTH-48).
  case promptDeclined
  /// No location is granted at all (AUTH-51).
  case denied
}
