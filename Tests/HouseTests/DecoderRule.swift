/// No decoder is without a fuzzer: every function that takes bytes from elsewhere, by the form of
/// its signature, is in a file that Fuzz/decoders.txt names, with its fuzzer or the reason for none.
enum DecoderRule {
  /// A line of the list: `Sources/.../File.swift FUZZER`, or `Sources/.../File.swift - REASON`.
  struct Entry: Equatable {
    let line: Int
    let path: String
    /// `nil` for a decoder that has none.
    let fuzzer: String?
    let reason: String
  }

  static func entries(in list: ProjectFile) -> [Entry] {
    list.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      let words = $1.prefix { $0 != "#" }.split(separator: " ", maxSplits: 2)
      guard words.count > 1 else { return nil }
      return Entry(
        line: $0 + 1, path: String(words[0]), fuzzer: words[1] == "-" ? nil : String(words[1]),
        reason: words.count > 2 ? String(words[2]) : "")
    }
  }

  /// The first line of a file that declares a decoder.
  static func decoder(in file: ProjectFile) -> Int? {
    // Most files have none of these words; the expressions are slow.
    guard ["UInt8", "JSON", "Data"].contains(where: { file.code.contains($0) }) else { return nil }
    let bytes = #"(\[UInt8\]|ArraySlice<UInt8>|(Collection|Sequence)<UInt8>|Data\b)"#
    let forms = [
      #"\binit\??\([^)]*"# + bytes,
      #"\bfunc (read|parse|decode|decoded|split|take|message)\w*(<[^>]*>)?\([^)]*"# + bytes,
      #"\binit\??\(json: JSON\)"#, #"\bstatic let fields = JSONFields\("#,
    ].map { try? Regex($0) }.compactMap { $0 }
    return file.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .first { _, line in forms.contains { line.contains($0) } }.map { $0.offset + 1 }
  }

  static func violations(
    in list: ProjectFile, files: [ProjectFile], fuzzers: Set<String>
  ) -> [Violation] {
    let entries = entries(in: list)
    let listed = Set(entries.map(\.path))
    let missing = files.filter { !listed.contains($0.path) }.compactMap { file in
      decoder(in: file).map {
        Violation(path: file.path, line: $0, reason: "a decoder that \(list.path) does not name")
      }
    }
    let paths = Set(files.map(\.path))
    let wrong = entries.flatMap { entry -> [Violation] in
      var reasons: [String] = []
      if !paths.contains(entry.path) { reasons.append("there is no \(entry.path)") }
      if let fuzzer = entry.fuzzer, !fuzzers.contains(fuzzer) {
        reasons.append("no fuzzer is named \(fuzzer)")
      }
      if entry.fuzzer == nil, entry.reason.isEmpty { reasons.append("it has no reason") }
      return reasons.map { Violation(path: list.path, line: entry.line, reason: $0) }
    }
    let used = Set(entries.compactMap(\.fuzzer))
    let idle = fuzzers.subtracting(used).subtracting(["canary"]).sorted().map {
      Violation(path: list.path, line: 1, reason: "no decoder is listed for the fuzzer \($0)")
    }
    return missing + wrong + idle
  }

  /// The names of the fuzzers in their sources.
  static func fuzzers(in files: [ProjectFile]) -> Set<String> {
    files.reduce(into: []) { names, file in
      for match in file.text.matches(of: /\b(?:Fuzzer|driver|coded)\(\s*"([a-z0-9-]+)"/) {
        names.insert(String(match.1))
      }
    }
  }
}
