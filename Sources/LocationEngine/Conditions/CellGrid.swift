internal import LocationModel

/// A place in whole units of 1e-7 degrees, about a centimeter.
struct GeodeticPoint: Sendable {
  var latitude: Int32
  var longitude: Int32

  init(_ coordinate: Coordinate) {
    latitude = Int32((coordinate.latitude * 1e7).rounded())
    longitude = Int32((coordinate.longitude * 1e7).rounded())
  }
}

/// All places within given differences of latitude and longitude from a center.
struct GeodeticBox: Sendable {
  var center: GeodeticPoint
  /// Units of 1e-7 degrees; half a turn means every longitude.
  var latitudeReach: UInt32
  var longitudeReach: UInt32

  static let halfTurn = 1_800_000_000.0

  /// The box around a circle, rounded outwards.
  init(center coordinate: Coordinate, radius: Double) {
    center = GeodeticPoint(coordinate)
    // No degree of latitude is shorter than 110,574 m on WGS 84.
    let reach = Angle(degrees: min(radius / 110_570, 180))
    latitudeReach = UInt32(reach.degrees * 1e7 + 2)
    let latitude = Angle(degrees: coordinate.latitude)
    let ratio = sin(reach) / cos(latitude)
    if reach.degrees + latitude.degrees.magnitude >= 89.999 || ratio >= 1 {
      longitudeReach = UInt32(Self.halfTurn)
    } else {
      longitudeReach = UInt32(Angle(radians: arcsine(ratio)).degrees * 1e7 + 2)
    }
  }

  /// The largest index of a cell size not under four radii; `nil` for a circle too large.
  var level: Int? {
    guard latitudeReach < 20_000_000 else { return nil }
    var level = 0
    while level < CellGrid.levels - 1, latitudeReach << (level + 1) <= 2_500_000 { level += 1 }
    return level
  }

  func contains(_ point: GeodeticPoint) -> Bool {
    Self.gap(center.latitude, point.latitude) <= latitudeReach
      && Self.turn(center.longitude, point.longitude) <= longitudeReach
  }

  func meets(_ other: GeodeticBox) -> Bool {
    Self.gap(center.latitude, other.center.latitude) <= latitudeReach + other.latitudeReach
      && Self.turn(center.longitude, other.center.longitude)
        <= longitudeReach + other.longitudeReach
  }

  private static func gap(_ left: Int32, _ right: Int32) -> UInt32 {
    (Int64(left) - Int64(right)).magnitudeAsUInt32
  }

  private static func turn(_ left: Int32, _ right: Int32) -> UInt32 {
    let gap = gap(left, right)
    return gap > 1_800_000_000 ? UInt32(3_600_000_000 - Int64(gap)) : gap
  }
}

extension Int64 {
  fileprivate var magnitudeAsUInt32: UInt32 { UInt32(truncatingIfNeeded: magnitude) }
}

/// One cell: its size, row, and column in 37 bits, never zero.
struct CellKey: Sendable {
  var bits: UInt64

  init(level: Int, row: Int, column: Int) {
    bits = UInt64(level + 1) << 33 | UInt64(row) << 17 | UInt64(column)
  }
}

/// Cells of 1 degree, and of eight halvings of it down to 430 m, on the whole earth.
///
/// Within each degree of latitude a row has as many columns as keep its cells at least as wide as
/// they are high; a cell at a pole is a whole ring.
struct CellGrid: Sendable {
  static let levels = 9

  /// For each degree of latitude from the south pole, the columns of 1 degree.
  private let columns: [Double] = (0..<180).map { band in
    let poleward = band < 90 ? band - 90 : band - 89
    return 360 * cos(Angle(degrees: Double(poleward)))
  }

  func cell(of point: GeodeticPoint, level: Int) -> CellKey {
    let row = Self.row(of: Int64(point.latitude), level: level)
    let count = columnCount(of: row, level: level)
    let column = Self.column(of: Int64(point.longitude), count: count)
    return CellKey(level: level, row: row, column: min(max(column, 0), count - 1))
  }

  /// Calls `body` with every cell that the box touches, once each, always in the same order.
  func forEachCell(of box: GeodeticBox, level: Int, _ body: (CellKey) -> Void) {
    let south = Int64(box.center.latitude) - Int64(box.latitudeReach)
    let north = Int64(box.center.latitude) + Int64(box.latitudeReach)
    for row in Self.row(of: south, level: level)...Self.row(of: north, level: level) {
      let count = columnCount(of: row, level: level)
      let west = Int64(box.center.longitude) - Int64(box.longitudeReach)
      let east = Int64(box.center.longitude) + Int64(box.longitudeReach)
      let first = Self.column(of: west, count: count)
      let last = min(Self.column(of: east, count: count), first + count - 1)
      for column in first...max(first, last) {
        let wrapped = (column % count + count) % count
        body(CellKey(level: level, row: row, column: wrapped))
      }
    }
  }

  private func columnCount(of row: Int, level: Int) -> Int {
    max(Int(columns[row >> level] * Double(1 << level)), 1)
  }

  private static func row(of latitude: Int64, level: Int) -> Int {
    let row = Int(latitude + 900_000_000) << level / 10_000_000
    return min(max(row, 0), 180 << level - 1)
  }

  /// Counted from 180 degrees west; below zero or beyond the count where a box crosses it.
  private static func column(of longitude: Int64, count: Int) -> Int {
    let turns = Double(longitude + 1_800_000_000) / 3_600_000_000
    return Int((turns * Double(count)).rounded(.down))
  }
}

/// A hash table from cells to the heads of their lists, eight bytes a cell.
struct CellTable: Sendable {
  /// 37 bits of key above 27 bits of head plus one; zero is an unused place.
  private var places = [UInt64](repeating: 0, count: 64)
  private var used = 0
  private var shift: UInt64 = 58
  /// Four bits for each place, one set for each cell: most cells are empty, and this small table
  /// says so without a look at the large one.
  private var marks = [UInt64](repeating: 0, count: 4)

  private static let headMask: UInt64 = (1 << 27) - 1

  /// The first link of a cell's list, or -1.
  func head(of key: CellKey) -> Int32 {
    let mark = Self.hash(key.bits, shift: shift - 2)
    guard marks[mark >> 6] & 1 << UInt64(mark & 63) != 0 else { return -1 }
    let place = places[index(of: key)]
    return Int32(truncatingIfNeeded: place & Self.headMask) - 1
  }

  /// Makes a link the first of a cell's list and returns the earlier one, or -1.
  mutating func replaceHead(of key: CellKey, with link: Int32) -> Int32 {
    var index = index(of: key)
    if places[index] == 0 {
      if (used + 1) * 4 > places.count * 3 {
        grow()
        index = self.index(of: key)
      }
      used += 1
    }
    let earlier = Int32(truncatingIfNeeded: places[index] & Self.headMask) - 1
    places[index] = key.bits << 27 | UInt64(link + 1)
    mark(key.bits)
    return earlier
  }

  var footprint: Int { (places.capacity + marks.capacity) * MemoryLayout<UInt64>.stride }

  private mutating func mark(_ bits: UInt64) {
    let mark = Self.hash(bits, shift: shift - 2)
    marks[mark >> 6] |= 1 << UInt64(mark & 63)
  }

  /// Where the key is, or the unused place where it belongs.
  private func index(of key: CellKey) -> Int {
    let mask = places.count - 1
    var index = Self.hash(key.bits, shift: shift)
    while places[index] != 0, places[index] >> 27 != key.bits { index = (index + 1) & mask }
    return index
  }

  private static func hash(_ bits: UInt64, shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (bits &* 0x9e37_79b9_7f4a_7c15) >> shift)
  }

  /// Doubles the table, leaving out cells whose list is empty.
  private mutating func grow() {
    let old = places.filter { $0 & Self.headMask != 0 }
    let isHalfEmpty = old.count * 2 < places.count
    let capacity = isHalfEmpty ? places.count : places.count * 2
    shift = UInt64(64 - capacity.trailingZeroBitCount)
    places = [UInt64](repeating: 0, count: capacity)
    marks = [UInt64](repeating: 0, count: capacity / 16)
    for place in old {
      mark(place >> 27)
      var index = Self.hash(place >> 27, shift: shift)
      while places[index] != 0 { index = (index + 1) & (capacity - 1) }
      places[index] = place
    }
    used = old.count
  }
}
