import LocationHost
package import LocationModel

/// Limits how much of the daemon's time each program, and each user, may take.
///
/// Work for a program is charged to its account, and to that of its user. As time passes, a tenth
/// of it is paid off the program's debt, and four tenths off the user's. A program waits while its
/// own debt or its user's exceeds the credit. So a program has one share, however many processes it
/// has, each program of a user has its own share, and all of a user's together leave most of the
/// time to others.
package struct RateLimiter: Sendable {
  private struct Account {
    /// The debt at `since`.
    var debt = Duration.zero
    var since = Instant.start

    func debt(at now: Instant, _ terms: Terms) -> Duration {
      max(.zero, debt - (now - since) / RateLimiter.part * terms.parts)
    }

    mutating func charge(_ time: Duration, at now: Instant, _ terms: Terms) {
      debt = min(debt(at: now, terms) + time, terms.credit * 2)
      since = now
    }

    /// Returns when the debt no longer exceeds the credit; `nil` for now.
    func rest(at now: Instant, _ terms: Terms) -> Instant? {
      let excess = debt(at: now, terms) - terms.credit
      return excess > .zero ? now + excess * RateLimiter.part / terms.parts : nil
    }
  }

  /// The terms of an account. A debt is at most twice the credit, so that no program waits for more
  /// than ten seconds: the computer may have slept during the work.
  private struct Terms {
    var credit: Duration
    /// How much is paid off, in tenths of the time that passes.
    var parts: Int
  }

  private struct User {
    var account = Account()
    var programs: [Payer.Program: Account] = [:]
    /// The account of programs that could not be identified, and of those beyond the bound.
    var others = Account()

    /// Whether there is no debt.
    func isSettled(at now: Instant) -> Bool {
      account.debt(at: now, RateLimiter.ofUser) == .zero
        && others.debt(at: now, RateLimiter.ofProgram) == .zero
        && programs.values.allSatisfy { $0.debt(at: now, RateLimiter.ofProgram) == .zero }
    }
  }

  private var users: [UInt32: User] = [:]
  private let owners: Set<UInt32>

  /// Creates a rate limiter; owners have no account as users, but their programs have.
  package init(owners: Set<UInt32> = []) {
    self.owners = owners
  }

  /// The number of accounts, for the tests.
  package var count: Int { users.values.reduce(0) { $0 + 1 + $1.programs.count } }

  /// Charges a program for work.
  package mutating func charge(_ time: Duration, to payer: Payer, at now: Instant) {
    if users[payer.user] == nil, users.count >= Self.keptUsers {
      users = users.filter { !$1.isSettled(at: now) }
    }
    let number = place(of: payer.user)
    var user = users.removeValue(forKey: number) ?? User()
    user.account.charge(time, at: now, Self.ofUser)
    if let program = payer.program {
      if user.programs[program] == nil, user.programs.count >= Self.keptPrograms {
        user.programs = user.programs.filter { $1.debt(at: now, Self.ofProgram) > .zero }
      }
      if user.programs[program] != nil || user.programs.count < Self.keptPrograms {
        user.programs[program, default: Account()].charge(time, at: now, Self.ofProgram)
      } else {
        user.others.charge(time, at: now, Self.ofProgram)
      }
    } else {
      user.others.charge(time, at: now, Self.ofProgram)
    }
    users[number] = user
  }

  /// Returns when a program may be served again; `nil` for now.
  package func rest(of payer: Payer, at now: Instant) -> Instant? {
    guard let user = users[place(of: payer.user)] else { return nil }
    let own =
      payer.program.flatMap { user.programs[$0] }
      ?? (payer.program == nil || user.programs.count >= Self.keptPrograms ? user.others : nil)
    let ends = [
      own?.rest(at: now, Self.ofProgram),
      owners.contains(payer.user) ? nil : user.account.rest(at: now, Self.ofUser),
    ]
    return ends.compactMap(\.self).max()
  }

  /// Returns the account of a user; users beyond the bound share one.
  private func place(of user: UInt32) -> UInt32 {
    users[user] != nil || users.count < Self.keptUsers ? user : .max
  }

  /// Chosen: an app that begins to watch all its places on a slow disk needs less at once.
  package static let credit = Duration.seconds(1)
  /// Parts of the time: one for a program, four for a user. Chosen: ten programs fill the time.
  package static let part = 10
  private static let ofProgram = Terms(credit: credit, parts: 1)
  private static let ofUser = Terms(credit: credit * 4, parts: 4)
  /// Programs of one user that are in debt and have accounts of their own. Chosen.
  package static let keptPrograms = 64
  /// Users with accounts of their own. Chosen.
  package static let keptUsers = 256
}
