import Foundation
import LocationModel
import LocationSQLite
import TestSupport
import Testing

@testable import LocationGeocoding

@Suite("Lines of osmium")
struct OsmFeatureTests {
  @Test("give points, lines, and areas with their tags")
  func good() throws {
    let point = try OsmFeature(line: "POINT(9.5 47.1) addr%3a%street=Im%20%Feld,name=A%2c%%20%B")
    #expect(point.geometry == .point(OsmPoint(longitude: 9.5, latitude: 47.1)))
    #expect(point.tags == ["addr:street": "Im Feld", "name": "A, B"])
    let line = try OsmFeature(line: "LINESTRING(9 47,9.1 47) highway=path,name=Weg (alt)")
    #expect(line.tags["name"] == "Weg (alt)")
    let area = try OsmFeature(
      line: "MULTIPOLYGON(((0 0,1 0,1 1,0 0),(0.1 0.1,0.2 0.1,0.1 0.1))) a=b")
    guard case .polygon(let rings) = area.geometry else {
      Issue.record("not an area")
      return
    }
    #expect(rings.map(\.count) == [4, 3])
  }

  @Test(
    "are refused with a reason",
    arguments: [
      ("", OsmFeature.Rejection.unknownGeometry), ("POINT", .unknownGeometry),
      ("POINT()", .unknownGeometry), (")POINT(", .unknownGeometry),
      ("CIRCLE(1 2) a=b", .unknownGeometry),
      ("POINT(1) a=b", .malformedNumber), ("POINT(1 x) a=b", .malformedNumber),
      ("POINT(1 91) a=b", .malformedNumber), ("POINT(nan 1) a=b", .malformedNumber),
      ("POINT(1 2) a", .malformedTag), ("POINT(1 2) a=%20", .malformedTag),
      ("POINT(1 2) a=%zz%", .malformedTag),
    ])
  func bad(line: String, reason: OsmFeature.Rejection) {
    #expect(throws: reason) { try OsmFeature(line: line[...]) }
  }
}

@Suite("Shapes of streets and houses")
struct StreetShapeTests {
  private let square = StreetShape.polygon([
    [(0.0, 0.0), (0.001, 0), (0.001, 0.001), (0, 0.001), (0, 0)].map {
      OsmPoint(longitude: $0.0, latitude: $0.1)
    }
  ])
  private let line = StreetShape.line(
    [(0.0, 0.0), (0.002, 0)].map { OsmPoint(longitude: $0.0, latitude: $0.1) })

  @Test("come back from their bytes")
  func packing() {
    for shape in [square, line, .point(OsmPoint(longitude: -180.0, latitude: 90.0))] {
      let bytes = shape.packed
      #expect(bytes.withUnsafeBytes { StreetShape(packed: $0) } == shape)
      for length in 0..<bytes.count {
        bytes[..<length].withUnsafeBytes { _ = StreetShape(packed: $0) }
      }
    }
  }

  @Test("measure how far a point is, nothing within an area")
  func distance() {
    let inside = Neighborhood(around: Coordinate(latitude: 0.0005, longitude: 0.0005))
    let east = Neighborhood(around: Coordinate(latitude: 0.0005, longitude: 0.002))
    #expect(square.distance(from: inside) == 0)
    #expect(abs(square.distance(from: east) - 111.2) < 0.1)
    #expect(abs(line.distance(from: inside) - 55.6) < 0.1)
    #expect(abs(line.length - 222.4) < 0.1)
  }

  @Test("have a middle")
  func center() {
    #expect(abs(square.center.latitude - 0.0005) < 1e-9)
    #expect(abs(square.center.longitude - 0.0005) < 1e-9)
    #expect(line.center == Coordinate(latitude: 0, longitude: 0.001))
  }
}

@Suite("An address index", .enabled(if: BuiltIndex.isThere, BuiltIndex.isMissing))
struct StreetIndexTests {
  private let geocoder: Geocoder

  /// A village of one crossing, near Vaduz: two streets, four houses, a shop, a numbered line.
  private static let village = """
    LINESTRING(9.5200 47.1400,9.5300 47.1400) highway=residential,name=Bahnhofstrasse
    LINESTRING(9.5250 47.1350,9.5250 47.1450) highway=residential,name=Im%20%Feld
    LINESTRING(9.5200 47.1500,9.5300 47.1500) highway=primary,ref=H31
    POINT(9.5210 47.1402) addr:housenumber=2,addr:street=Bahnhofstrasse,addr:postcode=9490
    POINT(9.5290 47.1402) addr:housenumber=18b,addr:street=Bahnhofstrasse,addr:city=Dorf
    MULTIPOLYGON(((9.5252 47.1420,9.5254 47.1420,9.5254 47.1421,9.5252 47.1421,9.5252 47.1420))) \
    building=yes,addr:housenumber=7
    POINT(9.5253 47.14205) shop=bakery,name=Zum%20%Ofen
    POINT(9.5252 47.1360) addr:housenumber=11,addr:street=Im%20%Feld
    POINT(9.5252 47.1380) addr:housenumber=21,addr:street=Im%20%Feld
    LINESTRING(9.5252 47.1360,9.5252 47.1380) addr:interpolation=odd
    POINT(9.5400 47.1600) place=hamlet,name=Hinterdorf
    POINT(-30.0 0.0002) addr:housenumber=1,addr:street=Mole
    POINT(9.5 47.1) highway=crossing
    POINT(9.5 wrong) name=x
    """

  init() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
    let places = try Database(placesIn: try #require(IndexLocation.places.found))
    let table = try #require(try places.meta("folding") { $0.withBytes(0) { [UInt8]($0) } })
    var index = try StreetImport(
      path: path, folding: NameFolding(table: table), foldingTable: table)
    for line in Self.village.split(separator: "\n") { try index.add(line: line) }
    let summary = try index.finish()
    #expect(summary.streets == 3)
    #expect(summary.addresses == 6)
    #expect(summary.pointsOfInterest == 1)
    #expect(summary.others == 2)
    #expect(summary.skipped == 1)
    #expect(summary.rejected == 1)
    geocoder = try Geocoder(streets: .file(path))
    try FileManager.default.removeItem(atPath: path)
  }

  private func reverse(_ latitude: Double, _ longitude: Double) throws -> Place {
    try geocoder.reverse(Coordinate(latitude: latitude, longitude: longitude))
  }

  @Test("GEO-14: gives street and number at a house")
  func house() throws {
    let place = try reverse(47.14021, 9.52101)
    #expect(place.thoroughfare == "Bahnhofstrasse")
    #expect(place.subThoroughfare == "2")
    #expect(place.name == "Bahnhofstrasse 2")
    #expect(place.postalCode == "9490")
    #expect(place.isoCountryCode == "LI")
    #expect(place.source == .streets)
    #expect(try reverse(47.1402, 9.529).locality == "Dorf")
  }

  @Test("gives a point on a street the number of the house beside it, and none far from any")
  func street() throws {
    #expect(try reverse(47.14001, 9.5211).subThoroughfare == "2")
    let middle = try reverse(47.1400, 9.5245)
    #expect(middle.thoroughfare == "Bahnhofstrasse")
    #expect(middle.subThoroughfare == nil)
    #expect(try reverse(47.15001, 9.5250).thoroughfare == "H31")
  }

  @Test("GEO-15: gives a point at sea the address beside it instead of the sea, and no other")
  func water() throws {
    let pier = try reverse(0, -30)
    #expect(pier.subThoroughfare == "1")
    #expect(pier.ocean == nil)
    let sea = try reverse(0.003, -30)
    #expect(sea.subThoroughfare == nil && sea.source == .places)
    #expect(sea.ocean != nil)
  }

  @Test("GEO-14: gives a shop the address of its building, and a house without street the nearest")
  func shop() throws {
    let place = try reverse(47.14205, 9.5253)
    #expect(place.thoroughfare == "Im Feld")
    #expect(place.subThoroughfare == "7")
  }

  @Test(
    "finds an address however it is written",
    arguments: [
      "Bahnhofstrasse 2", "Bahnhofstr. 2, Vaduz", "2 Bahnhofstrasse", "BAHNHOFSTRASSE 2",
      "Bahnhofstraße 2 Vaduz",
    ])
  func forward(text: String) throws {
    let place = try #require(try geocoder.forward(text).first)
    #expect(place.coordinate == Coordinate(latitude: 47.1402, longitude: 9.521))
    #expect(place.subThoroughfare == "2")
    #expect(!place.isPartial)
  }

  @Test("finds letters of a number, numbers between numbers, and marks one that is not there")
  func numbers() throws {
    let lettered = try #require(try geocoder.forward("Bahnhofstrasse 18 b").first)
    #expect(lettered.subThoroughfare == "18b")
    let between = try #require(try geocoder.forward("Im Feld 15").first)
    #expect(abs(between.coordinate.latitude - 47.1368) < 1e-6)
    let missing = try #require(try geocoder.forward("Bahnhofstrasse 99").first)
    #expect(missing.thoroughfare == "Bahnhofstrasse")
    #expect(missing.isPartial)
  }

  @Test("finds things and hamlets by name, and still the cities of the world")
  func names() throws {
    #expect(try geocoder.forward("Zum Ofen").first?.areasOfInterest == ["Zum Ofen"])
    #expect(try geocoder.forward("Hinterdorf").first?.coordinate.latitude == 47.16)
    #expect(try geocoder.forward("Paris").first?.isoCountryCode == "FR")
  }

  @Test("GEO-14: names its data's owners")
  func attribution() {
    #expect(geocoder.attribution.contains("OpenStreetMap contributors"))
  }
}

@Suite("Importing an extract")
struct StreetImporterTests {
  @Test("says what is wrong with a file that is not there")
  func missing() {
    #expect(throws: StreetImporter.Failure.extractUnreadable("/nonexistent.osm.pbf")) {
      try StreetImporter.run(extract: "/nonexistent.osm.pbf", output: "/tmp/never.sqlite")
    }
  }

  @Test(
    "GEO-14: makes an index that agrees with Nominatim's own answers",
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)),
    .enabled(if: BuiltIndex.isThere, BuiltIndex.isMissing),
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/osmium"),
      "osmium-tool is not installed"))
  func nominatim() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let extract = try SharedData.url("osm/liechtenstein-autauga.osm.pbf").path
    let output = folder.appending(path: "streets.sqlite").path
    var reports = 0
    let summary = try StreetImporter.run(extract: extract, output: output) { _ in reports += 1 }
    #expect(summary.addresses == 3740)
    #expect(summary.rejected == 0)
    #expect(reports > 0)

    let geocoder = try Geocoder(streets: .file(output))
    var (streets, sameStreet, numbers, sameNumber) = (0, 0, 0, 0)
    let decoder = JSONDecoder()
    let lines = try SharedData.lines("osm/nominatim-liechtenstein-autauga-reverse.jsonl.gz")
    // Every other answer keeps the test short.
    for line in stride(from: 0, to: lines.count, by: 2).map({ lines[$0] }) {
      let answer = try decoder.decode(RecordedAnswer.self, from: Data(line.utf8))
      guard let address = answer.expected?.address else { continue }
      let place = try geocoder.reverse(Coordinate(latitude: answer.lat, longitude: answer.lon))
      if let road = address["road"] {
        streets += 1
        if place.thoroughfare == road { sameStreet += 1 }
      }
      // The county's numbers come from the Census, which is not in the extract.
      if let number = address["house_number"], address["country_code"] != "us" {
        numbers += 1
        if place.subThoroughfare == number { sameNumber += 1 }
      }
    }
    #expect(Double(sameStreet) >= 0.9 * Double(streets))
    #expect(Double(sameNumber) >= 0.95 * Double(numbers))
  }
}

private struct RecordedAnswer: Decodable {
  struct Expected: Decodable {
    var address: [String: String]?
  }
  var lat: Double
  var lon: Double
  var expected: Expected?
}
