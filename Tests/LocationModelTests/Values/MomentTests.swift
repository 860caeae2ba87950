import LocationModel
import Testing

@Suite("Time")
struct MomentTests {
  private let early = UnixTime(iso8601: "1700-01-01T00:00:00Z")
  private let late = UnixTime(iso8601: "2200-01-01T00:00:00Z")

  @Test("ends where nanoseconds end, some 292 years either way, instead of trapping")
  func span() throws {
    let (early, late) = (try #require(early), try #require(late))
    #expect(late - early == .nanoseconds(Int64.max))
    #expect(early - late == .nanoseconds(Int64.min))
    #expect(late + (late - early) == UnixTime(nanoseconds: .max))
    #expect(early - (late - early) == UnixTime(nanoseconds: .min))
    #expect(late + .seconds(Int64.max) == UnixTime(nanoseconds: .max))
    #expect(Instant.start + .seconds(Int64.max) == Instant(nanoseconds: .max))
    #expect(Instant(nanoseconds: -2) - .seconds(Int64.max) == Instant(nanoseconds: .min))
    #expect(UnixTime(seconds: -1e300) == UnixTime(nanoseconds: .min))
    #expect(UnixTime(seconds: .infinity) == UnixTime(nanoseconds: .max))
  }

  @Test("counts the seconds between any two dates")
  func centuries() throws {
    let (early, late) = (try #require(early), try #require(late))
    #expect(late.seconds(since: early) == 182_621 * 86_400)
  }
}
