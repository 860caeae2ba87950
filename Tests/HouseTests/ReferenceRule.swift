import Foundation

/// The files that documents name, in backticks or as a link, are there.
enum ReferenceRule {
  /// The files that a document names, with their lines: by their path from the root, or from the document's
  /// own folder in a link. NAME stands for any.
  static func references(in document: ProjectFile) -> [(line: Int, path: String)] {
    let folder = document.path.dropLast(document.name.count)
    let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().flatMap { number, line in
      let named = line.matches(
        of: /`((?:Sources|Tests|Scripts|Benchmarks|Examples|docs|packaging|Fuzz)\/[\w.\/+-]+)`/
      ).map { String($0.1) }.filter { !$0.contains("/NAME") }
      let linked = line.matches(of: /\]\(([\w.\/+-]+)(?:#[\w-]+)?\)/).map { String(folder + $0.1) }
      return (named + linked).map { (number + 1, $0) }
    }
  }

  static func violations(in document: ProjectFile, paths: [String]) -> [Violation] {
    references(in: document).compactMap { line, named in
      let path = String(URL(fileURLWithPath: "/" + named).standardizedFileURL.path.dropFirst())
      let isThere = paths.contains { $0 == path || $0.hasPrefix(path + "/") }
      return isThere
        ? nil : Violation(path: document.path, line: line, reason: "there is no \(path)")
    }
  }
}
