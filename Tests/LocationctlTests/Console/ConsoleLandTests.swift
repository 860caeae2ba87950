import Foundation
import TestSupport
import Testing

@testable import LocationGeocoding
@testable import locationctl

@Suite("The map of the console without a network")
struct ConsoleLandTests {
  private struct Land: Decodable {
    struct Place: Decodable {
      var name: String
      var latitude: Double
      var longitude: Double
    }
    struct Street: Decodable {
      var name: String?
      var line: [Double]
    }
    var borders: [[Double]]
    var places: [Place]
    var streets: [Street]
    var attributions: [String]
  }

  private static func land(_ console: ConsoleRun, _ box: String) throws -> Land {
    let answer = try console.ask(
      "GET /api/land?box=\(box)", headers: ["Cookie: \(try console.enter())"])
    return try JSONDecoder().decode(Land.self, from: Data(answer.body))
  }

  @Test(
    "CONSOLE-16: names the most important places in view, and says where they are from",
    .enabled(if: IndexLocation.places.found != nil, "no place index: make places"),
    arguments: [
      ("47.0,9.0,49.0,13.0", "Munich"), ("-60,-170,75,170", "Shanghai"),
      ("48.10,11.50,48.18,11.65", "Munich"),
    ])
  func places(box: String, first: String) async throws {
    let console = try await ConsoleRun()
    let land = try Self.land(console, box)
    #expect((1...60).contains(land.places.count))
    #expect(land.places.contains { $0.name == first }, "\(land.places.map(\.name))")
    let edges = box.split(separator: ",").compactMap { Double($0) }
    for place in land.places {
      #expect((edges[0]...edges[2]).contains(place.latitude), "\(place.name)")
      #expect((edges[1]...edges[3]).contains(place.longitude), "\(place.name)")
    }
    #expect(land.attributions.contains { $0.contains("GeoNames") })
  }

  @Test(
    "CONSOLE-16: has the streets of an imported extract, in a narrow view alone",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/osmium"),
      "osmium-tool is not installed"))
  func streets() async throws {
    let folder = try TemporaryFolder()
    let (extract, index) = (folder.file("lane.osm"), folder.file("streets.sqlite"))
    let text = """
      <osm version="0.6"><node id="1" lat="48.1372" lon="11.5700"/>
      <node id="2" lat="48.1372" lon="11.5755"/><node id="3" lat="48.1380" lon="11.5800"/>
      <way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/>
      <tag k="name" v="Long Lane"/></way></osm>
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: extract))
    let run = try Run(["geocode", "import", extract, "--output", index])
    #expect(run.status == 0, "\(run.error)")
    let console = try await ConsoleRun(environment: ["MERIDIAN_STREETS": index])
    let cookie = ["Cookie: \(try console.enter())"]
    func land(_ box: String) throws -> Land {
      let answer = try console.ask("GET /api/land?box=\(box)", headers: cookie)
      return try JSONDecoder().decode(Land.self, from: Data(answer.body))
    }
    let near = try land("48.13,11.56,48.15,11.59")
    #expect(near.streets.map(\.name) == ["Long Lane"])
    #expect(near.streets.first?.line == [48.1372, 11.57, 48.1372, 11.5755, 48.138, 11.58])
    #expect(near.attributions.contains { $0.contains("OpenStreetMap") })
    #expect(try land("48.20,11.56,48.22,11.59").streets.isEmpty)
    #expect(try land("47,11,49,12").streets.isEmpty)
  }
}
