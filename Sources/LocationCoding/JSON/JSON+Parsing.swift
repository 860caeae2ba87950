extension JSON {
  /// Parses one value that fills all of the bytes.
  package init(parsing bytes: some Sequence<UInt8>) throws(CodingFault) {
    var reader = JSONReader(Array(bytes))
    self = try reader.document()
  }
}

/// Parses a JSON text of RFC 8259, byte by byte.
private struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func document() throws(CodingFault) -> JSON {
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw .grammar(offset: position) }
    return value
  }

  private mutating func value() throws(CodingFault) -> JSON {
    switch try peek() {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func object() throws(CodingFault) -> JSON {
    try enter()
    var members: [JSON.Member] = []
    if try !take("}") {
      repeat {
        _ = try peek()
        let name = try string()
        try expect(":")
        members.append(JSON.Member(name, try value()))
      } while try take(",")
      try expect("}")
    }
    depth -= 1
    return .object(members)
  }

  private mutating func array() throws(CodingFault) -> JSON {
    try enter()
    var elements: [JSON] = []
    if try !take("]") {
      repeat { elements.append(try value()) } while try take(",")
      try expect("]")
    }
    depth -= 1
    return .array(elements)
  }

  /// Moves past the bracket that opens an array or an object.
  private mutating func enter() throws(CodingFault) {
    position += 1
    depth += 1
    guard depth <= JSON.maximumDepth else { throw .tooDeep }
  }

  private mutating func number() throws(CodingFault) -> JSON {
    let start = position
    var isWhole = true
    if at("-") { position += 1 }
    let whole = position
    try digits()
    guard position - whole == 1 || bytes[whole] != UInt8(ascii: "0") else {
      throw .grammar(offset: whole)
    }
    if at(".") {
      isWhole = false
      position += 1
      try digits()
    }
    if at("e") || at("E") {
      isWhole = false
      position += 1
      if at("+") || at("-") { position += 1 }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let number = Int64(text) { return .integer(number) }
    if isWhole, let number = UInt64(text) { return .unsigned(number) }
    guard let number = Double(text), number.isFinite else { throw .grammar(offset: start) }
    return .number(number)
  }

  private mutating func digits() throws(CodingFault) {
    let start = position
    while position < bytes.count, isDigit(bytes[position]) { position += 1 }
    guard position > start else { throw .grammar(offset: position) }
  }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private mutating func string() throws(CodingFault) -> String {
    try expect("\"")
    var text: [UInt8] = []
    // The start of the bytes that need no decoding.
    var start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        text += bytes[start..<position]
        position += 1
        guard let text = String(validating: text, as: UTF8.self) else {
          throw .grammar(offset: position - 1)
        }
        return text
      case UInt8(ascii: "\\"):
        text += bytes[start..<position]
        position += 1
        text += String(try escape()).utf8
        start = position
      case 0..<0x20: throw .grammar(offset: position)
      default: position += 1
      }
    }
    throw .grammar(offset: position)
  }

  /// Parses the character after a backslash.
  private mutating func escape() throws(CodingFault) -> Unicode.Scalar {
    guard position < bytes.count else { throw .grammar(offset: position) }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicode()
    default: throw .grammar(offset: position - 1)
    }
  }

  /// Parses the scalar of `\uXXXX`, or of two of them that are a surrogate pair.
  private mutating func unicode() throws(CodingFault) -> Unicode.Scalar {
    let high = try unit()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xdc00, at("\\") else { throw .grammar(offset: position) }
    position += 1
    guard at("u") else { throw .grammar(offset: position) }
    position += 1
    let low = try unit()
    guard (0xdc00...0xdfff).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
    else { throw .grammar(offset: position) }
    return scalar
  }

  private mutating func unit() throws(CodingFault) -> UInt32 {
    guard position + 4 <= bytes.count else { throw .grammar(offset: position) }
    var unit: UInt32 = 0
    for byte in bytes[position..<(position + 4)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .grammar(offset: position)
      }
      unit = unit << 4 | UInt32(digit)
    }
    position += 4
    return unit
  }

  private mutating func word(_ text: StaticString, _ value: JSON) throws(CodingFault) -> JSON {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count, bytes[position..<end].elementsEqual("\(text)".utf8) else {
      throw .grammar(offset: position)
    }
    position = end
    return value
  }

  private func at(_ mark: Unicode.Scalar) -> Bool {
    position < bytes.count && bytes[position] == UInt8(ascii: mark)
  }

  /// Moves past `mark` if it comes next, and returns whether it did.
  private mutating func take(_ mark: Unicode.Scalar) throws(CodingFault) -> Bool {
    guard try peek() == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ mark: Unicode.Scalar) throws(CodingFault) {
    guard try peek() == UInt8(ascii: mark) else { throw .grammar(offset: position) }
    position += 1
  }

  /// Returns the next byte that is not white space.
  private mutating func peek() throws(CodingFault) -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw .grammar(offset: position) }
    return bytes[position]
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) {
      position += 1
    }
  }
}
