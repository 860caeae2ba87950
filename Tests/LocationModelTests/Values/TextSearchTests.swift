import LocationModel
import TestSupport
import Testing

@Suite("A text in another one")
struct TextSearchTests {
  @Test(
    "is found at its first place, between whole characters",
    arguments: [
      ("zoneinfo/Europe/Berlin", "zoneinfo/", 0), ("/usr/share/zoneinfo/UTC", "zoneinfo/", 11),
      ("aab", "ab", 1), ("aaab", "aab", 1), ("abc", "abcd", nil), ("", "a", nil), ("abc", "", nil),
      ("cafe\u{301}", "e", nil), ("cafe\u{301}", "\u{E9}", 3), ("👩‍👧", "👧", nil),
    ] as [(String, String, Int?)])
  func place(_ text: String, _ part: String, _ offset: Int?) {
    let place = text.firstPlace(of: part)
    #expect(place.map { text.distance(from: text.startIndex, to: $0.lowerBound) } == offset)
    #expect(place.map { text[$0] == part } != false)
    #expect(text.holds(part) == (offset != nil))
  }

  @Test("is where the standard library finds it, and parts a text as there")
  func standardLibrary() {
    var samples = Samples(seed: 110)
    for _ in 0..<2000 {
      let text = String((0..<samples.pick(12)).map { _ in samples.pick(2) == 0 ? ":" : "a" })
      let part = String((0...samples.pick(3)).map { _ in samples.pick(2) == 0 ? ":" : "a" })
      #expect(text.firstPlace(of: part) == text.firstRange(of: part), "\(part) in \(text)")
      #expect(
        text.pieces(between: part) == text.split(separator: part, omittingEmptySubsequences: false),
        "\(text) by \(part)")
      #expect(text.substituting(part, with: "b-") == text.replacing(part, with: "b-"))
    }
  }
}
