import Foundation
import TestSupport
import Testing

@testable import locationctl

@Suite("A simulation in a city of access points")
struct AccessPointFileTests {
  /// A file of its own, with its folder.
  private func file(_ name: String, _ text: String, in folder: URL) throws -> String {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private static let story = """
    scenario street
    place 52.5200,13.4050
    00:00:10 walk to 52.5200,13.4066
    then walk to 52.5200,13.4050
    then walk to 52.5200,13.4066
    then walk to 52.5200,13.4050
    then sky tunnel
    +20s walk to 52.5200,13.4066
    then end

    """
  private static let list =
    "bssid,latitude,longitude,flags\n"
    + (0..<20).map { number in
      "00:50:56:00:\(number + 10):00,52.5201,\(13.4050 + Double(number) * 0.0001),\n"
    }.joined() + "00:50:56:00:99:00,52.5201,13.4055,m\n"

  @Test("SIM-21: finds the way by a list that the scenario names, or that an option names")
  func lists() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try file("city list.csv", Self.list, in: folder)
    let plain = try file("plain.txt", Self.story, in: folder)
    let place = "place 52.5200,13.4050\n"
    let named = try file(
      "named.txt", Self.story.replacing(place, with: place + "accesspoints city list.csv\n"),
      in: folder)
    let list = folder.appending(path: "city list.csv").path
    let without = try Run(["simulate", plain, "--json"])
    let byOption = try Run(["simulate", plain, "--json", "--access-points", list])
    let byName = try Run(["simulate", named, "--json"])
    #expect(without.status == 0 && byOption.status == 0 && byName.status == 0)
    #expect(byOption.error.contains("not used: 1 × a phone or a vehicle"))
    func last(_ run: Run) throws -> String? {
      try run.objects().last { $0["type"] as? String == "update" && $0["latitude"] != nil }?["date"]
        as? String
    }
    #expect(try last(byOption) == last(byName))
    #expect(try last(byOption) ?? "" > last(without) ?? "")
  }

  @Test("SIM-21: says what is wrong with a list, and where there can be none")
  func faults() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let story = try file("story.txt", Self.story, in: folder)
    let gpx = try file("way.gpx", #"<gpx><wpt lat="1" lon="2"/></gpx>"#, in: folder)
    let list = try file("list.csv", Self.list, in: folder)
    let other = try file("other.csv", "name,place\nhome,here\n", in: folder)
    let cases = [
      (story, other, "its first line names no columns"),
      (gpx, list, "a recording was made without"),
      (story, folder.path + "/missing.csv", "cannot be read"),
    ]
    for (way, list, reason) in cases {
      let run = try Run(["simulate", way, "--access-points", list])
      #expect(run.status == 2 && run.error.contains(reason), "\(run.error)")
    }
  }

  @Test("SIM-21: the console says that it has no list")
  func console() {
    let story = Self.story.replacing("place ", with: "accesspoints city.csv\nplace ")
    #expect {
      try ConsoleDay("street.txt", Array(story.utf8))
    } throws: { error in
      "\(error)".contains("city.csv")
    }
  }

  @Test("SIM-18: the console turns a hotspot off only where there is one")
  func hotspot() throws {
    let change = Array(#"[{"time": 1767254460000, "text": "hotspot off"}]"#.utf8)
    var day = try ConsoleDay("street.txt", Array(Self.story.utf8))
    #expect(throws: Failure.self) { try day.setChanges(change) }
    let story = Self.story.replacing("place ", with: "hotspot\nplace ")
    var bus = try ConsoleDay("bus.txt", Array(story.utf8))
    try bus.setChanges(change)
    let exported = try ConsoleExport(bus).scenario
    #expect(exported.contains("00:01:00 hotspot off\n"))
    _ = try ConsoleDay("again.txt", Array(exported.utf8))
  }
}
