import LocationModel

/// The conditions of all apps, found by their key or by their app, and counted for each user.
struct ConditionTable: Sendable {
  private var apps: [AppIdentity: [ConditionKey: WatchedCondition]] = [:]
  private var users: [UInt32?: Int] = [:]
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// All conditions, in no order.
  var all: some Sequence<(key: ConditionKey, value: WatchedCondition)> {
    apps.values.lazy.flatMap { $0 }
  }

  /// The conditions of an app, in no order.
  func of(_ app: AppIdentity) -> [ConditionKey: WatchedCondition] { apps[app] ?? [:] }

  /// The number of conditions of all apps of the user of one.
  func countOfUser(of app: AppIdentity) -> Int { users[app.user, default: 0] }

  subscript(key: ConditionKey) -> WatchedCondition? {
    get { apps[key.app]?[key] }
    set {
      guard let newValue else { return _ = removeValue(forKey: key) }
      let before = apps[key.app, default: [:]].updateValue(newValue, forKey: key)
      guard before == nil else { return }
      count += 1
      users[key.app.user, default: 0] += 1
    }
  }

  @discardableResult
  mutating func removeValue(forKey key: ConditionKey) -> WatchedCondition? {
    guard let removed = apps[key.app]?.removeValue(forKey: key) else { return nil }
    count -= 1
    users[key.app.user, default: 1] -= 1
    if users[key.app.user] == 0 { users[key.app.user] = nil }
    if apps[key.app]?.isEmpty == true { apps[key.app] = nil }
    return removed
  }
}
