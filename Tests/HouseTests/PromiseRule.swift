/// Every promise of SECURITY.md names the files of its tests, all of them and no others, and every test
/// of the border is promised.
enum PromiseRule {
  /// One line of the table: `| 7 | promise | File.swift |`.
  struct Promise {
    let number: Int
    let line: Int
    /// The test files that the line names.
    let files: [String]
  }

  /// The rows of the table whose first cell is a number.
  static func promises(in document: ProjectFile) -> [Promise] {
    document.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line in
        let cells = line.split(separator: "|").map { $0.trimmingPrefix { $0 == " " } }
        guard line.hasPrefix("|"), cells.count >= 3,
          let number = Int(cells[0].filter { $0 != " " })
        else { return nil }
        let files = cells[2].matches(of: /(\w+)\.swift/).map { String($0.1) }
        return Promise(number: number, line: index + 1, files: files)
      }
  }

  /// The files with a test whose name begins with `border N: `, or `border N, STATEMENT: `, by number.
  static func tests(in files: [ProjectFile]) -> [Int: Set<String>] {
    files.filter { !$0.path.hasPrefix("Tests/HouseTests/") }.reduce(into: [:]) { found, file in
      for match in file.text.matches(of: #/"border (\d+)(?:, [A-Z]+-\d+)*: /#) {
        guard let number = Int(match.1) else { continue }
        found[number, default: []].insert(String(file.name.dropLast(".swift".count)))
      }
    }
  }

  static func violations(in document: ProjectFile, tests: [Int: Set<String>]) -> [Violation] {
    let promises = promises(in: document)
    let untested = promises.flatMap { promise -> [Violation] in
      let present = tests[promise.number] ?? []
      let named = promise.files.isEmpty ? ["a test"] : promise.files
      return named.filter { !present.contains($0) }.map {
        Violation(
          path: document.path, line: promise.line,
          reason: "\($0) has no test named `border \(promise.number): …`")
      }
    }
    let unlisted = promises.flatMap { promise in
      (tests[promise.number] ?? []).subtracting(promise.files).sorted().map {
        Violation(
          path: document.path, line: promise.line,
          reason: "\($0) has a test named `border \(promise.number): …` and is not listed")
      }
    }
    let promised = Set(promises.map(\.number))
    let unpromised = tests.keys.sorted().filter { !promised.contains($0) }.map {
      Violation(path: document.path, line: 1, reason: "no line of the table is for `border \($0)`")
    }
    return untested + unlisted + unpromised
  }
}
