/// A hash table from cells to their contents, eight bytes for each cell.
struct CellTable: Sendable {
  /// 35 bits of key above 29 bits of head; zero is an unused place.
  private var places = [UInt64](repeating: 0, count: 16)
  private var used = 0
  private var shift: UInt64 = 60
  /// Four bits for each place, one set for each cell. Most cells are empty, and this small table
  /// shows that without access to the large one.
  private var marks = [UInt64](repeating: 0, count: 1)

  private static let headMask: UInt64 = (1 << 29) - 1

  /// Returns the number stored for a cell, or 0.
  func head(of key: CellKey) -> Int {
    let mark = Self.hash(key.bits, shift: shift - 2)
    guard marks[mark >> 6] & 1 << UInt64(mark & 63) != 0 else { return 0 }
    return Int(places[index(of: key)] & Self.headMask)
  }

  /// Stores a number for a cell; 0 for none.
  mutating func setHead(of key: CellKey, to head: Int) {
    var index = index(of: key)
    if places[index] == 0 {
      if (used + 1) * 4 > places.count * 3 {
        grow()
        index = self.index(of: key)
      }
      used += 1
    }
    places[index] = key.bits << 29 | UInt64(head)
    mark(key.bits)
  }

  var footprint: Int { (places.capacity + marks.capacity) * MemoryLayout<UInt64>.stride }

  private mutating func mark(_ bits: UInt64) {
    let mark = Self.hash(bits, shift: shift - 2)
    marks[mark >> 6] |= 1 << UInt64(mark & 63)
  }

  /// Returns the place of the key, or the unused place where it belongs.
  private func index(of key: CellKey) -> Int {
    let mask = places.count - 1
    var index = Self.hash(key.bits, shift: shift)
    while places[index] != 0, places[index] >> 29 != key.bits { index = (index + 1) & mask }
    return index
  }

  private static func hash(_ bits: UInt64, shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (bits &* 0x9e37_79b9_7f4a_7c15) >> shift)
  }

  /// Doubles the table; drops cells without contents.
  private mutating func grow() {
    let old = places.filter { $0 & Self.headMask != 0 }
    let isHalfEmpty = old.count * 2 < places.count
    let capacity = isHalfEmpty ? places.count : places.count * 2
    shift = UInt64(64 - capacity.trailingZeroBitCount)
    places = [UInt64](repeating: 0, count: capacity)
    marks = [UInt64](repeating: 0, count: capacity / 16)
    for place in old {
      mark(place >> 29)
      var index = Self.hash(place >> 29, shift: shift)
      while places[index] != 0 { index = (index + 1) & (capacity - 1) }
      places[index] = place
    }
    used = old.count
  }
}
