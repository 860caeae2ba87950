import LocationModel

/// The shape of a feature of the address index.
enum StreetShape: Hashable {
  case point(OsmPoint)
  case line([OsmPoint])
  case polygon([[OsmPoint]])

  init(_ geometry: OsmFeature.Geometry) {
    switch geometry {
    case .point(let point): self = .point(point)
    case .line(let points): self = .line(points)
    case .polygon(let rings): self = .polygon(rings)
    }
  }

  private var rings: [[OsmPoint]] {
    switch self {
    case .point(let point): [[point]]
    case .line(let points): [points]
    case .polygon(let rings): rings
    }
  }

  /// West, east, south, north.
  var box: (Int32, Int32, Int32, Int32) {
    let points = rings.joined()
    let (x, y) = (points.map(\.longitude), points.map(\.latitude))
    return (x.min() ?? 0, x.max() ?? 0, y.min() ?? 0, y.max() ?? 0)
  }

  // MARK: Measuring

  /// Meters from a point; zero within a polygon.
  func distance(from neighborhood: Neighborhood) -> Double {
    switch self {
    case .point(let point): return neighborhood.distance(to: point.coordinate)
    case .line(let points): return Self.closest(on: points, to: neighborhood).distance
    case .polygon(let rings):
      if Self.isInside(rings, neighborhood.center) { return 0 }
      return rings.map { Self.closest(on: $0, to: neighborhood).distance }.min() ?? .infinity
    }
  }

  /// The place for a pin: the middle of a line, the centroid of a polygon.
  var center: Coordinate {
    switch self {
    case .point(let point): return point.coordinate
    case .line(let points): return Self.position(along: points, share: 0.5)
    case .polygon(let rings): return Self.centroid(of: rings)
    }
  }

  /// Meters.
  var length: Double {
    guard case .line(let points) = self else { return 0 }
    return zip(points, points.dropFirst()).reduce(0) {
      $0 + Neighborhood(around: $1.0.coordinate).distance(to: $1.1.coordinate)
    }
  }

  /// How far along a line the point closest to a position is, in `0...1`, and how far off.
  static func closest(
    on points: [OsmPoint], to neighborhood: Neighborhood
  ) -> (share: Double, distance: Double) {
    var best = (along: 0.0, distance: Double.infinity)
    var total = 0.0
    var last: (east: Double, north: Double)?
    for point in points {
      let next = neighborhood.offset(to: point.coordinate)
      defer { last = next }
      guard let start = last else {
        best.distance = hypotenuse(next.east, next.north)
        continue
      }
      let (east, north) = (next.east - start.east, next.north - start.north)
      let squared = east * east + north * north
      let projection = squared > 0 ? -(start.east * east + start.north * north) / squared : 0
      let share = min(1, max(0, projection))
      let distance = hypotenuse(start.east + share * east, start.north + share * north)
      let length = squared.squareRoot()
      if distance < best.distance { best = (total + share * length, distance) }
      total += length
    }
    return (total > 0 ? best.along / total : 0, best.distance)
  }

  /// The position at a share of a line's length.
  static func position(along points: [OsmPoint], share: Double) -> Coordinate {
    guard let first = points.first, let end = points.last else {
      return Coordinate(latitude: 0, longitude: 0)
    }
    var left = StreetShape.line(points).length * share
    for (from, to) in zip(points, points.dropFirst()) {
      let length = Neighborhood(around: from.coordinate).distance(to: to.coordinate)
      if left <= length, length > 0 {
        return from.coordinate.moved(towards: to.coordinate, share: left / length)
      }
      left -= length
    }
    return share > 0 ? end.coordinate : first.coordinate
  }

  private static func isInside(_ rings: [[OsmPoint]], _ point: Coordinate) -> Bool {
    var isInside = false
    for ring in rings {
      for (a, b) in zip(ring, ring.dropFirst()) {
        let (from, to) = (a.coordinate, b.coordinate)
        guard (from.latitude > point.latitude) != (to.latitude > point.latitude) else { continue }
        let share = (point.latitude - from.latitude) / (to.latitude - from.latitude)
        if point.longitude < from.longitude + share * (to.longitude - from.longitude) {
          isInside.toggle()
        }
      }
    }
    return isInside
  }

  private static func centroid(of rings: [[OsmPoint]]) -> Coordinate {
    guard let outer = rings.max(by: { $0.count < $1.count }), let first = outer.first else {
      return Coordinate(latitude: 0, longitude: 0)
    }
    var (area, x, y) = (0.0, 0.0, 0.0)
    for (a, b) in zip(outer, outer.dropFirst()) {
      let (ax, ay) = a.offset(from: first)
      let (bx, by) = b.offset(from: first)
      let cross = ax * by - bx * ay
      area += cross
      x += (ax + bx) * cross
      y += (ay + by) * cross
    }
    guard area != 0 else { return first.coordinate }
    let start = first.coordinate
    return Coordinate(
      latitude: start.latitude + y / (3 * area) / OsmPoint.stepsPerDegree,
      longitude: start.longitude + x / (3 * area) / OsmPoint.stepsPerDegree)
  }

  // MARK: Packing

  /// The kind of shape (0 point, 1 line, 2 polygon), then each ring as the number of its points and
  /// the zigzag differences between them, all in LEB128.
  var packed: [UInt8] {
    let kind: UInt8 =
      switch self {
      case .point: 0
      case .line: 1
      case .polygon: 2
      }
    var bytes = [kind]
    for ring in rings {
      Self.append(ring.count, to: &bytes)
      var last = OsmPoint(longitude: 0, latitude: 0 as Int32)
      for point in ring {
        Self.append(zigzag: Int(point.longitude) - Int(last.longitude), to: &bytes)
        Self.append(zigzag: Int(point.latitude) - Int(last.latitude), to: &bytes)
        last = point
      }
    }
    return bytes
  }

  init?(packed bytes: UnsafeRawBufferPointer) {
    guard let kind = bytes.first else { return nil }
    var reader = VariableLengthReader(bytes: bytes, index: 1)
    var rings: [[OsmPoint]] = []
    while let count = reader.next() {
      var (x, y) = (0, 0)
      var ring: [OsmPoint] = []
      for _ in 0..<count {
        guard let stepX = reader.nextSigned(), let stepY = reader.nextSigned() else { return nil }
        x += stepX
        y += stepY
        ring.append(
          OsmPoint(
            longitude: Int32(truncatingIfNeeded: x), latitude: Int32(truncatingIfNeeded: y)))
      }
      rings.append(ring)
    }
    guard let first = rings.first, let point = first.first else { return nil }
    switch kind {
    case 0: self = .point(point)
    case 1: self = .line(first)
    case 2: self = .polygon(rings)
    default: return nil
    }
  }

  private static func append(zigzag value: Int, to bytes: inout [UInt8]) {
    append(value >= 0 ? value << 1 : (-value << 1) - 1, to: &bytes)
  }

  private static func append(_ value: Int, to bytes: inout [UInt8]) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

extension OsmPoint {
  var coordinate: Coordinate {
    Coordinate(
      latitude: Double(latitude) / Self.stepsPerDegree,
      longitude: Double(longitude) / Self.stepsPerDegree)
  }

  fileprivate func offset(from other: OsmPoint) -> (Double, Double) {
    (Double(longitude) - Double(other.longitude), Double(latitude) - Double(other.latitude))
  }
}

extension Coordinate {
  fileprivate func moved(towards other: Coordinate, share: Double) -> Coordinate {
    Coordinate(
      latitude: latitude + (other.latitude - latitude) * share,
      longitude: longitude + (other.longitude - longitude) * share)
  }
}
