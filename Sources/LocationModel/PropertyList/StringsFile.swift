/// Reads texts in a person's language: `LANG.lproj/InfoPlist.strings`, as its lines of
/// `"key" = "text";`, or as a property list.
package enum StringsFile {
  /// Why a file is not read.
  package enum Fault: Error, Hashable, CustomStringConvertible {
    case tooLong(limit: Int)
    case list(PropertyList.Fault)
    /// Not well formed in this line, counted from 1.
    case malformed(line: Int)

    package var description: String {
      switch self {
      case .tooLong(let limit): "it has more than \(limit) bytes"
      case .list(let fault): fault.description
      case .malformed(let line): "line \(line) is not `\"key\" = \"text\";`"
      }
    }
  }

  /// Returns the texts by key. Linear in the bytes; UTF-8, or UTF-16 with a byte order mark. Keys and
  /// texts together have the bound of a property list's values.
  ///
  /// - Throws: why the bytes are no such file.
  package static func read(_ bytes: [UInt8]) throws(Fault) -> [String: String] {
    let limit = PropertyList.Limits().bytes
    guard bytes.count <= limit else { throw .tooLong(limit: limit) }
    if bytes.starts(with: BinaryListReader.magic) || bytes.starts(with: "<".utf8) {
      do throws(PropertyList.Fault) {
        return try PropertyList.read(bytes).compactMapValues(\.string)
      } catch { throw .list(error) }
    }
    var reader = StringsReader(rest: Array(text(bytes).unicodeScalars)[...])
    return try reader.read()
  }

  private static func text(_ bytes: [UInt8]) -> String {
    let isBig = bytes.starts(with: [0xFE, 0xFF])
    guard isBig || bytes.starts(with: [0xFF, 0xFE]) else {
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      return String(decoding: bytes.dropFirst(bytes.starts(with: mark) ? 3 : 0), as: UTF8.self)
    }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    return String(decoding: units, as: UTF16.self)
  }
}

/// Reads the lines of a file of texts.
private struct StringsReader {
  var rest: ArraySlice<Unicode.Scalar>
  var line = 1

  mutating func read() throws(StringsFile.Fault) -> [String: String] {
    let limit = PropertyList.Limits().values
    var (texts, values): ([String: String], Int) = ([:], 0)
    while true {
      try skip()
      guard !rest.isEmpty else { return texts }
      values += 2
      guard values <= limit else { throw .list(.tooMany(limit: limit)) }
      let key = try word()
      try skip()
      guard take("=") else { throw .malformed(line: line) }
      try skip()
      texts[key] = try word()
      try skip()
      guard take(";") else { throw .malformed(line: line) }
    }
  }

  private mutating func next() -> Unicode.Scalar? {
    guard let scalar = rest.popFirst() else { return nil }
    if scalar == "\n" { line += 1 }
    return scalar
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    _ = next()
    return true
  }

  /// Skips space and comments.
  private mutating func skip() throws(StringsFile.Fault) {
    while let first = rest.first {
      if first.properties.isWhitespace {
        _ = next()
      } else if rest.starts(with: "//".unicodeScalars) {
        while let scalar = next(), scalar != "\n" {}
      } else if rest.starts(with: "/*".unicodeScalars) {
        rest = rest.dropFirst(2)
        while !rest.starts(with: "*/".unicodeScalars) {
          guard next() != nil else { throw .malformed(line: line) }
        }
        rest = rest.dropFirst(2)
      } else {
        return
      }
    }
  }

  /// A text in quotes, or a word without.
  private mutating func word() throws(StringsFile.Fault) -> String {
    var word = String.UnicodeScalarView()
    guard take("\"") else {
      while let scalar = rest.first, scalar.properties.isAlphabetic || Self.isInWord(scalar) {
        word.append(scalar)
        _ = next()
      }
      guard !word.isEmpty else { throw .malformed(line: line) }
      return String(word)
    }
    while let scalar = next() {
      switch scalar {
      case "\"": return String(word)
      case "\\": word.append(try escaped())
      default: word.append(scalar)
      }
    }
    throw .malformed(line: line)
  }

  private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    "0123456789_-.$:".unicodeScalars.contains(scalar)
  }

  private mutating func escaped() throws(StringsFile.Fault) -> Unicode.Scalar {
    guard let scalar = next() else { throw .malformed(line: line) }
    switch scalar {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "U", "u":
      let digits = String(String.UnicodeScalarView(rest.prefix(4)))
      guard digits.unicodeScalars.count == 4, let value = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(value)
      else { throw .malformed(line: line) }
      rest = rest.dropFirst(4)
      return scalar
    default: return scalar
    }
  }
}
