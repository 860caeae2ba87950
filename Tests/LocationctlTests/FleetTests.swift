import Foundation
import TestSupport
import Testing

@Suite("locationctl fleet")
struct FleetTests {
  private static let fences = """
    {"type":"FeatureCollection","features":[{"type":"Feature","id":"depot","geometry":
    {"type":"Point","coordinates":[6.63,46.52]},"properties":{"radius":150}}]}
    """

  /// A file that goes with the test.
  private final class Fences {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "fences-\(UUID().uuidString).geojson").path

    init(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func line(_ device: String, _ second: Int, _ longitude: Double) -> String {
    let (minute, rest) = (second / 60, second % 60)
    let clock = String(format: "08:%02d:%02d", minute, rest)
    return """
      {"device":"\(device)","date":"2026-01-05T\(clock)Z","latitude":46.52,\
      "longitude":\(longitude),"horizontal_accuracy":8}
      """
  }

  /// A drive into the fence, stops there.
  private func drive(_ device: String) -> [String] {
    (0..<40).map { line(device, 10 * $0, 6.62 + 0.0005 * Double(min($0, 20))) }
  }

  @Test("FLEET-3: the order of the devices' lines changes nothing, and the events come by device")
  func interleaved() throws {
    let file = try Fences(Self.fences)
    let (a, b) = (drive("b"), drive("a"))
    let words = ["fleet", "replay", "--fences", file.path]
    let mixed = zip(a, b).flatMap { [$0, $1] }
    let first = try Run(words, input: mixed.joined(separator: "\n"))
    let second = try Run(words + ["--grouped"], input: (b + a).joined(separator: "\n"))
    #expect(first.status == 0)
    #expect(first.output == second.output)
    let events = try first.objects().filter { $0["fence"] != nil }
    #expect(events.map { $0["device"] as? String } == ["a", "b"])
    #expect(events.allSatisfy { $0["type"] as? String == "entered" && $0["evidence"] != nil })
    #expect(first.error.contains("80 lines, 2 devices, 80 fixes"))
  }

  @Test("FLEET-4: each line that is not used is counted by its reason, with its number")
  func rejected() throws {
    let lines = [
      "nonsense", line("a", 10, 6.62), line("a", 10, 6.62), line("a", 5, 6.62),
      line("a", 20, .nan), line("a", 20, 6.62).replacing("2026", with: "2099"),
      line("a", 20, 6.62).replacing("{", with: "{\"device\":\"b\","),
      String(repeating: "x", count: 70_000) + line("a", 30, 6.62), line("a", 30, 400),
    ]
    let file = try Fences(lines.joined(separator: "\n"))
    let run = try Run(
      program: "/bin/sh", ["-c", "exec '\(Run.locationctl.path)' fleet replay < '\(file.path)'"])
    #expect(run.status == 0)
    for (number, reason) in [
      (1, "malformed"), (3, "duplicate"), (4, "late"), (5, "coordinate"), (6, "future"),
      (7, "device"), (8, "tooLong"), (9, "coordinate"),
    ] { #expect(run.error.contains("line \(number): \(reason)")) }
    #expect(run.error.contains("coordinate 2, device 1, duplicate 1, future 1, late 1"))
  }

  @Test("FLEET-135: replay of nothing that can be used ends with 1, and says why of each line")
  func unusable() throws {
    let run = try Run(["fleet", "replay"], input: "\u{1f}\u{8b}\nnonsense\n")
    #expect(run.status == 1)
    #expect(run.error.contains("line 1: malformed: no JSON object"))
    #expect(run.error.contains("rejected: malformed 2\nNext: "))
    // A fix of the future was read, and not used either.
    let future = line("a", 20, 6.62).replacing("2026", with: "2099")
    #expect(try Run(["fleet", "replay"], input: future).status == 1)
    #expect(try Run(["fleet", "replay"], input: "").status == 0)
    #expect(try Run(["fleet", "replay"], input: line("a", 20, 6.62)).status == 0)
  }

  @Test(
    "FLEET-140: options of the other action are refused",
    arguments: ["replay --port 5", "status --grouped", "status --fences x"])
  func foreignOptions(words: String) throws {
    let run = try Run(["fleet"] + words.split(separator: " ").map(String.init))
    #expect(run.status == 2 && run.error.contains(" belongs to fleet "), "\(run.error)")
  }

  @Test("FLEET-140: a folder in place of fences is named, and a fault of fences with its page")
  func faultyFences() throws {
    let folder = try Run(["fleet", "replay", "--fences", "/etc"])
    #expect(folder.status == 2 && folder.error.contains("/etc: Is a directory"))
    let file = try Fences(Self.fences.replacing("\"radius\":150", with: ""))
    let run = try Run(["fleet", "replay", "--fences", file.path])
    #expect(run.status == 2 && run.error.contains("no \"radius\""))
    #expect(run.error.contains("Try: man locationfleet"))
  }

  @Test("FLEET-121: replay corrects dates of a clock that is ahead, where fixes say when they came")
  func clockAhead() throws {
    let file = try Fences(Self.fences)
    let words = ["fleet", "replay", "--fences", file.path, "--no-visits", "--no-moves"]
    func lines(_ received: Bool) -> String {
      drive("a").map { line in
        guard received, let hour = line.firstRange(of: "T08:") else { return line }
        // An hour before its date.
        let rest = line[hour.upperBound...].prefix { $0 != "Z" }
        return line.replacing("{", with: #"{"received":"2026-01-05T07:\#(rest)Z","#)
      }.joined(separator: "\n")
    }
    func evidence(_ run: Run) throws -> [Int?] {
      try run.objects().map { ($0["evidence"] as? [String: Any])?["clock_ahead"] as? Int }
    }
    let corrected = try Run(words, input: lines(true))
    #expect(try evidence(corrected) == [3600])
    #expect(corrected.output.contains(#""date":"2026-01-05T07:"#))
    #expect(corrected.error.contains("40 fixes (38 corrected), 1 events; rejected: future 2"))
    for run in [
      try Run(words + ["--clock-ahead", "3600"], input: lines(true)),
      try Run(words, input: lines(false)),
    ] {
      #expect(try evidence(run) == [nil])
      #expect(run.output.contains(#""date":"2026-01-05T08:"#))
      #expect(run.error.contains("40 fixes, 1 events; rejected: none"))
    }
  }

  @Test(
    "FLEET-10: a fence file that cannot be followed is refused with its feature",
    arguments: [
      ("\"Point\"", "\"LineString\"", "feature 1: the geometry is a LineString"),
      ("\"Point\"", "\"Polygon\"", "feature 1: the coordinates are not those of a Polygon"),
      ("150", "-1", "feature 1: no circle on earth"), ("\"depot\"", "7", "feature 1: no \"id\""),
      ("[6.63,46.52]", "[6.63,146.52]", "feature 1: no circle on earth"),
      ("FeatureCollection", "Feature", "this is no FeatureCollection"),
      ("}]}", "}", "this is no JSON"),
    ])
  func badFences(old: String, new: String, message: String) throws {
    let file = try Fences(Self.fences.replacing(old, with: new))
    let run = try Run(["fleet", "replay", "--fences", file.path])
    #expect(run.status == 2)
    #expect(run.error.contains(message))
  }

  private static func polygon(_ coordinates: String, _ type: String = "Polygon") -> String {
    """
    {"type":"FeatureCollection","features":[{"type":"Feature","id":"depot","geometry":{"type":\
    "\(type)","coordinates":\(coordinates)},"properties":{"dwell":60}}]}
    """
  }

  @Test("FLEET-25: a Polygon and a MultiPolygon are judged as a circle is, with a dwell")
  func polygons() throws {
    let east = "[[6.628,46.518],[6.632,46.518],[6.632,46.522],[6.628,46.522],[6.628,46.518]]"
    let hole = "[[6.6285,46.519],[6.6315,46.519],[6.6315,46.521],[6.6285,46.521],[6.6285,46.519]]"
    let west = "[[6.618,46.519],[6.622,46.519],[6.622,46.521],[6.618,46.521],[6.618,46.519]]"
    let cases = [
      (Self.polygon("[\(east)]"), ["entered", "dwelled"]),
      (Self.polygon("[\(east),\(hole)]"), []),
      (
        Self.polygon("[[\(east)],[\(west)]]", "MultiPolygon"),
        ["found", "dwelled", "exited", "entered", "dwelled"]
      ),
    ]
    // Parked, on the way, parked.
    let lines = (0..<150).map {
      line("a", 5 * $0, 6.62 + 0.0002 * Double(min(max($0 - 30, 0), 50)))
    }
    for (text, expected) in cases {
      let file = try Fences(text)
      let run = try Run(
        ["fleet", "replay", "--fences", file.path, "--no-visits", "--no-moves"],
        input: lines.joined(separator: "\n"))
      #expect(run.status == 0)
      let events = try run.objects()
      #expect(events.compactMap { $0["type"] as? String } == expected)
    }
  }

  @Test(
    "FLEET-26: a file with a polygon that bounds no area is refused with its feature and reason",
    arguments: [
      ("[[[6,46],[7,46],[7,46],[6,46]]]", "ring 1 has fewer than 3 corners"),
      ("[[[6,46],[7,46],[7,47],[6,47]]]", "ring 1 does not end where it begins"),
      ("[[[6,46],[7,47],[7,46],[6,47],[6,46]]]", "ring 1 meets itself"),
      ("[[[6,46],[7,NaN],[7,47],[6,46]]]", "the coordinates are not those of a Polygon"),
      ("[[[6,46],[7,46],[7,147],[6,46]]]", "ring 1 has a position that is none on earth"),
      ("[[6,46],[7,46],[7,47],[6,46]]", "the coordinates are not those of a Polygon"),
      ("[[[6,46],[7,46],[[7,47]],[6,46]]]", "the coordinates are not those of a Polygon"),
      ("[[]]", "the coordinates are not those of a Polygon"), ("7", "the coordinates are not"),
    ])
  func badPolygons(coordinates: String, message: String) throws {
    let file = try Fences(Self.polygon(coordinates))
    let run = try Run(["fleet", "replay", "--fences", file.path])
    #expect(run.status == 2)
    #expect(run.error.contains("feature 1: \(message)"))
  }

  @Test("FLEET-26: a polygon of a million positions is refused, and one with a radius")
  func largePolygon() throws {
    let positions = Array(repeating: "[6.1,46.2]", count: 1_000_000).joined(separator: ",")
    let large = try Fences(Self.polygon("[[\(positions)]]"))
    let run = try Run(["fleet", "replay", "--fences", large.path])
    #expect(run.status == 2)
    #expect(run.error.contains("feature 1: there are more than 10000 positions"))
    let square = "[[[6,46],[7,46],[7,47],[6,46]]]"
    let round = try Fences(Self.polygon(square).replacing("\"dwell\"", with: "\"radius\""))
    let refused = try Run(["fleet", "replay", "--fences", round.path])
    #expect(refused.status == 2)
    #expect(refused.error.contains("feature 1: a Polygon has no \"radius\""))
  }
}
