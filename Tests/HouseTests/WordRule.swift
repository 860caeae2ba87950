import Foundation

/// Words that say nothing, or say it of one machine only.
enum WordRule {
  /// Folders that tell the kind of a thing rather than what it is for.
  static let emptyFolders: Set = [
    "Utils", "Utilities", "Helpers", "Extensions", "Protocols", "Models", "Managers", "Common",
    "Misc",
  ]

  static func path(_ path: String) -> [Violation] {
    let parts = Set(path.split(separator: "/").map(String.init))
    return parts.intersection(emptyFolders).sorted().map {
      Violation(path: path, line: 1, reason: "a folder `\($0)` does not say what it is for")
    }
  }

  static func violations(in file: ProjectFile) -> [Violation] {
    let names = file.violations(
      of:
        /\b(struct|class|enum|actor|protocol|typealias)\s+(?!CL|INTU)\w*(Utils?|Utility|Helpers?|Impl|Manager|Handler)\b/,
      in: file.code, because: "a type is named for its subject")
    return names + notes(in: file)
  }

  private static let dialectLetters =
    [
      "desk", "Desk", " owed", " owes", "edger", " lull", "Lull", "atience", " deed", "Deed",
      " told",
      "orne out", "ear out", "ears out", "onLine", "Office", "HostCore", "WorkLine",
    ]

  /// Words of the project's former dialect; docs/glossary.md has the field's word for each.
  ///
  /// One in quotation marks or backticks, or before a colon, is a name that a format keeps.
  static func dialect(in file: ProjectFile) -> [Violation] {
    // The expressions are slow, and few files contain one of these letters in a row.
    guard dialectLetters.contains(where: { file.text.contains($0) }) else { return [] }
    let words =
      /(?i)(?:^|[^"`\w])(desks?|owed|owes|borne out|bears? out|ledgers?|lulls?|patience|deeds?|told)\b(?!["`:])/
    let names =
      /\bonLine\b|[a-z](Desk|Ledger|Lull|Patience|Deed|Office)(?![a-z])|\b(HostCore|WorkLine)\b/
    let reason = "not a word of docs/glossary.md"
    return file.violations(of: words, in: file.text, because: reason)
      + file.violations(of: names, in: file.text, because: reason)
  }

  /// Texts that no file of the project may contain.
  static func notes(in file: ProjectFile) -> [Violation] {
    file.violations(
      of: /\b(TODO|FIXME|XXX)\b(?!\(#\d+\))/, in: file.text,
      because: "work to be done is an issue; name it, as in (#12)")
      + file.violations(
        of: /(^|[^\w.}])\/(work|home\/\w+|root)\/\w/, in: file.text,
        because: "a path of one machine")
  }
}
