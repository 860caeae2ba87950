import Foundation
import LocationProviders
import TestSupport
import Testing

@testable import locationctl

@Suite("The command table")
struct CommandTableTests {
  @Test("names each verb and each option of a verb once")
  func names() {
    #expect(Set(Verb.all.map(\.name)).count == Verb.all.count)
    for verb in Verb.all {
      #expect(Set(verb.options.map(\.name)).count == verb.options.count)
      #expect(verb.name == verb.name.lowercased())
      #expect(!verb.summary.hasSuffix("."))
    }
  }

  @Test("is the manual page: docs/man/locationctl.1 is what `locationctl help --man` prints")
  func manual() throws {
    let file = SharedData.packageRoot.appending(path: "docs/man/locationctl.1")
    if ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1" {
      try ManualPage.text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == ManualPage.text)
  }

  @Test("each source of the parser is in the manual page and in README, and no other")
  func sources() throws {
    let root = SharedData.packageRoot
    let parser = try String(
      contentsOf: root.appending(path: "Sources/LocationProviders/Sources/SourceURL.swift"),
      encoding: .utf8)
    let cases = try #require(
      parser.split(separator: "func source()").last?.split(separator: "// MARK: Kinds").first)
    let schemes = cases.matches(of: /case "([a-z+]+)":/).map { String($0.1) }
    // What is read, and not written any more.
    let written = Set(schemes).subtracting(["geoclue"])
    #expect(written == Set(SourceForm.all.map(\.scheme)) && written.count > 15)
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    for form in SourceForm.all {
      #expect(ManualPage.text.contains(".B \(form.scheme.replacing("-", with: "\\-")):"))
      #expect(readme.contains("`\(form.scheme):"), "\(form.scheme)")
    }
  }

  @Test("the manual page has each variable that an error names, and what else to read")
  func environment() {
    for variable in ["LOCATIOND_SOCKET", "MERIDIAN_CONSOLE"] {
      #expect(ManualPage.text.contains(".B \(variable)\n"))
    }
    #expect(ManualPage.text.contains(".SH SEE ALSO\n.BR locationd (8),"))
  }

  @Test(
    "is shown in full by help: every verb, operand, and option", arguments: Verb.all.map(\.name))
  func help(_ name: String) throws {
    let verb = try #require(Verb.named(name))
    #expect(HelpText.overview.contains("  \(name) "))
    let text = HelpText.text(of: verb)
    #expect(text.contains("Usage: locationctl \(name)"))
    for option in verb.options { #expect(text.contains(option.usage)) }
    for operand in verb.operands { #expect(text.contains(operand.name)) }
    #expect(HelpText.overview.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test(
    "completes in each shell: every verb, option, and choice",
    arguments: CompletionScript.allCases)
  func completion(_ shell: CompletionScript) {
    for verb in Verb.all {
      #expect(shell.text.contains(verb.name))
      for option in verb.options {
        #expect(shell.text.contains(shell == .fish ? "-l \(option.name)" : "--\(option.name)"))
        #expect(option.choices.allSatisfy { shell.text.contains($0) })
      }
    }
  }

  @Test("completes the files of options that take one, in zsh and fish")
  func files() {
    let zsh = CompletionScript.zsh.text
    #expect(zsh.contains("]:access-points:_files'") && zsh.contains("]:plot:_files'"))
    #expect(zsh.contains("]:seed:()'") && zsh.contains("]:locale:()'"))
    #expect(CompletionScript.fish.text.contains(" -l access-points -r -F -d "))
    #expect(CompletionScript.fish.text.contains(" -l seed -r -d "))
  }

  @Test(
    "completes what bash is asked for",
    arguments: [
      ("locationctl wa", "watch"), ("locationctl watch --cou", "--count"),
      ("locationctl watch --accuracy 10", "100m 10m"),
      ("locationctl authorize a.b when", "whenInUse"),
    ])
  func bash(_ typed: String, _ offered: String) throws {
    let words = typed.split(separator: " ").map { "'\($0)'" }
    let script = """
      \(CompletionScript.bash.text)
      COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1); _locationctl
      printf '%s\\n' "${COMPREPLY[@]}" | sort | xargs
      """
    let run = try Run(program: "/bin/bash", ["-c", script])
    #expect(run.output == offered + "\n", "\(run.error)")
  }
}
