internal import LocationModel
internal import LocationProviders

/// The member "coordinates" of a geometry, whatever comes first, it or the type.
struct FenceCoordinates {
  /// How deep arrays lie in one another around the numbers: 1 for a Point.
  private(set) var depth: Int?
  /// Whether every position has two numbers or more, all are as deep, and no array is empty.
  private(set) var isSound = true
  private(set) var positions: [Coordinate] = []
  /// Positions read, those that are not kept included.
  private(set) var count = 0
  /// Where each ring, and each part among the rings, ends.
  private var rings: [Int] = []
  private var parts: [Int] = []

  /// Reads the next value; further positions than any polygon may have are counted only.
  mutating func read(_ scanner: inout JSONScanner) throws(JSONFault) {
    guard try scanner.isArray() else {
      isSound = false
      return try scanner.skip()
    }
    depth = try Self.array(&scanner, &self)
  }

  /// Returns how deep the array is; `nil` where that is not clear.
  private static func array(
    _ scanner: inout JSONScanner, _ found: inout FenceCoordinates
  ) throws(JSONFault) -> Int? {
    var (x, y, numbers): (Double, Double, Int) = (0, 0, 0)
    var depth: Int?
    try scanner.array { (value: inout JSONScanner) throws(JSONFault) in
      if try value.isArray() {
        let inner = try array(&value, &found)
        if inner == nil || (depth ?? inner) != inner { found.isSound = false }
        depth = inner
      } else if let number = try value.number() {
        if numbers == 0 { x = number } else if numbers == 1 { y = number }
        numbers += 1
      } else {
        found.isSound = false
      }
    }
    guard let depth else {
      found.add(x, y, numbers)
      return 1
    }
    if numbers > 0 { found.isSound = false }
    if depth == 1 { found.rings.append(found.positions.count) }
    if depth == 2 { found.parts.append(found.rings.count) }
    return depth + 1
  }

  private mutating func add(_ x: Double, _ y: Double, _ numbers: Int) {
    count += 1
    if numbers < 2 { isSound = false }
    guard positions.count < Polygon.mostPositions else { return }
    positions.append(Coordinate(latitude: y, longitude: x))
  }

  /// The rings of each part, of a Polygon or of a MultiPolygon.
  var polygons: [[[Coordinate]]] {
    var (ring, part) = (0, 0)
    return parts.map { end in
      defer { part = end }
      return rings[part..<end].map { end in
        defer { ring = end }
        return Array(positions[ring..<end])
      }
    }
  }
}
