/// The budgets of files and functions, in lines.
enum SizeRule {
  static let file = 600
  static let function = 60
  /// Bytes; larger data is generated, or lies outside the project.
  static let anyFile = 512 * 1024

  /// Functions that are longer, as `path name`, with the reason.
  static let exceptions: [String: String] = [:]

  static func violations(in file: ProjectFile) -> [Violation] {
    let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
    let long =
      count > Self.file + 1
      ? [Violation(path: file.path, line: 1, reason: "\(count) lines; at most \(Self.file)")] : []
    return long
      + functions(in: file).filter { $0.lines > function }
      .filter { exceptions["\(file.path) \($0.name)"] == nil }
      .map {
        let reason = "\($0.name) has \($0.lines) lines; at most \(function)"
        return Violation(path: file.path, line: $0.line, reason: reason)
      }
  }

  struct Function: Equatable {
    let name: String
    let line: Int
    /// From the opening brace to its partner.
    let body: Substring

    var lines: Int { body.count { $0.isNewline } + 1 }
  }

  /// The functions and initializers with a body, found by their braces.
  static func functions(in file: ProjectFile) -> [Function] {
    let code = "\n" + file.code
    let start =
      /[^.\w`](?:func\s+(?<name>[^\s(<]+)|(?<special>init|deinit|subscript)\b(?=[?(<\s]))/
    var line = 0
    var counted = code.startIndex
    return code.matches(of: start.wordBoundaryKind(.simple)).compactMap { match in
      let first = code.index(after: match.range.lowerBound)
      line += code[counted..<first].count { $0.isNewline }
      counted = first
      guard let body = body(in: code[match.range.upperBound...]) else { return nil }
      let word = match.name ?? match.special ?? ""
      return Function(name: String(word), line: line, body: body)
    }
  }

  /// The text from the opening brace to its partner; `nil` for a requirement without a body.
  private static func body(in rest: Substring) -> Substring? {
    var parentheses = 0
    var braces = 0
    var begin = rest.startIndex
    for (index, character) in zip(rest.indices, rest) {
      switch character {
      case "(", "[": parentheses += 1
      case ")", "]": parentheses -= 1
      case "{" where parentheses == 0 || braces > 0:
        if braces == 0 { begin = index }
        braces += 1
      case "}" where braces > 0:
        braces -= 1
        if braces == 0 { return rest[begin...index] }
      case "}" where parentheses == 0: return nil
      case "\n" where parentheses == 0 && braces == 0 && !continues(rest[index...]): return nil
      default: break
      }
    }
    return nil
  }

  /// Whether a signature goes on in the next line.
  private static func continues(_ rest: Substring) -> Bool {
    rest.prefixMatch(of: /\s*(\{|->|where |throws|async|rethrows)/) != nil
  }
}
