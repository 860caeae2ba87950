/// The text of a Swift file with the parts that a rule must not read blanked out, line for line.
struct SourceText {
  /// Without comments and without the contents of string literals.
  private(set) var code = ""
  /// Without comments.
  private(set) var codeAndStrings = ""

  private enum Place {
    case code
    case lineComment
    case blockComment(depth: Int)
    /// `quote` closes it: `"`, `"""`, or either with `#`.
    case string(quote: [Character], escape: [Character])
  }

  private var place = Place.code
  /// The strings around the interpolation that is being read, with its open parentheses.
  private var interpolations: [(string: Place, depth: Int)] = []

  init(_ text: String) {
    let characters = Array(text)
    var index = 0
    while index < characters.count {
      let count = step(characters[index...])
      for character in characters[index..<(index + count.read)] {
        let blank: Character = character.isNewline ? "\n" : " "
        code.append(count.isCode ? character : blank)
        codeAndStrings.append(count.isCode || count.isString ? character : blank)
      }
      index += count.read
    }
  }

  /// What one step read, and as what.
  private struct Step {
    var read = 1
    var isCode = false
    var isString = false
  }

  private mutating func step(_ rest: ArraySlice<Character>) -> Step {
    switch place {
    case .code: stepCode(rest)
    case .lineComment: stepLineComment(rest)
    case .blockComment(let depth): stepBlockComment(rest, depth: depth)
    case .string(let quote, let escape): stepString(rest, quote: quote, escape: escape)
    }
  }

  private mutating func stepCode(_ rest: ArraySlice<Character>) -> Step {
    if rest.starts(with: "//") {
      place = .lineComment
      return Step(read: 2)
    }
    if rest.starts(with: "/*") {
      place = .blockComment(depth: 1)
      return Step(read: 2)
    }
    let hashes = rest.prefix { $0 == "#" }
    let quotes = rest.dropFirst(hashes.count)
    if quotes.first == "\"" {
      let marks = quotes.starts(with: "\"\"\"") ? 3 : 1
      let quote = Array(repeating: Character("\""), count: marks) + hashes
      place = .string(quote: quote, escape: ["\\"] + hashes)
      return Step(read: quote.count, isCode: true)
    }
    followParentheses(rest.first)
    return Step(isCode: true)
  }

  private mutating func followParentheses(_ character: Character?) {
    guard let last = interpolations.indices.last else { return }
    if character == "(" { interpolations[last].depth += 1 }
    guard character == ")" else { return }
    interpolations[last].depth -= 1
    if interpolations[last].depth == 0 { place = interpolations.removeLast().string }
  }

  private mutating func stepLineComment(_ rest: ArraySlice<Character>) -> Step {
    if rest.first?.isNewline == true { place = .code }
    return Step()
  }

  private mutating func stepBlockComment(_ rest: ArraySlice<Character>, depth: Int) -> Step {
    if rest.starts(with: "*/") {
      place = depth == 1 ? .code : .blockComment(depth: depth - 1)
      return Step(read: 2)
    }
    guard rest.starts(with: "/*") else { return Step() }
    place = .blockComment(depth: depth + 1)
    return Step(read: 2)
  }

  private mutating func stepString(
    _ rest: ArraySlice<Character>, quote: [Character], escape: [Character]
  ) -> Step {
    if rest.starts(with: escape + ["("]) {
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
