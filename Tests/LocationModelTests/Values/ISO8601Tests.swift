import LocationModel
import Testing

@Suite("A date of ISO 8601")
struct ISO8601Tests {
  @Test(
    "is read in every form that receivers and files use",
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("2024-01-01T00:00:00Z", 1_704_067_200_000),
      ("2024-01-01T01:00:00+01:00", 1_704_067_200_000),
      ("2023-12-31T18:30:00-0530", 1_704_067_200_000),
      ("2024-01-01T02:00:00+02", 1_704_067_200_000),
      ("2024-01-01T00:00:01.250Z", 1_704_067_201_250),
      ("2024-01-01T00:00:01,25Z", 1_704_067_201_250),
      ("2024-01-01T00:00:02", 1_704_067_202_000),
      ("2024-01-01 00:00:02z", 1_704_067_202_000),
      ("20240101T000002Z", 1_704_067_202_000),
      ("\n  2024-01-01T00:00:02Z \t", 1_704_067_202_000),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000),
      ("2023-12-31T24:00:00Z", 1_704_067_200_000),
      ("1969-12-31T23:59:59.999Z", -1),
      ("2000-02-29T00:00:00Z", 951_782_400_000),
      ("1678-01-01T00:00:00Z", -9_214_560_000_000),
      ("2261-12-31T23:59:59Z", 9_214_646_399_000),
    ] as [(String, Int64)])
  func reading(text: String, milliseconds: Int64) {
    #expect(UnixTime(iso8601: text) == UnixTime(milliseconds: milliseconds))
  }

  @Test(
    "is refused when it is none",
    arguments: [
      "", "yesterday", "2024", "2024-01-01", "2024-01-01T", "2024-01-01T00:00",
      "24-01-01T00:00:00Z",
      "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2023-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-01T25:00:00Z",
      "2024-01-01T24:00:01Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z",
      "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00+1",
      "2024-01-01T00:00:00+01:", "2024-01-01T00:00:00+01:60", "2024-0101T00:00:00Z",
      "2024-01-01T00:0000Z", "1600-01-01T00:00:00Z", "2263-01-01T00:00:00Z",
    ])
  func refusing(text: String) {
    #expect(UnixTime(iso8601: text) == nil)
  }

  @Test("has the same meaning behind a space, which the usual form does not have")
  func usualForm() {
    var random = SeededRandom(seed: 61)
    let marks = Array("0123456789 -:.,TtZz+/".utf8)
    var dates = 0
    for _ in 0..<20_000 {
      let time = UnixTime(
        milliseconds: .random(in: -9_214_560_000_000...9_214_646_399_999, using: &random))
      var text = Array(time.iso8601.utf8)
      if Bool.random(using: &random) { text.removeSubrange(19..<23) }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        text[.random(in: text.indices, using: &random)] = marks.randomElement(using: &random) ?? 0
      }
      let read = UnixTime(iso8601: String(decoding: text, as: UTF8.self))
      dates += read == nil ? 0 : 1
      #expect(read == UnixTime(iso8601: " " + String(decoding: text, as: UTF8.self)))
    }
    #expect((8_000..<18_000).contains(dates))
  }

  @Test("keeps nanoseconds and ignores finer digits")
  func fraction() {
    #expect(UnixTime(iso8601: "1970-01-01T00:00:00.1234567899Z")?.nanoseconds == 123_456_789)
  }

  @Test("is written in UTC with milliseconds, rounded to the nearest")
  func writing() {
    #expect(UnixTime(nanoseconds: 0).iso8601 == "1970-01-01T00:00:00.000Z")
    #expect(UnixTime(nanoseconds: -1).iso8601 == "1970-01-01T00:00:00.000Z")
    #expect(UnixTime(nanoseconds: -600_000).iso8601 == "1969-12-31T23:59:59.999Z")
    #expect(UnixTime(seconds: 1_700_000_000.123).iso8601 == "2023-11-14T22:13:20.123Z")
    #expect(UnixTime(nanoseconds: 999_500_000).iso8601 == "1970-01-01T00:00:01.000Z")
    #expect(UnixTime(nanoseconds: .min).iso8601 == "1677-09-21T00:12:43.145Z")
    #expect(UnixTime(nanoseconds: .max).iso8601 == "2262-04-11T23:47:16.855Z")
  }

  @Test("can be compared with any other")
  func centuries() throws {
    let early = try #require(UnixTime(iso8601: "1678-01-01T00:00:00Z"))
    let late = try #require(UnixTime(iso8601: "2261-12-31T00:00:00Z"))
    #expect((late.seconds(since: early) - 18_429_120_000).magnitude < 1e5)
    #expect(early.seconds(since: late) == -late.seconds(since: early))
  }

  @Test("is the same after writing and reading, for any date")
  func roundTrip() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<2000 {
      let milliseconds = Int64.random(in: -9_214_560_000_000...9_214_646_399_999, using: &random)
      let time = UnixTime(milliseconds: milliseconds)
      #expect(UnixTime(iso8601: time.iso8601) == time)
    }
  }
}

@Suite("A day of the calendar")
struct CivilDateTests {
  @Test("follows the day before it, over the whole four hundred years of the cycle")
  func days() throws {
    var previous = CivilDate(daysSince1970: -40_000)
    for number in -39_999...110_000 {
      let date = CivilDate(daysSince1970: number)
      let expected =
        CivilDate(year: previous.year, month: previous.month, day: previous.day + 1)
        ?? CivilDate(year: previous.year, month: previous.month + 1, day: 1)
        ?? CivilDate(year: previous.year + 1, month: 1, day: 1)
      try #require(date == expected)
      try #require(date.daysSince1970 == number)
      previous = date
    }
  }
}
