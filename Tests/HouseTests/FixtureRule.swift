/// Where recorded data comes from, and who may use it.
enum FixtureRule {
  /// The folders that hold recordings and reference data.
  static func isFixture(_ path: String) -> Bool {
    let folders = path.split(separator: "/").dropLast()
    return !path.hasSuffix("README.md")
      && folders.contains { $0 == "Fixtures" || $0 == "Recordings" }
  }

  /// A fixture says its licence in its head, or the README beside it names the file and says it.
  static func violations(in file: ProjectFile, readMe: String) -> [Violation] {
    let licence =
      /(?i)licen[cs]e:|BSD|MIT|Apache|CC0|CC[ -]BY|ODbL|PDDL|public domain|made for this project/
    let head = file.text.split(separator: "\n").prefix(20).joined(separator: "\n")
    let entry = readMe.split(separator: "\n").filter { $0.contains(file.name) }.joined()
    let isNamed = head.contains(/(?i)licen[cs]e:/) || entry.contains(licence)
    return isNamed
      ? []
      : [Violation(path: file.path, line: 1, reason: "neither header nor README has a licence")]
  }
}
