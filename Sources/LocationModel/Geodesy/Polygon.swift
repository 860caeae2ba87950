/// An area within rings whose edges are straight in latitude and longitude, as those of GeoJSON
/// (RFC 7946), in one part or several, with or without holes.
///
/// An edge goes the short way around the earth, so a ring may cross the antimeridian; parts that
/// were cut there are joined. A place is inside if a line from it to the east meets the boundary an odd
/// number of times.
package struct Polygon: Hashable, Sendable {
  /// A piece of the boundary: degrees east, which count on beyond the antimeridian, and north.
  struct Edge: Hashable, Sendable {
    var start: SIMD2<Double>
    var end: SIMD2<Double>
  }

  let edges: [Edge]
  /// The box of each sixteen edges.
  private let boxes: [PolygonBox]
  private let box: PolygonBox
  /// Meters: the radius of a circle that has as much area.
  package let meanRadius: Double

  /// Each part has an outer ring, and then its holes; each ring ends where it begins.
  package init(_ parts: [[[Coordinate]]]) throws(Fault) {
    let rings = try PolygonRings(parts)
    var check = PolygonCheck(rings)
    try check.run()
    if let ring = rings.firstFlat { throw .flat(ring: ring) }
    edges = rings.boundary
    boxes = stride(from: 0, to: edges.count, by: Self.run).map { [edges] first in
      PolygonBox(around: edges[first..<min(first + Self.run, edges.count)])
    }
    box = PolygonBox(around: edges[...])
    meanRadius = (rings.area / .pi).squareRoot()
  }

  /// The number of its edges.
  package var size: Int { edges.count }

  /// Whether a place is inside; of places on the boundary, some are.
  package func contains(_ place: Coordinate) -> Bool { nearestOfBoundary(to: place).isInside }

  /// Meters from a place to the boundary, along a geodesic; negative inside.
  ///
  /// Never less than the true distance, and longer by a hundred-thousandth at most where that was
  /// compared, up to 116 km.
  package func distanceToBoundary(from place: Coordinate) -> Double {
    let (point, isInside) = nearestOfBoundary(to: place)
    return isInside ? -place.distance(to: point) : place.distance(to: point)
  }

  /// Returns the place of the boundary that is nearest, and whether the given one is inside.
  package func nearestOfBoundary(to place: Coordinate) -> (point: Coordinate, isInside: Bool) {
    var search = BoundarySearch(from: SIMD2(box.aligned(place.longitude), place.latitude))
    var first = 0
    var least = Double.infinity
    for (number, box) in boxes.enumerated() {
      let way = search.leastSquare(to: box)
      if way < least { (first, least) = (number, way) }
    }
    look(at: first, &search)
    for (number, box) in boxes.enumerated() where number != first {
      guard search.isConcerned(by: box) else { continue }
      look(at: number, &search)
    }
    let longitude = search.nearest.x
    return (
      Coordinate(
        latitude: search.nearest.y,
        longitude: longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)),
      search.isInside
    )
  }

  private func look(at number: Int, _ search: inout BoundarySearch) {
    let first = number * Self.run
    for edge in edges[first..<min(first + Self.run, edges.count)] { search.look(at: edge) }
  }

  /// The smallest box of latitudes and longitudes that holds it.
  package var boundingBox: BoundingBox {
    func wrapped(_ degrees: Double) -> Double {
      degrees.magnitude <= 180 ? degrees : degrees.remainder(dividingBy: 360)
    }
    return BoundingBox(
      south: box.south, north: box.north, west: wrapped(box.west), east: wrapped(box.east))
  }

  /// The number of edges that share a box (chosen).
  private static let run = 16
  /// Positions of all rings (chosen): a border that is drawn finer than fixes can tell.
  package static let mostPositions = 10_000
  /// Degrees: at a pole, what is straight in degrees is not so on the ground.
  package static let lastLatitude = 89.0
}

extension Polygon {
  /// Why rings are no polygon; they are counted from 1 through all parts.
  package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case tooMany(most: Int)
    case tooFew(ring: Int)
    case position(ring: Int)
    case unclosed(ring: Int)
    case pole(ring: Int)
    case tooWide(ring: Int)
    case flat(ring: Int)
    case crossing(ring: Int, other: Int)
    case hole(ring: Int)
    case overlap(ring: Int)

    package var description: String {
      switch self {
      case .empty: "there is no ring"
      case .tooMany(let most): "there are more than \(most) positions"
      case .tooFew(let ring): "ring \(ring) has fewer than 3 corners"
      case .position(let ring):
        "ring \(ring) has a position that is none on earth, or beyond \(Int(Polygon.lastLatitude)) "
          + "degrees of latitude"
      case .unclosed(let ring): "ring \(ring) does not end where it begins"
      case .pole(let ring): "ring \(ring) goes around a pole"
      case .tooWide(let ring): "with ring \(ring) it is as wide as half of the earth"
      case .flat(let ring): "ring \(ring) has less area than a square meter"
      case .crossing(let ring, let other):
        ring == other
          ? "ring \(ring) meets itself" : "rings \(ring) and \(other) cross or share an edge"
      case .hole(let ring): "ring \(ring), a hole, is not within its part"
      case .overlap(let ring): "ring \(ring) is within another part or hole"
      }
    }
  }
}
