import LocationModel

/// What the owner has set for apps, whether they run or not.
struct AppPolicies: Sendable {
  /// Apps whose authorization is not the person's to change (AUTH-3).
  var restricted: Set<AppIdentity> = []
  /// Apps that are launched for nothing (STD-53).
  var withoutRefresh: Set<AppIdentity> = []
  /// Whether an app that the person ended stays ended (LIFE-4).
  var honorsQuit = false
  /// The users who have unlocked their session; `nil` where that is not known (LIFE-7).
  var unlocked: UnlockedUsers?
  /// The settings for the services of all apps.
  var services = ServiceSettings()
  /// Days of use in the background until a person is reminded; `nil` for never (AUTH-38).
  var remindAfter: Int?

  /// Whether the user of an app has unlocked a session since the computer started (LIFE-7).
  ///
  /// `nil` while that is not known yet.
  func isUnlocked(_ app: AppIdentity) -> Bool? {
    guard let unlocked else { return true }
    return unlocked.includes(app.user)
  }
}

/// The owner's settings for the services of every app.
struct ServiceSettings: Hashable, Sendable {
  /// Whether paused updates resume only when the app starts them again (STD-42).
  var pauseNeedsRestart = false
  /// The longest time without a significant change for a device at rest; `nil` for no limit
  /// (SLC-11).
  var heartbeat: Duration?
}

extension Set {
  mutating func set(_ member: Element, _ isIn: Bool) {
    if isIn { insert(member) } else { remove(member) }
  }
}
