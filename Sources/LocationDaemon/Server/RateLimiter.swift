import LocationHost
package import LocationModel

/// Limits how much of the daemon's time each program, and each user, may take.
///
/// Work for a program is charged to its account, and to that of its user. As time passes, a tenth
/// of it is paid off the program's debt, and four tenths off the user's. A program waits while its
/// own debt or its user's exceeds the credit. So a program has one share, however many processes it
/// has, each program of a user has its own share, and all of a user's together leave most of the
/// time to others.
///
/// The credit is not taken at once: what is more than some milliseconds waits for a moment (the pace),
/// so that others are not held up by who has a second to spend.
package struct RateLimiter: Sendable {
  /// What work has cost, and is paid off by waiting.
  private struct Debt {
    /// The debt at `since`.
    var amount = Duration.zero
    var since = Instant.start

    func amount(at now: Instant, _ terms: Terms) -> Duration {
      max(.zero, amount - (now - since) / RateLimiter.part * terms.parts)
    }

    mutating func charge(_ time: Duration, at now: Instant, _ terms: Terms) {
      amount = min(amount(at: now, terms) + time, terms.credit * 2)
      since = now
    }

    /// Returns when the debt no longer exceeds the credit; `nil` for now.
    func rest(at now: Instant, _ terms: Terms) -> Instant? {
      let excess = amount(at: now, terms) - terms.credit
      return excess > .zero ? now + excess * RateLimiter.part / terms.parts : nil
    }
  }

  private struct Account {
    var share = Debt()
    var pace = Debt()

    mutating func charge(
      _ time: Duration, isPaced: Bool, at now: Instant, _ terms: AccountTerms
    ) {
      share.charge(time, at: now, terms.share)
      if isPaced { pace.charge(time, at: now, terms.pace) }
    }

    /// Without a debt to the share there is none to the pace, which is paid off sooner.
    func isSettled(at now: Instant, _ terms: AccountTerms) -> Bool {
      share.amount(at: now, terms.share) == .zero
    }
  }

  /// The terms of a debt, which is at most twice the credit, so that no program waits for more than ten
  /// seconds: the computer may have slept during the work.
  private struct Terms {
    var credit: Duration
    /// How much is paid off, in tenths of the time that passes.
    var parts: Int
  }

  /// Who is charged for work, beyond the time that it took.
  package enum Pacing: Sendable {
    /// The program's and its user's: others had to wait for the work.
    case user
    /// The program's: the work was done beside the others', but is not to be asked for again and again.
    case program
    /// Others were served meanwhile.
    case nobody
  }

  private struct AccountTerms {
    var share, pace: Terms
  }

  private struct User {
    var account = Account()
    var programs: [Payer.Program: Account] = [:]
    /// The account of programs that could not be identified, and of those beyond the bound.
    var others = Account()

    /// Whether there is no debt.
    func isSettled(at now: Instant) -> Bool {
      account.isSettled(at: now, RateLimiter.ofUser)
        && others.isSettled(at: now, RateLimiter.ofProgram)
        && programs.values.allSatisfy { $0.isSettled(at: now, RateLimiter.ofProgram) }
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
  ///
  /// - Parameters:
  ///   - time: how long it took.
  ///   - payer: the program.
  ///   - now: the time at which it is done.
  ///   - pacing: whose pace it counts for, beside the shares.
  package mutating func charge(
    _ time: Duration, to payer: Payer, at now: Instant, pacing: Pacing = .user
  ) {
    if users[payer.user] == nil, users.count >= Self.keptUsers {
      users = users.filter { !$1.isSettled(at: now) }
    }
    let number = place(of: payer.user)
    var user = users.removeValue(forKey: number) ?? User()
    user.account.charge(time, isPaced: pacing == .user, at: now, Self.ofUser)
    let isPaced = pacing != .nobody
    if let program = payer.program {
      if user.programs[program] == nil, user.programs.count >= Self.keptPrograms {
        user.programs = user.programs.filter { !$1.isSettled(at: now, Self.ofProgram) }
      }
      if user.programs[program] != nil || user.programs.count < Self.keptPrograms {
        user.programs[program, default: Account()]
          .charge(time, isPaced: isPaced, at: now, Self.ofProgram)
      } else {
        user.others.charge(time, isPaced: isPaced, at: now, Self.ofProgram)
      }
    } else {
      user.others.charge(time, isPaced: isPaced, at: now, Self.ofProgram)
    }
    users[number] = user
  }

  /// Returns when a program may be served again; `nil` for now. Until then its connections are refused.
  package func rest(of payer: Payer, at now: Instant) -> Instant? {
    ends(of: payer) { account, terms in account.share.rest(at: now, terms.share) }
  }

  /// Returns when the next turn of a program may come; `nil` for now. That is sooner than a person notices,
  /// unless it has used up its share.
  package func nextTurn(of payer: Payer, at now: Instant) -> Instant? {
    ends(of: payer) { account, terms in
      [account.share.rest(at: now, terms.share), account.pace.rest(at: now, terms.pace)]
        .compactMap(\.self).max()
    }
  }

  /// Whether a program, or its user, has used up half of what may be asked without a pause.
  package func asksMuch(_ payer: Payer, at now: Instant) -> Bool {
    ends(of: payer) { account, terms in
      account.pace.amount(at: now, terms.pace) > terms.pace.credit / 2 ? now : nil
    } != nil
  }

  /// The later one of what a program's account and that of its user say.
  private func ends(
    of payer: Payer, _ end: (Account, AccountTerms) -> Instant?
  ) -> Instant? {
    guard let user = users[place(of: payer.user)] else { return nil }
    let own =
      payer.program.flatMap { user.programs[$0] }
      ?? (payer.program == nil || user.programs.count >= Self.keptPrograms ? user.others : nil)
    let ends = [
      own.flatMap { end($0, Self.ofProgram) },
      owners.contains(payer.user) ? nil : end(user.account, Self.ofUser),
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
  /// Work that is done without a pause. Chosen: an app that starts needs less.
  package static let briefCredit = Duration.milliseconds(10)
  private static let ofProgram = AccountTerms(
    share: Terms(credit: credit, parts: 1), pace: Terms(credit: briefCredit, parts: 2))
  private static let ofUser = AccountTerms(
    share: Terms(credit: credit * 4, parts: 4), pace: Terms(credit: briefCredit * 2, parts: 5))
  /// Programs of one user that are in debt and have accounts of their own. Chosen.
  package static let keptPrograms = 64
  /// Users with accounts of their own. Chosen.
  package static let keptUsers = 256
}
