import Foundation
import TestSupport
import Testing

@Suite("A polygon as typed")
struct TypedPolygonTests {
  /// Without a daemon, so what is well typed fails with that.
  private func add(_ polygon: String, input: String = "") throws -> Run {
    let folder = try TemporaryFolder()
    return try Run(
      ["monitor", "add", "yard", "--polygon", polygon],
      environment: ["LOCATIOND_SOCKET": folder.file("none")], input: input)
  }

  private static func feature(_ coordinates: String) -> String {
    #"{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":\#(coordinates)}}"#
  }

  @Test(
    "ADMIN-7: corners, a geometry, a feature, or a collection of one is a polygon",
    arguments: [
      ("48,11 48,12 49,11.5", ""), (" 48,11  48,12 49,11.5 48,11 ", ""),
      ("-17,179 -17,-179 -16,180", ""),
      ("-", #"{"type":"MultiPolygon","coordinates":[[[[1,1],[2,1],[2,2],[1,1]]]]}"#),
      ("-", feature("[[[1,1],[2,1],[2,2],[1,1]]]")),
      (
        "-",
        #"{"type":"FeatureCollection","features":["# + feature("[[[1,1],[2,1],[2,2],[1,1]]]") + "]}"
      ),
    ])
  func good(_ polygon: String, _ input: String) throws {
    let run = try add(polygon, input: input)
    #expect(run.status == 1, "\(run.error)")
    #expect(run.error.contains("daemon"))
  }

  @Test(
    "ADMIN-8: what is no polygon is refused with the ring and the reason, before a daemon is asked",
    arguments: [
      ("48,11 48,12", "", "ring 1 has fewer than 3 corners"),
      ("48,11 49,12 48,12 49,11", "", "ring 1 meets itself"),
      ("48,11 48,12 nan,11.5", "", "nan,11.5"), ("nan,11 48,12 49,11.5", "", "nan,11"),
      ("48,11 48,12 91,11.5", "", "latitude is out of range"),
      ("48,11 48,12 49,11.5,30", "", "a corner has no radius"),
      ("48,11 48,12 north", "", "north"),
      ("/nowhere/yard.geojson", "", "neither corners nor a file"),
      ("-", "", "no JSON at byte 0"), ("-", "[]", "no field `type`"),
      ("-", #"{"type":"Point","coordinates":[1,2]}"#, "unknown word `Point`"),
      ("-", #"{"type":"FeatureCollection","features":[]}"#, "`features`"),
      ("-", #"{"type":"Feature","geometry":null}"#, "no field `geometry`"),
      ("-", feature("[[[1,1],[2,1],[2,2],[1,1.5]]]"), "ring 1 does not end where it begins"),
      ("-", feature("[[[1,1],[2,2],[2,1],[1,2],[1,1]]]"), "ring 1 meets itself"),
      ("-", feature("[[[NaN,1],[2,2],[2,1],[1,1]]]"), "no JSON at byte"),
      ("-", feature("[[[1e999,1],[2,2],[2,1],[1,1]]]"), "no JSON at byte"),
      ("-", feature("[[[0,80],[120,80],[-120,80],[0,80]]]"), "ring 1 goes around a pole"),
      (
        "-", feature("[[[1,1],[2,1],[2,2],[1,1]],[[5,5],[6,5],[6,6],[5,5]]]"),
        "ring 2, a hole, is not within its part"
      ),
      ("-", String(repeating: "[", count: 40), "nested deeper"),
    ])
  func bad(_ polygon: String, _ input: String, _ reason: String) throws {
    let run = try add(polygon, input: input)
    #expect(run.status == 2)
    #expect(run.error.contains(reason), "\(run.error)")
    #expect(run.error.contains("\nTry: "))
  }

  /// A ring of so many positions.
  private static func ring(_ count: Int) -> String {
    let points = (0..<count).map { number in
      let turn = Double(number % (count - 1)) / Double(count - 1) * 2 * Double.pi
      return "[\(sin(turn)),\(cos(turn))]"
    }
    return feature("[[" + points.joined(separator: ",") + "]]")
  }

  @Test(
    "ADMIN-8: too many positions are refused with what to do, a million without being kept",
    arguments: [(1001, "more than 1000 positions"), (1_000_000, "longer than 4194304 bytes")])
  func large(_ count: Int, _ reason: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("large.geojson")
    try Data(Self.ring(count).utf8).write(to: URL(fileURLWithPath: file))
    let run = try add(file)
    #expect(run.status == 2)
    #expect(run.error.contains(reason), "\(run.error)")
    #expect(run.error.contains("\nTry: "))
  }

  @Test("ADMIN-7: a polygon has a name, and no circle beside it")
  func usage() throws {
    let corners = "48,11 48,12 49,11.5"
    for words in [
      ["add", "--polygon", corners], ["add", "a", "1,2,3", "--polygon", corners], ["add", "a"],
    ] {
      let run = try Run(["monitor"] + words)
      #expect(run.status == 2, "\(words) \(run.error)")
    }
  }
}
