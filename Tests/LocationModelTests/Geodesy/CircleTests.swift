import LocationModel
import Testing

@Suite("A circle")
struct CircleTests {
  private static let centers = [
    at(0, 0), at(51.5, -0.1), at(-33.9, 151.2), at(10, 180), at(-16, -179.999), at(0.001, 179.9),
    at(89.9, 45), at(-89.9995, -120), at(90, 0), at(-90, 10), at(71, 25),
  ]
  private static let radii = [1.0, 100, 5000, 60_000, 1_000_000, 9_000_000]

  @Test("REG-38: contains exactly the places no farther than its radius", arguments: centers)
  func contains(center: Coordinate) {
    for radius in Self.radii {
      let circle = Circle(center: center, radius: radius)
      for azimuth in stride(from: 0.0, to: 360, by: 7.5) {
        for step in [-1, -1e-4, -1e-7, 1e-7, 1e-4, 1] {
          let place = center.moved(by: radius + step, towards: azimuth)
          #expect(circle.contains(place) == (center.distance(to: place) <= radius))
        }
      }
    }
  }

  @Test("REG-38: contains its boundary, its center, and with no radius only the center")
  func boundary() {
    let center = at(48, 11)
    let place = at(48.01, 11.02)
    #expect(Circle(center: center, radius: center.distance(to: place)).contains(place))
    #expect(Circle(center: center, radius: 0).contains(center))
    #expect(!Circle(center: center, radius: 0).contains(place))
    #expect(Circle(center: center, radius: 20_003_932).contains(at(-48, -169)))
    #expect(!Circle(center: center, radius: 100).contains(at(.nan, 11)))
  }

  @Test("knows how far its boundary is, from inside and outside")
  func distanceToBoundary() {
    let circle = Circle(center: at(48, 11), radius: 100)
    #expect(circle.distanceToBoundary(from: circle.center) == -100)
    let outside = circle.center.moved(by: 150, towards: 33)
    #expect((circle.distanceToBoundary(from: outside) - 50).magnitude < 1e-7)
  }

  @Test("lies in its bounding box and touches every side", arguments: centers)
  func boundingBox(center: Coordinate) {
    for radius in Self.radii {
      let box = Circle(center: center, radius: radius).boundingBox
      let rim = stride(from: 0.0, to: 360, by: 0.5).map { center.moved(by: radius, towards: $0) }
      #expect(box.contains(center))
      #expect(rim.allSatisfy(box.contains))
      guard box.north < 90, box.south > -90 else { continue }
      let width = (box.east - box.west + 360).truncatingRemainder(dividingBy: 360)
      let reached = rim.map { ($0.longitude - center.longitude).remainder(dividingBy: 360) }.max()
      let slack = width / 2 - (reached ?? 0)
      // Half a degree of azimuth misses the widest place by a hundred-thousandth.
      let millimeter = 1e-8 / cos(Angle(degrees: center.latitude))
      #expect(slack > 0 && slack < width * 2e-4 + 2 * millimeter)
    }
  }

  @Test("has a box round the whole pole when it holds the pole")
  func polarBox() {
    let box = Circle(center: at(89.9, 45), radius: 20_000).boundingBox
    #expect((box.north, box.west, box.east) == (90, -180, 180))
    #expect(box.contains(at(89.95, -135)) && !box.contains(at(89.7, 45)))
    let beside = Circle(center: at(89.9, 45), radius: 11_000).boundingBox
    #expect(beside.north < 90 && !beside.contains(at(89.95, -135)))
    let everything = Circle(center: at(0, 0), radius: 20_100_000).boundingBox
    #expect(everything == BoundingBox(south: -90, north: 90, west: -180, east: 180))
  }

  @Test("has a box whose west is the greater across the antimeridian")
  func antimeridianBox() {
    let box = Circle(center: at(-17, 179.9), radius: 20_000).boundingBox
    #expect(box.crossesAntimeridian && box.west > 179 && box.east < -179)
    #expect(box.contains(at(-17, -179.95)) && box.contains(at(-17, 179.95)))
    #expect(box.contains(at(-17, 180)) && box.contains(at(-17, -180)))
    #expect(!box.contains(at(-17, 0)) && !box.contains(at(-16, 179.9)))
    let inland = Circle(center: at(48, 11), radius: 20_000).boundingBox
    #expect(!inland.crossesAntimeridian && !inland.contains(at(48, 180)))
  }
}
