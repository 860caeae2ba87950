import LocationProviders

/// An attempt to connect to a host: the remaining addresses, and the users who may serve there.
struct ConnectionAttempt: Sendable {
  var host: String
  /// The allowed users; empty if every user is.
  var users: [String]
  var rest: ArraySlice<SocketAddress> = []
  /// Why an address was not used; a service that is not trusted takes precedence over one that
  /// does not exist.
  var obstacle: ChannelEnd?

  mutating func note(_ end: ChannelEnd) {
    if case .noPermission? = obstacle { return }
    obstacle = end
  }
}
