/// Why a text is not XML that can be read.
package enum XMLFault: Hashable, Sendable {
  case truncated
  /// A byte that is not allowed here.
  case unexpected(UInt8)
  /// An end tag without its start tag.
  case mismatchedTag
  /// More than ``XMLScanner/maximumDepth`` nested elements.
  case tooDeep
  /// A document type that declares entities: refused, so that none is ever expanded or fetched.
  case entityDeclaration
  /// A reference to something other than a character or one of the five predefined entities.
  case undefinedEntity
  /// An encoding that is not UTF-8, UTF-16, or a relative of ISO 8859-1.
  case unknownEncoding(String)
}

/// Reads an XML document in UTF-8, tag by tag.
///
/// A subset, chosen for safety: only predefined and numeric entities are resolved, nothing is
/// fetched, and namespaces are recognized by their prefix. It checks that tags nest.
struct XMLScanner {
  struct Failure: Error {
    let fault: XMLFault
    /// Bytes from the start of the document.
    let offset: Int
  }

  enum Token {
    /// A start tag with its `name` and `attributes`. An empty element is followed by its `end`.
    case start
    /// An end tag with its `name`.
    case end
    /// Character data in this range, with references that are not yet resolved.
    case text(Range<Int>)
    /// Character data without references to resolve.
    case verbatim(Range<Int>)
    case endOfDocument
  }

  struct Attribute {
    var name: Range<Int>
    var value: Range<Int>
  }

  static let maximumDepth = 256

  let bytes: [UInt8]
  private(set) var position = 0
  /// Where the current tag begins, for fault messages.
  private(set) var tokenStart = 0
  /// The name in the current tag, with its prefix.
  private(set) var name = 0..<0
  private(set) var attributes: [Attribute] = []
  /// The names of the open elements.
  private var open: [Range<Int>] = []
  private var isEmptyElement = false

  var depth: Int { open.count }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Moves past the next token. Comments and processing instructions are skipped.
  mutating func next() throws(Failure) -> Token {
    if isEmptyElement {
      isEmptyElement = false
      open.removeLast()
      return .end
    }
    while position < bytes.count {
      tokenStart = position
      guard bytes[position] == UInt8(ascii: "<") else { return text() }
      guard position + 1 < bytes.count else { throw failure(.truncated) }
      switch bytes[position + 1] {
      case UInt8(ascii: "/"): return try endTag()
      case UInt8(ascii: "?"): try skip(to: "?>")
      case UInt8(ascii: "!"):
        if let data = try declaration() { return .verbatim(data) }
      default: return try startTag()
      }
    }
    tokenStart = position
    guard open.isEmpty else { throw failure(.truncated) }
    return .endOfDocument
  }

  // MARK: Tokens

  private mutating func text() -> Token {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
    return .text(start..<position)
  }

  private mutating func startTag() throws(Failure) -> Token {
    position += 1
    name = try takeName()
    attributes.removeAll(keepingCapacity: true)
    guard open.count < Self.maximumDepth else { throw failure(.tooDeep) }
    while true {
      skipSpace()
      switch try peek() {
      case UInt8(ascii: ">"):
        position += 1
        open.append(name)
        return .start
      case UInt8(ascii: "/"):
        position += 1
        try expect(">")
        open.append(name)
        isEmptyElement = true
        return .start
      default:
        attributes.append(try attribute())
      }
    }
  }

  private mutating func attribute() throws(Failure) -> Attribute {
    let name = try takeName()
    skipSpace()
    try expect("=")
    skipSpace()
    let quote = try peek()
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw failure(.unexpected(quote), at: position)
    }
    position += 1
    let start = position
    while try peek() != quote {
      guard bytes[position] != UInt8(ascii: "<") else {
        throw failure(.unexpected(bytes[position]), at: position)
      }
      position += 1
    }
    position += 1
    return Attribute(name: name, value: start..<(position - 1))
  }

  private mutating func endTag() throws(Failure) -> Token {
    position += 2
    name = try takeName()
    skipSpace()
    try expect(">")
    guard let opened = open.popLast(), isSame(opened, name) else { throw failure(.mismatchedTag) }
    return .end
  }

  /// Skips a comment or document type, or returns the contents of a CDATA section.
  private mutating func declaration() throws(Failure) -> Range<Int>? {
    if starts(with: "<!--") {
      position += 4
      try skip(to: "-->")
      return nil
    }
    if starts(with: "<![CDATA[") {
      position += 9
      let start = position
      try skip(to: "]]>")
      return start..<(position - 3)
    }
    guard starts(with: "<!DOCTYPE") else { throw failure(.unexpected(UInt8(ascii: "!"))) }
    while try peek() != UInt8(ascii: ">") {
      guard bytes[position] != UInt8(ascii: "[") else { throw failure(.entityDeclaration) }
      position += 1
    }
    position += 1
    return nil
  }

  // MARK: Parts

  private mutating func takeName() throws(Failure) -> Range<Int> {
    let start = position
    while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
    guard position < bytes.count else { throw failure(.truncated) }
    guard position > start else { throw failure(.unexpected(bytes[position]), at: position) }
    return start..<position
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "<"),
      UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "&"):
      false
    default: true
    }
  }

  private mutating func skip(to end: StaticString) throws(Failure) {
    while position < bytes.count {
      if bytes[position] == end.utf8Start.pointee, starts(with: end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    throw failure(.truncated)
  }

  private mutating func skipSpace() {
    while position < bytes.count, isXMLSpace(bytes[position]) { position += 1 }
  }

  private func peek() throws(Failure) -> UInt8 {
    guard position < bytes.count else { throw failure(.truncated) }
    return bytes[position]
  }

  private mutating func expect(_ mark: Unicode.Scalar) throws(Failure) {
    let byte = try peek()
    guard byte == UInt8(ascii: mark) else { throw failure(.unexpected(byte), at: position) }
    position += 1
  }

  private func starts(with text: StaticString) -> Bool {
    guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount
    where bytes[position + index] != text.utf8Start[index] { return false }
    return true
  }

  private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count
    where bytes[left.lowerBound + offset] != bytes[right.lowerBound + offset] { return false }
    return true
  }

  private func failure(_ fault: XMLFault, at offset: Int? = nil) -> Failure {
    Failure(fault: fault, offset: offset ?? tokenStart)
  }
}

func isXMLSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
}

extension XMLScanner {
  /// Whether the bytes are exactly this text.
  func holds(_ range: Range<Int>, _ text: StaticString) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count
    where bytes[range.lowerBound + offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// Splits a name at its colon; the prefix is empty when there is none.
  func parts(of name: Range<Int>) -> (prefix: Range<Int>, local: Range<Int>) {
    for index in name where bytes[index] == UInt8(ascii: ":") {
      return (name.lowerBound..<index, (index + 1)..<name.upperBound)
    }
    return (name.lowerBound..<name.lowerBound, name)
  }

  /// Appends character data to `text`, and resolves its references.
  func append(_ range: Range<Int>, to text: inout [UInt8]) throws(Failure) {
    var start = range.lowerBound
    while let ampersand = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "&")) {
      text.append(contentsOf: bytes[start..<ampersand])
      guard
        let end = bytes[ampersand..<min(ampersand + 12, range.upperBound)]
          .firstIndex(of: UInt8(ascii: ";")),
        let scalar = Self.scalar(String(decoding: bytes[(ampersand + 1)..<end], as: UTF8.self))
      else { throw Failure(fault: .undefinedEntity, offset: ampersand) }
      text.append(contentsOf: Character(scalar).utf8)
      start = end + 1
    }
    text.append(contentsOf: bytes[start..<range.upperBound])
  }

  /// Returns the character that a reference stands for.
  private static func scalar(_ reference: String) -> Unicode.Scalar? {
    switch reference {
    case "lt": "<"
    case "gt": ">"
    case "amp": "&"
    case "quot": "\""
    case "apos": "'"
    case _ where reference.hasPrefix("#x"):
      UInt32(reference.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case _ where reference.hasPrefix("#"):
      UInt32(reference.dropFirst()).flatMap(Unicode.Scalar.init)
    default: nil
    }
  }
}
