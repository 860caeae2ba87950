package import LocationModel

/// Why a line is not a JSON object that can be read.
package enum JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text ended within a value.
  case truncated
  /// A byte that is not allowed here; the offset is counted from the start of the line.
  case unexpected(byte: UInt8, offset: Int)
  /// A number that breaks the grammar, at this offset.
  case badNumber(offset: Int)
  /// An escape that does not exist, or half of a surrogate pair, at this offset.
  case badEscape(offset: Int)
  /// More than ``JSONScanner/maximumDepth`` nested arrays and objects.
  case tooDeep
  /// Something follows the object, at this offset.
  case trailing(offset: Int)

  /// The fault in words, with bytes counted from 1.
  package var description: String {
    switch self {
    case .truncated: "it ends too early"
    case .unexpected(let byte, let offset):
      (0x21...0x7e).contains(byte)
        ? "“\(Character(UnicodeScalar(byte)))” at byte \(offset + 1)"
        : "the value \(byte) at byte \(offset + 1)"
    case .badNumber(let offset): "no number at byte \(offset + 1)"
    case .badEscape(let offset): "no escape at byte \(offset + 1)"
    case .tooDeep: "nested too deeply"
    case .trailing(let offset): "something follows it at byte \(offset + 1)"
    }
  }
}

/// The name of a member, compared with names where it stands: `switch key { case "speed": … }`.
package struct JSONKey: Sendable {
  private let bytes: [UInt8]
  private let range: Range<Int>

  /// The name that these bytes are, without its marks and escapes.
  fileprivate init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  package var text: String { String(decoding: bytes[range], as: UTF8.self) }

  @inline(__always)
  package static func ~= (name: StaticString, key: Self) -> Bool { key == name }

  // Most names are of another length, which costs no call.
  @inline(__always)
  package static func == (key: Self, name: StaticString) -> Bool {
    key.range.count == name.utf8CodeUnitCount && key.has(name)
  }

  private func has(_ name: StaticString) -> Bool {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return bytes.span.has(name.span, at: range.lowerBound)
  }
}

/// Reads one JSON object member by member, without building a tree.
///
/// The caller reads the value that it needs of each member, or skips it. Numbers and short strings
/// cost no allocation. Beyond the grammar, `nan` and `inf` in any case mean "no number": older gpsd
/// printed them.
package struct JSONScanner {
  private let bytes: [UInt8]
  /// How many bytes have been read.
  package private(set) var position: Int
  private var depth = 0

  /// Nested arrays and objects; gpsd needs 3.
  static let maximumDepth = 32

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
  }

  /// Reads a whole object, calling `member` with each key; `member` must read or skip the value.
  package mutating func document(
    _ member: (JSONKey, inout JSONScanner) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    try object(member)
    skipSpace()
    guard position == bytes.count else { throw .trailing(offset: position) }
  }

  /// Reads an object that is a value.
  package mutating func object(
    _ member: (JSONKey, inout JSONScanner) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    try open("{")
    if try take("}") { return depth -= 1 }
    repeat {
      let key = try key()
      try expect(":")
      try member(key, &self)
    } while try take(",")
    try expect("}")
    depth -= 1
  }

  /// Reads an array that is a value, calling `element` before each of its elements.
  package mutating func array(
    _ element: (inout JSONScanner) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    try open("[")
    if try take("]") { return depth -= 1 }
    repeat { try element(&self) } while try take(",")
    try expect("]")
    depth -= 1
  }

  /// Reads the next value as a number; skips it and returns `nil` when it is none.
  package mutating func number() throws(JSONFault) -> Double? {
    let byte = try peek()
    guard byte == UInt8(ascii: "-") || decimalDigit(byte) != nil else {
      try skip()
      return nil
    }
    return try digits()
  }

  /// Reads the next value as a string; skips it and returns `nil` when it is none.
  package mutating func string() throws(JSONFault) -> String? {
    guard try peek() == UInt8(ascii: "\"") else {
      try skip()
      return nil
    }
    return try quoted()
  }

  /// Reads the next value as a date of ISO 8601; skips it and returns `nil` when it is none.
  package mutating func date() throws(JSONFault) -> UnixTime? {
    guard try peek() == UInt8(ascii: "\"") else {
      try skip()
      return nil
    }
    let start = try begin()
    guard let range = try plain() else { return UnixTime(iso8601: try escaped(from: start)) }
    return UnixTime(iso8601: bytes.span.extracting(range))
  }

  /// Reads the next value if it is a string; skips nothing otherwise.
  package mutating func stringIfNext() throws(JSONFault) -> String? {
    try peek() == UInt8(ascii: "\"") ? quoted() : nil
  }

  /// Reads the next value as a truth value; skips it and returns `nil` when it is none.
  package mutating func boolean() throws(JSONFault) -> Bool? {
    switch try peek() {
    case UInt8(ascii: "t"):
      try word("true")
      return true
    case UInt8(ascii: "f"):
      try word("false")
      return false
    default:
      try skip()
      return nil
    }
  }

  /// Whether the next value is an array.
  package mutating func isArray() throws(JSONFault) -> Bool { try peek() == UInt8(ascii: "[") }

  /// Whether the next value is a number, or says that there is none: `null`, `nan`, or `inf`.
  package mutating func isNumberOrNone() throws(JSONFault) -> Bool {
    let byte = try peek()
    return decimalDigit(byte) != nil || "-nNiI".utf8.contains(byte)
  }

  /// Whether the next value is an object.
  package mutating func isObject() throws(JSONFault) -> Bool { try peek() == UInt8(ascii: "{") }

  /// Skips the next value of any kind, checking its grammar.
  package mutating func skip() throws(JSONFault) {
    switch try peek() {
    case UInt8(ascii: "{"):
      try object { (_: JSONKey, scanner: inout JSONScanner) throws(JSONFault) in try scanner.skip()
      }
    case UInt8(ascii: "["):
      try array { (scanner: inout JSONScanner) throws(JSONFault) in try scanner.skip() }
    case UInt8(ascii: "\""): _ = try quoted()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n") where isWord("null"): try word("null")
    case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "i"), UInt8(ascii: "I"):
      try noNumber()
    default: _ = try digits()
    }
  }

  // MARK: Parts

  private mutating func digits() throws(JSONFault) -> Double? {
    let start = position
    if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "-"),
      decimalDigit(bytes[position + 1]) == nil
    {
      position += 1
      try noNumber()
      return nil
    }
    if let number = scanDecimal(bytes, at: &position, before: bytes.count, .json) {
      return number.isFinite ? number : nil
    }
    guard decimalDigit(bytes[start]) != nil || bytes[start] == UInt8(ascii: "-") else {
      throw .unexpected(byte: bytes[start], offset: start)
    }
    throw .badNumber(offset: start)
  }

  /// Skips `nan` or `inf`, as C prints them.
  private mutating func noNumber() throws(JSONFault) {
    for text in ["nan", "inf"] as [StaticString] where isWord(text, ignoringCase: true) {
      position += text.utf8CodeUnitCount
      return
    }
    throw .unexpected(byte: bytes[position], offset: position)
  }

  /// Reads a string and resolves its escapes.
  private mutating func quoted() throws(JSONFault) -> String {
    let start = try begin()
    guard let range = try plain() else { return try escaped(from: start) }
    return String(decoding: bytes[range], as: UTF8.self)
  }

  /// Reads the name of a member.
  private mutating func key() throws(JSONFault) -> JSONKey {
    let start = try begin()
    if let range = try plain() { return JSONKey(bytes, range) }
    let resolved = Array(try escaped(from: start).utf8)
    return JSONKey(resolved, resolved.indices)
  }

  /// Moves past the first mark of a string.
  private mutating func begin() throws(JSONFault) -> Int {
    try expect("\"")
    return position
  }

  /// Reads the rest of a string, and returns where its bytes are; `nil`, at the first of them, where it has
  /// escapes.
  private mutating func plain() throws(JSONFault) -> Range<Int>? {
    let start = position
    guard let place = bytes.span.firstMarkOfJSON(from: start) else { throw .truncated }
    switch bytes[place] {
    case UInt8(ascii: "\""):
      position = place + 1
      return start..<place
    case UInt8(ascii: "\\"):
      position = place
      return nil
    case let byte: throw .unexpected(byte: byte, offset: place)
    }
  }

  /// Reads the rest of a string that has an escape at the current position.
  private mutating func escaped(from start: Int) throws(JSONFault) -> String {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text.append(contentsOf: try escape().utf8)
      case 0..<0x20: throw .unexpected(byte: byte, offset: position - 1)
      default: text.append(byte)
      }
    }
    throw .truncated
  }

  /// Reads the character after a backslash.
  private mutating func escape() throws(JSONFault) -> Character {
    let offset = position - 1
    guard position < bytes.count else { throw .truncated }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return Character(Unicode.Scalar(byte))
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return Character(try unicode(offset: offset))
    default: throw .badEscape(offset: offset)
    }
  }

  /// Reads the scalar of `\uXXXX`, or of two of them that are a surrogate pair.
  private mutating func unicode(offset: Int) throws(JSONFault) -> Unicode.Scalar {
    let unit = try hexadecimal(offset: offset)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xdc00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw .badEscape(offset: offset) }
    position += 2
    let low = try hexadecimal(offset: offset)
    guard (0xdc00...0xdfff).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
    else { throw .badEscape(offset: offset) }
    return scalar
  }

  private mutating func hexadecimal(offset: Int) throws(JSONFault) -> UInt32 {
    guard position + 4 <= bytes.count else { throw .truncated }
    var unit: UInt32 = 0
    for byte in bytes[position..<(position + 4)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .badEscape(offset: offset)
      }
      unit = unit << 4 | UInt32(digit)
    }
    position += 4
    return unit
  }

  private mutating func open(_ mark: Unicode.Scalar) throws(JSONFault) {
    try expect(mark)
    depth += 1
    guard depth <= Self.maximumDepth else { throw .tooDeep }
  }

  private mutating func word(_ text: StaticString) throws(JSONFault) {
    guard isWord(text) else { throw .unexpected(byte: bytes[position], offset: position) }
    position += text.utf8CodeUnitCount
  }

  private func isWord(_ text: StaticString, ignoringCase: Bool = false) -> Bool {
    guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
    let mask: UInt8 = ignoringCase ? 0x20 : 0
    return (0..<text.utf8CodeUnitCount).allSatisfy { index in
      bytes[position + index] | mask == text.utf8Start[index]
    }
  }

  /// Moves past `mark` if it comes next.
  private mutating func take(_ mark: Unicode.Scalar) throws(JSONFault) -> Bool {
    guard try peek() == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ mark: Unicode.Scalar) throws(JSONFault) {
    let byte = try peek()
    guard byte == UInt8(ascii: mark) else { throw .unexpected(byte: byte, offset: position) }
    position += 1
  }

  /// Returns the next byte that is not white space.
  private mutating func peek() throws(JSONFault) -> UInt8 {
    if position < bytes.count, bytes[position] > 0x20 { return bytes[position] }
    skipSpace()
    guard position < bytes.count else { throw .truncated }
    return bytes[position]
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] <= 0x20 {
      switch bytes[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return
      }
    }
  }
}
