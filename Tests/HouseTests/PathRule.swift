/// The path of a fix in ARCHITECTURE.md: its functions exist, and its counts are those of its table.
enum PathRule {
  /// One row of the table: a target, and the functions of it that are called.
  struct Row {
    let target: String
    let calls: [(type: String, function: String)]
    let line: Int
  }

  static func rows(in document: ProjectFile) -> [Row] {
    document.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line in
        guard let target = line.firstMatch(of: /^\| `(\w+)` \| `\w+\.\w+`/) else { return nil }
        let calls = line.matches(of: /`(\w+)\.(\w+)`/).map {
          (type: String($0.1), function: String($0.2))
        }
        return Row(target: String(target.1), calls: calls, line: index + 1)
      }
  }

  static func violations(in document: ProjectFile, files: [ProjectFile]) -> [Violation] {
    let rows = rows(in: document)
    let missing = rows.flatMap { row in
      row.calls.filter { call in
        !files.contains { $0.target == row.target && declares($0, call.type, call.function) }
      }.map {
        Violation(
          path: document.path, line: row.line,
          reason: "`\($0.type).\($0.function)` is no function of \(row.target)")
      }
    }
    let calls = rows.reduce(0) { $0 + $1.calls.count }
    let sentence = "\(calls) calls and \(rows.count - 1) changes of target"
    guard document.text.contains(sentence) else {
      return missing + [
        Violation(path: document.path, line: 1, reason: "the table has \(sentence)")
      ]
    }
    return missing
  }

  /// Whether a file declares or extends the type, and has the function.
  private static func declares(_ file: ProjectFile, _ type: String, _ function: String) -> Bool {
    let heads = file.code.matches(of: /\b(?:struct|class|enum|actor|extension) (\w+)/)
    guard heads.contains(where: { $0.1 == type }) else { return false }
    let names = file.code.matches(of: /\b(?:func )?(\w+)\s*(?:<[^>]*>)?\(/)
    return names.contains { match in
      match.1 == function && (function == "init" || match.0.hasPrefix("func "))
    }
  }
}
