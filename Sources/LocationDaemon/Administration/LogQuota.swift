import LocationHost
package import LocationModel

/// The program and the user that have caused a line of the log.
package struct LogCaller: Hashable, Sendable, CustomStringConvertible {
  package var user: UInt32
  package var program: String

  package init(user: UInt32, program: String) {
    (self.user, self.program) = (user, program)
  }

  package var description: String { "\(program) of user \(user)" }
}

/// Limits the lines of the log about each program, and about all programs of a user.
///
/// A number is allowed at once, then a few a minute. Lines that are left out are counted, and the
/// count is written with the next line that is allowed.
package struct LogQuota: Sendable {
  package enum Verdict: Hashable, Sendable {
    /// Write it; `leftOut` lines were left out before.
    case write(leftOut: Int)
    /// Leave it out; if it is the first, write a line that says so.
    case leaveOut(isFirst: Bool)
  }

  private struct Account {
    var lines = 0.0
    var since = Instant.start
    var leftOut = 0

    func lines(at now: Instant, _ terms: Terms) -> Double {
      max(0, lines - Double((now - since).wholeNanoseconds) / 60e9 * terms.perMinute)
    }
  }

  /// How many lines are allowed.
  package struct Terms: Sendable {
    /// Lines at once.
    package var atOnce: Double
    /// Lines a minute after that.
    package var perMinute: Double
  }

  private var programs: [LogCaller: Account] = [:]
  private var users: [UInt32: Account] = [:]

  package init() {}

  /// Decides whether a line about a program is written.
  package mutating func admit(_ caller: LogCaller, at now: Instant) -> Verdict {
    let caller = place(of: caller, at: now)
    var (own, user) = (programs[caller] ?? Account(), users[caller.user] ?? Account())
    let lines = own.lines(at: now, Self.perProgram)
    let linesOfUser = user.lines(at: now, Self.perUser)
    defer { (programs[caller], users[caller.user]) = (own, user) }
    guard lines < Self.perProgram.atOnce, linesOfUser < Self.perUser.atOnce else {
      own.leftOut += 1
      return .leaveOut(isFirst: own.leftOut == 1)
    }
    let leftOut = own.leftOut
    own = Account(lines: lines + 1, since: now)
    user = Account(lines: linesOfUser + 1, since: now)
    return .write(leftOut: leftOut)
  }

  /// Returns the account of a program; those beyond the bound share one.
  private mutating func place(of caller: LogCaller, at now: Instant) -> LogCaller {
    guard programs[caller] == nil, programs.count >= Self.kept else { return caller }
    programs = programs.filter { $1.leftOut > 0 || $1.lines(at: now, Self.perProgram) > 0 }
    users = users.filter { $1.lines(at: now, Self.perUser) > 0 }
    if programs.count < Self.kept { return caller }
    let user = users[caller.user] != nil || users.count < Self.kept ? caller.user : .max
    return LogCaller(user: user, program: "other programs")
  }

  /// Chosen: an app that comes, asks, and goes has under ten.
  package static let perProgram = Terms(atOnce: 50, perMinute: 10)
  /// Lines about all programs of a user. Chosen: eight programs that exceed theirs.
  package static let perUser = Terms(atOnce: 400, perMinute: 80)
  /// Programs with accounts of their own. Chosen.
  package static let kept = 256
}
