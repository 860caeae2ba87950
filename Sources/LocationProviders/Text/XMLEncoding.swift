import LocationModel

/// Turns the bytes of an XML document into UTF-8.
///
/// The encoding follows from a byte order mark, else from the zeros of UTF-16 without a mark, else
/// from the declaration.
enum XMLEncoding {
  static func utf8(_ bytes: [UInt8]) throws(XMLScanner.Failure) -> [UInt8] {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xfe, 0xff): return utf16(bytes.dropFirst(2), isBigEndian: true)
    case (0xff, 0xfe): return utf16(bytes.dropFirst(2), isBigEndian: false)
    case (0, UInt8(ascii: "<")): return utf16(bytes[...], isBigEndian: true)
    case (UInt8(ascii: "<"), 0): return utf16(bytes[...], isBigEndian: false)
    case (0xef, 0xbb) where bytes.dropFirst(2).first == 0xbf: return Array(bytes.dropFirst(3))
    default: break
    }
    let name = declared(in: bytes.prefix(200))
    switch name.lowercased() {
    case "", "utf-8", "utf8", "us-ascii", "ascii": return bytes
    case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "iso-8859-15", "windows-1252":
      return latin1(bytes)
    default: throw XMLScanner.Failure(fault: .unknownEncoding(name), offset: 0)
    }
  }

  /// Returns the encoding that the declaration names; empty when there is none.
  private static func declared(in head: ArraySlice<UInt8>) -> String {
    let text = String(decoding: head, as: UTF8.self)
    guard text.hasPrefix("<?xml"), let end = text.firstPlace(of: "?>"),
      let start = text[..<end.lowerBound].firstPlace(of: "encoding")
    else { return "" }
    let quoted = text[start.upperBound..<end.lowerBound].split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\"" || $0 == "'" })
    return quoted.count >= 3 ? String(quoted[1]) : ""
  }

  private static func latin1(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(0xc0 | byte >> 6)
        text.append(0x80 | byte & 0x3f)
      }
    }
    return text
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
