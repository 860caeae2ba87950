import Testing

@Suite("The completions of locationd")
struct CompletionTests {
  @Test("offer the sources that the parser of source URLs knows, and no others")
  func sources() throws {
    let path = "Sources/LocationProviders/Sources/SourceURL.swift"
    let parser = try #require(SourceTree.files { $0 == path }.first)
    #expect(CompletionRule.known(in: parser).count > 15)
    let scripts = SourceTree.files { $0.hasPrefix("systemd/completions/locationd.") }
    #expect(scripts.count == 3)
    #expect(scripts.flatMap { CompletionRule.violations(in: $0, parser: parser) } == [])
  }

  @Test(
    "are seen to lack a source, and to offer one that is none",
    arguments: [
      "compgen -W \"gpsd:// geoclue:\" --", "-l source -x -a 'gpsd:// geoclue:' -d 'Where'",
      "'*--source[where]:URL:(gpsd:// geoclue:)'",
    ])
  func wrong(_ line: String) {
    let parser = ProjectFile(
      path: "A.swift",
      text: """
        switch scheme {
        case "gpsd": a()
        case "scans+tcp": b()
        default: d()
        case "other": e()
        """)
    let script = ProjectFile(path: "locationd.bash", text: line)
    #expect(
      CompletionRule.violations(in: script, parser: parser).map(\.reason)
        == ["scans+tcp: is not offered", "geoclue: is no source"])
  }
}
