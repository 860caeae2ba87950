/// Help for people, made from the command table.
enum HelpText {
  /// The overview.
  static var overview: String {
    let rows = Verb.all.map { ("  " + $0.name, $0.summary) }
    return """
      locationctl: locations, and why there are none.

      Usage: locationctl VERB [OPTION…] [OPERAND…]

      Verbs:
      \(table(rows))

      `locationctl VERB --help` says more. Exit status: 0 done, 1 refused or not possible (the reason
      is on standard error), 2 wrong usage or bad input.
      """
  }

  /// All about one verb.
  static func text(of verb: Verb) -> String {
    var parts = [
      "locationctl \(verb.name): \(verb.summary).", "Usage: locationctl \(verb.synopsis)",
    ]
    parts += verb.details.map { wrapped($0, width: 80) }
    if !verb.operands.isEmpty {
      parts.append("Operands:\n" + table(verb.operands.map { ("  " + $0.name, about($0)) }))
    }
    let options = (verb.options + [.help]).map { ("  " + $0.usage, $0.summary) }
    parts.append("Options:\n" + table(options))
    if !verb.examples.isEmpty {
      parts.append("Examples:\n" + verb.examples.map { "  " + $0 }.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  static func about(_ operand: Verb.Operand) -> String {
    guard !operand.choices.isEmpty else { return operand.summary }
    return "\(operand.summary): \(operand.choices.joined(separator: ", "))"
  }

  /// Two columns; a first one that is too wide stands on a line of its own.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = min(rows.map { $0.0.count }.max() ?? 0, 26)
    return rows.map { left, right in
      left.count > width
        ? left + "\n" + String(repeating: " ", count: width + 2) + right
        : left + String(repeating: " ", count: width + 2 - left.count) + right
    }.joined(separator: "\n")
  }

  private static func wrapped(_ text: String, width: Int) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let line = lines.last, line.count + word.count < width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n")
  }
}
