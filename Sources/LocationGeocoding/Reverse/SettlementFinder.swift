import LocationModel
import LocationSQLite

/// A settlement near a point.
struct NearbySettlement {
  var rank: Int
  /// Meters from the point.
  var distance: Double
  /// Meters: how far the settlement is taken to extend.
  var reach: Double
  /// The number of the division around it, or ``PlaceIndex/noArea``.
  var area: Int
  /// Whether it is a part of another settlement.
  var isQuarter: Bool
}

extension PlaceIndex {
  static let noArea = 0xFFFF
  private static let recordSize = 11

  /// The settlements within `radius` meters, in no particular order.
  func settlements(
    within radius: Double, of neighborhood: Neighborhood
  ) throws(DatabaseError) -> [NearbySettlement] {
    var found: [NearbySettlement] = []
    for box in neighborhood.boxes(radius: radius) {
      let statement = try database.statement(
        """
        SELECT points FROM place_box JOIN place_cell USING (id)
        WHERE right >= ? AND left <= ? AND top >= ? AND bottom <= ?
        """)
      statement.bind(box.west * 10_000, at: 1).bind(box.east * 10_000, at: 2)
      statement.bind(box.south * 10_000, at: 3).bind(box.north * 10_000, at: 4)
      while statement.step() {
        statement.withBytes(0) { bytes in
          for start in stride(from: 0, to: bytes.count - Self.recordSize + 1, by: Self.recordSize) {
            let settlement = Self.settlement(in: bytes, at: start, around: neighborhood)
            if settlement.distance <= radius { found.append(settlement) }
          }
        }
      }
    }
    return found
  }

  private static func settlement(
    in bytes: UnsafeRawBufferPointer, at start: Int, around neighborhood: Neighborhood
  ) -> NearbySettlement {
    let bits = UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    let area = UInt16(
      littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt16.self))
    let place = GridPosition(bits: bits >> 19).coordinate
    return NearbySettlement(
      rank: Int(bits & 0x7_FFFF), distance: neighborhood.distance(to: place),
      reach: Double(bytes[start + 10]) * PlaceRow.reachStep, area: Int(area),
      isQuarter: bits >> 63 == 1)
  }

  /// Large towns whose reach may cover the point, though their center is far.
  func largeTowns(reaching point: Coordinate) throws(DatabaseError) -> [Int] {
    let statement = try database.statement(
      "SELECT id FROM reach WHERE left <= ? AND right >= ? AND bottom <= ? AND top >= ?")
    let (x, y) = (point.longitude * 10_000, point.latitude * 10_000)
    statement.bind(x, at: 1).bind(x, at: 2).bind(y, at: 3).bind(y, at: 4)
    var ranks: [Int] = []
    while statement.step() { ranks.append(statement.integer(0)) }
    return ranks
  }
}
