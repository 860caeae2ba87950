/// The rings of a polygon as points of one plane of degrees, in which nothing jumps at the
/// antimeridian.
struct PolygonRings {
  /// The corners of each ring, each once.
  private(set) var rings: [[SIMD2<Double>]] = []
  /// The rings of each part.
  private(set) var partRanges: [Range<Int>] = []
  /// Square meters.
  private(set) var area = 0.0
  /// The number of a ring without area.
  private(set) var firstFlat: Int?

  init(_ polygons: [[[Coordinate]]]) throws(Polygon.Fault) {
    var positions = 0
    var extent = PolygonBox(around: [])
    for polygon in polygons {
      guard !polygon.isEmpty else { throw .empty }
      for (place, ring) in polygon.enumerated() {
        positions += ring.count
        guard positions <= Polygon.mostPositions else {
          throw .tooMany(most: Polygon.mostPositions)
        }
        let number = rings.count + 1
        var points = try Self.unrolled(ring, number)
        let size = Self.area(of: points)
        if size < Self.least { firstFlat = firstFlat ?? number }
        align(&points)
        rings.append(points)
        area += place == 0 ? size : -size
        for point in points { extent.include(point) }
        guard extent.east - extent.west < 180 else { throw .tooWide(ring: number) }
      }
      partRanges.append(rings.count - polygon.count..<rings.count)
    }
    guard !rings.isEmpty else { throw .empty }
    area = max(area, Self.least)
  }

  /// Returns the corners with longitudes that count on where the ring crosses the antimeridian.
  private static func unrolled(
    _ ring: [Coordinate], _ number: Int
  ) throws(Polygon.Fault) -> [SIMD2<Double>] {
    guard
      ring.allSatisfy({ $0.isValid && $0.latitude.magnitude <= Polygon.lastLatitude })
    else { throw .position(ring: number) }
    guard let first = ring.first, let last = ring.last else { throw .tooFew(ring: number) }
    let gap = (first.longitude - last.longitude).magnitude
    guard first.latitude == last.latitude, gap == 0 || gap == 360 else {
      throw .unclosed(ring: number)
    }
    var points = [SIMD2(first.longitude, first.latitude)]
    var (turns, previous) = (0.0, first.longitude)
    for position in ring.dropFirst() {
      let way = position.longitude - previous
      guard way.magnitude != 180 else { throw .tooWide(ring: number) }
      if way.magnitude > 180 { turns -= way > 0 ? 360 : -360 }
      previous = position.longitude
      let point = SIMD2(position.longitude + turns, position.latitude)
      if point != points.last { points.append(point) }
    }
    guard points.count > 1, points[points.count - 1] == points[0] else {
      throw points.count == 1 ? .tooFew(ring: number) : .pole(ring: number)
    }
    points.removeLast()
    guard points.count >= 3 else { throw .tooFew(ring: number) }
    return points
  }

  /// Turns a ring to the first one, in whole turns.
  private func align(_ points: inout [SIMD2<Double>]) {
    guard let first = rings.first else { return }
    let middle = PolygonBox(around: points).middle
    let turned = PolygonBox(around: first).aligned(middle)
    guard turned != middle else { return }
    let turn = 360 * ((turned - middle) / 360).rounded()
    for place in points.indices { points[place].x += turn }
  }

  /// Returns square meters on a sphere with as much surface.
  private static func area(of points: [SIMD2<Double>]) -> Double {
    var (sum, before) = (0.0, points[points.count - 1])
    for point in points {
      let sines = sin(Angle(degrees: before.y)) + sin(Angle(degrees: point.y))
      sum += Angle(degrees: point.x - before.x).radians * sines / 2
      before = point
    }
    return (sum * radius * radius).magnitude
  }

  static func edges(of points: [SIMD2<Double>]) -> [Polygon.Edge] {
    points.indices.map {
      Polygon.Edge(start: points[$0], end: points[$0 + 1 < points.count ? $0 + 1 : 0])
    }
  }

  /// All edges, without the cuts at the antimeridian between two parts.
  var boundary: [Polygon.Edge] {
    var (edges, cuts): ([Polygon.Edge], [SIMD2<Double>]) = ([], [])
    for edge in rings.flatMap(Self.edges(of:)) {
      if edge.isAtAntimeridian { cuts += [edge.start, edge.end] } else { edges.append(edge) }
    }
    // Where an even number of rings has an edge, both sides are inside or both outside.
    cuts.sort { $0.y < $1.y }
    for place in stride(from: 0, to: cuts.count, by: 2) where cuts[place] != cuts[place + 1] {
      edges.append(Polygon.Edge(start: cuts[place], end: cuts[place + 1]))
    }
    return edges
  }

  /// Square meters that a ring has at least.
  private static let least = 1.0
  /// Meters: (2a + b) / 3.
  private static let radius = (2 * WGS84.equatorialRadius + WGS84.polarRadius) / 3
}

extension Polygon.Edge {
  /// Whether it lies on the antimeridian, so that it may be a cut.
  var isAtAntimeridian: Bool {
    start.x == end.x && start.x.remainder(dividingBy: 360).magnitude == 180
  }
}
