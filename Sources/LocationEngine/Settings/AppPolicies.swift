import LocationModel

/// What the owner has set for apps, whether they run or not.
struct AppPolicies: Sendable {
  /// Apps whose authorization is not the person's to change (AUTH-3).
  var restricted: Set<AppIdentity> = []
  /// Apps that are launched for nothing (STD-53).
  var withoutRefresh: Set<AppIdentity> = []
  var honorsQuit = false
}

extension Set {
  mutating func set(_ member: Element, _ isIn: Bool) {
    if isIn { insert(member) } else { remove(member) }
  }
}
