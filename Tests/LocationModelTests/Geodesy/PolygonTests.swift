import LocationModel
import Testing

@Suite("A polygon")
struct PolygonTests {
  private typealias Ring = [[Double]]

  private func polygon(_ parts: [[[[Double]]]]) throws -> Polygon {
    try Polygon(parts.map { $0.map { $0.map { Coordinate(latitude: $0[1], longitude: $0[0]) } } })
  }

  private func fault(_ parts: [[[[Double]]]]) -> Polygon.Fault? {
    do {
      _ = try polygon(parts)
      return nil
    } catch { return error as? Polygon.Fault }
  }

  private static func square(
    _ west: Double, _ south: Double, _ east: Double, _ north: Double
  ) -> [[Double]] {
    [[west, south], [east, south], [east, north], [west, north], [west, south]]
  }

  @Test("FLEET-25: other programs find the same sides and distances, at holes and the antimeridian")
  func otherPrograms() throws {
    var (most, least) = (0.0, 0.0)
    for (name, parts) in try PolygonRow.polygons() {
      let polygon = try polygon(parts)
      for row in PolygonRow.rows where row.polygon == name {
        let place = at(row.latitude, row.longitude)
        let distance = polygon.distanceToBoundary(from: place)
        #expect(polygon.contains(place) == (row.distance < 0))
        #expect((distance < 0) == (row.distance < 0))
        let excess = distance.magnitude - row.distance.magnitude
        most = max(most, excess / row.distance.magnitude)
        least = min(least, excess)
      }
    }
    // The figures of the others are rounded to a micrometer.
    #expect(least > -1e-6)
    #expect(most < 1e-5)
  }

  @Test("finds the place that a comparison with every piece of every edge finds")
  func bruteForce() throws {
    var random = SeededRandom(seed: 24)
    for (_, parts) in try PolygonRow.polygons() {
      let polygon = try polygon(parts)
      let box = polygon.boundingBox
      let width = (box.east - box.west + 360).truncatingRemainder(dividingBy: 360)
      for _ in 0..<4 {
        let place = Coordinate(
          latitude: .random(in: box.south...box.north, using: &random),
          longitude: (box.west + .random(in: 0...width, using: &random))
            .remainder(dividingBy: 360))
        let frame = LocalFrame(center: place)
        var nearest = Double.infinity
        for ring in parts.joined() {
          for (start, end) in zip(ring, ring.dropFirst()) {
            let east = (end[0] - start[0]).remainder(dividingBy: 360)
            for step in 0...200 {
              let part = Double(step) / 200
              let point = at(
                start[1] + (end[1] - start[1]) * part,
                (start[0] + east * part).remainder(dividingBy: 360))
              nearest = min(nearest, frame.distance(to: point))
            }
          }
        }
        let found = polygon.distanceToBoundary(from: place).magnitude
        #expect(found <= nearest * (1 + 1e-4) + 0.001)
      }
    }
  }

  @Test("FLEET-25: two parts that were cut at the antimeridian are judged as one ring across it")
  func antimeridian() throws {
    let whole = try polygon([[[[179, -1], [-179, -1], [-179, 1], [179, 1], [179, -1]]]])
    let halves = try polygon([[Self.square(179, -1, 180, 1)], [Self.square(-180, -1, -179, 1)]])
    #expect(halves.size == 6)
    for (latitude, longitude) in [(0.0, 180.0), (0, -180), (0.5, 179.999), (0, -179.5), (0, 178)] {
      let place = at(latitude, longitude)
      let distance = whole.distanceToBoundary(from: place)
      #expect((halves.distanceToBoundary(from: place) - distance).magnitude < 1e-6)
      #expect(halves.contains(place) == (longitude != 178))
    }
    #expect(whole.boundingBox == BoundingBox(south: -1, north: 1, west: 179, east: -179))
    // Where only one of the parts reaches it, the antimeridian is a boundary.
    let step = try polygon([[Self.square(179, -1, 180, 1)], [Self.square(-180, -1, -179, 0)]])
    #expect(step.distanceToBoundary(from: at(0.5, 180)).magnitude < 1e-6)
    #expect(step.distanceToBoundary(from: at(-0.5, 180)) < -50_000)
  }

  @Test("has as much area as a circle of its mean radius, holes left out")
  func meanRadius() throws {
    let square = Self.square(6, 46, 6.01, 46.01)
    let side = at(46, 6.005).distance(to: at(46.01, 6.005))
    let width = at(46.005, 6).distance(to: at(46.005, 6.01))
    let whole = try polygon([[square]])
    #expect((whole.meanRadius / (side * width / .pi).squareRoot() - 1).magnitude < 0.005)
    let frame = try polygon([[square, Self.square(6.002, 46.002, 6.008, 46.008)]])
    #expect((frame.meanRadius / whole.meanRadius - 0.8).magnitude < 0.001)
  }

  @Test("FLEET-26: rings that bound no area are refused, each with its reason")
  func faults() {
    let square = Self.square(6, 46, 7, 47)
    let within = Self.square(6.2, 46.2, 6.4, 46.4)
    let bow: Ring = [[6, 46], [7, 47], [7, 46], [6, 47], [6, 46]]
    let spike: Ring = [[6, 46], [7, 46], [7, 47], [7, 46.5], [6, 46.5], [6, 46]]
    let touching: Ring = [[6, 46], [8, 46], [8, 47], [7, 46], [6, 47], [6, 46]]
    let polar: Ring = [[0, 80], [90, 80], [179, 80], [-90, 80], [0, 80]]
    let cases: [([[[[Double]]]], Polygon.Fault?)] = [
      ([], .empty), ([[]], .empty), ([[square]], nil), ([[square, within]], nil),
      ([[Array(square.dropLast())]], .unclosed(ring: 1)),
      ([[[[6, 46], [7, 46], [6, 46]]]], .tooFew(ring: 1)),
      ([[[[6, 46], [6, 46], [6, 46], [6, 46]]]], .tooFew(ring: 1)),
      ([[[]]], .tooFew(ring: 1)), ([[Self.square(6, 46, 7, 146)]], .position(ring: 1)),
      ([[Self.square(6, 46, 187, 47)]], .position(ring: 1)),
      ([[Self.square(6, 46, .nan, 47)]], .position(ring: 1)),
      ([[square], [Self.square(6, 88, 7, 89.5)]], .position(ring: 2)),
      ([[bow]], .crossing(ring: 1, other: 1)), ([[spike]], .crossing(ring: 1, other: 1)),
      ([[touching]], .crossing(ring: 1, other: 1)), ([[polar]], .pole(ring: 1)),
      ([[Self.square(-90, 0, 90, 1)]], .tooWide(ring: 1)),
      ([[Self.square(-80, 0, 80, 1)], [Self.square(100, 0, 110, 1)]], .tooWide(ring: 2)),
      ([[[[6, 46], [7, 46], [8, 46], [6, 46]]]], .crossing(ring: 1, other: 1)),
      ([[Self.square(6, 46, 6.000_01, 46.000_01)]], .flat(ring: 1)),
      ([[square, Self.square(6.5, 46.5, 7.5, 46.8)]], .crossing(ring: 1, other: 2)),
      ([[square, Self.square(8, 46, 9, 47)]], .hole(ring: 2)),
      ([[within, square]], .hole(ring: 2)), ([[square, square]], .crossing(ring: 1, other: 2)),
      ([[square, within, Self.square(6.25, 46.25, 6.3, 46.3)]], .overlap(ring: 3)),
      ([[square], [within]], .overlap(ring: 2)), ([[within], [square]], .overlap(ring: 1)),
      ([[square], [Self.square(7, 46, 8, 47)]], .crossing(ring: 1, other: 2)),
      ([[square], [Self.square(7, 47, 8, 48)]], nil),
      ([[square, Self.square(6.1, 46.1, 6.9, 46.9)], [within]], nil),
    ]
    for (parts, expected) in cases { #expect(fault(parts) == expected) }
    let many = (0...Polygon.mostPositions).map { [6 + Double($0) * 1e-5, 46] }
    #expect(fault([[many]]) == .tooMany(most: 10_000))
  }

  @Test("FLEET-26: a hole may touch its ring at points, and may not leave it there")
  func touchingHole() {
    let square = Self.square(6, 46, 8, 48)
    #expect(fault([[square, [[6, 47], [7, 46.5], [7, 47.5], [6, 47]]]]) == nil)
    #expect(fault([[square, [[6, 47], [7, 46], [8, 47], [7, 48], [6, 47]]]]) == nil)
    let notch = [[6.0, 46], [8, 46], [7, 47], [8, 48], [6, 48], [6, 46]]
    // From corner to corner, outside of the notch.
    let across = [[8.0, 46], [8, 48], [7, 47], [8, 46]]
    #expect(fault([[notch, across]]) != nil)
    let through = [[6.5, 47], [7, 47], [7.5, 47.2], [7.5, 46.8], [6.5, 47]]
    #expect(fault([[notch, through]]) != nil)
    // Through corners only.
    let kite: Ring = [[1, 0], [5, 3], [6, 5], [8, 7], [5, 6], [1, 0]]
    let other: Ring = [[0, 4], [1, 0], [5, 2], [5, 8], [4, 7], [0, 4]]
    #expect(fault([[kite], [other]]) == .overlap(ring: 1))
    let house: Ring = [[2, 0], [6, 3], [6, 6], [8, 8], [5, 8], [1, 7], [2, 0]]
    #expect(fault([[house, [[3, 4], [6, 4], [7, 7], [3, 4]]]]) == .hole(ring: 2))
    let tent: Ring = [[0, 1], [6, 2], [5, 5], [5, 6], [3, 5], [0, 5], [0, 1]]
    #expect(fault([[tent, [[3, 4], [5, 3], [5, 5], [4, 5], [3, 4]]]]) == nil)
  }
}
