import LocationCoding
import LocationModel
import TestSupport
import Testing

@Suite("Polygons in JSON")
struct OutlineTests {
  private func read(_ text: String) throws -> PolygonOutline {
    try PolygonOutline(json: JSON(parsing: text.utf8))
  }

  @Test("ADMIN-7: a polygon is read as it was written, bit for bit")
  func roundTrip() throws {
    var samples = Samples(seed: 24)
    for _ in 0..<300 {
      let outline = samples.outline()
      for bytes in [outline.json.bytes, outline.stored] {
        let again = try PolygonOutline(json: JSON(parsing: bytes))
        let bits = [outline, again].map {
          $0.parts.joined().joined().flatMap { [$0.latitude.bitPattern, $0.longitude.bitPattern] }
        }
        #expect(bits[0] == bits[1])
        #expect(again == outline && again.polygon == outline.polygon)
      }
    }
  }

  @Test("ADMIN-7: a geometry has holes and parts, longitudes first, and heights that do not count")
  func geometry() throws {
    let ring = "[[10,48,500],[11,48,500],[11,49,500],[10,49,500],[10,48,500]]"
    let hole = "[[10.4,48.4],[10.6,48.4],[10.5,48.6],[10.4,48.4]]"
    let outline = try read(#"{"type":"Polygon","coordinates":[\#(ring),\#(hole)]}"#)
    #expect(outline.positions == 9)
    #expect(outline.polygon.contains(Coordinate(latitude: 48.1, longitude: 10.9)))
    #expect(!outline.polygon.contains(Coordinate(latitude: 48.5, longitude: 10.5)))
    let several = try read(
      #"{"coordinates":[[\#(ring)],[[[179,1],[-179,1],[180,2],[179,1]]]],"type":"MultiPolygon"}"#)
    #expect(several.parts.count == 2)
  }

  @Test(
    "ADMIN-8: what is no polygon is refused with what is wrong",
    arguments: [
      (#"{"type":"Point","coordinates":[10,48]}"#, CodingFault.unknownWord("Point")),
      (#"{"coordinates":[]}"#, .missing("type")),
      (#"{"type":"Polygon"}"#, .missing("coordinates")),
      (#"{"type":"Polygon","coordinates":[]}"#, .polygon(.empty)),
      (#"{"type":"MultiPolygon","coordinates":[]}"#, .polygon(.empty)),
      (#"{"type":"Polygon","coordinates":[[[1,2],[3]]]}"#, .mismatch("coordinates")),
      (#"{"type":"Polygon","coordinates":[[1,2],[3,4]]}"#, .mismatch("coordinates")),
      (#"{"type":"Polygon","coordinates":[[["1",2]]]}"#, .mismatch("coordinates")),
      (
        #"{"type":"Polygon","coordinates":[[[1,2],[1,3],[2,3],[1,2.5]]]}"#,
        .polygon(.unclosed(ring: 1))
      ),
      (
        #"{"type":"Polygon","coordinates":[[[1,1],[2,2],[2,1],[1,2],[1,1]]]}"#,
        .polygon(.crossing(ring: 1, other: 1))
      ),
      (
        #"{"type":"Polygon","coordinates":[[[1,1],[2,91],[2,1],[1,1]]]}"#,
        .polygon(.position(ring: 1))
      ),
    ])
  func faults(_ text: String, _ fault: CodingFault) {
    #expect(throws: fault) { try read(text) }
    // As what an app asks for, it is what cannot be watched.
    let target = try? ConditionTarget(json: .word("polygon", JSON(parsing: text.utf8)))
    #expect(target == .unsupported)
  }
}
