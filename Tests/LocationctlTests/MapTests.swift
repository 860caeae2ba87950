import Foundation
import LocationModel
import TestSupport
import Testing

@Suite("locationctl map, for apps with an engine of their own")
struct MapTests {
  private let folder: TemporaryFolder
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = ["XDG_STATE_HOME": folder.file("state")]
  }

  private func run(_ words: String..., input: String = "") throws -> Run {
    try Run(["map"] + words, environment: environment, input: input)
  }

  @Test("RADIO-19: imports from standard input, shows, exports, forgets, and imports the export")
  func whole() throws {
    let items = (0..<30).map { number in
      """
      {"timestamp":1746100000000,"position":{"latitude":48.\(1000 + number),"longitude":11.5},\
      "wifiAccessPoints":[{"macAddress":"0011223344\(number + 10)","signalStrength":-60}]}
      """
    }
    let text = items.joined(separator: "\n") + "\n{\"position\":{\"latitude\":0,\"longitude\":0}}\n"
    let imported = try run("import", "-", "--json", input: text)
    #expect(imported.status == 0, "\(imported.error)")
    let report = try #require(try imported.objects().first)
    #expect(report["observations"] as? Int == 30)
    #expect((report["refused"] as? [[String: Any]])?.first?["count"] as? Int == 1)
    let layers = try run("--json").objects()
    #expect(layers.map { $0["kind"] as? String } == ["wifi", "cell", "beacon"])
    #expect(layers[0]["received"] as? Int ?? 0 > 1)
    #expect(layers[0]["bytes"] as? Int ?? 0 > 100)
    let export = try run("export").output
    #expect(!export.contains("0011223344"), "an address is in it")
    let unsure = try run("forget")
    #expect(unsure.status == 2 && unsure.error.contains("forget needs --yes"))
    #expect(try run("--json").objects()[0]["bytes"] as? Int == layers[0]["bytes"] as? Int)
    #expect(try run("forget", "--yes").output.hasPrefix("forgot the map: "))
    #expect(try run().output == "Nothing is known of any transmitter.\n")
    let file = folder.file("map.jsonl")
    try Data(export.utf8).write(to: URL(fileURLWithPath: file))
    #expect(try run("import", file).status == 0)
    #expect(try run("--json").objects()[0]["received"] as? Int == layers[0]["received"] as? Int)
  }

  @Test("RADIO-89: forgets what is around a place, and says how much that was")
  func near() throws {
    let items = (0..<40).map { number in
      """
      {"timestamp":1746100000000,"position":{"latitude":\(number < 20 ? 48 : 49).\(1000 + number),\
      "longitude":11.5},"wifiAccessPoints":[{"macAddress":"0011223344\(number + 10)",\
      "signalStrength":-60}]}
      """
    }
    #expect(try run("import", "-", input: items.joined(separator: "\n")).status == 0)
    func layer() throws -> [String: Any] { try #require(try run("--json").objects().first) }
    let (before, bytes) = (try layer()["received"] as? Int ?? 0, try layer()["bytes"] as? Int ?? 0)
    let first = try #require(try run("forget", "--near", "48.1010,11.5", "--json").objects().first)
    #expect(first["type"] as? String == "forgotten")
    #expect(first["places"] as? Int ?? 0 > 10)
    let transmitters = first["transmitters"] as? Int ?? 0
    #expect(transmitters > 1 && transmitters < before)
    #expect(try layer()["received"] as? Int == before - transmitters)
    #expect(try layer()["bytes"] as? Int ?? 0 < bytes)
    let again = try run("forget", "--near", "48.1010,11.5")
    #expect(again.output == "forgot 0 places and 0 transmitters\n")
    #expect(try run("forget", "--near", "49.1030,11.5,100000").status == 0)
    #expect(try run().output == "Nothing is known of any transmitter.\n")
  }

  @Test("says what is wrong with the words, and with a file that is none")
  func wrong() throws {
    #expect(try run("import").status == 2)
    #expect(try run("export", "x").status == 2)
    #expect(try run("export", "--near", "1,2").error.contains("--near goes with forget only"))
    #expect(try run("forget", "--near", "1,2", "--yes").error.contains("--yes goes with forget"))
    #expect(try run("export", "--yes").status == 2)
    for circle in ["1", "1,2,-5", "91,0", "1,2,0", "a,b"] {
      #expect(try run("forget", "--near", circle).status == 2, "\(circle)")
    }
    #expect(try run("import", "/nonexistent").error.contains("cannot be opened"))
    #expect(try run("import", "-", input: "hello\nworld\n").status == 1)
  }
}
