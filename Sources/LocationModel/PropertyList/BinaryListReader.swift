/// Reads the binary form of a property list.
///
/// Objects refer to each other by number, so a list may hold itself, and a few that are shared may
/// stand for billions. Each visit of an object is counted, and no list is deeper than the builder
/// allows, so both end at a bound. Nothing of the file is used as an offset or a count before it
/// was compared with the file's length.
struct BinaryListReader {
  static let magic = Array("bplist0".utf8)

  /// A list that is open: what of it is still to be read, last first.
  private struct Open {
    /// Objects to visit; of a dictionary each key is followed by its value.
    var rest: ArraySlice<Int>
    var isDictionary: Bool
    var isKeyNext = true
  }

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let top: Int
  /// Where the table of offsets begins: objects end before.
  private let table: Int
  private let limits: PropertyList.Limits
  private var open: [Open] = []
  /// References that were read from lists.
  private var references = 0

  private static let (header, trailer) = (8, 32)

  /// Reads the trailer.
  init(_ bytes: [UInt8], limits: PropertyList.Limits) throws(PropertyList.Fault) {
    let begin = bytes.count - Self.trailer
    guard begin >= Self.header else { throw .malformed(at: bytes.count) }
    func number(at offset: Int) throws(PropertyList.Fault) -> Int {
      guard let value = Self.number(bytes[offset..<(offset + 8)]) else {
        throw .malformed(at: offset)
      }
      return value
    }
    self.bytes = bytes
    self.limits = limits
    (offsetSize, referenceSize) = (Int(bytes[begin + 6]), Int(bytes[begin + 7]))
    (count, top, table) = (
      try number(at: begin + 8), try number(at: begin + 16), try number(at: begin + 24)
    )
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0, top < count,
      table >= Self.header, table <= begin, count <= (begin - table) / offsetSize
    else { throw .malformed(at: begin) }
  }

  /// A number, most significant byte first; `nil` for more than any file has.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let significant = bytes.drop { $0 == 0 }
    guard significant.count <= 6 else { return nil }
    return significant.reduce(0) { $0 << 8 | Int($1) }
  }

  mutating func read(into builder: inout PropertyListBuilder) throws(PropertyList.Fault) {
    try visit(top, asKey: false, into: &builder)
    while var list = open.popLast() {
      guard let next = list.rest.popFirst() else {
        try builder.end()
        continue
      }
      let isKey = list.isDictionary && list.isKeyNext
      if list.isDictionary { list.isKeyNext.toggle() }
      open.append(list)
      try visit(next, asKey: isKey, into: &builder)
    }
  }

  private func offset(of object: Int) throws(PropertyList.Fault) -> Int {
    // `count` places fit between the table and the trailer.
    let place = table + object * offsetSize
    guard object < count, let offset = Self.number(bytes[place..<(place + offsetSize)]),
      offset >= Self.header, offset < table
    else { throw .malformed(at: place) }
    return offset
  }

  private mutating func visit(
    _ object: Int, asKey isKey: Bool, into builder: inout PropertyListBuilder
  ) throws(PropertyList.Fault) {
    let offset = try offset(of: object)
    let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0f))
    if isKey {
      guard kind == 5 || kind == 6 else { throw .malformed(at: offset) }
      return try builder.addKey(try string(at: offset, low, isWide: kind == 6))
    }
    switch kind {
    case 0: try builder.add(low == 8 ? .bool(false) : low == 9 ? .bool(true) : nil)
    case 1: try builder.add(try integer(at: offset, low))
    case 5, 6: try builder.add(.string(try string(at: offset, low, isWide: kind == 6)))
    case 4:
      _ = try content(at: offset, low, unit: 1)
      try builder.add(nil)
    case 2, 3, 8: try builder.add(nil)
    case 0xa:
      try builder.begin(dictionary: false)
      open.append(
        Open(rest: try references(at: offset, low, perEntry: 1)[...], isDictionary: false))
    case 0xd:
      let both = try references(at: offset, low, perEntry: 2)
      let half = both.count / 2
      try builder.begin(dictionary: true)
      open.append(
        Open(rest: (0..<half).flatMap { [both[$0], both[half + $0]] }[...], isDictionary: true))
    default: throw .malformed(at: offset)
    }
  }

  // MARK: Objects

  /// Where so many units of content lie, whose count stands in the marker or behind it.
  private func content(
    at offset: Int, _ low: Int, unit: Int
  ) throws(PropertyList.Fault) -> Range<Int> {
    var (begin, units) = (offset + 1, low)
    if low == 0x0f {
      guard begin < table, bytes[begin] >> 4 == 1 else { throw .malformed(at: begin) }
      let size = 1 << Int(bytes[begin] & 0x0f)
      guard size <= 8, begin + 1 + size <= table,
        let long = Self.number(bytes[(begin + 1)..<(begin + 1 + size)])
      else { throw .malformed(at: begin) }
      (begin, units) = (begin + 1 + size, long)
    }
    // By division, so that no count is too large to be compared.
    guard units <= (table - begin) / unit else { throw .malformed(at: offset) }
    return begin..<(begin + units * unit)
  }

  private func integer(at offset: Int, _ low: Int) throws(PropertyList.Fault) -> ManifestValue? {
    guard low <= 4, offset + 1 + (1 << low) <= table else { throw .malformed(at: offset) }
    // Only eight bytes have a sign; sixteen are a number beyond all that is needed.
    guard low <= 3 else { return nil }
    let value = bytes[(offset + 1)..<(offset + 1 + (1 << low))]
      .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return .integer(Int(Int64(bitPattern: value)))
  }

  private func string(
    at offset: Int, _ low: Int, isWide: Bool
  ) throws(PropertyList.Fault) -> String {
    let place = try content(at: offset, low, unit: isWide ? 2 : 1)
    guard place.count <= limits.text else { throw .tooMuchText(limit: limits.text) }
    guard isWide else { return String(decoding: bytes[place], as: UTF8.self) }
    let units = stride(from: place.lowerBound, to: place.upperBound, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private mutating func references(
    at offset: Int, _ low: Int, perEntry: Int
  ) throws(PropertyList.Fault) -> [Int] {
    let place = try content(at: offset, low, unit: perEntry * referenceSize)
    references += place.count / referenceSize
    guard references <= limits.values else { throw .tooMany(limit: limits.values) }
    var all: [Int] = []
    for begin in stride(from: place.lowerBound, to: place.upperBound, by: referenceSize) {
      guard let object = Self.number(bytes[begin..<(begin + referenceSize)]) else {
        throw .malformed(at: begin)
      }
      all.append(object)
    }
    return all
  }
}
