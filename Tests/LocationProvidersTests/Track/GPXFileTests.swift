import Foundation
import LocationModel
import TestSupport
import Testing

@testable import LocationProviders

/// What another reader (gpxpy) found in a file.
struct ExpectedGPX: Decodable, Sendable {
  var version: String?
  var creator: String?
  var waypoints: Int
  var routes: [Int]
  var tracks: [[Int]]
  var first: Point?
  var last: Point?
  var timedPoints: Int
  var pointsWithElevation: Int

  struct File: Decodable {
    var gpxpy: ExpectedGPX
  }

  struct Point: Decodable, Equatable, Sendable {
    var latitude: Double
    var longitude: Double
    var elevation: Double?
    var time: UnixTime?

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      latitude = try values.decode(Double.self)
      longitude = try values.decode(Double.self)
      elevation = try values.decodeIfPresent(Double.self)
      time = try values.decodeIfPresent(String.self).flatMap { UnixTime(iso8601: $0) }
    }

    init(_ point: GPXPoint) {
      latitude = point.coordinate.latitude
      longitude = point.coordinate.longitude
      elevation = point.elevation
      // The other reader keeps microseconds.
      time = point.time.map { time in
        UnixTime(nanoseconds: Int64((Double(time.nanoseconds) / 1000).rounded()) * 1000)
      }
    }
  }

  static let all: [(name: String, expected: ExpectedGPX)] = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let data = try? SharedData.bytes("gpx/expected.json"),
      let names = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let files = try? names.mapValues({ value in
        try decoder.decode(File.self, from: JSONSerialization.data(withJSONObject: value))
      })
    else { return [] }
    return files.map { ($0.key, $0.value.gpxpy) }.sorted { $0.0 < $1.0 }
  }()
}

@Suite(
  "The GPX reader, with files of the world",
  .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
struct GPXFileTests {
  private func read(_ name: String) throws -> GPXDocument {
    let isPacked = try SharedData.names(in: "gpx").contains(name + ".gz")
    return try GPXReader.read(Array(try SharedData.bytes("gpx/\(name)\(isPacked ? ".gz" : "")")))
  }

  @Test("finds expectations for all 33 files")
  func count() {
    #expect(ExpectedGPX.all.count == 33)
  }

  @Test("agrees with another reader", arguments: ExpectedGPX.all.map(\.name))
  func agreement(name: String) throws {
    let expected = try #require(ExpectedGPX.all.first { $0.name == name }).expected
    let document = try read(name)
    #expect(document.version == expected.version)
    #expect(document.creator == expected.creator)
    // The other reader keeps places that are not on Earth.
    let isComplete = name != "wptError.gpx"
    #expect(document.rejectedPoints == (isComplete ? 0 : 2))
    guard isComplete else { return }
    #expect(document.warnings == [])
    #expect(document.waypoints.count == expected.waypoints)
    #expect(document.routes.map(\.count) == expected.routes)
    #expect(document.tracks.map { $0.map(\.count) } == expected.tracks)
    let points = document.tracks.flatMap { $0.flatMap { $0 } }
    #expect(points.first.map(ExpectedGPX.Point.init) == expected.first)
    #expect(points.last.map(ExpectedGPX.Point.init) == expected.last)
    #expect(points.count { $0.time != nil } == expected.timedPoints)
    #expect(points.count { $0.elevation != nil } == expected.pointsWithElevation)
  }

  @Test(
    "says what is wrong with a malformed file",
    arguments: [
      ("empty", .empty), ("not-gpx", .notGPX(root: "kml")),
      ("entity-expansion", .broken(.entityDeclaration)),
      ("external-entity", .broken(.entityDeclaration)),
    ] as [(String, GPXCause)])
  func refused(name: String, cause: GPXCause) {
    #expect(throws: GPXFault(line: 1, cause: cause)) { try read("malformed/\(name).gpx") }
  }

  @Test(
    "keeps what is good in a damaged file",
    arguments: [
      ("truncated", 1, [.broken(.truncated)]),
      ("latitude-out-of-range", 0, [.invalidCoordinate]),
      ("latitude-nan", 0, [.invalidCoordinate, .invalidCoordinate]),
      ("missing-lon", 0, [.missingCoordinate]), ("decimal-comma", 0, [.invalidCoordinate]),
      ("time-forms", 5, [.invalidTime]), ("time-backwards", 2, []), ("time-duplicate", 2, []),
      ("antimeridian", 2, []), ("prefixed-namespace", 1, []), ("no-namespace", 0, []),
    ] as [(String, Int, [GPXCause])])
  func kept(name: String, points: Int, causes: [GPXCause]) throws {
    let document = try read("malformed/\(name).gpx")
    #expect(document.tracks.flatMap { $0.flatMap { $0 } }.count == points)
    #expect(document.warnings.map(\.cause) == causes)
  }
}
