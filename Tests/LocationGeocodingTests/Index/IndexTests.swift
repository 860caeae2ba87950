import Foundation
import LocationModel
import TestSupport
import Testing

@testable import LocationGeocoding

@Suite("Folding names")
struct NameFoldingTests {
  /// é → e, ß → ss, the hyphen → space, the combining acute → nothing.
  private let folding = NameFolding(
    table: record(0x2D, " ") + record(0xDF, "ss") + record(0xE9, "e") + record(0x301, ""))

  private static func record(_ scalar: UInt32, _ text: String) -> [UInt8] {
    let number = [UInt8(scalar & 0xFF), UInt8(scalar >> 8), 0, 0]
    let utf8 = Array(text.utf8)
    return number + [UInt8(utf8.count)] + utf8 + [UInt8](repeating: 0, count: 11 - utf8.count)
  }

  @Test(
    "drops case, accents, and punctuation",
    arguments: [
      ("Saint-René", "saint rene"), ("Rene\u{301}", "rene"), ("GROß", "gross"),
      ("東京", "東京"), ("", ""), ("--", ""),
    ])
  func folds(text: String, folded: String) {
    #expect(folding.fold(text) == folded)
  }

  @Test("survives a table of any length")
  func brokenTable() {
    #expect(NameFolding(table: []).fold("É") == "É")
    #expect(NameFolding(table: Array(repeating: 0xFF, count: 37)).fold("É") == "É")
  }
}

@Suite("Neighborhoods")
struct NeighborhoodTests {
  @Test("measure across the antimeridian")
  func antimeridian() {
    let fiji = Neighborhood(around: Coordinate(latitude: 0, longitude: 179.99))
    let distance = fiji.distance(to: Coordinate(latitude: 0, longitude: -179.99))
    #expect(abs(distance - 2223.9) < 1)
  }

  @Test("cut their box in two at the antimeridian")
  func twoBoxes() {
    let boxes = Neighborhood(around: Coordinate(latitude: 0, longitude: -179.95))
      .boxes(radius: 11_119.5)
    #expect(boxes.count == 2)
    #expect(boxes.contains { $0.west == -180 && abs($0.east - -179.85) < 1e-6 })
    #expect(boxes.contains { $0.east == 180 && abs($0.west - 179.95) < 1e-6 })
  }

  @Test("take the whole cap at a pole", arguments: [90.0, -90.0, 89.95])
  func pole(latitude: Double) {
    let boxes = Neighborhood(around: Coordinate(latitude: latitude, longitude: 12))
      .boxes(radius: 10_000)
    #expect(boxes.map(\.west) == [-180])
    #expect(boxes.map(\.east) == [180])
  }
}

@Suite("Positions of the grid")
struct GridPositionTests {
  @Test(
    "read back what they were packed from",
    arguments: [(90.0, 180.0), (-90, -180), (0, 0), (47.1234, -9.5)])
  func bits(latitude: Double, longitude: Double) {
    let north = UInt64(((latitude + 90) * 10_000).rounded())
    let east = UInt64(((longitude + 180) * 10_000).rounded())
    let position = GridPosition(bits: north << 22 | east)
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    #expect(position == GridPosition(coordinate))
    #expect(position.coordinate == coordinate)
  }
}

@Suite("Packed rings")
struct PackedRingsTests {
  /// A square from (0, 0) to (100, 100) with a hole from (40, 40) to (60, 60).
  private let bytes: [UInt8] = [
    4, 0, 0, 200, 1, 0, 0, 200, 1, 199, 1, 0,
    4, 80, 80, 40, 0, 0, 40, 39, 0,
  ]

  @Test(
    "know inside from outside and from the hole",
    arguments: [(10.5, 10.5, true), (50.5, 50.5, false), (150.5, 50.5, false), (99.5, 99.5, true)])
  func contains(x: Double, y: Double, inside: Bool) {
    bytes.withUnsafeBytes { #expect(PackedRings(bytes: $0).contains(x: x, y: y) == inside) }
  }

  @Test("end with their bytes wherever they are cut")
  func cut() {
    for length in 0..<bytes.count {
      bytes[..<length].withUnsafeBytes { _ = PackedRings(bytes: $0).contains(x: 1.5, y: 1.5) }
    }
    let unended: [UInt8] = [0x80]
    unended.withUnsafeBytes {
      var reader = VariableLengthReader(bytes: $0)
      #expect(reader.next() == nil)
    }
  }
}

@Suite("Opening an index")
struct IndexOpeningTests {
  @Test("says where a missing one was looked for and how to build it")
  func missing() throws {
    let failure = #expect(throws: GeocodeFailure.self) {
      _ = try Geocoder(places: .file("/nonexistent/places.sqlite"))
    }
    guard case .indexMissing(let text) = failure else {
      Issue.record("not a missing index")
      return
    }
    #expect(text.contains("/nonexistent/places.sqlite"))
    #expect(text.contains("make places"))
  }

  @Test("refuses a file that is no index")
  func broken() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("not a database, but long enough to be read as one".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: GeocodeFailure.self) { _ = try Geocoder(places: .file(file.path)) }
  }
}

@Suite("Locales of places")
struct PlaceLocaleTests {
  @Test(
    "read every usual spelling",
    arguments: [
      ("de", "de", nil), ("de_AT", "de", "AT"), ("zh-Hant-TW", "zh", "TW"),
      ("en_US.UTF-8", "en", "US"), ("no", "nb", nil), ("C", "en", nil), ("", "en", nil),
    ] as [(String, String, String?)])
  func spelling(identifier: String, language: String, country: String?) {
    let locale = PlaceLocale(identifier)
    #expect(locale.language == language)
    #expect(locale.country == country)
  }

  @Test("GEO-12: know the scripts of a language")
  func scripts() {
    #expect(PlaceLocale("zh-Hant").scripts == ["Hant", "Hans"])
    #expect(PlaceLocale("zh").scripts == ["Hans", "Hant"])
    #expect(PlaceLocale("ru").scripts == ["Cyrl"])
    #expect(PlaceLocale("fr").scripts.isEmpty)
  }
}
