import LocationCoding
import LocationHost
import LocationProviders
import Testing

@testable import locationctl

@Suite("A command line")
struct InvocationTests {
  @Test("is read into verb, operands, and options, in any order")
  func order() throws {
    let invocation = try Invocation([
      "authorize", "--precise", "no", "org.example.App", "whenInUse", "--json",
    ])
    #expect(invocation.verb.name == "authorize")
    #expect(invocation.operands == ["org.example.App", "whenInUse"])
    #expect(invocation.text(Option(name: "precise", summary: "")) == "no")
    #expect(invocation.has(.json))
  }

  @Test("takes a value behind a space or an equals sign, and keeps repeated sources in order")
  func values() throws {
    let invocation = try Invocation([
      "watch", "--source", "fixed:1,2", "--source=gpsd://localhost", "--count=3",
    ])
    #expect(invocation.sources == ["fixed:1,2", "gpsd://localhost"])
    #expect(invocation.wholeNumber(Option(name: "count", summary: "")) == 3)
  }

  @Test("takes negative numbers for values, and dashes behind two dashes for operands")
  func dashes() throws {
    #expect(try Invocation(["help", "--", "watch"]).operands == ["watch"])
    #expect(try Invocation(["once", "--source", "fixed:-1,-2"]).sources == ["fixed:-1,-2"])
  }

  @Test("asks for help in three ways, whatever is missing")
  func help() throws {
    #expect(try Invocation(["--help"]).verb.name == "help")
    #expect(try Invocation(["completion", "--help"]).isHelpWanted)
    #expect(try Invocation(["watch", "-h"]).isHelpWanted)
    #expect(try Invocation(["--version"]).verb.name == "version")
  }

  /// What is typed, and the cause that is named.
  static let mistakes: [(words: [String], cause: String)] = [
    ([], "no verb is given"),
    (["wacth"], "there is no verb \"wacth\""),
    (["--json"], "there is no option \"--json\""),
    (["watch", "--jsn"], "watch has no option --jsn"),
    (["watch", "-x"], "watch has no option -x"),
    (["watch", "extra"], "\"extra\" is one word too many"),
    (["watch", "--count"], "--count needs a value: --count N"),
    (["watch", "--count", "--json"], "--count needs a value: --count N"),
    (["watch", "--count", "0"], "--count cannot be \"0\": a whole number from 1"),
    (["watch", "--count", "1.5"], "--count cannot be \"1.5\": a whole number from 1"),
    (["watch", "--count", "1", "--count", "2"], "--count is given twice"),
    (["watch", "--timeout", "-1"], "--timeout cannot be \"-1\": a number from 0.01 to 1000000000"),
    (["watch", "--timeout", "nan"], "--timeout cannot be \"nan\""),
    (["watch", "--json=yes"], "--json takes no value"),
    (["watch", "--accuracy", "5m"], "--accuracy cannot be \"5m\": one of best, 10m, 100m, 1km"),
    (["once", "--source", "gpds://x"], "source \"gpds://x\": \"gpds\" is not a scheme"),
    (["once", "--source", "fixed:91,0"], "the latitude is out of range"),
    (["authorize", "a.b", "sometimes"], "LEVEL cannot be \"sometimes\": one of never, ask"),
    (["authorize", "a.b", "ask", "precise"], "\"precise\" is one word too many"),
    (["completion"], "SHELL is missing"),
    (["completion", "tcsh"], "SHELL cannot be \"tcsh\": one of bash, zsh, fish"),
  ]

  @Test("with a mistake names its cause and the next step", arguments: mistakes.indices)
  func mistake(_ index: Int) throws {
    let (words, cause) = Self.mistakes[index]
    let failure = try #require(throws: Failure.self) { try Invocation(words) }
    #expect(failure.status == 2)
    #expect(failure.message.contains(cause), "\(failure.message)")
    #expect(failure.message.contains("\nTry: locationctl "))
  }

  @Test(
    "with a slip of the keys names the word that was meant",
    arguments: [
      (["wacth"], "Try: locationctl watch --help"), (["stauts"], "Try: locationctl status --help"),
      (["xyzzy"], "Try: locationctl help"), (["watch", "--sorce"], "did you mean --source?"),
      (["watch", "--Jsno"], "did you mean --json?"),
    ])
  func near(_ words: [String], _ meant: String) throws {
    let failure = try #require(throws: Failure.self) { try Invocation(words) }
    #expect(failure.message.contains(meant), "\(failure.message)")
  }

  @Test("with a word that is near no other suggests none, however long it is")
  func far() {
    #expect(NearWord.find(for: "--xyzzy", among: ["--json", "--source"]) == nil)
    #expect(NearWord.find(for: String(repeating: "a", count: 100_000), among: ["watch"]) == nil)
    #expect(NearWord.find(for: "", among: ["watch"]) == nil)
    #expect(NearWord.find(for: "CITY RUM", among: ["City Run", "Apple"]) == "City Run")
  }

  @Test("may take sources from the environment, and from discovery when there are none")
  func sources() throws {
    let plain = try Invocation(["watch"])
    let named = try Invocation(["watch", "--source", "fixed:1,2"])
    let variable = ["CORELOCATION_SOURCES": "fixed:3,4 gpsd://there"]
    #expect(
      try SourceChoice(plain, .init(variable)).sources.map(\.url) == [
        "fixed:3.0,4.0,5.0", "gpsd://there:2947",
      ])
    #expect(try SourceChoice(named, .init(variable)).sources.map(\.url) == ["fixed:1.0,2.0,5.0"])
    #expect(try SourceChoice(plain, .init([:])).sources.map(\.url) == ["gpsd://localhost:2947"])
    #expect(try SourceChoice(plain, .init(["CORELOCATION_SOURCES": ""])).sources.isEmpty)
    let failure = try #require(throws: Failure.self) {
      try SourceChoice(plain, .init(["CORELOCATION_SOURCES": "nonsense"]))
    }
    #expect(failure.status == 2)
    #expect(failure.message.contains("$CORELOCATION_SOURCES: source \"nonsense\""))
  }
}
