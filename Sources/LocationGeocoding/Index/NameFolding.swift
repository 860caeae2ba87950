/// Reduces a name to what makes it "the same name": no case, no accents, no punctuation.
///
/// The rules are a table that the index itself carries, written by the script that folded the
/// names in it; so both sides agree whatever their versions of Unicode.
struct NameFolding {
  /// Sorted records of 16 bytes: the scalar (4, little-endian), the length of its replacement in
  /// bytes, and the replacement in UTF-8.
  private let table: [UInt8]
  private static let recordSize = 16

  init(table: [UInt8]) {
    self.table = table
  }

  /// The folded words of a text.
  func words(_ text: String) -> [String] {
    var utf8: [UInt8] = []
    for scalar in text.unicodeScalars { append(scalar, to: &utf8) }
    return utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The folded text: its words, one space between them.
  func fold(_ text: String) -> String { words(text).joined(separator: " ") }

  private func append(_ scalar: Unicode.Scalar, to utf8: inout [UInt8]) {
    switch scalar.value {
    case 0x61...0x7A, 0x30...0x39:
      utf8.append(UInt8(scalar.value))
    case 0x41...0x5A:
      utf8.append(UInt8(scalar.value + 32))
    default:
      if let replacement = replacement(of: scalar.value) {
        utf8.append(contentsOf: replacement)
      } else {
        utf8.append(contentsOf: UTF8.encode(scalar)?.map { $0 } ?? [])
      }
    }
  }

  private func replacement(of scalar: UInt32) -> ArraySlice<UInt8>? {
    var low = 0
    var high = table.count / Self.recordSize
    while low < high {
      let middle = (low + high) / 2
      let start = middle * Self.recordSize
      let found = (0..<4).reduce(UInt32(0)) { $0 | UInt32(table[start + $1]) << (8 * $1) }
      if found == scalar {
        let length = min(Int(table[start + 4]), Self.recordSize - 5)
        return table[(start + 5)..<(start + 5 + length)]
      }
      if found < scalar { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
