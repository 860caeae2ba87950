/// The authorization status that an app reads. `CoreLocation` creates Apple's raw values (AUTH-1).
package enum AuthorizationStatus: String, CaseIterable, Sendable {
  case notDetermined
  /// The person cannot change it (AUTH-3).
  case restricted
  case denied
  case always
  case whenInUse

  /// Whether the app may receive any location.
  package var isGranted: Bool { self == .always || self == .whenInUse }
}

/// The accuracy of the locations that an app may receive.
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

/// The authorization that an app requests, or a service session declares as its goal (SESS-1).
package enum AuthorizationGoal: Int, Comparable, CaseIterable, Sendable {
  /// No request; still counts as an explicit session (SESS-4).
  case none
  case whenInUse
  case always

  package static func < (left: AuthorizationGoal, right: AuthorizationGoal) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The lifecycle state of an app's process, as its source reports it (MODEL-2).
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

/// A reason for which an app in the background counts as in use.
package enum InUseReason: Hashable, Comparable, Sendable {
  /// An active background activity session (BGA-4).
  case backgroundActivity
  /// Standard updates begun in the foreground with background updates allowed (STD-47).
  case continuousUpdates
}

/// The error of a request for temporary full accuracy.
package enum AccuracyRefusal: String, Sendable {
  /// No prompt could be shown (AUTH-48).
  case promptDeclined
  /// The app has no authorization at all (AUTH-51).
  case denied
}
