/// Reads the XML form of a property list in one pass, with no stack but the builder's.
///
/// Understands what property lists have: elements without meaning in their attributes, comments,
/// CDATA sections, processing instructions, a document type without declarations.
struct XMLListReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// The elements that are open, outermost first: `plist`, `dict`, and `array`.
  private var open: [Element] = []
  private var isComplete = false

  private enum Element: String {
    case plist, dict, array, key, string, integer, real, date, data
    case yes = "true"
    case no = "false"
  }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { offset = 3 }
  }

  mutating func read(into builder: inout PropertyListBuilder) throws(PropertyList.Fault) {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == .opening else { throw .unknownForm }
    while true {
      skipSpace()
      guard offset < bytes.count else { break }
      guard bytes[offset] == .opening else { throw malformed }
      try readMarkup(into: &builder)
    }
    guard open.isEmpty, isComplete else { throw malformed }
  }

  private var malformed: PropertyList.Fault { .malformed(at: offset) }

  // MARK: Markup

  private mutating func readMarkup(
    into builder: inout PropertyListBuilder
  ) throws(PropertyList.Fault) {
    if try skipComment() { return }
    if take("<?") { return try skip(past: "?>") }
    if take("<!DOCTYPE") { return try skipDocumentType() }
    if take("</") { return try endElement(into: &builder) }
    offset += 1
    try beginElement(into: &builder)
  }

  /// Skips a comment that begins here; whether there was one.
  private mutating func skipComment() throws(PropertyList.Fault) -> Bool {
    guard take("<!--") else { return false }
    try skip(past: "-->")
    return true
  }

  /// What stands in quotes there says where the definition lies; nobody looks.
  private mutating func skipDocumentType() throws(PropertyList.Fault) {
    guard open.isEmpty else { throw malformed }
    var quote: UInt8?
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch (quote, byte) {
      case (nil, UInt8(ascii: ">")): return
      case (nil, UInt8(ascii: "[")), (nil, .opening): throw .declarations
      case (nil, UInt8(ascii: "\"")), (nil, UInt8(ascii: "'")): quote = byte
      case (byte, _): quote = nil
      default: break
      }
    }
    throw malformed
  }

  private mutating func beginElement(
    into builder: inout PropertyListBuilder
  ) throws(PropertyList.Fault) {
    let element = try readName()
    let isEmpty = try skipAttributes()
    if element == .plist {
      guard open.isEmpty, !isComplete else { throw malformed }
      if !isEmpty { open.append(.plist) }
      return
    }
    guard builder.depth > 0 || !isComplete else { throw malformed }
    // In a dictionary keys and values take turns.
    if let isInDictionary = builder.isInDictionary {
      let isKey = element == .key
      guard isKey == (isInDictionary && !builder.awaitsValue) else { throw malformed }
    } else if element == .key {
      throw malformed
    }
    try readValue(of: element, isEmpty: isEmpty, into: &builder)
    if builder.depth == 0 { isComplete = true }
  }

  private mutating func readValue(
    of element: Element, isEmpty: Bool, into builder: inout PropertyListBuilder
  ) throws(PropertyList.Fault) {
    switch element {
    case .dict, .array:
      try builder.begin(dictionary: element == .dict)
      if isEmpty { try builder.end() } else { open.append(element) }
    case .key: try builder.addKey(isEmpty ? "" : try readText(of: element))
    case .string: try builder.add(.string(isEmpty ? "" : try readText(of: element)))
    case .integer:
      let text = isEmpty ? "" : try readText(of: element)
      try builder.add(Int(text).map { .integer($0) })
    case .yes, .no:
      if !isEmpty { _ = try readText(of: element) }
      try builder.add(.bool(element == .yes))
    case .real, .date, .data, .plist:
      if !isEmpty { _ = try readText(of: element) }
      try builder.add(nil)
    }
  }

  private mutating func endElement(
    into builder: inout PropertyListBuilder
  ) throws(PropertyList.Fault) {
    let element = try readName()
    skipSpace()
    guard take(">"), element == open.popLast() else { throw malformed }
    guard element != .plist else { return isComplete = true }
    guard !builder.awaitsValue else { throw malformed }
    try builder.end()
    if builder.depth == 0 { isComplete = true }
  }

  private mutating func readName() throws(PropertyList.Fault) -> Element {
    let begin = offset
    while offset < bytes.count, bytes[offset].isLetter { offset += 1 }
    guard let element = Element(rawValue: String(decoding: bytes[begin..<offset], as: UTF8.self))
    else { throw malformed }
    return element
  }

  /// Skips to the end of a tag; whether the element ends with it.
  private mutating func skipAttributes() throws(PropertyList.Fault) -> Bool {
    var quote: UInt8?
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch (quote, byte) {
      case (nil, UInt8(ascii: ">")): return false
      case (nil, UInt8(ascii: "/")):
        guard take(">") else { throw malformed }
        return true
      case (nil, .opening): throw malformed
      case (nil, UInt8(ascii: "\"")), (nil, UInt8(ascii: "'")): quote = byte
      case (byte, _): quote = nil
      default: break
      }
    }
    throw malformed
  }

  // MARK: Text

  /// The text of an element that is open, and its end.
  private mutating func readText(of element: Element) throws(PropertyList.Fault) -> String {
    var text: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "&") {
        text += try readEntity()
      } else if byte != .opening {
        text.append(byte)
        offset += 1
      } else if take("<![CDATA[") {
        let begin = offset
        try skip(past: "]]>")
        text += bytes[begin..<(offset - 3)]
      } else if try !skipComment() {
        guard take("</"), try readName() == element else { throw malformed }
        skipSpace()
        guard take(">") else { throw malformed }
        return String(decoding: text, as: UTF8.self)
      }
    }
    throw malformed
  }

  private static let entities: [String: String] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
  ]

  /// Bytes; the longest that means something is `&#x0010ffff;`.
  private static let longestEntity = 12

  private mutating func readEntity() throws(PropertyList.Fault) -> [UInt8] {
    let rest = bytes[(offset + 1)...].prefix(Self.longestEntity)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw .unknownEntity }
    let name = String(decoding: rest[..<end], as: UTF8.self)
    offset = end + 1
    if let known = Self.entities[name] { return Array(known.utf8) }
    let digits = name.dropFirst()
    let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard name.hasPrefix("#"), let code, code > 0, let scalar = Unicode.Scalar(code) else {
      throw .unknownEntity
    }
    return Array(String(Character(scalar)).utf8)
  }

  // MARK: Bytes

  private mutating func skipSpace() {
    while offset < bytes.count, bytes[offset].isSpace { offset += 1 }
  }

  /// Moves behind these words if they stand here; whether they did.
  private mutating func take(_ words: StaticString) -> Bool {
    let isHere = words.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    if isHere { offset += words.utf8CodeUnitCount }
    return isHere
  }

  private mutating func skip(past words: StaticString) throws(PropertyList.Fault) {
    let first = words.withUTF8Buffer { $0.first }
    while offset < bytes.count {
      if bytes[offset] == first, take(words) { return }
      offset += 1
    }
    throw malformed
  }
}

extension UInt8 {
  fileprivate static let opening = UInt8(ascii: "<")

  fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0a || self == 0x0d }

  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
  }
}
