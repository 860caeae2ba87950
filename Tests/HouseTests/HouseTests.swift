import Foundation
import Testing

/// The rules of the house that a program can check. Each is tried on the project as it is, and on a
/// violation made up for it.
@Suite("The house")
struct HouseTests {
  private func planted(_ text: String, in path: String = "Sources/LocationEngine/A.swift")
    -> ProjectFile
  {
    ProjectFile(path: path, text: text)
  }

  @Test("finds its own files")
  func files() {
    #expect(SourceTree.paths.contains("Package.swift"))
    #expect(SourceTree.swift(in: "Sources/").count > 100)
  }

  // MARK: Arrows

  @Test("lets each target import only what lies below it")
  func imports() {
    #expect(SourceTree.swift(in: "Sources/").flatMap(ImportRule.violations).isEmpty)
  }

  @Test(
    "sees an import that goes up",
    arguments: [
      "import Foundation", "package import LocationHost", "@testable import LocationProviders",
      "import struct Foundation.URL", "  internal import Dispatch",
    ])
  func importUpwards(_ line: String) {
    #expect(ImportRule.violations(in: planted("// a file\n\(line)\n")).map(\.line) == [2])
  }

  @Test("lets no new target import anything before the arrows name it")
  func unknownTarget() {
    let file = planted("import LocationModel", in: "Sources/Elsewhere/A.swift")
    #expect(ImportRule.violations(in: file).count == 1)
  }

  @Test("knows every Swift target of the package")
  func targetsKnown() {
    let targets = Set(SourceTree.swift(in: "Sources/").compactMap(\.target))
    #expect(targets.subtracting(ImportRule.allowed.keys).isEmpty)
  }

  @Test("counts the calls of a fix as ARCHITECTURE.md does")
  func path() throws {
    let page = try #require(SourceTree.files { $0 == "ARCHITECTURE.md" }.first)
    #expect(PathRule.rows(in: page).count > 5)
    #expect(PathRule.violations(in: page, files: SourceTree.swift(in: "Sources/")).isEmpty)
  }

  @Test(
    "sees a call that is gone from the path of a fix, and a count that is not that of its table")
  func pathGone() {
    let page = planted(
      """
      They are 2 calls and 1 changes of target.
      | `LocationEngine` | `A.take` |
      | `LocationHost` | `B.take` |
      """, in: "ARCHITECTURE.md")
    let engine = planted("struct A { func take() { take() } }")
    let host = planted("struct B { func give() {} }", in: "Sources/LocationHost/B.swift")
    #expect(PathRule.violations(in: page, files: [engine, host]).map(\.line) == [3])
    let more = planted(page.text + "\n| `LocationEngine` | `A.take` |", in: page.path)
    #expect(PathRule.violations(in: more, files: [engine, host]).map(\.line) == [3, 1])
  }

  @Test("sees a call that no function before it makes, and one that is said to be indirect")
  func pathBroken() {
    let engine = planted("struct A { func take() { _ = C(1) }\n func b() { d() }\n func d() {} }")
    let other = planted("struct C { init(_ a: Int) { } }", in: "Sources/LocationEngine/C.swift")
    func lines(_ calls: String, _ count: Int) -> [String] {
      let page = planted(
        "\(count) calls and 0 changes of target\n| `LocationEngine` | \(calls) |",
        in: "ARCHITECTURE.md")
      return PathRule.violations(in: page, files: [engine, other]).map(\.reason)
    }
    #expect(lines("`A.take`, `C.init`", 2).isEmpty)
    #expect(lines("`A.take`, *`A.b`*, `A.d`", 3).isEmpty)
    #expect(lines("`A.take`, `C.init`, `A.d`", 3) == ["no function before `A.d` calls it"])
  }

  @Test("lets no target list what it does not import, nor import what it does not list")
  func package() throws {
    let manifest = try #require(SourceTree.files { $0 == "Package.swift" }.first)
    #expect(PackageRule.targets(in: manifest.text).count > 30)
    #expect(PackageRule.violations(in: manifest, files: SourceTree.swift + SourceTree.c).isEmpty)
  }

  @Test("sees a dependency that nobody imports, and an import that nobody lists")
  func idleDependency() {
    let manifest = planted(
      """
      .target(name: "A"), .target(name: "B"), .target(name: "C"), .executableTarget(name: "P"),
      .testTarget(name: "T", dependencies: ["A", "B", "P"], path: "T")
      """, in: "Package.swift")
    let file = planted("import A\nimport C\nimport Elsewhere", in: "T/T.swift")
    #expect(
      PackageRule.violations(in: manifest, files: [file]).map(\.reason) == [
        "T lists B and imports it nowhere", "T imports C and does not list it",
      ])
  }

  // MARK: Purity

  @Test("keeps clocks, tasks, chance, and files out of the pure targets")
  func purity() {
    #expect(SourceTree.swift(in: "Sources/").flatMap(PurityRule.violations).isEmpty)
  }

  @Test(
    "sees what a machine must not do",
    arguments: [
      "let now = Date()", "wait(until: .now)", "let start = ContinuousClock.now",
      "let start = SuspendingClock().now", "Task { }", "func read() async {}", "await read()",
      "let x = Double.random(in: 0..<1)", "list.shuffled()", "FileManager.default",
      #"let port = "/dev/ttyUSB0""#,
    ])
  func impurity(_ line: String) {
    #expect(PurityRule.violations(in: planted(line)).count == 1)
  }

  @Test(
    "has nothing against words in comments and strings, nor against a seeded generator",
    arguments: [
      "// a Task reads Date()", #"let name = "async""#, "report.now", "/* /dev/null */",
      "Double.random(in: 0..<1, using: &generator)", #"print("\(time) Task")"#,
    ])
  func innocence(_ line: String) {
    #expect(PurityRule.violations(in: planted(line)).isEmpty)
  }

  // MARK: The wall

  @Test("keeps `public` and Apple's names in the face")
  func wall() {
    #expect(SourceTree.swift(in: "Sources/").flatMap(WallRule.violations).isEmpty)
  }

  @Test(
    "sees a name that crossed the wall",
    arguments: ["public struct Fix {}", "let place: CLLocation", "kCLErrorDomain"])
  func wallCrossed(_ line: String) {
    #expect(WallRule.violations(in: planted(line)).count == 1)
    #expect(WallRule.violations(in: planted(line, in: "Sources/CoreLocation/A.swift")).isEmpty)
  }

  // MARK: Safety

  @Test("forces nothing")
  func forcing() {
    #expect(SourceTree.swift.flatMap(SafetyRule.forcing).isEmpty)
  }

  @Test(
    "sees what is forced",
    arguments: ["try! read()", "x as! Int", "first!.name", "f()!", "list[0]!", "var a: Int!"])
  func forced(_ line: String) {
    #expect(SafetyRule.forcing(in: planted(line)).count == 1)
  }

  @Test("has nothing against negation", arguments: ["a != b", "!isEmpty", "f(!x)", "a! = b"])
  func negation(_ line: String) {
    let expected = line.hasPrefix("a! ") ? 1 : 0
    #expect(SafetyRule.forcing(in: planted(line)).count == expected)
  }

  @Test("has no stream without a bound")
  func streams() {
    #expect(SourceTree.swift(in: "Sources/").flatMap(SafetyRule.unboundedStreams).isEmpty)
  }

  @Test(
    "sees a stream without a bound",
    arguments: [
      "AsyncStream.makeStream()", "AsyncStream.makeStream(of: Int.self)",
      "AsyncStream<Int>(Int.self) { _ in }", "AsyncThrowingStream { _ in }",
    ])
  func stream(_ line: String) {
    #expect(SafetyRule.unboundedStreams(in: planted(line)).count == 1)
  }

  @Test("promises nothing to the compiler without a decision that names the file")
  func compilerPromises() {
    let decisions = SourceTree.files { $0.hasPrefix("docs/decisions/") }.map(\.text).joined()
    let found = SourceTree.swift(in: "Sources/").flatMap {
      SafetyRule.promises(in: $0, decisions: decisions)
    }
    #expect(found.isEmpty)
  }

  @Test(
    "sees a promise",
    arguments: [
      "final class A: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1",
      "let a = unsafeBitCast(1, to: Int.self)",
    ])
  func promise(_ line: String) {
    let file = planted(line)
    #expect(SafetyRule.promises(in: file, decisions: "Sources/Other.swift").count == 1)
    #expect(SafetyRule.promises(in: file, decisions: "see \(file.path)").isEmpty)
  }

  // MARK: Budgets

  @Test("keeps files and functions within their budgets")
  func sizes() {
    #expect(SourceTree.swift.flatMap(SizeRule.violations).isEmpty)
  }

  @Test("sees a file that is too long")
  func longFile() {
    let file = planted(String(repeating: "\n", count: SizeRule.file + 1))
    #expect(SizeRule.violations(in: file).count == 1)
  }

  @Test("sees a function that is too long")
  func longFunction() {
    let body = String(repeating: "  print(\"}\")\n", count: SizeRule.function - 1)
    let fits = planted("struct A {\nfunc f(\n  _ g: () -> Void = { }\n) -> Int\n{\n\(body)}\n}")
    #expect(SizeRule.functions(in: fits).map(\.lines) == [SizeRule.function + 1])
    #expect(SizeRule.violations(in: fits).map(\.line) == [2])
  }

  @Test("knows a requirement from a function")
  func requirements() {
    let file = planted("protocol P {\n  func f()\n  init(a: Int)\n  func g() { }\n}")
    let function = SizeRule.Function(name: "g", line: 4, body: "{ }")
    #expect(SizeRule.functions(in: file) == [function])
  }

  @Test("excepts only functions that are still too long")
  func exceptions() {
    let all = SourceTree.swift.flatMap { file in
      SizeRule.functions(in: file).filter { $0.lines > SizeRule.function }
        .map { "\(file.path) \($0.name)" }
    }
    #expect(SizeRule.exceptions.keys.filter { !all.contains($0) }.isEmpty)
  }

  @Test("holds no large file")
  func largeFiles() throws {
    let large = try SourceTree.paths.filter { try SourceTree.size(of: $0) > SizeRule.anyFile }
    #expect(large.isEmpty)
  }

  // MARK: Words

  @Test("names folders and types for their subject")
  func names() {
    #expect(SourceTree.paths.flatMap(WordRule.path).isEmpty)
    let elsewhere = SourceTree.swift.filter { !$0.path.hasPrefix("Tests/HouseTests/") }
    #expect(elsewhere.flatMap(WordRule.violations).isEmpty)
  }

  @Test("says nothing of one machine in its documents and scripts")
  func documents() {
    let documents = SourceTree.files { path in
      [".md", ".sh", ".yml", ".yaml", ".json", ".py", "Makefile", ".ci/run"].contains {
        path.hasSuffix($0)
      }
    }
    #expect(documents.count > 10)
    #expect(documents.flatMap(WordRule.notes).isEmpty)
  }

  @Test(
    "sees a name or a note that says nothing",
    arguments: [
      "struct TimeUtils {}", "final class FixManager {}", "// TODO later", "// see /work/notes",
      "// in /home/me/x",
    ])
  func emptyWords(_ line: String) {
    #expect(WordRule.violations(in: planted(line)).count == 1)
  }

  @Test("uses the words of the glossary in code, scripts, and documents")
  func dialect() {
    // The conformance suite and the statements quote Apple; the word list is in this folder.
    let quoting = ["Tests/HouseTests/", "Tests/Conformance/", "docs/behavior.md"]
    let kinds = [
      ".swift", ".md", ".sh", ".py", ".yml", ".h", ".c", ".varlink", ".conf", ".1", ".8",
    ]
    let files = SourceTree.files { path in
      (kinds.contains { path.hasSuffix($0) } || path.hasSuffix("Makefile"))
        && !quoting.contains { path.hasPrefix($0) }
    }
    #expect(files.count > 500)
    #expect(files.flatMap(WordRule.dialect).isEmpty)
  }

  @Test(
    "sees a word of the former dialect, and leaves names of formats alone",
    arguments: [
      "/// The event is owed to the app.", "struct RequestDesk {}", "let ledger = 0",
      "// borne out by steps", "@Test(\"is told again\")", "let onLine = true",
    ])
  func dialect(_ line: String) {
    #expect(WordRule.dialect(in: planted(line)).count == 1)
    let kept = planted("case \"owed\": told: `told` desktop indeed")
    #expect(WordRule.dialect(in: kept).isEmpty)
  }

  @Test("sees a folder that says nothing")
  func emptyFolder() {
    #expect(WordRule.path("Sources/LocationModel/Helpers/A.swift").count == 1)
  }

  // MARK: Fixtures

  @Test("knows where each fixture comes from")
  func fixtures() throws {
    let all = SourceTree.files { FixtureRule.isFixture($0) }
    #expect(!all.isEmpty)
    let found = all.flatMap { file in
      let folder = file.path.dropLast(file.name.count)
      let readMe = SourceTree.files { $0 == folder + "README.md" }.first?.text ?? ""
      return FixtureRule.violations(in: file, readMe: readMe)
    }
    #expect(found.isEmpty)
  }

  @Test("sees a fixture without a licence")
  func fixtureWithoutLicence() {
    let file = planted("$GPGGA", in: "Tests/Fixtures/a.log")
    #expect(FixtureRule.isFixture(file.path))
    #expect(FixtureRule.violations(in: file, readMe: "`b.log`: MIT").count == 1)
    #expect(FixtureRule.violations(in: file, readMe: "`a.log`: MIT").isEmpty)
    let headed = planted("# License: CC0\n$GPGGA", in: file.path)
    #expect(FixtureRule.violations(in: headed, readMe: "").isEmpty)
  }

  // MARK: Articles

  @Test("shows only code that is compiled")
  func articles() {
    let articles = SourceTree.files { $0 == "README.md" || $0.contains(".docc/") }
    let examples = SourceTree.swift(in: "Examples/")
    #expect(articles.contains { !ArticleRule.blocks(in: $0.text).isEmpty })
    #expect(articles.flatMap { ArticleRule.violations(in: $0, examples: examples) }.isEmpty)
  }

  @Test("sees code that is not compiled")
  func looseCode() {
    let article = planted("# A\n```swift\nlet a = 1\n```\n```sh\nls\n```", in: "README.md")
    let same = planted("  let a = 1\n", in: "Examples/A.swift")
    #expect(ArticleRule.violations(in: article, examples: [same]).isEmpty)
    #expect(ArticleRule.violations(in: article, examples: []).map(\.line) == [3])
  }

  @Test("names in its documents only files that it has")
  func references() {
    // A decision names the files of its time; an article shows those of the reader's project.
    let documents = SourceTree.files { path in
      path.hasSuffix(".md") && !path.hasPrefix("docs/decisions/") && !path.contains(".docc/")
    }
    #expect(documents.contains { ReferenceRule.references(in: $0).count > 20 })
    let paths = SourceTree.paths
    #expect(documents.flatMap { ReferenceRule.violations(in: $0, paths: paths) }.isEmpty)
  }

  @Test("sees a file that a document names and that is gone")
  func goneReference() {
    let page = planted(
      "`Sources/A/B.swift` and `Sources/A/`\n[here](../a.md#b), `Fuzz/NAME/x`, [there](https://a.b)",
      in: "docs/page.md")
    let paths = ["Sources/A/B.swift", "a.md"]
    #expect(ReferenceRule.violations(in: page, paths: paths).isEmpty)
    #expect(ReferenceRule.violations(in: page, paths: ["a.md"]).map(\.line) == [1, 1])
    #expect(ReferenceRule.violations(in: page, paths: ["Sources/A/B.swift"]).map(\.line) == [2])
  }

  // MARK: Promises

  @Test("promises in SECURITY.md what a test proves, and nothing else")
  func promises() throws {
    let document = try #require(SourceTree.files { $0 == "SECURITY.md" }.first)
    let tests = PromiseRule.tests(in: SourceTree.swift(in: "Tests/"))
    #expect(PromiseRule.promises(in: document).map(\.number) == Array(1...25))
    #expect(PromiseRule.violations(in: document, tests: tests).isEmpty)
  }

  @Test("sees a promise without its test, and a test without its promise")
  func loosePromise() {
    let document = planted(
      "| 7 | Forged signals are ignored. | SomeTests.swift |", in: "SECURITY.md")
    let test = planted("@Test(\"border 7: is ignored\")", in: "Tests/BusTests/SomeTests.swift")
    let other = planted("@Test(\"border 8: is ignored\")", in: "Tests/BusTests/SomeTests.swift")
    #expect(PromiseRule.violations(in: document, tests: PromiseRule.tests(in: [test])).isEmpty)
    #expect(PromiseRule.violations(in: document, tests: PromiseRule.tests(in: [other])).count == 2)
    #expect(PromiseRule.violations(in: document, tests: [:]).map(\.line) == [1])
    let unlisted = planted("@Test(\"border 7: is told\")", in: "Tests/BusTests/OtherTests.swift")
    let both = PromiseRule.tests(in: [test, unlisted])
    #expect(
      PromiseRule.violations(in: document, tests: both).map(\.reason) == [
        "OtherTests has a test named `border 7: …` and is not listed"
      ])
  }
}
