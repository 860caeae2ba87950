import LocationHost
import LocationModel
import Testing

@Suite("The share of each process in the daemon's time")
struct TimeSharesTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test("is a second at once; who has taken more rests ten times as long as what is too much")
  func credit() {
    var shares = TimeShares()
    shares.charge(.seconds(1), to: 7, at: start)
    #expect(shares.rest(of: 7, at: start) == nil)
    shares.charge(.milliseconds(20), to: 7, at: start)
    let end = start + .milliseconds(200)
    #expect(shares.rest(of: 7, at: start) == end)
    #expect(shares.rest(of: 7, at: end) == nil)
    #expect(shares.rest(of: 8, at: start) == nil)
  }

  @Test("is a tenth of the time in the long run, however much is asked")
  func longRun() {
    var shares = TimeShares()
    var (now, taken) = (start, Duration.zero)
    while now < start + .seconds(100) {
      if let rest = shares.rest(of: 7, at: now) { now = rest }
      now = now + .milliseconds(3)
      taken += .milliseconds(3)
      shares.charge(.milliseconds(3), to: 7, at: now)
    }
    #expect(taken > .seconds(10.5) && taken < .seconds(12))
  }

  @Test("keeps what is owed by those who are gone, two seconds at most; others are forgotten")
  func many() {
    var shares = TimeShares()
    shares.charge(.seconds(3), to: 1, at: start)
    for process in Int32(2)..<5000 { shares.charge(.microseconds(1), to: process, at: start) }
    #expect(shares.rest(of: 1, at: start) == start + .seconds(10))
  }
}
