package import LocationModel

/// How much of the daemon's time each process may take.
///
/// What is done for a process is written to its account, and time pays off a tenth of itself. Who
/// owes more than the credit waits until that is no longer so; nobody else does.
package struct TimeShares: Sendable {
  private struct Account {
    /// What was owed at `since`.
    var debt: Duration
    var since: Instant

    func debt(at now: Instant) -> Duration {
      max(.zero, debt - (now - since) / TimeShares.part)
    }
  }

  private var accounts: [Int32: Account] = [:]

  package init() {}

  /// Writes down that something was done for a process.
  package mutating func charge(_ time: Duration, to process: Int32, at now: Instant) {
    if accounts.count >= Self.keptAccounts {
      accounts = accounts.filter { $1.debt(at: now) > .zero }
    }
    let debt = (accounts[process]?.debt(at: now) ?? .zero) + time
    accounts[process] = Account(debt: min(debt, Self.most), since: now)
  }

  /// When a process may be served again; `nil` for now.
  package func rest(of process: Int32, at now: Instant) -> Instant? {
    let excess = (accounts[process]?.debt(at: now) ?? .zero) - Self.credit
    return excess > .zero ? now + excess * Self.part : nil
  }

  /// Chosen: an app that begins to watch all its places on a slow disk needs less at once.
  package static let credit = Duration.seconds(1)
  /// Of the time that passes, one in so many is for a process. Chosen: it takes ten to fill it.
  package static let part = 10
  /// Nobody owes more, so nobody waits for more than ten seconds: the computer may have slept in
  /// the middle of what was done.
  private static let most = credit * 2
  /// Processes whose accounts are kept though nothing is owed. Chosen.
  private static let keptAccounts = 1024
}
