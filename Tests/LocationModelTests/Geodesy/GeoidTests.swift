import LocationModel
import TestSupport
import Testing

@Suite("The geoid")
struct GeoidTests {
  @Test(
    "LOC-7: is within half a meter of EGM96, and 0.1 m as a rule",
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
  func nodes() throws {
    let rows = try SharedData.lines("geoid/egm96-nodes.tsv").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").compactMap { Double($0) } }
    #expect(rows.count == 1500)
    let errors = rows.map { (Geoid.undulation(at: at($0[0], $0[1])) - $0[2]).magnitude }
    #expect(errors.allSatisfy { $0 < 0.5 })
    let square = errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)
    #expect(square.squareRoot() < 0.1)
    #expect(errors.count { $0 > 0.3 } <= errors.count / 100)
  }

  @Test("lies where it is known to: low off Sri Lanka, high on New Guinea")
  func extremes() {
    #expect((Geoid.undulation(at: at(4.75, 78.75)) + 106.9).magnitude < 0.5)
    #expect((Geoid.undulation(at: at(-8.25, 147.25)) - 85.4).magnitude < 1)
  }

  @Test("has no seam at the poles nor at the antimeridian")
  func seams() {
    for latitude in [-80.3, 0, 12.25, 66.6] {
      let west = Geoid.undulation(at: at(latitude, -180))
      let east = Geoid.undulation(at: at(latitude, 180))
      #expect(west == east)
      #expect((Geoid.undulation(at: at(latitude, 179.9999)) - east).magnitude < 0.01)
    }
    for latitude in [90.0, -90] {
      let pole = Geoid.undulation(at: at(latitude, 0))
      for longitude in stride(from: -180.0, through: 180, by: 45) {
        let beside = Geoid.undulation(at: at(latitude * 0.99999, longitude))
        #expect((beside - pole).magnitude < 0.05)
      }
    }
  }

  @Test("is not a number for what is no place")
  func invalid() {
    #expect(Geoid.undulation(at: at(.nan, 0)).isNaN)
    #expect(Geoid.undulation(at: at(0, 181)).isNaN)
  }
}
