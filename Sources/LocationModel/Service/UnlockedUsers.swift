/// The users who have unlocked a session since the computer started (LIFE-7).
package struct UnlockedUsers: Hashable, Sendable {
  /// The user of this engine's process, to whom apps without a user in their name belong.
  package var own: UInt32
  /// The users, in ascending order; `nil` while that is not known yet.
  package var users: [UInt32]?

  package init(own: UInt32, users: [UInt32]?) {
    (self.own, self.users) = (own, users)
  }

  /// Whether an app of a user may run unattended; with `nil`, an app of the engine's own user. `nil`
  /// while that is not known yet.
  ///
  /// Users who are no persons never log in, and lock nothing.
  package func includes(_ user: UInt32?) -> Bool? {
    let user = user ?? own
    return Self.persons.contains(user) ? users?.contains(user) : true
  }

  /// The numbers of users who log in. Documented: systemd.io/UIDS-GIDS, those of systemd-homed
  /// included.
  package static let persons: ClosedRange<UInt32> = 1000...60_513
}
