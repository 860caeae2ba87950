/// The code in documents is code that is compiled: each block stands in an example.
enum ArticleRule {
  /// The blocks marked `swift`, with the line where each begins.
  static func blocks(in text: String) -> [(line: Int, code: String)] {
    var found: [(line: Int, code: String)] = []
    var open: (line: Int, code: [Substring])?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      if line == "```swift" {
        open = (number + 2, [])
      } else if line.hasPrefix("```"), let block = open {
        found.append((block.line, block.code.joined(separator: "\n")))
        open = nil
      } else {
        open?.code.append(line)
      }
    }
    return found
  }

  static func violations(in article: ProjectFile, examples: [ProjectFile]) -> [Violation] {
    let compiled = examples.map { squeezed($0.text) }
    return blocks(in: article.text).compactMap { block in
      let code = squeezed(block.code)
      guard !compiled.contains(where: { $0.contains(code) }) else { return nil }
      return Violation(
        path: article.path, line: block.line, reason: "no file of Examples has this code")
    }
  }

  /// Without indentation, which differs between an article and a file.
  private static func squeezed(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined(separator: "\n")
  }
}
