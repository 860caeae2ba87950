package import LocationModel

/// Whether a client that waits for its share has hung up, and for how long what it has sent may keep
/// its place.
package struct HangUp: Hashable, Sendable {
  /// When it was first seen that the client has hung up.
  private var since: Instant?

  package init() {}

  /// Notes a look at the connection, and returns whether the place is free: at once when everything
  /// is read, else ten seconds after the client was first seen to have hung up.
  package mutating func isOver(hasHungUp: Bool, isRead: Bool, at now: Instant) -> Bool {
    guard hasHungUp, !isRead else { return hasHungUp }
    let since = since ?? now
    self.since = since
    return now - since >= Self.longest
  }

  /// Chosen: no program waits longer for its share.
  private static let longest = Duration.seconds(10)
}
