import LocationModel
import TestSupport
import Testing

@testable import LocationGeocoding

@Suite("Reading a search text")
struct PlaceQueryTests {
  private let folding = NameFolding(table: [])

  private func readings(_ text: String) -> [String] {
    PlaceQuery.readings(of: text, folding: folding).map { query in
      ([query.name] + query.qualifiers).map { $0.joined(separator: " ") }.joined(separator: " | ")
    }
  }

  @Test("takes commas at their word")
  func commas() {
    #expect(readings("Springfield, Ohio, USA") == ["springfield | ohio | usa"])
  }

  @Test("tries every cut where there is none, the longest name first")
  func cuts() {
    #expect(
      readings("San Jose California") == [
        "san jose california", "san jose | california", "san | jose california",
        "san | jose | california",
      ])
  }

  @Test("takes digits for a postal code first, and a house number for none")
  func codes() {
    #expect(readings("10115 Berlin").first == "10115 | berlin")
    #expect(readings("Beverly Hills, CA 90210").first == "90210 | beverly hills | ca")
    #expect(readings("Hauptweg 5, Berlin") == ["hauptweg 5 | berlin"])
  }

  @Test("finds nothing to read in nothing", arguments: ["", "  ", ",,,", " ; "])
  func empty(text: String) {
    #expect(readings(text).isEmpty)
  }

  @Test("misspells a word in every way of one slip")
  func misspellings() {
    let found = Set(Misspellings.of("bonn"))
    #expect(found.isSuperset(of: ["bon", "bonnn", "bomn", "obnn", "bxonn"]))
    #expect(!found.contains("bonn"))
    #expect(Misspellings.of("ulm").isEmpty)
    #expect(Misspellings.of("киев").contains("киевн"))
  }
}

@Suite(
  "Asking the place index where something is",
  .enabled(if: BuiltIndex.isThere, BuiltIndex.isMissing))
struct ForwardTests {
  private let geocoder: Geocoder

  init() throws { geocoder = try BuiltIndex.geocoder() }

  private func first(_ text: String, near hint: RegionHint? = nil) throws -> Place {
    try #require(try geocoder.forward(text, near: hint).first)
  }

  @Test(
    "finds a place by name, without accents, in other languages, and with one letter wrong",
    arguments: [
      ("München", "Munich"), ("Munchen", "Munich"), ("münchen", "Munich"), ("Москва", "Moscow"),
      ("東京", "Tokyo"), ("Pariss", "Paris"), ("Londn, England", "London"),
      ("Halle Saale", "Halle (Saale)"), ("New York", "New York City"), ("Bayern", "Bavaria"),
      ("Deutschland", "Germany"), ("Allemagne", "Germany"),
    ])
  func names(text: String, name: String) throws {
    let place = try first(text)
    #expect(place.name == name)
    #expect(!place.isPartial)
  }

  @Test(
    "narrows by region and country, with commas or without, by name or code",
    arguments: [
      ("Springfield, Illinois", "Illinois"), ("Springfield, IL", "Illinois"),
      ("Springfield Illinois USA", "Illinois"), ("Paris, Texas, USA", "Texas"),
      ("San Jose California", "California"), ("Frankfurt, Brandenburg, Germany", "Brandenburg"),
    ])
  func qualified(text: String, state: String) throws {
    let place = try first(text)
    #expect(place.administrativeArea == state)
    #expect(!place.isPartial)
  }

  @Test(
    "finds postal codes",
    .enabled(if: BuiltIndex.hasPostalCodes, BuiltIndex.hasNoPostalCodes),
    arguments: [
      ("90210, US", "90210", "US"), ("Beverly Hills, CA 90210", "90210", "US"),
      ("10115 Berlin", "10115", "DE"), ("SW1A 1AA London", "SW1A", "GB"),
      ("AD100", "AD100", "AD"),
    ])
  func codes(text: String, code: String, country: String) throws {
    let place = try first(text)
    #expect(place.postalCode == code)
    #expect(place.isoCountryCode == country)
  }

  @Test(
    "finds the town of an address with a postal code, whether the index has postal codes or not",
    arguments: [("Hauptstrasse 5, 10115 Berlin", "Berlin"), ("10115 Berlin", "Berlin")])
  func address(text: String, locality: String) throws {
    let place = try first(text)
    #expect(place.locality == locality)
    #expect(place.postalCode == (BuiltIndex.hasPostalCodes ? "10115" : nil))
    #expect(place.isPartial || BuiltIndex.hasPostalCodes)
  }

  @Test("GEO-10: a region hint reorders and never excludes")
  func hint() throws {
    let texas = RegionHint(
      center: Coordinate(latitude: 33.6, longitude: -95.5), radius: 100_000)
    #expect(try first("Paris").isoCountryCode == "FR")
    let found = try geocoder.forward("Paris", near: texas)
    #expect(found.first?.administrativeArea == "Texas")
    #expect(found.contains { $0.isoCountryCode == "FR" })
  }

  @Test("GEO-7: marks an incomplete match, and finds nothing in nonsense")
  func partial() throws {
    let place = try first("Hauptstrasse 5, Berlin")
    #expect(place.locality == "Berlin")
    #expect(place.isPartial)
    #expect(throws: GeocodeFailure.nothingFound) { try geocoder.forward("qqxzzyqwv") }
    #expect(throws: GeocodeFailure.nothingFound) { try geocoder.forward("  ") }
  }

  @Test(
    "GEO-8: survives every text",
    arguments: [
      "\"", "a\" OR \"b", "NEAR(", "*", "'; DROP TABLE place; --", "\u{0}", "🏠🏠🏠",
      String(repeating: "x", count: 10_000), String(repeating: "a, ", count: 200),
    ])
  func hostile(text: String) {
    _ = try? geocoder.forward(text)
  }

  @Test("GEO-8: gives no more than asked for, each place once")
  func limit() throws {
    #expect(try geocoder.forward("Springfield", limit: 3).count == 3)
    let all = try geocoder.forward("Springfield", limit: 50)
    #expect(Set(all.map(\.coordinate)).count == all.count)
  }

  @Test(
    "finds more of geocoder-tester than a plain look-up of the exact name",
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
  func tester() throws {
    var (queries, found, listed) = (0, 0, 0)
    for file in [
      "germany-test_regions", "germany-test_towns", "poland-test_cities", "usa-test_cities",
    ] {
      for line in try SharedData.lines("places/geocoder-tester/\(file).csv").dropFirst() {
        let fields = line.split(separator: ";", omittingEmptySubsequences: false)
        let numbers = fields[2].split(separator: ",").compactMap { Double($0) }
        let expected = Coordinate(latitude: numbers[0], longitude: numbers[1])
        let places = (try? geocoder.forward(String(fields[1]))) ?? []
        let fits = places.map { sphericalDistance($0.coordinate, expected) <= numbers[2] }
        queries += 1
        if fits.first == true { found += 1 }
        if fits.contains(true) { listed += 1 }
      }
    }
    print("forward: of \(queries) queries \(found) first, \(listed) of ten")
    #expect(queries == 445)
    #expect(found >= 338)
    #expect(listed >= 366)
  }
}
