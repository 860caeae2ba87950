/// What the compiler cannot check, or what stops the process.
enum SafetyRule {
  /// Force unwrapping, forced casts, and forced tries; everywhere, tests included.
  static func forcing(in file: ProjectFile) -> [Violation] {
    file.violations(
      of: /[\w)\]][!](?![=\w])/, in: file.code, because: "nothing is forced")
  }

  /// Promises in place of the compiler's checks; each file that makes one is named in a decision.
  static func promises(in file: ProjectFile, decisions: String) -> [Violation] {
    guard file.target != nil, !decisions.contains(file.path) else { return [] }
    return file.violations(
      of: /@unchecked\s+Sendable|nonisolated\(unsafe\)|unsafeBitCast/, in: file.code,
      because: "no file of docs/decisions names \(file.path)")
  }
}
