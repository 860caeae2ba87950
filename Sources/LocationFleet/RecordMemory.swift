/// Memory for many records of any length, without what a piece of memory of its own costs for each.
///
/// Records lie one behind the other in pieces of 16 KiB, and begin at a multiple of eight bytes. One that is
/// freed is used again for the next of its length.
struct RecordMemory: Sendable {
  /// Where a record begins: its piece, and the eight bytes in it.
  typealias Place = UInt32

  private var pieces: [[UInt8]] = []
  /// The piece to which records are added.
  private var newest: Int?
  /// Places of freed records, by how many times eight bytes they have.
  private var free: [[Place]] = []
  /// Pieces of long records that were freed.
  private var freePieces: [Int] = []
  /// Bytes of all records, and of those that were freed.
  private(set) var size = (all: 0, free: 0)

  /// Stores a record in zeros up to a multiple of eight bytes.
  mutating func add(_ record: [UInt8]) -> Place {
    let units = Self.units(record.count)
    if units > Self.unitsOfPiece { return addLong(record) }
    if units < free.count, let place = free[units].popLast() {
      size.free -= units * Self.unit
      let start = Self.start(place)
      let piece = Self.piece(place)
      pieces[piece].replaceSubrange(start..<start + record.count, with: record)
      return place
    }
    var piece = newest ?? -1
    if newest == nil || pieces[piece].count + units * Self.unit > Self.bytesOfPiece {
      piece = addPiece([], capacity: Self.bytesOfPiece)
      newest = piece
    }
    let start = pieces[piece].count
    pieces[piece] += record
    pieces[piece] += repeatElement(0, count: units * Self.unit - record.count)
    size.all += units * Self.unit
    return Place(piece * Self.unitsOfPiece + start / Self.unit)
  }

  /// A record longer than a piece has one of its own.
  private mutating func addLong(_ record: [UInt8]) -> Place {
    size.all += record.count
    return Place(addPiece(record, capacity: record.count) * Self.unitsOfPiece)
  }

  private mutating func addPiece(_ bytes: [UInt8], capacity: Int) -> Int {
    var piece = bytes
    piece.reserveCapacity(capacity)
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
    while free.count <= units { free.append([]) }
    free[units].append(place)
    size.free += units * Self.unit
  }

  /// Reads what begins at a record.
  func read<Result>(_ place: Place, _ body: (Span<UInt8>) -> Result) -> Result {
    let piece = pieces[Self.piece(place)]
    return body(piece.span.extracting(Self.start(place)..<piece.count))
  }

  /// Changes bytes of a record.
  mutating func set(_ bytes: [UInt8], in place: Place) {
    let start = Self.start(place)
    pieces[Self.piece(place)].replaceSubrange(start..<start + bytes.count, with: bytes)
  }

  private static func units(_ count: Int) -> Int { (count + unit - 1) / unit }
  private static func piece(_ place: Place) -> Int { Int(place) / unitsOfPiece }
  private static func start(_ place: Place) -> Int { Int(place) % unitsOfPiece * unit }

  private static let unit = 8
  /// Chosen: what is left at the end of a piece is a hundredth of it.
  private static let bytesOfPiece = 16_384
  private static let unitsOfPiece = bytesOfPiece / unit
}
