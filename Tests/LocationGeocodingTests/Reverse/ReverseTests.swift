import LocationModel
import TestSupport
import Testing

@testable import LocationGeocoding

/// The index of this machine, for tests that are skipped without one.
enum BuiltIndex {
  static let isThere = IndexLocation.places.found != nil
  static let isMissing: Comment = "no place index: make places"
  /// Whether the index was made from a source with postal codes, which no package registry has.
  static let hasPostalCodes: Bool = {
    guard let path = IndexLocation.places.found else { return false }
    return (try? PlaceIndex(path: path).hasPostalCodes) ?? false
  }()
  static let hasNoPostalCodes: Comment =
    "the place index has no postal codes: make places GEONAMES=FOLDER with GeoNames' postal zip"

  /// A geocoder that knows places and no streets.
  static func geocoder() throws -> Geocoder {
    try Geocoder(streets: .none)
  }
}

@Suite("Seas")
struct SeaTests {
  @Test(
    "GEO-15: have a name everywhere",
    arguments: [
      (0.0, -30.0, "North Atlantic Ocean"), (-30, -20, "South Atlantic Ocean"),
      (30, -150, "North Pacific Ocean"), (-20, -140, "South Pacific Ocean"),
      (10, 150, "North Pacific Ocean"), (-20, 80, "Indian Ocean"), (-40, 100, "Indian Ocean"),
      (-65, 0, "Southern Ocean"), (90, 0, "Arctic Ocean"), (85, 180, "Arctic Ocean"),
      (36, 18, "Mediterranean Sea"), (43, 34, "Black Sea"), (56, 3, "North Sea"),
      (58, 20, "Baltic Sea"), (15, -75, "Caribbean Sea"), (25, -90, "Gulf of Mexico"),
      (20, 38, "Red Sea"), (58, -178, "Bering Sea"), (58, 178, "Bering Sea"),
      (40, 135, "Sea of Japan"), (15, 65, "Arabian Sea"), (15, 88, "Bay of Bengal"),
      (-38, 160, "Tasman Sea"), (12, 113, "South China Sea"), (50, -60, "North Atlantic Ocean"),
    ])
  func names(latitude: Double, longitude: Double, name: String) {
    #expect(Sea.around(Coordinate(latitude: latitude, longitude: longitude)) == .ocean(name))
  }

  @Test("GEO-15: of the land are inland water")
  func inland() {
    let caspian = Coordinate(latitude: 42, longitude: 51)
    #expect(Sea.around(caspian) == .inland("Caspian Sea"))
  }
}

@Suite(
  "Asking the place index what is here", .enabled(if: BuiltIndex.isThere, BuiltIndex.isMissing))
struct ReverseTests {
  private let geocoder: Geocoder

  init() throws { geocoder = try BuiltIndex.geocoder() }

  @Test("GEO-14: fills what a settlement has")
  func berlin() throws {
    let place = try geocoder.reverse(Coordinate(latitude: 52.52, longitude: 13.405))
    #expect(place.locality == "Berlin")
    #expect(place.subLocality == "Mitte")
    #expect(place.isoCountryCode == "DE")
    #expect(place.country == "Germany")
    #expect(place.timeZone == "Europe/Berlin")
    #expect(place.ocean == nil)
    #expect(place.radius != nil)
  }

  @Test(
    "GEO-14: fills the postal code",
    .enabled(if: BuiltIndex.hasPostalCodes, BuiltIndex.hasNoPostalCodes))
  func postalCode() throws {
    let place = try geocoder.reverse(Coordinate(latitude: 52.52, longitude: 13.405))
    #expect(place.postalCode == "10178")
  }

  @Test(
    "GEO-12: names in the language asked for",
    arguments: [
      ("de", "Japan"), ("ja", "日本"), ("fr", "Japon"), ("xx", "Japan"),
    ])
  func language(language: String, country: String) throws {
    let tokyo = Coordinate(latitude: 35.68, longitude: 139.77)
    #expect(try geocoder.reverse(tokyo, locale: PlaceLocale(language)).country == country)
  }

  @Test("GEO-12: writes larger places in the reader's script")
  func scripts() throws {
    let moscow = Coordinate(latitude: 55.752, longitude: 37.618)
    #expect(try geocoder.reverse(moscow, locale: PlaceLocale("ru")).locality == "Москва")
    #expect(try geocoder.reverse(moscow, locale: PlaceLocale("zh-Hans")).locality == "莫斯科")
  }

  @Test(
    "GEO-15: answers at sea with the ocean and the time ships keep",
    arguments: [
      (-12.26, 41.18, "Etc/GMT-3"), (64, -57.3, "Etc/GMT+4"), (90, 0, "Etc/GMT"),
      (0, 180, "Etc/GMT-12"), (0, -180, "Etc/GMT+12"),
    ])
  func sea(latitude: Double, longitude: Double, zone: String) throws {
    let place = try geocoder.reverse(Coordinate(latitude: latitude, longitude: longitude))
    #expect(place.ocean != nil)
    #expect(place.country == nil)
    #expect(place.locality == nil)
    #expect(place.timeZone == zone)
  }

  @Test(
    "knows islands, both sides of the antimeridian, and the pole",
    arguments: [
      (67.5, 179.95, "RU"), (67.5, -179.95, "RU"), (-16.8, -179.98, "FJ"), (-90.0, 0.0, "AQ"),
      (-89.9, 180, "AQ"),
      (66.2, -175, "RU"), (-15.96, -5.7, "SH"), (64.13, -21.9, "IS"),
    ])
  func edges(latitude: Double, longitude: Double, country: String) throws {
    let place = try geocoder.reverse(Coordinate(latitude: latitude, longitude: longitude))
    #expect(place.isoCountryCode == country)
  }

  @Test(
    "GEO-16: refuses what is no coordinate",
    arguments: [(91.0, 0.0), (0, 181), (.nan, 0), (0, .infinity)])
  func invalid(latitude: Double, longitude: Double) {
    #expect(throws: GeocodeFailure.nothingFound) {
      try geocoder.reverse(Coordinate(latitude: latitude, longitude: longitude))
    }
  }

  @Test("shows whose data it is")
  func attribution() {
    #expect(geocoder.attribution.contains("GeoNames"))
    #expect(geocoder.attribution.contains("CC BY 4.0"))
    #expect(geocoder.attribution.contains("Natural Earth"))
  }

  @Test(
    "agrees with the polygons and time zones of the world",
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
  func vectors() throws {
    let states = Dictionary(
      try SharedData.lines("places/admin1.tsv").map { line in
        let fields = line.split(separator: "\t", maxSplits: 1)
        return (fields[0], fields[fields.count - 1])
      }, uniquingKeysWith: { first, _ in first })
    var tally: [Substring: ReverseTally] = [:]
    for line in try SharedData.lines("places/reverse-vectors.tsv.gz").dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      let latitude = try #require(Double(fields[1]))
      let longitude = try #require(Double(fields[2]))
      let point = Coordinate(latitude: latitude, longitude: longitude)
      let place = try geocoder.reverse(point)
      tally[fields[0], default: ReverseTally()].add(place, fields, state: states[fields[4]])
    }
    for (kind, tally) in tally.sorted(by: { $0.key < $1.key }) {
      print(
        "reverse, \(kind), \(tally.points) points: country \(tally.country), state",
        "\(tally.sameState) of \(tally.withState), zone \(tally.zone), sea \(tally.sea)")
    }
    let urban = try #require(tally["urban"])
    let rural = try #require(tally["rural"])
    let ocean = try #require(tally["ocean"])
    #expect(urban.share(\.country) >= 0.995)
    #expect(rural.share(\.country) >= 0.995)
    #expect(urban.share(\.zone) >= 0.99)
    #expect(rural.share(\.zone) >= 0.99)
    #expect(ocean.sea == ocean.points)
    for tally in [urban, rural] {
      #expect(tally.withState > 500)
      #expect(Double(tally.sameState) >= 0.97 * Double(tally.withState))
    }
  }
}

private struct ReverseTally {
  var points = 0
  var country = 0
  /// Points of which the right state is known.
  var withState = 0
  var sameState = 0
  var zone = 0
  var sea = 0

  mutating func add(_ place: Place, _ expected: [Substring], state: Substring?) {
    points += 1
    if let state {
      withState += 1
      if place.administrativeArea.map({ $0 == state }) ?? false { sameState += 1 }
    }
    if place.isoCountryCode ?? "" == expected[3] { country += 1 }
    if place.timeZone ?? "" == expected[5] { zone += 1 }
    if place.ocean ?? place.inlandWater != nil { sea += 1 }
  }

  func share(_ count: KeyPath<ReverseTally, Int>) -> Double {
    Double(self[keyPath: count]) / Double(points)
  }
}
