import Foundation
import TestSupport
import Testing

/// The stories of the scenarios lie beside them, so that a change of behavior is a diff.
@Suite("The transcripts of Examples/Scenarios")
struct TranscriptTests {
  private static let folder = SharedData.packageRoot.appending(path: "Examples/Scenarios")
  /// Rewrites the transcripts in place of comparing them.
  private static let updates = ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1"

  private static let scenarioFiles: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".txt") }.sorted()
  }()
  private static let builtInNames = ["City Run", "City Bicycle Ride", "Freeway Drive", "Apple"]

  @Test("are those of the scenarios there", arguments: scenarioFiles)
  func scenario(file: String) throws {
    let path = Self.folder.appending(path: file).path
    try compare(path, with: String(file.dropLast(".txt".count)))
  }

  @Test("are those of the built-in scenarios", arguments: builtInNames)
  func builtIn(name: String) throws {
    try compare(name, with: name.lowercased().replacing(" ", with: "-"))
  }

  @Test("are there for all built-in scenarios, and for no scenario that is gone")
  func complete() throws {
    let listed = try Run(["simulate", "--list"]).output.split(separator: "\n").map(String.init)
    #expect(listed == Self.builtInNames)
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let stories = names.filter { $0.hasSuffix(".transcript") }
    #expect(Self.updates || stories.count == Self.scenarioFiles.count + Self.builtInNames.count)
  }

  @Test("SIM-8: are of waypoints from standard input, too, with an update each interval")
  func waypoints() throws {
    let run = try Run(
      ["simulate", "-", "--interval", "2", "--speed", "10", "--json"],
      input: "52.5,13.4\n52.501,13.4\n")
    try #require(run.status == 0, "\(run.error)")
    let updates = try run.objects().filter {
      $0["type"] as? String == "update" && $0["latitude"] != nil
    }
    let dates = updates.compactMap { $0["date"] as? String }
    #expect(Array(dates.prefix(3)) == [1, 3, 5].map { "2026-01-01T08:00:0\($0).000Z" })
    let places = updates.compactMap { $0["latitude"] as? Double }
    // 111 m at 10 m/s.
    #expect(places.count { $0 < 52.501 - 1e-6 } == 6 && places.last == 52.501)
    let refused = try Run(["simulate", "-"], input: "52.5,13.4\nhere\n")
    #expect(refused.status == 2 && refused.error.contains("\"here\" is no waypoint"))
  }

  @Test("are not of JSON, which has every delivery with its date, and the same bytes each time")
  func bytes() throws {
    let words = ["simulate", "52.5,13.4", "52.501,13.4", "--json"]
    let run = try Run(words)
    #expect(try Run(words).output == run.output)
    let objects = try run.objects()
    #expect(objects.dropLast().allSatisfy { $0["date"] != nil || $0["delivered"] != nil })
    #expect(objects.last?["type"] as? String == "summary" && objects.last?["wall_seconds"] == nil)
    #expect(try Run(words + ["--transcript"]).status == 2)
  }

  @Test("are found by their names in any case, and a slip of the keys is answered with the names")
  func names() throws {
    let listed = try Run(["simulate", "--list", "--json"]).objects()
    #expect(listed.map { $0["name"] as? String } == Self.builtInNames)
    #expect(try Run(["location", "list", "--json"]).objects().count == Self.builtInNames.count)
    #expect(try Run(["simulate", "apple"]).status == 0)
    for verb in [["simulate"], ["location", "run"]] {
      let run = try Run(verb + ["City Rum"])
      #expect(run.status == 2 && run.error.contains("neither a file nor one of City Run, "))
      #expect(run.error.contains("did you mean \"City Run\"?\nTry: locationctl simulate --list"))
    }
  }

  private func compare(_ way: String, with name: String) throws {
    let run = try Run(["simulate", way, "--transcript"])
    try #require(run.status == 0, "\(run.error)")
    // The one thing in it that is not virtual.
    let story = run.output.replacing(/simulated in [0-9.e-]+ s:/, with: "simulated:")
    let file = Self.folder.appending(path: name + ".transcript")
    if Self.updates { return try Data(story.utf8).write(to: file) }
    let kept = try String(contentsOf: file, encoding: .utf8)
    let pairs = zip(lines(kept), lines(story)).enumerated()
    let first = pairs.first { $0.element.0 != $0.element.1 }.map {
      "line \($0.offset + 1) was \"\($0.element.0)\" and is \"\($0.element.1)\"; "
    }
    #expect(
      kept == story,
      """
      \(file.lastPathComponent): \(first ?? "one is longer; ")\
      if that is meant: UPDATE_TRANSCRIPTS=1 swift test --filter TranscriptTests
      """)
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
