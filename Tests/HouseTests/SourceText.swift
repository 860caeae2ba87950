/// The text of a Swift file with the parts that a rule must not read blanked out, line for line.
struct SourceText {
  /// Without comments and without the contents of string literals.
  var code: String { String(decoding: codeBytes, as: UTF8.self) }
  /// Without comments.
  var codeAndStrings: String { String(decoding: codeAndStringBytes, as: UTF8.self) }

  private var codeBytes: [UInt8] = []
  private var codeAndStringBytes: [UInt8] = []

  private static let newline = UInt8(ascii: "\n")

  private enum Place {
    case code
    case lineComment
    case blockComment(depth: Int)
    /// `quote` closes it: `"`, `"""`, or either with `#`.
    case string(quote: [UInt8], escape: [UInt8])
  }

  private var place = Place.code
  /// The strings around the interpolation that is being read, with its open parentheses.
  private var interpolations: [(string: Place, depth: Int)] = []

  init(_ text: String) {
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      let step = step(bytes[index...])
      for byte in bytes[index..<(index + step.read)] {
        let blank = byte == Self.newline ? byte : UInt8(ascii: " ")
        codeBytes.append(step.isCode ? byte : blank)
        codeAndStringBytes.append(step.isCode || step.isString ? byte : blank)
      }
      index += step.read
    }
  }

  /// What one step read, and as what.
  private struct Step {
    var read = 1
    var isCode = false
    var isString = false
  }

  private mutating func step(_ rest: ArraySlice<UInt8>) -> Step {
    switch place {
    case .code: stepCode(rest)
    case .lineComment: stepLineComment(rest)
    case .blockComment(let depth): stepBlockComment(rest, depth: depth)
    case .string(let quote, let escape): stepString(rest, quote: quote, escape: escape)
    }
  }

  private mutating func stepCode(_ rest: ArraySlice<UInt8>) -> Step {
    if rest.starts(with: "//".utf8) {
      place = .lineComment
      return Step(read: 2)
    }
    if rest.starts(with: "/*".utf8) {
      place = .blockComment(depth: 1)
      return Step(read: 2)
    }
    let hashes = rest.prefix { $0 == UInt8(ascii: "#") }
    let quotes = rest.dropFirst(hashes.count)
    if quotes.first == UInt8(ascii: "\"") {
      let marks = quotes.starts(with: "\"\"\"".utf8) ? 3 : 1
      let quote = Array(repeating: UInt8(ascii: "\""), count: marks) + hashes
      place = .string(quote: quote, escape: [UInt8(ascii: "\\")] + hashes)
      return Step(read: quote.count, isCode: true)
    }
    followParentheses(rest.first)
    return Step(isCode: true)
  }

  private mutating func followParentheses(_ byte: UInt8?) {
    guard let last = interpolations.indices.last else { return }
    if byte == UInt8(ascii: "(") { interpolations[last].depth += 1 }
    guard byte == UInt8(ascii: ")") else { return }
    interpolations[last].depth -= 1
    if interpolations[last].depth == 0 { place = interpolations.removeLast().string }
  }

  private mutating func stepLineComment(_ rest: ArraySlice<UInt8>) -> Step {
    if rest.first == Self.newline { place = .code }
    return Step()
  }

  private mutating func stepBlockComment(_ rest: ArraySlice<UInt8>, depth: Int) -> Step {
    if rest.starts(with: "*/".utf8) {
      place = depth == 1 ? .code : .blockComment(depth: depth - 1)
      return Step(read: 2)
    }
    guard rest.starts(with: "/*".utf8) else { return Step() }
    place = .blockComment(depth: depth + 1)
    return Step(read: 2)
  }

  private mutating func stepString(
    _ rest: ArraySlice<UInt8>, quote: [UInt8], escape: [UInt8]
  ) -> Step {
    if rest.starts(with: escape + [UInt8(ascii: "(")]) {
      interpolations.append((place, depth: 1))
      place = .code
      return Step(read: escape.count + 1, isString: true)
    }
    if rest.starts(with: escape) {
      return Step(read: min(escape.count + 1, rest.count), isString: true)
    }
    if rest.starts(with: quote) {
      place = .code
      return Step(read: quote.count, isCode: true)
    }
    return Step(isString: true)
  }
}
