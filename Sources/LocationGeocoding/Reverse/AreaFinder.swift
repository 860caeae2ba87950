import LocationModel
import LocationSQLite

/// A first-level division whose polygon holds a point.
struct Area: Hashable {
  /// The area's number, which every settlement inside carries.
  var number: Int
  /// Ranks; absent for disputed areas and for divisions GeoNames does not know.
  var country: Int?
  var state: Int?
  var name: String
  /// Whether the index knows a settlement inside.
  var isSettled: Bool
}

extension PlaceIndex {
  /// Polygons are drawn on a grid of this many steps to a degree.
  static let stepsPerDegree = 500.0

  /// The division around a point; `nil` at sea.
  func area(around point: Coordinate) throws(DatabaseError) -> Area? {
    // The polygons end a tenth of a degree before the edges of the map.
    let x = min(max(point.longitude, -179.89), 179.89) * Self.stepsPerDegree
    let y = max(point.latitude, -89.89) * Self.stepsPerDegree
    let statement = try database.statement(
      """
      SELECT area.id, country, state, name, settled, rings FROM area_box JOIN area USING (id)
      WHERE left <= ? AND right >= ? AND bottom <= ? AND top >= ?
      """)
    statement.bind(x, at: 1).bind(x, at: 2).bind(y, at: 3).bind(y, at: 4)
    while statement.step() {
      guard statement.withBytes(5, { PackedRings(bytes: $0).contains(x: x, y: y) }) else {
        continue
      }
      return Area(
        number: statement.integer(0), country: statement.optionalInteger(1),
        state: statement.optionalInteger(2), name: statement.text(3) ?? "",
        isSettled: statement.integer(4) != 0)
    }
    return nil
  }
}

/// Rings as the index stores them: per ring the number of points, then zigzag differences from
/// point to point, all in LEB128.
struct PackedRings {
  let bytes: UnsafeRawBufferPointer

  /// Whether a point lies within an odd number of rings.
  func contains(x: Double, y: Double) -> Bool {
    var reader = VariableLengthReader(bytes: bytes)
    var isInside = false
    while let count = reader.next(), count > 0 {
      var (pointX, pointY) = (0, 0)
      var first: (x: Double, y: Double)?
      var last = (x: 0.0, y: 0.0)
      for _ in 0..<count {
        guard let stepX = reader.nextSigned(), let stepY = reader.nextSigned() else {
          return isInside
        }
        pointX += stepX
        pointY += stepY
        let point = (x: Double(pointX), y: Double(pointY))
        if first == nil { first = point } else { isInside = isInside != crosses(last, point, x, y) }
        last = point
      }
      if let first { isInside = isInside != crosses(last, first, x, y) }
    }
    return isInside
  }

  /// Whether the ray from (x, y) towards the east crosses the edge from `a` to `b`.
  private func crosses(
    _ a: (x: Double, y: Double), _ b: (x: Double, y: Double), _ x: Double, _ y: Double
  ) -> Bool {
    guard (a.y > y) != (b.y > y) else { return false }
    return x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x
  }
}

/// Reads LEB128 numbers; ends at the end of the bytes, also in the middle of a number.
struct VariableLengthReader {
  let bytes: UnsafeRawBufferPointer
  var index = 0

  mutating func next() -> Int? {
    var value = 0
    var shift = 0
    while index < bytes.count, shift < 63 {
      let byte = bytes[index]
      index += 1
      value |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// The next number, with its sign in the lowest bit.
  mutating func nextSigned() -> Int? {
    next().map { $0 & 1 == 0 ? $0 >> 1 : -(($0 + 1) >> 1) }
  }
}
