import LocationModel
import LocationSQLite

/// A postal code and the middle of the places it serves.
struct PostalCode: Hashable {
  var code: String
  /// A rank.
  var country: Int
  var position: GridPosition
  /// The place it is named for: a rank, where the index knows the place.
  var place: Int?
  /// The name, where it does not.
  var name: String?
}

extension PlaceIndex {
  /// Postal codes in a leaf of their R*Tree; the n-th code of leaf m has number `32 m + n`.
  private static let cellSize = 32

  /// The code whose center is nearest, in one country, within `radius` meters.
  func postalCode(
    near neighborhood: Neighborhood, in country: Int, within radius: Double
  ) throws(DatabaseError) -> PostalCode? {
    var best: (code: PostalCode, distance: Double)?
    for box in neighborhood.boxes(radius: radius) {
      let statement = try database.statement(
        """
        SELECT codes FROM postal_box JOIN postal_cell USING (id)
        WHERE right >= ? AND left <= ? AND top >= ? AND bottom <= ?
        """)
      statement.bind(box.west * 10_000, at: 1).bind(box.east * 10_000, at: 2)
      statement.bind(box.south * 10_000, at: 3).bind(box.north * 10_000, at: 4)
      while statement.step() {
        statement.withBytes(0) { bytes in
          var reader = PostalCodeReader(bytes: bytes)
          while let position = reader.nextPosition() {
            let distance = neighborhood.distance(to: position.coordinate)
            guard distance <= min(radius, best?.distance ?? .infinity) else {
              reader.skip()
              continue
            }
            guard let code = reader.read(), code.country == country else { continue }
            best = (code, distance)
          }
        }
      }
    }
    return best?.code
  }

  /// The postal codes with these numbers.
  func postalCodes(_ numbers: [Int]) throws(DatabaseError) -> [PostalCode] {
    var found: [PostalCode] = []
    for number in numbers {
      let statement = try database.statement("SELECT codes FROM postal_cell WHERE id = ?")
      guard statement.bind(Int64(number / Self.cellSize), at: 1).step() else { continue }
      let code = statement.withBytes(0) { bytes in
        var reader = PostalCodeReader(bytes: bytes)
        for _ in 0..<(number % Self.cellSize) { reader.skip() }
        return reader.read()
      }
      if let code { found.append(code) }
    }
    return found
  }
}

/// Reads the postal codes of one leaf, one after the other.
private struct PostalCodeReader {
  let bytes: UnsafeRawBufferPointer
  private var index = 0
  /// The last name that was written out; a name of no length repeats it.
  private var writtenName = ""
  /// Bytes of the position, the place, and the country.
  private static let headSize = 9

  init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  private var bits: UInt64? {
    guard index + Self.headSize < bytes.count else { return nil }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Where the next code lies; does not move on.
  func nextPosition() -> GridPosition? { bits.map { GridPosition(bits: $0 >> 19) } }

  mutating func skip() { _ = read() }

  mutating func read() -> PostalCode? {
    guard let bits else { return nil }
    let country = Int(bytes[index + 8])
    index += Self.headSize
    guard let code = text() else { return nil }
    let place = Int(bits & 0x7_FFFF)
    if place == 0 {
      guard let name = text() else { return nil }
      if !name.isEmpty { writtenName = name }
    }
    return PostalCode(
      code: code, country: country, position: GridPosition(bits: bits >> 19),
      place: place == 0 ? nil : place, name: place == 0 ? writtenName : nil)
  }

  private mutating func text() -> String? {
    guard index < bytes.count, index + Int(bytes[index]) < bytes.count else {
      index = bytes.count
      return nil
    }
    let range = (index + 1)..<(index + 1 + Int(bytes[index]))
    index = range.upperBound
    return String(decoding: bytes[range], as: UTF8.self)
  }
}
