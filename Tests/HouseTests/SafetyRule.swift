/// What the compiler cannot check, or what stops the process.
enum SafetyRule {
  /// Force unwrapping, forced casts, and forced tries; everywhere, tests included.
  static func forcing(in file: ProjectFile) -> [Violation] {
    file.violations(
      of: /[\w)\]][!](?![=\w])/, in: file.code, because: "nothing is forced")
  }

  /// Streams that keep whatever nobody reads.
  static func unboundedStreams(in file: ProjectFile) -> [Violation] {
    guard file.target != nil else { return [] }
    let making = /Async(?:Throwing)?Stream\s*\{|makeStream\((?![^)]*bufferingPolicy)/
    let initializing =
      /Async(?:Throwing)?Stream(?:<[^>(]+>)?\((?![^)]*(?:bufferingPolicy|unfolding))/
    let places = file.code.ranges(of: making) + file.code.ranges(of: initializing)
    return places.map {
      Violation(
        path: file.path, line: file.code[..<$0.lowerBound].count { $0 == "\n" } + 1,
        reason: "a stream keeps the newest of its elements, or the oldest")
    }
  }

  /// Promises in place of the compiler's checks; each file that makes one is named in a decision.
  static func promises(in file: ProjectFile, decisions: String) -> [Violation] {
    guard file.target != nil, !decisions.contains(file.path) else { return [] }
    return file.violations(
      of: /@unchecked\s+Sendable|nonisolated\(unsafe\)|unsafeBitCast/, in: file.code,
      because: "no file of docs/decisions names \(file.path)")
  }
}
