import LocationModel
import Testing

@Suite("The outline of a polygon")
struct PolygonOutlineTests {
  private func ring(_ corners: Int, south: Double = 48) -> [Coordinate] {
    let center = Coordinate(latitude: south, longitude: 11)
    return (0...corners).map {
      center.moved(by: 1000, towards: 360 * Double($0 % corners) / Double(corners))
    }
  }

  @Test("ADMIN-8: has 1,000 positions at most, of all rings together")
  func most() throws {
    #expect(try PolygonOutline([[ring(999)]]).positions == 1000)
    #expect(throws: Polygon.Fault.tooMany(most: 1000)) { try PolygonOutline([[ring(1000)]]) }
    let parts = (0..<4).map { [ring(249, south: 40 + Double($0))] }
    #expect(try PolygonOutline(parts).positions == 1000)
    #expect(throws: Polygon.Fault.tooMany(most: 1000)) {
      try PolygonOutline(parts + [[ring(3, south: 50)]])
    }
  }

  @Test("prints no place")
  func isPrivate() throws {
    let outline = try PolygonOutline([[ring(4)]])
    var dumped = ""
    dump(outline, to: &dumped)
    #expect(!"\(outline) \(String(reflecting: outline)) \(dumped)".contains("48"))
  }
}
