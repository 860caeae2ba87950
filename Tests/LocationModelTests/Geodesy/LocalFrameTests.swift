import LocationModel
import Testing

@Suite("A local frame")
struct LocalFrameTests {
  /// Compares with the geodesic, from random centers and at both poles.
  private func worstError(within reach: Double, seed: UInt64) -> Double {
    var random = SeededRandom(seed: seed)
    var worst = 0.0
    for round in 0..<4000 {
      let latitude =
        round % 4 == 0
        ? 90 - Double.random(in: 0...1.5, using: &random) : .random(in: -90...90, using: &random)
      let center = at(latitude, .random(in: -180...180, using: &random))
      let distance = Double.random(in: 0...reach, using: &random)
      let place = center.moved(by: distance, towards: .random(in: 0...360, using: &random))
      let error = LocalFrame(center: center).distance(to: place) - distance
      worst = max(worst, error.magnitude)
    }
    return worst
  }

  @Test("is within a quarter of a millimeter up to 100 km, at every latitude")
  func hundredKilometers() {
    #expect(worstError(within: LocalFrame.reach, seed: 5) < LocalFrame.distanceError)
  }

  @Test("is within 20 micrometers up to 50 km and 50 nanometers up to 10 km")
  func nearer() {
    #expect(worstError(within: 50_000, seed: 6) < 20e-6)
    #expect(worstError(within: 10_000, seed: 7) < 50e-9)
  }

  @Test("never makes the chord longer than the geodesic, not even round the Earth")
  func chord() {
    var random = SeededRandom(seed: 8)
    for _ in 0..<2000 {
      let center = at(
        .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
      let place = at(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
      #expect(LocalFrame(center: center).chord(to: place) <= center.distance(to: place))
    }
  }

  @Test("measures east and north, and finds the way back")
  func offsets() {
    let centers = [at(0, 0), at(47, 8), at(-33, 179.999), at(89.99, 10), at(-85, -180)]
    for center in centers {
      let frame = LocalFrame(center: center)
      for (east, north) in [(1.0, 0.0), (0, -20), (3000, 4000), (-30_000, 20_000)] {
        let offset = frame.offset(of: frame.place(east: east, north: north))
        #expect((offset.east - east).magnitude < 0.002)
        #expect((offset.north - north).magnitude < 0.002)
      }
      #expect(frame.offset(of: center) == (0, 0))
      #expect(frame.distance(to: center) == 0)
    }
  }

  @Test("knows east from west over the antimeridian")
  func antimeridian() {
    let frame = LocalFrame(center: at(10, 179.99))
    #expect(frame.offset(of: at(10, -179.99)).east > 2000)
    #expect(frame.offset(of: at(10, 179.98)).east < -1000)
  }
}
