import LocationHost
package import LocationModel

/// How much of the daemon's time each program, and each user, may take.
///
/// What is done for a program is written to its account, and to that of its user; time pays off a
/// tenth of itself to the one, and four tenths to the other. Who owes more than the credit waits
/// until that is no longer so; nobody else does. So a program has one share however many processes
/// it has, a user's programs have their own beside it, and all of a user's leave the others most of
/// the time.
package struct RateLimiter: Sendable {
  private struct Account {
    /// What was owed at `since`.
    var debt = Duration.zero
    var since = Instant.start

    func debt(at now: Instant, _ terms: Terms) -> Duration {
      max(.zero, debt - (now - since) / RateLimiter.part * terms.parts)
    }

    mutating func charge(_ time: Duration, at now: Instant, _ terms: Terms) {
      debt = min(debt(at: now, terms) + time, terms.credit * 2)
      since = now
    }

    /// When no more is owed than the credit; `nil` for now.
    func rest(at now: Instant, _ terms: Terms) -> Instant? {
      let excess = debt(at: now, terms) - terms.credit
      return excess > .zero ? now + excess * RateLimiter.part / terms.parts : nil
    }
  }

  /// What an account allows. Nobody owes more than twice the credit, so nobody waits for more than
  /// ten seconds: the computer may have slept in the middle of what was done.
  private struct Terms {
    var credit: Duration
    /// Tenths of the time that passes.
    var parts: Int
  }

  private struct User {
    var account = Account()
    var programs: [Payer.Program: Account] = [:]
    /// Programs of which nobody knows which, and those beyond the bound.
    var others = Account()

    /// Whether nothing is owed.
    func isSettled(at now: Instant) -> Bool {
      account.debt(at: now, RateLimiter.ofUser) == .zero
        && others.debt(at: now, RateLimiter.ofProgram) == .zero
        && programs.values.allSatisfy { $0.debt(at: now, RateLimiter.ofProgram) == .zero }
    }
  }

  private var users: [UInt32: User] = [:]
  private let owners: Set<UInt32>

  /// Users who may do everything have no account as users; their programs have.
  package init(owners: Set<UInt32> = []) {
    self.owners = owners
  }

  /// How many accounts are kept, for the tests.
  package var count: Int { users.values.reduce(0) { $0 + 1 + $1.programs.count } }

  /// Writes down that something was done for a program.
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

  /// When a program may be served again; `nil` for now.
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

  /// Users beyond the bound have one account together.
  private func place(of user: UInt32) -> UInt32 {
    users[user] != nil || users.count < Self.keptUsers ? user : .max
  }

  /// Chosen: an app that begins to watch all its places on a slow disk needs less at once.
  package static let credit = Duration.seconds(1)
  /// Chosen: it takes ten programs to fill the time, and four are a user's share of it.
  package static let part = 10
  private static let ofProgram = Terms(credit: credit, parts: 1)
  private static let ofUser = Terms(credit: credit * 4, parts: 4)
  /// Programs of one user that owe something and have accounts of their own. Chosen.
  package static let keptPrograms = 64
  /// Chosen.
  package static let keptUsers = 256
}
