import LocationDaemon
import LocationHost
import LocationModel
import Testing

@Suite("The share of each program in the daemon's time")
struct RateLimiterTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func payer(_ program: UInt64, of user: UInt32 = 1000) -> Payer {
    Payer(user: user, program: Payer.Program(device: 1, inode: program))
  }

  @Test("is a second at once; who has taken more rests ten times as long as what is too much")
  func credit() {
    var shares = RateLimiter()
    shares.charge(.seconds(1), to: payer(7), at: start)
    #expect(shares.rest(of: payer(7), at: start) == nil)
    shares.charge(.milliseconds(20), to: payer(7), at: start)
    let end = start + .milliseconds(200)
    #expect(shares.rest(of: payer(7), at: start) == end)
    #expect(shares.rest(of: payer(7), at: end) == nil)
    #expect(shares.rest(of: payer(8), at: start) == nil)
  }

  @Test("border 13: is a tenth of the time in the long run, however many processes ask")
  func longRun() {
    var shares = RateLimiter()
    var (now, taken) = (start, Duration.zero)
    while now < start + .seconds(100) {
      if let rest = shares.rest(of: payer(7), at: now) { now = rest }
      now = now + .milliseconds(3)
      taken += .milliseconds(3)
      shares.charge(.milliseconds(3), to: payer(7), at: now)
    }
    #expect(taken > .seconds(10.5) && taken < .seconds(12))
    // One that asks seldom is served beside it, of the same user and of another.
    #expect(shares.rest(of: payer(8), at: now) == nil)
    #expect(shares.rest(of: payer(7, of: 1001), at: now) == nil)
  }

  @Test(
    "border 13: is spent at a fifth of the time beyond ten milliseconds, so that others do not wait"
  )
  func pace() {
    var shares = RateLimiter()
    let own = payer(7)
    shares.charge(RateLimiter.briefCredit / 2, to: own, at: start)
    #expect(!shares.asksMuch(own, at: start))
    shares.charge(RateLimiter.briefCredit / 2, to: own, at: start)
    #expect(shares.nextTurn(of: own, at: start) == nil)
    #expect(shares.asksMuch(own, at: start) && !shares.asksMuch(payer(8), at: start))
    #expect(!shares.asksMuch(own, at: start + .milliseconds(25)))
    shares.charge(.milliseconds(2), to: own, at: start)
    let end = start + .milliseconds(10)
    #expect(shares.nextTurn(of: own, at: start) == end)
    // It waits, and is not refused.
    #expect(shares.rest(of: own, at: start) == nil)
    #expect(shares.nextTurn(of: own, at: end) == nil)
    #expect(shares.nextTurn(of: payer(8), at: start) == nil)
    var (now, taken) = (end, Duration.zero)
    while now < end + .seconds(5) {
      if let next = shares.nextTurn(of: own, at: now) { now = next }
      now = now + .microseconds(300)
      taken += .microseconds(300)
      shares.charge(.microseconds(300), to: own, at: now)
    }
    #expect(taken > .milliseconds(950) && taken < .milliseconds(1050))
    #expect(shares.rest(of: own, at: now) == nil)
  }

  @Test(
    "border 13: waits a twentieth of a second at most for its pace, and then for its share"
  )
  func longestPause() {
    var shares = RateLimiter()
    shares.charge(.milliseconds(900), to: payer(7), at: start)
    #expect(shares.nextTurn(of: payer(7), at: start) == start + .milliseconds(50))
    shares.charge(.milliseconds(900), to: payer(7), at: start)
    #expect(shares.nextTurn(of: payer(7), at: start) == start + .seconds(8))
    #expect(shares.rest(of: payer(7), at: start) == start + .seconds(8))
  }

  @Test(
    "border 13: programs of a user take half of the time together, and the owner's as many as there are"
  )
  func paceOfUser() {
    var shares = RateLimiter(owners: [0])
    for program in UInt64(0)..<5 {
      shares.charge(.milliseconds(5), to: payer(program), at: start)
      shares.charge(.milliseconds(5), to: payer(program, of: 0), at: start)
    }
    #expect(shares.nextTurn(of: payer(99), at: start) == start + .milliseconds(10))
    #expect(shares.nextTurn(of: payer(99, of: 1001), at: start) == nil)
    #expect(shares.nextTurn(of: payer(99, of: 0), at: start) == nil)
  }

  @Test("border 13: all programs of a user have four tenths; another user's have their own")
  func user() {
    var shares = RateLimiter()
    var (now, taken) = (start, Duration.zero)
    while now < start + .seconds(100) {
      var isServed = false
      for program in UInt64(0)..<20 where shares.rest(of: payer(program), at: now) == nil {
        now = now + .milliseconds(3)
        taken += .milliseconds(3)
        shares.charge(.milliseconds(3), to: payer(program), at: now)
        isServed = true
        #expect(shares.rest(of: payer(1, of: 1001), at: now) == nil)
      }
      if !isServed { now = now + .milliseconds(1) }
    }
    #expect(taken > .seconds(40) && taken < .seconds(48))
  }

  @Test("border 13: the owner has no account as a user: a flood of theirs keeps none of theirs out")
  func owner() {
    var shares = RateLimiter(owners: [0])
    for program in UInt64(0)..<40 {
      shares.charge(.seconds(1), to: payer(program, of: 0), at: start)
    }
    #expect(shares.rest(of: payer(99, of: 0), at: start) == nil)
    for program in UInt64(0)..<40 { shares.charge(.seconds(1), to: payer(program), at: start) }
    #expect(shares.rest(of: payer(99), at: start) != nil)
  }

  @Test("keeps the debt of programs that are gone, two seconds at most; others are forgotten")
  func many() {
    var shares = RateLimiter()
    shares.charge(.seconds(3), to: payer(1), at: start)
    for program in UInt64(2)..<5000 {
      shares.charge(.microseconds(1), to: payer(program), at: start)
    }
    #expect(shares.rest(of: payer(1), at: start) == start + .seconds(10))
  }

  @Test("border 12: ten thousand programs and users that come and go leave a bounded memory")
  func bounded() {
    var shares = RateLimiter()
    for number in 0..<10_000 {
      shares.charge(.seconds(1), to: payer(UInt64(number)), at: start)
      shares.charge(.seconds(1), to: payer(1, of: UInt32(number)), at: start)
    }
    let most = RateLimiter.keptUsers + 1 + RateLimiter.keptPrograms * (RateLimiter.keptUsers + 1)
    #expect(shares.count <= most && shares.count < 1000)
    // A program without an account of its own shares one with the others of its user.
    #expect(shares.rest(of: payer(9999), at: start) != nil)
    #expect(shares.rest(of: payer(1, of: 700_000), at: start) != nil)
    #expect(shares.rest(of: payer(1, of: 700_000), at: start + .seconds(30)) == nil)
  }
}
