/// Ranges of degrees east, which count on beyond the antimeridian, and north.
struct PolygonBox: Hashable, Sendable {
  var west = Double.infinity
  var east = -Double.infinity
  var south = Double.infinity
  var north = -Double.infinity

  init(around edges: ArraySlice<Polygon.Edge>) {
    for edge in edges {
      include(edge.start)
      include(edge.end)
    }
  }

  init(around points: [SIMD2<Double>]) {
    for point in points { include(point) }
  }

  mutating func include(_ point: SIMD2<Double>) {
    (west, east) = (min(west, point.x), max(east, point.x))
    (south, north) = (min(south, point.y), max(north, point.y))
  }

  var middle: Double { (west + east) / 2 }

  /// Returns a longitude as it counts next to this box.
  func aligned(_ longitude: Double) -> Double {
    let turns = ((middle - longitude) / 360).rounded()
    return turns == 0 ? longitude : longitude + 360 * turns
  }

  func meets(_ other: PolygonBox) -> Bool {
    west <= other.east && other.west <= east && south <= other.north && other.south <= north
  }

  func holds(_ point: SIMD2<Double>) -> Bool {
    west <= point.x && point.x <= east && south <= point.y && point.y <= north
  }
}

/// Compares the edges of a polygon with one place.
///
/// Ways are measured in degrees of the place's meridian, with the width that a degree of longitude
/// has halfway to the other end.
struct BoundarySearch {
  private let place: SIMD2<Double>
  private let sine: Double
  private let cosine: Double
  /// How much wider a degree of longitude at the equator of a sphere would be than one of latitude.
  private let flattening: Double
  private(set) var nearest = SIMD2<Double>.zero
  private(set) var isInside = false
  private var square = Double.infinity

  init(from place: SIMD2<Double>) {
    self.place = place
    let latitude = Angle(degrees: place.y)
    (sine, cosine) = (sin(latitude), cos(latitude))
    flattening =
      (1 - WGS84.eccentricitySquared * sine * sine) / (1 - WGS84.eccentricitySquared)
  }

  /// Returns the width of a degree of longitude halfway to so many degrees north.
  private func width(halfwayTo north: Double) -> Double {
    let half = Angle(degrees: north / 2).radians
    let squared = half * half
    let scale =
      cosine * (1 - squared / 2 + squared * squared / 24) - sine * half * (1 - squared / 6)
    return max(scale, 1e-4) * flattening
  }

  private func square(to way: SIMD2<Double>) -> Double {
    let east = way.x * width(halfwayTo: way.y)
    return east * east + way.y * way.y
  }

  /// Returns the square of a way that is not longer than the one to any edge of a box.
  func leastSquare(to box: PolygonBox) -> Double {
    let north = max(box.south - place.y, place.y - box.north, 0)
    let east = max(box.west - place.x, place.x - box.east, 0)
    let width = min(
      width(halfwayTo: box.south - place.y), width(halfwayTo: box.north - place.y))
    return east * east * width * width + north * north
  }

  /// Whether an edge of the box may be nearer, or east of the place.
  func isConcerned(by box: PolygonBox) -> Bool {
    (box.south <= place.y && place.y <= box.north && place.x <= box.east)
      || leastSquare(to: box) < square
  }

  mutating func look(at edge: Polygon.Edge) {
    let (start, end) = (edge.start - place, edge.end - place)
    if (start.y > 0) != (end.y > 0) {
      let turn = start.x * end.y - start.y * end.x
      if (turn > 0) == (end.y > start.y) { isInside.toggle() }
    }
    let line = end - start
    var width = width(halfwayTo: (start.y + end.y) / 2)
    var point = start
    for _ in 0..<2 {
      let scale = SIMD2(width * width, 1)
      let (along, whole) = ((start * line * scale).sum(), (line * line * scale).sum())
      point = start + line * min(max(-along / whole, 0), 1)
      width = self.width(halfwayTo: point.y)
    }
    let square = square(to: point)
    guard square < self.square else { return }
    self.square = square
    nearest = place + point
  }
}
