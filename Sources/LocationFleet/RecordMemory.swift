/// Memory for many records of any length, without what a piece of memory of its own costs for each.
///
/// Records lie one behind the other in pieces, and begin at a multiple of four bytes. One that is freed is
/// used again for the next of its length.
struct RecordMemory: Sendable {
  /// Where a record begins: its piece, and the four bytes in it. Enough for 16 GiB.
  typealias Place = UInt32

  /// No record.
  static let none = Place.max

  private var pieces: [[UInt8]] = []
  /// The piece to which records are added.
  private var newest: Int?
  /// The last freed record, by how many times four bytes they have. Each begins with the place of the one that
  /// was freed before it.
  private var free: [Place] = []
  /// Pieces of long records that were freed.
  private var freePieces: [Int] = []
  /// Bytes of all records, and of those that were freed.
  private(set) var size = (all: 0, free: 0)

  /// The bytes of all pieces, those with room for more included.
  var reserved: Int { pieces.reduce(0) { $0 + $1.capacity } }

  /// Stores a record.
  mutating func add(_ record: [UInt8]) -> Place {
    let units = Self.units(record.count)
    if units > Self.unitsOfPiece {
      size.all += record.count
      return Place(addPiece(record) * Self.unitsOfPiece)
    }
    if units < free.count, free[units] != Self.none {
      let place = free[units]
      free[units] = self.place(in: place)
      size.free -= units * Self.unit
      set(record, in: place)
      return place
    }
    let piece = pieceWithRoom(units * Self.unit)
    let start = pieces[piece].count
    pieces[piece] += record
    pieces[piece] += repeatElement(0, count: units * Self.unit - record.count)
    size.all += units * Self.unit
    return Place(piece * Self.unitsOfPiece + start / Self.unit)
  }

  /// A piece that has room for so many bytes without more memory. Of few records all are short.
  private mutating func pieceWithRoom(_ count: Int) -> Int {
    if let newest, pieces[newest].capacity - pieces[newest].count >= count,
      pieces[newest].count + count <= Self.bytesOfPiece
    {
      return newest
    }
    var piece: [UInt8] = []
    piece.reserveCapacity(max(min(size.all / 4, Self.bytesOfPiece), Self.shortest, count))
    let number = addPiece(piece)
    newest = number
    return number
  }

  private mutating func addPiece(_ piece: [UInt8]) -> Int {
    if let number = freePieces.popLast() {
      pieces[number] = piece
      return number
    }
    pieces.append(piece)
    return pieces.count - 1
  }

  /// Frees a record of so many bytes.
  mutating func remove(_ place: Place, _ count: Int) {
    let units = Self.units(count)
    guard units <= Self.unitsOfPiece else {
      size.all -= count
      pieces[Self.piece(place)] = []
      return freePieces.append(Self.piece(place))
    }
    while free.count <= units { free.append(Self.none) }
    set(free[units], in: place)
    free[units] = place
    size.free += units * Self.unit
  }

  /// Reads what begins at a record.
  func read<Result>(_ place: Place, _ body: (Span<UInt8>) -> Result) -> Result {
    let piece = pieces[Self.piece(place)]
    return body(piece.span.extracting(Self.start(place)..<piece.count))
  }

  /// The place that the first four bytes of a record are.
  func place(in place: Place) -> Place {
    read(place) { bytes in
      (0..<4).reduce(0) { $0 | Place(bytes[$1]) << (8 * Place($1)) }
    }
  }

  /// Changes the first four bytes of a record to a place.
  mutating func set(_ other: Place, in place: Place) { set(Self.bytes(of: other), in: place) }

  static func bytes(of place: Place) -> [UInt8] {
    withUnsafeBytes(of: place.littleEndian) { [UInt8]($0) }
  }

  private mutating func set(_ bytes: [UInt8], in place: Place) {
    let start = Self.start(place)
    pieces[Self.piece(place)].replaceSubrange(start..<start + bytes.count, with: bytes)
  }

  private static func units(_ count: Int) -> Int { (count + unit - 1) / unit }
  private static func piece(_ place: Place) -> Int { Int(place) / unitsOfPiece }
  private static func start(_ place: Place) -> Int { Int(place) % unitsOfPiece * unit }

  private static let unit = 4
  /// The longest piece. Chosen: what is left at its end is a hundredth of it.
  private static let bytesOfPiece = 16_384
  private static let unitsOfPiece = bytesOfPiece / unit
  /// The shortest. Chosen: three devices.
  private static let shortest = 1024
}
