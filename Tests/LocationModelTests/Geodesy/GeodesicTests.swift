import LocationModel
import TestSupport
import Testing

@Suite("A geodesic")
struct GeodesicTests {
  @Test(
    "LOC-10: agrees with Karney's test set to 0.1 micrometer and 1e-9 degree",
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
  func karneyInverse() throws {
    let rows = try KarneyRow.all()
    #expect(rows.count == 5000)
    for row in rows {
      let path = Geodesic.inverse(from: row.start, to: row.end)
      #expect((path.distance - row.distance).magnitude < 1e-7)
      #expect(turn(path.initialAzimuth, row.initialAzimuth) < row.azimuthTolerance)
      #expect(turn(path.finalAzimuth, row.finalAzimuth) < row.azimuthTolerance)
    }
  }

  @Test(
    "arrives where Karney's test set says, to 0.1 micrometer",
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
  func karneyDirect() throws {
    for row in try KarneyRow.all() {
      let arrival = Geodesic.direct(
        from: row.start, azimuth: row.initialAzimuth, distance: row.distance)
      #expect(Geodesic.inverse(from: row.end, to: arrival.end).distance < 1e-7)
      // At the pole itself the azimuth is a matter of the meridian chosen.
      if row.end.latitude < 90 - 1e-9 {
        #expect(turn(arrival.finalAzimuth, row.finalAzimuth) < row.azimuthTolerance)
      }
    }
  }

  @Test("has no length between coincident places, and no direction but a number")
  func coincident() {
    for place in [at(0, 0), at(90, 0), at(-90, 17), at(51.5, -0.1), at(12, 180)] {
      let path = Geodesic.inverse(from: place, to: place)
      #expect((path.distance, path.initialAzimuth, path.finalAzimuth) == (0, 0, 0))
    }
    #expect(at(40, 180).distance(to: at(40, -180)) == 0)
    #expect(at(90, 0).distance(to: at(90, 123)) < 1e-9)
  }

  @Test("follows the meridian, and is a quarter of it from equator to pole")
  func meridian() {
    let quarter = 10_001_965.729_312_7
    #expect((at(0, 0).distance(to: at(90, 0)) - quarter).magnitude < 1e-6)
    #expect((at(-90, 5).distance(to: at(90, -77)) - 2 * quarter).magnitude < 1e-6)
    #expect(at(10, 20).bearing(to: at(30, 20)) == 0)
    #expect(at(30, 20).bearing(to: at(10, 20)) == 180)
    let overPole = Geodesic.inverse(from: at(80, 0), to: at(80, 180))
    #expect((overPole.initialAzimuth, overPole.finalAzimuth) == (0, 180))
    #expect((overPole.distance - 2 * at(80, 0).distance(to: at(90, 0))).magnitude < 1e-8)
  }

  @Test("follows the equator until a way over the poles is shorter")
  func equator() {
    let perDegree = WGS84.equatorialRadius * .pi / 180
    for degrees in [1e-9, 1, 90, 179.39] {
      let path = Geodesic.inverse(from: at(0, 0), to: at(0, degrees))
      #expect((path.distance - degrees * perDegree).magnitude < 1e-8)
      #expect((path.initialAzimuth, path.finalAzimuth) == (90, 90))
    }
    #expect(at(0, 0).bearing(to: at(0, -5)) == 270)
    let antipodal = Geodesic.inverse(from: at(0, 0), to: at(0, 180))
    #expect((antipodal.distance - 20_003_931.458625).magnitude < 1e-6)
    let beyond = Geodesic.inverse(from: at(0, 0), to: at(0, 179.7))
    #expect(beyond.distance < 179.7 * perDegree - 1)
    #expect(beyond.initialAzimuth > 0 && beyond.initialAzimuth < 90)
  }

  @Test("does not feel the antimeridian")
  func antimeridian() {
    let across = Geodesic.inverse(from: at(-17, 179.9), to: at(-16, -179.8))
    let inland = Geodesic.inverse(from: at(-17, 20.9), to: at(-16, 21.2))
    #expect((across.distance - inland.distance).magnitude < 1e-7)
    #expect(turn(across.initialAzimuth, inland.initialAzimuth) < 1e-9)
    let moved = at(-17, 179.9).moved(by: across.distance, towards: across.initialAzimuth)
    #expect((moved.longitude + 179.8).magnitude < 1e-12)
  }

  @Test("leaves a pole along the meridian that its azimuth names")
  func poles() {
    let south = at(-90, 0).moved(by: 1_000_000, towards: 30)
    #expect((south.longitude - 30).magnitude < 1e-12)
    let north = at(90, 0).moved(by: 1_000_000, towards: 150)
    #expect((north.longitude - 30).magnitude < 1e-12)
    #expect(turn(at(90, 0).bearing(to: at(80, 30)), 150) < 1e-12)
    #expect(turn(at(80, 30).bearing(to: at(90, 0)), 0) < 1e-12)
    #expect(
      at(80, 30).moved(by: at(80, 30).distance(to: at(90, 0)), towards: 0).latitude > 89.999999)
  }

  @Test("goes backwards for a negative distance and nowhere for none")
  func backwards() {
    let start = at(48, 11)
    #expect(
      start.moved(by: -5000, towards: 70).distance(to: start.moved(by: 5000, towards: 250)) < 1e-8)
    #expect(start.moved(by: 0, towards: 123).distance(to: start) < 1e-8)
  }

  @Test("is not a number for what is no place")
  func invalid() {
    #expect(at(91, 0).distance(to: at(0, 0)).isNaN)
    #expect(at(0, 0).distance(to: at(.nan, 0)).isNaN)
    #expect(at(0, 0).bearing(to: at(0, .infinity)).isNaN)
    #expect(!at(0, 0).moved(by: .infinity, towards: 0).isValid)
    #expect(!at(0, 0).moved(by: 1, towards: .nan).isValid)
  }

  @Test("ends where it should, however nearly antipodal or degenerate the pair")
  func hardPairs() {
    let offsets = [0, 1e-300, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.6, 3]
    for latitude in [0, 1e-300, 1e-14, 1e-5, 0.3, 30, 60, 89.9, 90 - 1e-12, 90] {
      for (north, east) in pairs(offsets) {
        let start = at(latitude, 0)
        let antipodal = at(min(90, north - latitude), 180 - east)
        let near = at(max(-90, latitude - north), east)
        expectArrival(from: start, to: antipodal)
        expectArrival(from: start, to: near)
        expectArrival(from: antipodal, to: near)
      }
    }
  }

  @Test("ends where it should for random pairs, and is never longer than half a meridian")
  func randomPairs() {
    var random = SeededRandom(seed: 31)
    for _ in 0..<3000 {
      let start = at(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
      let end = at(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
      expectArrival(from: start, to: end)
    }
  }

  private func expectArrival(from start: Coordinate, to end: Coordinate) {
    let path = Geodesic.inverse(from: start, to: end)
    let arrival = Geodesic.direct(
      from: start, azimuth: path.initialAzimuth, distance: path.distance)
    #expect(path.distance <= 20_003_931.4587)
    let miss = end.distance(to: arrival.end)
    #expect(
      miss < 1e-7,
      "\(start.latitude) -> \(end.latitude) \(end.longitude - start.longitude): \(path), \(miss)")
  }

  private func pairs(_ values: [Double]) -> [(Double, Double)] {
    values.flatMap { first in values.map { (first, $0) } }
  }
}

/// A place, for tests.
func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
  Coordinate(latitude: latitude, longitude: longitude)
}
