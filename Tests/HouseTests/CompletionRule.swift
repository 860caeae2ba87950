import Foundation

/// The completions of `locationd` offer the sources that the parser of source URLs knows.
enum CompletionRule {
  /// The schemes of which the parser makes a source.
  static func known(in parser: ProjectFile) -> Set<String> {
    let text = parser.text
    guard let begin = text.range(of: "switch scheme {"),
      let end = text.range(of: "default:", range: begin.upperBound..<text.endIndex)
    else { return [] }
    let cases = text[begin.upperBound..<end.lowerBound].matches(of: #/case "([a-z+]+)":/#)
    return Set(cases.map { String($0.1) })
  }

  /// The schemes of the list that a script offers behind `--source`, which begins with gpsd.
  static func offered(in script: ProjectFile) -> Set<String> {
    guard let list = script.text.firstMatch(of: #/["'(](gpsd:[^"')]*)["')]/#) else { return [] }
    let schemes = list.1.split(separator: " ").compactMap { $0.split(separator: ":").first }
    return Set(schemes.map { String($0) })
  }

  static func violations(in script: ProjectFile, parser: ProjectFile) -> [Violation] {
    let known = known(in: parser)
    let offered = offered(in: script)
    let missing = known.subtracting(offered).sorted().map { "\($0): is not offered" }
    let idle = offered.subtracting(known).sorted().map { "\($0): is no source" }
    return (missing + idle).map { Violation(path: script.path, line: 1, reason: $0) }
  }
}
