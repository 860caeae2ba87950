import Testing

/// Which decoders are fuzzed.
@Suite("The house, decoders")
struct DecoderTests {
  private let list = ProjectFile(
    path: "Fuzz/decoders.txt",
    text: "Sources/LocationLink/A.swift a\nSources/LocationLink/B.swift - later\n")

  private func file(_ name: String, _ code: String) -> ProjectFile {
    ProjectFile(path: "Sources/LocationLink/\(name).swift", text: code)
  }

  @Test("leaves no decoder without a fuzzer or a reason")
  func decoders() throws {
    let list = try #require(SourceTree.files { $0 == "Fuzz/decoders.txt" }.first)
    let fuzzers = DecoderRule.fuzzers(in: SourceTree.swift(in: "Fuzz/"))
    #expect(fuzzers.count > 30)
    let files = SourceTree.swift(in: "Sources/")
    #expect(DecoderRule.violations(in: list, files: files, fuzzers: fuzzers) == [])
  }

  @Test(
    "sees a decoder that is not listed",
    arguments: [
      "init(_ bytes: [UInt8]) {}", "package init?(bytes: some Collection<UInt8>) {}",
      "static func read(_ bytes: [UInt8]) {}", "package init(json: JSON) throws {}",
      "mutating func take(_ bytes: some Sequence<UInt8>) {}",
      "package static let fields = JSONFields(",
    ])
  func unlisted(_ code: String) {
    let files = [file("A", ""), file("B", ""), file("C", "\n\(code)")]
    let found = DecoderRule.violations(in: list, files: files, fuzzers: ["a"])
    #expect(found.map(\.line) == [2])
  }

  @Test("sees a line without its file, its fuzzer, or its reason, and a fuzzer without a decoder")
  func stale() {
    let files = [file("A", ""), file("B", "")]
    #expect(DecoderRule.violations(in: list, files: files, fuzzers: ["a", "canary"]) == [])
    #expect(DecoderRule.violations(in: list, files: [files[0]], fuzzers: ["a"]).count == 1)
    #expect(DecoderRule.violations(in: list, files: files, fuzzers: []).count == 1)
    #expect(DecoderRule.violations(in: list, files: files, fuzzers: ["a", "b"]).count == 1)
    let bare = ProjectFile(
      path: list.path, text: "Sources/LocationLink/A.swift a\nSources/LocationLink/B.swift -")
    #expect(DecoderRule.violations(in: bare, files: files, fuzzers: ["a"]).map(\.line) == [2])
  }
}
