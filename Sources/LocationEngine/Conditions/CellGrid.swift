package import LocationModel

/// A place in units of 2^-32 turns, about a centimeter, so that longitudes wrap by themselves.
package struct GeodeticPoint: Sendable {
  /// From the south pole, `0...halfTurn`.
  package var latitude: UInt32
  /// Eastwards from the date line.
  package var longitude: UInt32

  static let halfTurn: UInt32 = 1 << 31
  package static let unitsPerDegree = 4_294_967_296.0 / 360

  package init(_ coordinate: Coordinate) {
    latitude = UInt32((coordinate.latitude + 90) * Self.unitsPerDegree + 0.5)
    // 180 degrees east is where longitudes begin again.
    longitude = UInt32(
      truncatingIfNeeded: Int64((coordinate.longitude + 180) * Self.unitsPerDegree + 0.5))
  }
}

/// All places between two parallels and two meridians.
package struct GeodeticBox: Sendable {
  /// The first latitude from the south pole.
  package var south: UInt32
  /// From ``south`` to the last latitude.
  package var height: UInt32
  /// The first longitude eastwards from the date line.
  package var west: UInt32
  /// From ``west`` to the last longitude; `UInt32.max` means every longitude.
  package var width: UInt32

  /// Contains no place: it begins north of the north pole.
  static let nowhere = GeodeticBox(south: .max, height: 0, west: 0, width: 0)

  /// The box around a circle, rounded outwards.
  package init(center: Coordinate, radius: Double) {
    let point = GeodeticPoint(center)
    // No degree of latitude is shorter than 110,574 m on WGS 84.
    let reach = Angle(degrees: min(radius / 110_570, 180))
    let half = UInt32(reach.degrees * GeodeticPoint.unitsPerDegree) + 2
    south = point.latitude > half ? point.latitude - half : 0
    // Half a turn around a pole would not fit.
    height = point.latitude + min(half, GeodeticPoint.halfTurn - point.latitude) - south
    let latitude = Angle(degrees: center.latitude)
    let ratio = sin(reach) / cos(latitude)
    if reach.degrees + latitude.degrees.magnitude >= 89.999 || ratio >= 1 {
      west = 0
      width = .max
    } else {
      let side = Angle(radians: arcsine(ratio)).degrees
      let half = UInt32(side * GeodeticPoint.unitsPerDegree) + 2
      west = point.longitude &- half
      width = 2 * half
    }
  }

  /// The same box, rounded outwards.
  init(_ box: BoundingBox) {
    let southwest = GeodeticPoint(Coordinate(latitude: box.south, longitude: box.west))
    let northeast = GeodeticPoint(Coordinate(latitude: box.north, longitude: box.east))
    south = southwest.latitude > 2 ? southwest.latitude - 2 : 0
    height = min(northeast.latitude + 2, GeodeticPoint.halfTurn) - south
    west = southwest.longitude &- 2
    width = northeast.longitude &- southwest.longitude + 4
  }

  private init(south: UInt32, height: UInt32, west: UInt32, width: UInt32) {
    self.south = south
    self.height = height
    self.west = west
    self.width = width
  }

  /// The largest index of a cell size of at least four radii; `nil` for a circle too large.
  var level: Int? {
    // Most boxes are not wide enough that the cosine counts.
    let size = width / 2 <= height ? height : max(height, halfWidth)
    guard size < 4 * CellGrid.largest else { return nil }
    // The smallest power of two that holds four radii, below that of the largest cells.
    return min(max((2 * size - 1).leadingZeroBitCount - 8, 0), CellGrid.levels - 1)
  }

  /// Half of how wide it is where it is widest, so that a low and wide box meets few cells too.
  private var halfWidth: UInt32 {
    let quarter = Double(GeodeticPoint.halfTurn / 2)
    let latitude = min(max(quarter, Double(south)), Double(north))
    return UInt32(Double(width) / 2 * cos(Angle(degrees: (latitude - quarter) / quarter * 90)))
  }

  var north: UInt32 { south + height }

  /// Returns where it begins and ends in a row of so many cells, in 2^32ths of a cell.
  func turns(times count: UInt64) -> (west: UInt64, east: UInt64) {
    (UInt64(west) * count, (UInt64(west) + UInt64(width)) * count)
  }

  func contains(_ point: GeodeticPoint) -> Bool {
    // Both are compared, so that there is no branch to predict.
    let (north, east) = (point.latitude &- south <= height, point.longitude &- west <= width)
    return north && east
  }

  func meets(_ other: GeodeticBox) -> Bool {
    south <= other.south + other.height && other.south <= south + height
      && (other.west &- west <= width || west &- other.west <= other.width)
  }
}

/// One cell: its size, row, and column in 35 bits, never zero.
struct CellKey: Sendable {
  var bits: UInt64

  init(level: Int, row: Int, column: Int) {
    bits = UInt64(level + 1) << 31 | UInt64(row) << 16 | UInt64(column)
  }

  var level: Int { Int(bits >> 31) - 1 }
  var row: Int { Int(bits >> 16 & 0x7fff) }
  var column: Int { Int(bits & 0xffff) }
}

/// Cells of 1.4 degrees, and of eight halvings down to 610 m, on the whole earth.
///
/// Within each 1.4 degrees of latitude, a row has as many columns as keep its cells at least as
/// wide as high; a cell at a pole is a whole ring.
struct CellGrid: Sendable {
  static let levels = 9
  /// The height of the largest cells: a turn through 256.
  static let largest: UInt32 = 1 << 24

  /// The number of columns of the smallest cells, for each row of the largest from the south pole.
  private let columns: [UInt16] = (0..<128).map { row in
    let poleward = Angle(degrees: Double(row < 64 ? row - 64 : row - 63) * 360 / 256)
    return UInt16(min(max(65_536 * cos(poleward), 0), 65_535))
  }

  /// Returns the cell of a place, and where in it the place lies, in 65,536ths.
  func cell(
    of point: GeodeticPoint, level: Int
  ) -> (key: CellKey, place: (latitude: UInt16, longitude: UInt16)) {
    let row = Self.row(of: point.latitude, level: level)
    let turns = UInt64(point.longitude) &* columnCount(of: row, level: level)
    return (
      CellKey(level: level, row: row, column: Int(turns >> 32)),
      (Self.part(of: point.latitude, level: level), UInt16(truncatingIfNeeded: turns >> 16))
    )
  }

  /// Calls `body` once with every cell that the box touches, always in the same order.
  func forEachCell(of box: GeodeticBox, level: Int, _ body: (CellKey) -> Void) {
    for row in Self.row(of: box.south, level: level)...Self.row(of: box.north, level: level) {
      let count = columnCount(of: row, level: level)
      let (west, east) = box.turns(times: count)
      for column in west >> 32...min(east >> 32, (west >> 32) + count - 1) {
        body(CellKey(level: level, row: row, column: Int(column % count)))
      }
    }
  }

  /// Returns the part of a cell that a box touching it covers.
  func bounds(of box: GeodeticBox, in cell: CellKey) -> CellBounds {
    let (level, row, column) = (cell.level, cell.row, UInt64(cell.column))
    let isFirst = Self.row(of: box.south, level: level) == row
    let isLast = Self.row(of: box.north, level: level) == row
    let south = isFirst ? Self.part(of: box.south, level: level) : 0
    let north = isLast ? Self.part(of: box.north, level: level) : .max
    let count = columnCount(of: row, level: level)
    let (west, east) = box.turns(times: count)
    // A box that wraps around to its own first cell covers the whole of that cell.
    let comesRound = (east >> 32) - (west >> 32) >= count
    let first = comesRound || west >> 32 != column ? 0 : UInt16(truncatingIfNeeded: west >> 16)
    let last =
      comesRound || (east >> 32) % count != column ? .max : UInt16(truncatingIfNeeded: east >> 16)
    return CellBounds(south: south, height: north - south, west: first, width: last - first)
  }

  private func columnCount(of row: Int, level: Int) -> UInt64 {
    UInt64(max(columns[row >> level] >> UInt16(Self.levels - 1 - level), 1))
  }

  private static func row(of latitude: UInt32, level: Int) -> Int {
    Int(min(latitude, GeodeticPoint.halfTurn - 1) >> UInt32(24 - level))
  }

  /// Returns where in its row a latitude lies; the pole itself is at the end of the last row.
  private static func part(of latitude: UInt32, level: Int) -> UInt16 {
    let inside = min(latitude, GeodeticPoint.halfTurn - 1) << UInt32(8 + level)
    return UInt16(truncatingIfNeeded: inside >> 16)
  }

  var footprint: Int { columns.capacity * MemoryLayout<UInt16>.stride }
}
