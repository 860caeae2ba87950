/// Splits JSON into the objects that matter, without keeping the whole: those of the list `items` of
/// one document, or those that follow each other.
struct JSONItems: Sendable {
  enum Part: Hashable {
    case item([UInt8])
    /// An item that is longer than anybody's.
    case tooLong
  }

  private var depth = 0
  private var isString = false
  private var isEscaped = false
  /// The depth at which an item begins: 0, or that within a list of items.
  private var level = 0
  private var bytes: [UInt8] = []
  private var isTooLong = false

  /// Whether an item has begun and not ended.
  var isWithin: Bool { depth > level }

  /// Takes one byte; returns the item that ends with it.
  mutating func take(_ byte: UInt8) -> Part? {
    if isString {
      keep(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isString = false
      }
      return nil
    }
    switch byte {
    case UInt8(ascii: "\""):
      isString = true
      keep(byte)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if depth == level || beginsItems(byte) { (bytes, isTooLong) = ([], false) }
      depth += 1
      if level < depth, bytes.isEmpty, byte == UInt8(ascii: "[") {
        level = depth
      } else {
        keep(byte)
      }
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte)
    default: if byte > 0x20 { keep(byte) }
    }
    return nil
  }

  private mutating func close(_ byte: UInt8) -> Part? {
    guard depth > 0 else { return nil }
    keep(byte)
    depth -= 1
    if depth < level {
      // The list of items, or what is around it, has ended.
      (level, bytes) = (depth == 0 ? 0 : depth, [])
      return nil
    }
    guard depth == level else { return nil }
    defer { (bytes, isTooLong) = ([], false) }
    return isTooLong ? .tooLong : bytes.first == UInt8(ascii: "{") ? .item(bytes) : nil
  }

  /// Whether a bracket begins the list of a document's items.
  private func beginsItems(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") && depth == 1 && level == 0 && bytes.suffix(8) == Self.items[...]
  }

  private mutating func keep(_ byte: UInt8) {
    guard depth > level || bytes.isEmpty else { return }
    if bytes.count < Self.longest { bytes.append(byte) } else { isTooLong = true }
  }

  private static let items = Array("\"items\":".utf8)
  /// Bytes. Chosen: what `RadioImport` allows a line.
  private static let longest = RadioImport.longestLine
}
