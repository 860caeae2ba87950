import LocationHost

/// Counts clients, and their managers, loops, and sessions: of all, of each user, and of each
/// program.
///
/// A program's bound is the lowest, so that it leaves room for other programs of its user. Beyond
/// the user's bound, and beyond that of all, a few places are kept for those who have none yet.
package struct ClientRoom: Sendable {
  /// The bounds for all clients together, and for some of them.
  package struct Limits: Hashable, Sendable {
    package var clients = 2048
    /// So that one user cannot keep the others out.
    package var clientsPerUser = 1536
    /// So that one program cannot keep the others of its user out.
    package var clientsPerApp = 512
    /// Managers, loops, monitors, sessions, and streams of all processes of a program. Chosen: a
    /// fix is delivered to this many in less than a tenth of a second.
    package var subscribersPerApp = 4096
    package var subscribersPerUser = 16_384
    /// Places beyond the bounds for users and programs without a client, and as many for the owner.
    package var kept = 32
    /// Bytes that the clients of a user, and all clients, have not read, beside the owner's.
    package var unreadPerUser = 16 << 20
    package var unread = 64 << 20

    package init() {}

    /// Reduces the numbers of clients in proportion if a process has descriptors for fewer.
    ///
    /// - Parameter most: the number of clients for which the process has descriptors.
    package mutating func fit(_ most: Int) {
      clients = min(clients, max(1, most - 2 * kept))
      clientsPerUser = min(clientsPerUser, max(1, clients * 3 / 4))
      clientsPerApp = min(clientsPerApp, max(1, clients / 4))
    }
  }

  private struct Count {
    var clients = 0
    var subscribers = 0
    var unread = 0

    var isNone: Bool { clients == 0 && subscribers == 0 && unread == 0 }
  }

  private let limits: Limits
  private var all = 0
  private var unread = 0
  private var users: [UInt32: Count] = [:]
  private var payers: [Payer: Count] = [:]

  package init(_ limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Returns why one more client is refused; `nil` if it is admitted. The owner is root, or the
  /// user that the daemon runs as.
  package func refusal(of payer: Payer, isOwner: Bool) -> String? {
    let (ofUser, ofApp) = (users[payer.user]?.clients ?? 0, payers[payer]?.clients ?? 0)
    // The owner's places are nobody else's.
    let kept = isOwner ? 2 * limits.kept : ofUser == 0 ? limits.kept : 0
    if all >= limits.clients + kept {
      return "there are \(limits.clients) clients already"
    }
    if ofUser >= limits.clientsPerUser + (ofApp == 0 ? limits.kept : 0) {
      return "user \(payer.user) has \(limits.clientsPerUser) clients already"
    }
    if ofApp >= limits.clientsPerApp {
      return "this program has \(limits.clientsPerApp) clients already"
    }
    return nil
  }

  package mutating func enter(_ payer: Payer) { change(payer, clients: 1) }

  /// Removes a client and its subscribers.
  package mutating func leave(_ payer: Payer, subscribers: Int) {
    change(payer, clients: -1, subscribers: -subscribers)
  }

  /// Adds or removes subscribers of a client; returns why that is too many, or `nil`.
  package mutating func settle(_ payer: Payer, subscribers change: Int) -> String? {
    guard change != 0 else { return nil }
    self.change(payer, subscribers: change)
    guard change > 0 else { return nil }
    let (ofUser, ofApp) = (users[payer.user]?.subscribers ?? 0, payers[payer]?.subscribers ?? 0)
    if ofApp > limits.subscribersPerApp {
      return "its program has more than \(limits.subscribersPerApp) managers, loops, and sessions"
    }
    if ofUser > limits.subscribersPerUser {
      return "user \(payer.user) has more than \(limits.subscribersPerUser) managers, loops, and "
        + "sessions"
    }
    return nil
  }

  /// Unread bytes that are too many.
  package enum Excess: Hashable, Sendable {
    /// The client that got the last of them goes.
    case own(String)
    /// A client of this user goes, who has left most.
    case user(UInt32, String)
  }

  /// Counts bytes that a client has not read, or has read since; returns whose are too many, or `nil`.
  ///
  /// Where those of all are too many, the user who has left most gives way, so that a few users keep
  /// nobody else out.
  package mutating func settle(_ payer: Payer, unread change: Int) -> Excess? {
    guard change != 0 else { return nil }
    self.change(payer, unread: change)
    guard change > 0 else { return nil }
    if users[payer.user]?.unread ?? 0 > limits.unreadPerUser {
      return .own(
        "the clients of user \(payer.user) have left \(limits.unreadPerUser) bytes unread")
    }
    guard unread > limits.unread else { return nil }
    let reason = "\(limits.unread) bytes are unread by all clients"
    let most = users.max { ($0.value.unread, $1.key) < ($1.value.unread, $0.key) }
    guard let most, most.value.unread > users[payer.user]?.unread ?? 0 else { return .own(reason) }
    return .user(most.key, "\(reason), and user \(most.key) has left most")
  }

  private mutating func change(
    _ payer: Payer, clients: Int = 0, subscribers: Int = 0, unread: Int = 0
  ) {
    func changed(_ count: Count?) -> Count? {
      var count = count ?? Count()
      count.clients += clients
      count.subscribers += subscribers
      count.unread += unread
      return count.isNone ? nil : count
    }
    all += clients
    self.unread += unread
    users[payer.user] = changed(users[payer.user])
    payers[payer] = changed(payers[payer])
  }
}
