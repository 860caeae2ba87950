import Foundation
import TestSupport
import Testing

@testable import locationctl

@Suite("A simulation in a city of access points")
struct AccessPointFileTests {
  private func write(_ text: String, to path: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
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
    let folder = try TemporaryFolder()
    let list = try write(Self.list, to: folder.file("city list.csv"))
    let plain = try write(Self.story, to: folder.file("plain.txt"))
    let place = "place 52.5200,13.4050\n"
    let named = try write(
      Self.story.replacing(place, with: place + "accesspoints city list.csv\n"),
      to: folder.file("named.txt"))
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

  @Test("SIM-26: a transcript and the lines for programs name the floor of positions that have one")
  func floors() throws {
    let folder = try TemporaryFolder()
    let survey =
      "place 52.5200,13.4050\naccesspoints list.csv\n"
      + "survey 3 52.5200,13.4050 52.5200,13.4066 altitude 0\n"
    _ = try write(Self.list, to: folder.file("list.csv"))
    let story = try write(
      Self.story.replacing("place 52.5200,13.4050\n", with: survey),
      to: folder.file("story.txt"))
    let run = try Run(["simulate", story, "--transcript"])
    #expect(run.output.contains("updates       positions flow, floor 3\n"), "\(run.output)")
    let objects = try Run(["simulate", story, "--json"]).objects()
    let floors = objects.filter { $0["type"] as? String == "update" }.map { $0["floor"] as? Int }
    #expect(floors.contains(3) && floors.contains(nil), "by radio, and by the receiver")
  }

  @Test(
    "SIM-23: an option has access points change until the end, in place of the scenario's churn")
  func churn() throws {
    let folder = try TemporaryFolder()
    let list = try write(Self.list, to: folder.file("list.csv"))
    let place = "place 52.5200,13.4050\n"
    let bare = try write(Self.story, to: folder.file("bare.txt"))
    func hash(_ arguments: [String]) throws -> String {
      let run = try Run(["simulate"] + arguments + ["--json"])
      try #require(run.status == 0, "\(run.error)")
      return try #require(run.objects().last?["hash"] as? String)
    }
    let still = try hash([bare, "--access-points", list])
    #expect(try hash([bare, "--access-points", list, "--churn", "0"]) == still)
    let changing = try hash([bare, "--access-points", list, "--churn", "90"])
    #expect(changing != still)
    let named = try write(
      Self.story.replacing(place, with: place + "accesspoints list.csv\nchurn 99% in 1h\n"),
      to: folder.file("named.txt"))
    #expect(try hash([named]) != still)
    #expect(try hash([named, "--churn", "90"]) == changing)
    for arguments in [[bare], ["52.5,13.4", "52.6,13.4"], ["City Run"]] {
      let run = try Run(["simulate"] + arguments + ["--churn", "10"])
      #expect(run.status == 2 && run.error.contains("no access points that could change"))
    }
    let all = try Run(["simulate", bare, "--access-points", list, "--churn", "100"])
    #expect(all.status == 2 && all.error.contains("--churn"))
  }

  @Test("SIM-21: says what is wrong with a list, and where there can be none")
  func faults() throws {
    let folder = try TemporaryFolder()
    func file(_ name: String, _ text: String) throws -> String {
      try write(text, to: folder.file(name))
    }
    let story = try file("story.txt", Self.story)
    let gpx = try file("way.gpx", #"<gpx><wpt lat="1" lon="2"/></gpx>"#)
    let list = try file("list.csv", Self.list)
    let other = try file("other.csv", "name,place\nhome,here\n")
    let phones = try file("phones.csv", "mac,lat,lon,flags\n00:50:56:00:99:00,1,2,m\nx,1,2,\n")
    let bare = try file("bare.csv", "mac,lat,lon\n")
    let named = try file("named.txt", "scenario a\naccesspoints list.csv\nplace 1,2\n+1s end\n")
    let endless = try file(
      "endless.txt", "scenario a\naccesspoints /dev/zero\nplace 1,2\n+1s end\n")
    let cases = [
      (story, other, "its first line names no columns"),
      (gpx, list, "a recording was made without"),
      (story, folder.file("missing.csv"), "cannot be read"),
      (story, phones, "used: 1 × no address of an access point, 1 × a phone or a vehicle"),
      (story, bare, "it has no rows"),
      (named, list, "names a list of access points already"),
      (endless, list, "/dev/zero has more than 64 MiB: keep the rows around the way"),
    ]
    for (way, list, reason) in cases {
      let run = try Run(["simulate", way, "--access-points", list])
      #expect(run.status == 2 && run.error.contains(reason), "\(run.error)")
    }
  }

  @Test("SIM-21: a list lies beside its scenario, and is never standard input")
  func besideScenario() {
    #expect(SimulationFile.path(of: "city.csv", in: "days/street.txt") == "days/city.csv")
    #expect(SimulationFile.path(of: "/city.csv", in: "days/street.txt") == "/city.csv")
    #expect(SimulationFile.path(of: "-", in: "street.txt") == "./-")
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
    let test = ConsoleExport(bus).test()
    #expect(test.contains("device.turnHotspots(on: false)\n"))
  }

  @Test("CONSOLE-10: the test that is exported says which transmitters and sensors it lacks")
  func leftOut() throws {
    let headings = "hotspot\ncell 52.52,13.40\ncell 52.53,13.40\nbarometer\nplace "
    let day = try ConsoleDay(
      "bus.txt", Array(Self.story.replacing("place ", with: headings).utf8))
    let comments = ConsoleExport(day).test().split(separator: "\n")
      .filter { $0.contains("// Not in this test: ") }.map { $0.drop { $0 == " " } }
    #expect(
      comments == ["1 hotspot", "2 cells", "1 barometer"].map { "// Not in this test: \($0)" })
  }
}
