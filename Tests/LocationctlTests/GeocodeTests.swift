import Foundation
@testable import LocationGeocoding
import LocationHost
import LocationModel
import TestSupport
import Testing

@testable import locationctl

@Suite("A place")
struct PlaceReportTests {
  private static let vaduz: Place = {
    var place = Place(
      coordinate: Coordinate(latitude: 47.141, longitude: 9.5215), source: .streets)
    place.name = "Äulestrasse 5"
    place.thoroughfare = "Äulestrasse"
    place.subThoroughfare = "5"
    place.locality = "Vaduz"
    place.postalCode = "9490"
    place.administrativeArea = "Vaduz"
    place.country = "Liechtenstein"
    place.timeZone = "Europe/Vaduz"
    place.radius = 20
    return place
  }()

  @Test("prints as an address, and below it where that is and who says so")
  func text() {
    var place = Self.vaduz
    #expect(
      PlaceReport(place: place, attribution: "©").text == """
        Äulestrasse 5, 9490 Vaduz, Liechtenstein
            47.141000, 9.521500  ± 20 m  Europe/Vaduz  source: address index
        """)
    place.name = "Vaduz"
    place.thoroughfare = nil
    place.isPartial = true
    let text = PlaceReport(place: place, attribution: "©").text
    #expect(text.hasPrefix("Vaduz, 9490, Liechtenstein\n"))
    #expect(text.hasSuffix("only a part matched"))
    let nothing = Place(coordinate: Coordinate(latitude: -80, longitude: -0.5), source: .places)
    #expect(
      PlaceReport(place: nothing, attribution: "©").text
        == "a place without a name\n    -80.000000, -0.500000  source: place index")
  }

  @Test("prints as JSON with what is known, its source, and the attribution")
  func json() throws {
    var place = Self.vaduz
    place.areasOfInterest = ["a \"square\"", "b"]
    let line = PlaceReport(place: place, attribution: "© all").json
    #expect(!line.contains("\n"))
    let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let object = try #require(read)
    #expect(object["type"] as? String == "place")
    #expect(object["sub_thoroughfare"] as? String == "5")
    #expect(object["postal_code"] as? String == "9490")
    #expect(object["areas_of_interest"] as? [String] == ["a \"square\"", "b"])
    #expect(object["partial"] as? Bool == false)
    #expect(object["source"] as? String == "streets")
    #expect(object["attribution"] as? String == "© all")
    #expect(object["ocean"] == nil)
  }
}

@Suite("An import of addresses")
struct ImportReportTests {
  private static let summary: StreetImport.Summary = {
    var summary = StreetImport.Summary()
    summary.streets = 12
    summary.addresses = 34
    summary.rejected = 1
    return summary
  }()

  @Test("prints what it brought")
  func report() throws {
    let report = ImportReport(
      extract: "a.osm.pbf", output: "/x/streets.sqlite", summary: Self.summary,
      time: .milliseconds(1_234))
    #expect(
      report.text == """
        a.osm.pbf: 12 streets, 34 addresses, 0 points of interest, 0 others in 1.2 s \
        (0 skipped, 1 unreadable)
        The address index is /x/streets.sqlite
        """)
    #expect(
      report.json == """
        {"type":"import","streets":12,"addresses":34,"points_of_interest":0,"others":0,\
        "skipped":0,"rejected":1,"seconds":1.2,"output":"/x/streets.sqlite"}
        """)
  }

  @Test(
    "that did not happen names the cause and the next step",
    arguments: [
      (.extractUnreadable("a.pbf"), 2, "a.pbf cannot be read"),
      (.notAnExtract, 2, "a.pbf is no OpenStreetMap extract"),
      (.placesMissing("none"), 1, "Next: install the package meridian-places"),
      (.osmiumMissing, 1, "Next: sudo apt install osmium-tool"),
      (.osmiumFailed(status: 1), 2, "Try: osmium fileinfo 'a.pbf'"),
      (.unwritable("disk full"), 1, "no index was made: disk full"),
      (.nothingToImport, 2, "a.pbf holds no street and no address"),
    ] as [(StreetImporter.Failure, Int32, String)])
  func failure(_ cause: StreetImporter.Failure, _ status: Int32, _ words: String) {
    let failure = Failure(cause, importing: "a.pbf", to: "b.sqlite")
    #expect(failure.status == status)
    #expect(failure.message.contains(words), "\(failure.message)")
  }
}

@Suite("A command line about places")
struct GeocodeInvocationTests {
  /// What is typed, and the cause that is named.
  static let mistakes: [(words: String, cause: String)] = [
    ("geocode", "TEXT is missing"),
    ("geocode Paris --limit 2.5", "--limit cannot be \"2.5\": a whole number from 1 to 10"),
    ("geocode Paris --limit 0", "--limit cannot be \"0\""),
    ("geocode Paris --near here", "--near cannot be \"here\": degrees with a comma between"),
    ("geocode Paris --near 91,0", "--near cannot be \"91,0\": the latitude is out of range"),
    ("geocode Paris --near 1,2,-5", "the radius is not positive"),
    ("geocode Paris --near 1,2,3,4", "--near cannot be \"1,2,3,4\""),
    ("geocode Paris --locale english", "--locale cannot be \"english\": a language such as de"),
    ("geocode Paris --output x", "--output goes with import only"),
    ("geocode import", "FILE is missing"),
    ("geocode import a b", "\"b\" is one word too many"),
    ("geocode import a --limit 2", "--limit does not go with import"),
    ("reverse", "LAT,LON is missing"),
    ("reverse 1 2", "\"2\" is one word too many"),
    ("reverse 1", "LAT,LON cannot be \"1\": degrees with a comma between"),
    ("reverse 1,nan", "LAT,LON cannot be \"1,nan\""),
    ("reverse 1,,2", "LAT,LON cannot be \"1,,2\""),
    ("reverse -33.86,190", "LAT,LON cannot be \"-33.86,190\": the longitude is out of range"),
    ("reverse 1,2,3", "LAT,LON cannot be \"1,2,3\": two numbers"),
  ]

  @Test("with a mistake names its cause and the next step", arguments: mistakes.indices)
  func mistake(_ index: Int) async throws {
    let (typed, cause) = Self.mistakes[index]
    let failure = try await #require(throws: Failure.self) {
      let invocation = try Invocation(typed.split(separator: " ").map(String.init))
      try await invocation.verb.run(invocation)
    }
    #expect(failure.status == 2)
    #expect(failure.message.contains(cause), "\(failure.message)")
    #expect(failure.message.contains("\nTry: locationctl "))
  }

  @Test("takes a text in several words, and a coordinate that begins with a dash")
  func words() throws {
    #expect(try Invocation(["geocode", "Paris,", "Texas"]).operands == ["Paris,", "Texas"])
    let invocation = try Invocation(["reverse", "-33.86,-151.21", "--json"])
    let typed = try TypedCircle(invocation.operands[0], as: "LAT,LON", in: invocation)
    #expect(typed.center == Coordinate(latitude: -33.86, longitude: -151.21))
    #expect(typed.hint.radius == 50_000)
    #expect(try TypedCircle("1, 2, 300", as: "--near", in: invocation).hint.radius == 300)
  }

  @Test("GEO-12: names the language, else the environment does")
  func locale() throws {
    let plain = try Invocation(["reverse", "1,2"])
    let typed = try Invocation(["reverse", "1,2", "--locale", "de_AT"])
    let variables = ["LANG": "fr_FR.UTF-8", "LC_ALL": ""]
    #expect(try typed.placeLocale(.init(variables)) == PlaceLocale("de_AT"))
    #expect(try plain.placeLocale(.init(variables)) == PlaceLocale("fr_FR"))
    #expect(try plain.placeLocale(.init(["LANG": "C.UTF-8"])).language == "en")
    #expect(try plain.placeLocale(.init([:])).language == "en")
  }

  @Test("refuses a web geocoder's URL that it cannot mean, and says which variable holds it")
  func service() throws {
    let failure = try #require(throws: Failure.self) {
      try PlaceLookup(.init([PlaceLookup.variable: "https://n.example"]))
    }
    #expect(failure.status == 2)
    #expect(failure.message.contains("$CORELOCATION_GEOCODER: not a geocoder: https://n.example"))
    #expect(failure.message.hasSuffix("Try: unset CORELOCATION_GEOCODER"))
  }
}

/// Runs of the built executable over the real place index.
@Suite("locationctl geocode")
struct GeocodeRunTests {
  private static let index = IndexLocation.places.found
  private static let noIndex: Comment = "no place index: make places"
  private static let osmium = "/usr/bin/osmium"

  private func run(
    _ words: String, streets: String = "/dev/null/none", _ more: [String: String] = [:]
  ) throws -> Run {
    let own = ["MERIDIAN_PLACES": Self.index ?? "/dev/null/none", "MERIDIAN_STREETS": streets]
    return try Run(
      words.split(separator: " ").map(String.init),
      environment: own.merging(more) { _, given in given })
  }

  @Test("finds a town, best first, and shows the attribution", .enabled(if: index != nil, noIndex))
  func forward() throws {
    let found = try run("geocode Vaduz --limit 1")
    #expect(found.status == 0, "\(found.error)")
    #expect(found.output.hasPrefix("Vaduz"))
    #expect(found.output.contains("Liechtenstein"))
    #expect(found.output.contains("source: place index"))
    #expect(found.output.split(separator: "\n").count == 2)
    #expect(found.error.contains("GeoNames"))
  }

  @Test(
    "GEO-10: prefers what is near, and prints no more than asked for",
    .enabled(if: index != nil, noIndex))
  func near() throws {
    let found = try run("geocode Paris --near 33.6,-95.5,100000 --limit 3 --json")
    #expect(found.status == 0, "\(found.error)")
    let objects = try found.objects()
    #expect((2...3).contains(objects.count))
    #expect(objects.first?["administrative_area"] as? String == "Texas")
    #expect(objects.allSatisfy { $0["type"] as? String == "place" })
    #expect(found.error.isEmpty)
  }

  @Test("reverse names the town, in the language asked for", .enabled(if: index != nil, noIndex))
  func reverse() throws {
    let found = try run("reverse -33.8688,151.2093 --locale de --json")
    #expect(found.status == 0, "\(found.error)")
    let place = try #require(try found.objects().first)
    #expect(place["country"] as? String == "Australien")
    #expect(place["time_zone"] as? String == "Australia/Sydney")
    #expect(place["source"] as? String == "places")
    #expect((place["attribution"] as? String)?.contains("GeoNames") == true)
    #expect(try run("reverse 52.52,13.405", ["LANG": "de_DE.UTF-8"]).output.contains("Deutschland"))
  }

  @Test("says 1 when nothing is found", .enabled(if: index != nil, noIndex))
  func nothing() throws {
    let found = try run("geocode qqxzzyqwv")
    #expect(found.status == 1)
    #expect(found.output.isEmpty)
    #expect(found.error.hasPrefix("locationctl: nothing was found for \"qqxzzyqwv\"\nNext: "))
  }

  @Test("says 1 and how to make an index where there is none")
  func missing() throws {
    let found = try run("reverse 1,2", ["MERIDIAN_PLACES": "/nonexistent/places.sqlite"])
    #expect(found.status == 1)
    #expect(found.error.contains("Looked for: /nonexistent/places.sqlite"))
    #expect(found.error.contains("Next: install the package meridian-places, or in the folder"))
  }

  @Test(
    "import names the file that is not there or is none, and a program that is not installed",
    .enabled(if: index != nil, noIndex))
  func importMistakes() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "geocode-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "streets.sqlite").path
    let missing = try run("geocode import /no/such.osm.pbf --output \(output)")
    #expect(missing.status == 2)
    #expect(missing.error.contains("/no/such.osm.pbf cannot be read"))
    let other = try run("geocode import /etc/passwd --output \(output)")
    #expect(other.status == 2)
    #expect(other.error.contains("/etc/passwd is no OpenStreetMap extract"))
    #expect(
      !FileManager.default.fileExists(atPath: folder.path), "nothing is made for a wrong file")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let extracts = try TemporaryFolder()
    let extract = extracts.file("empty.osm.pbf")
    try Data().write(to: URL(filePath: extract))
    let bare = try run("geocode import \(extract) --output \(output)", ["PATH": folder.path])
    #expect(bare.status == 1)
    #expect(bare.error.contains("sudo apt install osmium-tool"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(
    "import makes an index in which streets and numbers are found",
    .enabled(if: index != nil, noIndex),
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)),
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: osmium), "osmium-tool is not installed"))
  func importing() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "geocode-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "new/streets.sqlite").path
    let extract = try SharedData.url("osm/liechtenstein-autauga.osm.pbf").path
    let made = try run("geocode import \(extract) --json", streets: output)
    #expect(made.status == 0, "\(made.error)")
    #expect(made.error.isEmpty, "progress is for terminals")
    let summary = try #require(try made.objects().first)
    #expect(summary["type"] as? String == "import")
    #expect(summary["addresses"] as? Int == 3740)
    #expect(summary["output"] as? String == output)

    let found = try run("geocode Landstrasse 1, Vaduz --json --limit 1", streets: output)
    #expect(found.status == 0, "\(found.error)")
    let place = try #require(try found.objects().first)
    #expect(place["source"] as? String == "streets")
    #expect((place["attribution"] as? String)?.contains("OpenStreetMap contributors") == true)
  }
}
