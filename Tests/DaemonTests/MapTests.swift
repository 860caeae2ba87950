import Foundation
import TestSupport
import Testing

@Suite("The map of transmitters of a daemon", .serialized)
struct MapTests {
  private static let app = "net.meridian.app"
  private static let list = """
    radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal
    LTE,262,1,5200,27447297,0,11.5,48.1,1200,5,1,1459813819,1746100000,-90
    LTE,262,1,5200,27447298,0,0,0,1200,5,1,1459813819,1746100000,-90

    """
  /// What the radio receives: the cell of the list.
  private static let scan =
    #"{"cellTowers":[{"radioType":"lte","mobileCountryCode":262,"mobileNetworkCode":1,"#
    + #""locationAreaCode":5200,"cellId":27447297,"signalStrength":-90,"serving":1}]}"# + "\n"

  private func write(_ text: String, _ name: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.file(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test(
    "RADIO-11: an app without satellites has a position from a list that the owner has imported")
  func position() async throws {
    let server = try Server()
    let radio = Receiver(sending: { _ in Array(Self.scan.utf8) }) { server.write($0) }
    let daemon = try await DaemonRun(sources: ["scans+tcp://127.0.0.1:\(server.port)"])
    let file = try write(Self.list, "262.csv", in: daemon.folder)
    let imported = try daemon.control("map", "import", file)
    #expect(imported.text == "imported 1 observation\nnot used: 1 × no place on earth\n")
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.1 on main" }
    withExtendedLifetime(radio) {}
  }

  @Test("RADIO-12: status says why what is received leads to no position")
  func silence() async throws {
    let server = try Server()
    let radio = Receiver(sending: { _ in Array(Self.scan.utf8) }) { server.write($0) }
    let daemon = try await DaemonRun(sources: ["scans+tcp://127.0.0.1:\(server.port)"])
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0.hasPrefix("failed") || $0.hasPrefix("error") }
    let status = try daemon.control("status").text
    #expect(status.contains("the map does not know what is received here"), "\(status)")
    withExtendedLifetime(radio) {}
  }

  @Test(
    "RADIO-17: the map outlasts the daemon, is listed among the data, and is forgotten for good")
  func lasting() async throws {
    let folder = try TemporaryFolder()
    let source = "scans+tcp://127.0.0.1:9"
    var daemon = try await DaemonRun(sources: [source], in: folder)
    let file = try write(Self.list, "262.csv", in: folder)
    #expect(try daemon.control("map", "import", file).status == 0)
    daemon.kill()
    daemon = try await DaemonRun(sources: [source], in: folder)
    let map = try daemon.control("map").text
    #expect(map.contains("cell") && map.contains("IMPORTED"), "\(map)")
    #expect(try daemon.control("data", "list").text.contains("radio-map"))
    let export = try daemon.control("map", "export").text
    #expect(export.contains("\"row\":\"placed/cell/"), "\(export)")
    let nothing = "Nothing is known of any transmitter.\n"
    #expect(try daemon.control("map", "forget", "--yes").text.hasPrefix("forgot the map: "))
    #expect(try daemon.control("map").text == nothing)
    #expect(try !daemon.control("data", "list").text.contains("radio-map"))
    let back = try write(export, "map.jsonl", in: folder)
    #expect(try daemon.control("map", "import", back).text.hasPrefix("imported "))
    #expect(try daemon.control("map").text != nothing)
    #expect(try daemon.control("data", "erase", "--all", "--yes").status == 0)
    daemon.kill()
    daemon = try await DaemonRun(sources: [source], in: folder)
    #expect(try daemon.control("map").text == nothing)
    // The new secret does not fit what was exported before.
    let other = try daemon.control("map", "import", back).text
    #expect(other.contains("a row of another computer's map"), "\(other)")
  }

  @Test("RADIO-89: forgets what a list places around a point, for good, also without a radio")
  func around() async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(sources: ["scans+tcp://127.0.0.1:9"], in: folder)
    let list = Self.list.replacingOccurrences(of: "0,0,1200", with: "12.5,48.1,1200")
    let file = try write(list, "262.csv", in: folder)
    #expect(try daemon.control("map", "import", file).text == "imported 2 observations\n")
    let first = try daemon.control("map", "forget", "--near", "48.1,11.5,500")
    #expect(first.text == "forgot 0 places and 1 transmitter\n")
    daemon.kill()
    daemon = try await DaemonRun(in: folder)
    let again = try daemon.control("map", "forget", "--near", "48.1,11.5,500")
    #expect(again.text == "forgot 0 places and 0 transmitters\n")
    let second = try daemon.control("map", "forget", "--near", "48.1,12.5", "--json")
    #expect(second.text.contains(#""transmitters":1"#), "\(second.text)")
    #expect(try daemon.control("map").text == "Nothing is known of any transmitter.\n")
  }

  @Test("RADIO-19: a daemon without a radio refuses an import, and strangers see nothing")
  func refused() async throws {
    let daemon = try await DaemonRun()
    let file = try write(Self.list, "262.csv", in: daemon.folder)
    let refused = try daemon.control("map", "import", file)
    #expect(refused.status == 1)
    #expect(refused.text.contains("none of the daemon's sources receives transmitters"))
    let page = try write("<html>\n", "page.html", in: daemon.folder)
    #expect(try daemon.control("map", "import", page).text.contains("no file of a form"))
    let calls = [
      "GetMap'", "ImportMap', items=[], last=True", "ForgetMap'",
      "ForgetMapNear', latitude=1, longitude=2, radius=3",
    ]
    for call in calls {
      let script = "say('said', ask(connect(), 'org.meridian.administration.\(call)))"
      let program = try BorderScript.run(daemon, script, BorderScript.tool)
      defer { program.end() }
      #expect(try await program.lines.next { $0.hasPrefix("said ") }.contains("NotOwner"))
    }
  }
}
