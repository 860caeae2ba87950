/// The path of a fix in ARCHITECTURE.md: its functions exist, each is called by one before it, and
/// its counts are those of its table.
enum PathRule {
  /// A function that is called on the way.
  struct Call {
    let type: String
    let function: String
    /// Whether it is called through a closure, so that the name of the function is not at its call.
    let isIndirect: Bool

    /// What its call looks like, up to the parenthesis.
    var spelling: String { function == "init" ? type : function }
  }

  /// One row of the table: a target, and the functions of it that are called.
  struct Row {
    let target: String
    let calls: [Call]
    let line: Int
  }

  static func rows(in document: ProjectFile) -> [Row] {
    document.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line in
        guard let target = line.firstMatch(of: /^\| `(\w+)` \| \*?`\w+\.\w+`/) else { return nil }
        let calls = line.matches(of: /(\*?)`(\w+)\.(\w+)`/).map {
          Call(type: String($0.2), function: String($0.3), isIndirect: !$0.1.isEmpty)
        }
        return Row(target: String(target.1), calls: calls, line: index + 1)
      }
  }

  static func violations(in document: ProjectFile, files: [ProjectFile]) -> [Violation] {
    let rows = rows(in: document)
    let calls = rows.reduce(0) { $0 + $1.calls.count }
    let sentence = "\(calls) calls and \(rows.count - 1) changes of target"
    let isCounted = document.text.contains(sentence)
    return broken(rows, in: document.path, files: files)
      + (isCounted
        ? [] : [Violation(path: document.path, line: 1, reason: "the table has \(sentence)")])
  }

  /// The calls of functions that do not exist, or that no function before them calls.
  private static func broken(
    _ rows: [Row], in path: String, files: [ProjectFile]
  ) -> [Violation] {
    var called: Set<Substring> = []
    var isFirst = true
    var violations: [Violation] = []
    for row in rows {
      for call in row.calls {
        let name = "`\(call.type).\(call.function)`"
        let bodies = bodies(of: call, in: files.filter { $0.target == row.target })
        if bodies.isEmpty {
          let reason = "\(name) is no function of \(row.target)"
          violations.append(Violation(path: path, line: row.line, reason: reason))
        } else if !isFirst, !call.isIndirect, !called.contains(call.spelling[...]) {
          let reason = "no function before \(name) calls it"
          violations.append(Violation(path: path, line: row.line, reason: reason))
        }
        for body in bodies { called.formUnion(names(calledIn: body)) }
        isFirst = false
      }
    }
    return violations
  }

  /// The bodies of the functions of that name, in the files that declare or extend the type.
  private static func bodies(of call: Call, in files: [ProjectFile]) -> [Substring] {
    // Searching for a word is much faster than an expression.
    let word = call.function == "init" ? "init(" : "func \(call.function)"
    return files.filter { file in
      guard file.code.contains(word), file.code.contains(call.type) else { return false }
      let heads = file.code.matches(of: /\b(?:struct|class|enum|actor|extension) (\w+)/)
      return heads.contains { $0.1 == call.type }
    }.flatMap { file in
      SizeRule.functions(in: file).filter { $0.name == call.function }.map(\.body)
    }
  }

  private static func names(calledIn body: Substring) -> [Substring] {
    body.matches(of: /\w+(?=\()/).map(\.0)
  }
}
