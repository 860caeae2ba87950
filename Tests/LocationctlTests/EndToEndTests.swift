import Foundation
import Glibc
import LocationHost
import LocationModel
import TestSupport
import Testing

@testable import locationctl

/// Runs of the built executable, each in a state folder of its own.
@Suite("locationctl")
struct EndToEndTests {
  private static let log = SharedData.packageRoot.appending(
    path: "Examples/Recordings/tomtom-mkII.log")

  @Test("once prints one location of a fixed source, and says 0")
  func once() throws {
    let run = try Run(["once", "--source", "fixed:51.5,-0.25,7", "--json"])
    #expect(run.status == 0, "\(run.error)")
    let object = try #require(try run.objects().first)
    #expect(object["type"] as? String == "update")
    #expect(object["latitude"] as? Double == 51.5)
    #expect(object["longitude"] as? Double == -0.25)
    #expect(object["horizontal_accuracy"] as? Double == 7)
    #expect(object["simulated"] as? Bool == true)
    #expect(object["altitude"] == nil, "what is unknown is left out")
    let date = try #require(object["date"] as? String)
    #expect(date.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
  }

  @Test("once through a manager is as good", arguments: ["best", "10m", "3km"])
  func onceThroughManager(_ level: String) throws {
    let run = try Run(["once", "--source", "fixed:1,2", "--accuracy", level])
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.contains("1.000000     2.000000     5.0 m"))
  }

  @Test("watch plays a recording to its end, in a table without colors for a file")
  func watchLog() throws {
    let run = try Run(["watch", "--source", "log://\(Self.log.path)?rate=100"])
    #expect(run.status == 0, "\(run.error)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == Report.heading[...])
    #expect(lines.filter { $0.contains("51.43") }.count >= 4)
    #expect(lines.dropFirst().allSatisfy { $0.contains(" 17:57:") && $0.hasSuffix("simulated") })
    #expect(!run.output.contains("\u{1b}"))
    #expect(run.error.isEmpty)
  }

  @Test("watch stops after --count, and says 1 when a recording has fewer")
  func watchCount() throws {
    let source = "log://\(Self.log.path)?rate=100"
    let two = try Run(["watch", "--source", source, "--count", "2", "--json"])
    #expect(two.status == 0)
    #expect(try two.objects().count == 2)
    let many = try Run(["watch", "--source", source, "--count", "1000", "--json"])
    #expect(many.status == 1)
    #expect(many.error.contains("of 1000 locations came"))
  }

  @Test("record says 1 when nothing can be recorded, and leaves the file alone")
  func recordForeign() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt")
    try Data("a letter".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let run = try Run(["record", file.path, "--plain", "--source", "fixed:3,4", "--timeout", "60"])
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("it holds something else"))
    #expect(run.error.contains("Next: record into another file"))
    #expect(try Data(contentsOf: file) == Data("a letter".utf8))
  }

  @Test("CONSOLE-9: a recording is a day of the fixes that its engine used")
  func recordedDay() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("drive.rec")
    let run = try Run(
      ["record", file, "--plain", "--source", "log://\(Self.log.path)?rate=100"])
    #expect(run.status == 0, "\(run.error)")
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: file)))
    let day = try ConsoleDay("drive.rec", bytes)
    #expect(day.title == "drive.rec")
    #expect(day.track.count >= 3)
    #expect(day.track.allSatisfy { (51.43..<51.44).contains($0.coordinate.latitude) })
    #expect(throws: Failure.self) { try ConsoleDay("cut.rec", Array(bytes.prefix(60))) }
    #expect(throws: Failure.self) { try ConsoleDay("none.rec", Array(bytes.prefix(22))) }
  }

  @Test("watch takes sources from the environment")
  func watchEnvironment() throws {
    let run = try Run(
      ["watch", "--count", "1", "--json"], environment: ["CORELOCATION_SOURCES": "fixed:3,4"])
    #expect(try run.objects().first?["latitude"] as? Double == 3)
  }

  @Test("watch with a distance filter tells less")
  func watchFilter() throws {
    let source = "log://\(Self.log.path)?rate=100"
    let all = try Run(["watch", "--source", source, "--json"]).objects()
    let some = try Run(["watch", "--source", source, "--json", "--distance-filter", "5"]).objects()
    let counts = [all, some].map { $0.filter { $0["latitude"] != nil }.count }
    #expect(counts[0] > counts[1] && counts[1] > 0, "\(counts)")
  }

  @Test("watch and record say why there is none, and end with 1 where there never can be one")
  func neverAny() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.rec")
    let began = ContinuousClock.now
    let source = ["--source", "gpx:///no/such.gpx", "--timeout", "60"]
    let watch = try Run(["watch", "--json"] + source)
    #expect(watch.status == 1)
    let object = try #require(try watch.objects().first)
    #expect((object["reason"] as? String)?.contains("No such file or directory") == true)
    #expect(object["date"] is String)
    #expect(watch.error.contains("open /no/such.gpx: No such file or directory"))
    let record = try Run(["record", file, "--plain"] + source)
    #expect(record.status == 1)
    #expect(record.output.contains("inputs, 0 locations"))
    #expect(record.error.contains("open /no/such.gpx: No such file or directory"))
    #expect(ContinuousClock.now - began < .seconds(60), "neither waits for its time to be over")
  }

  @Test("watch prints the reason of its sources once, while it goes on waiting")
  func waits() throws {
    let port = try unusedPort()
    let run = try Run(["watch", "--source", "gpsd://127.0.0.1:\(port)", "--timeout", "3"])
    #expect(run.status == 1)
    let lines = run.output.split(separator: "\n").dropFirst()
    #expect(lines.count == 1, "\(run.output)")
    #expect(
      lines.first?.hasPrefix(
        "no position: gpsd://127.0.0.1:\(port): gpsd does not answer on port \(port)") == true)
  }

  @Test("record ends with its summary when it is interrupted")
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let gpsd = try FakeGpsd(answer: [])
    let program = try RunningProgram(
      Run.locationctl.path,
      [
        "record", folder.file("a.rec"), "--plain", "--source", "gpsd://127.0.0.1:\(gpsd.port)",
        "--timeout", "60",
      ])
    defer { program.end() }
    for await _ in gpsd.asked { break }
    program.signal(SIGINT)
    let line = try await program.lines.next(seconds: 30) { $0.contains(" locations") }
    #expect(line.hasSuffix("inputs, 0 locations"), "\(line)")
  }

  @Test("a log without one sentence is refused before it is played")
  func foreignLog() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("shell.log")
    try Data(String(repeating: "$ ls -l, and no sentence\n", count: 4000).utf8)
      .write(to: URL(filePath: file))
    let run = try Run(["once", "--source", "log://\(file)"])
    #expect(run.status == 1)
    #expect(run.error.contains("there is no NMEA sentence and no report of gpsd in it"))
  }

  @Test("ends at once with 1 and the reason when no source can give a position")
  func refused() throws {
    let run = try Run(["once", "--source", "gpx:///no/such.gpx"])
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("open /no/such.gpx: No such file or directory"))
    #expect(run.error.contains("Next: locationctl doctor --source 'gpx:///no/such.gpx'"))
  }

  @Test("says 2 and the next step when it is used wrongly")
  func wrong() throws {
    let run = try Run(["watch", "--accurcy", "best"])
    #expect(run.status == 2)
    #expect(
      run.error
        == "locationctl: watch has no option --accurcy; did you mean --accuracy?\n"
        + "Try: locationctl watch --help\n")
    let source = try Run(["once"], environment: ["CORELOCATION_SOURCES": "nonsense"])
    #expect(source.status == 2)
    let empty = try Run(["once"], environment: ["CORELOCATION_SOURCES": ""])
    #expect(empty.status == 1)
    #expect(empty.error.contains("$CORELOCATION_SOURCES names no source"))
  }

  @Test("prints its version and help")
  func version() throws {
    #expect(try Run(["--version"]).output == "locationctl \(Verb.versionNumber)\n")
    #expect(try Run(["help", "watch"]).output == HelpText.text(of: .watch) + "\n")
    #expect(try Run(["help", "nothing"]).status == 2)
  }
}

@Suite("locationctl authorize")
struct AuthorizeTests {
  private let home: URL
  private var environment: [String: String] { ["XDG_STATE_HOME": home.path] }

  init() throws {
    home = FileManager.default.temporaryDirectory.appending(path: "locationctl-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
  }

  private func authorize(_ words: String...) throws -> Run {
    try Run(["authorize"] + words, environment: environment)
  }

  @Test("stores the answer, says what changed, and lists it")
  func levels() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    let app = "org.example.App"
    #expect(try authorize("--list").output == "No app has asked or been authorized yet.\n")
    #expect(try authorize(app, "whenInUse").output == "\(app): whenInUse (was: ask)\n")
    #expect(try authorize(app, "whenInUse").output == "\(app): whenInUse, as before\n")
    #expect(
      try authorize(app, "always", "--precise", "no").output
        == "\(app): always, approximate place only (was: whenInUse)\n")
    let listed = try #require(try authorize("--list", "--json").objects().first)
    #expect(listed["app"] as? String == app)
    #expect(listed["level"] as? String == "always")
    #expect(listed["precise"] as? Bool == false)
    #expect(try authorize(app, "never").output.hasPrefix("\(app): never"))
    #expect(try authorize(app, "reset").output.hasPrefix("\(app): ask (was: never"))
  }

  @Test("says that nobody knows an app, once, and refuses a name that no app can have")
  func unknown() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    let first = try authorize("nodots", "always")
    #expect(first.status == 0 && first.output == "nodots: always (was: ask)\n")
    #expect(first.error.contains("no app “nodots” is registered or has asked yet"))
    #expect(first.error.contains("Next: if that is not its name: locationctl apps"))
    #expect(try authorize("nodots", "never").error.isEmpty)
    let own = try authorize("nodots@\(geteuid())", "always")
    #expect(own.status == 1 && own.error.contains("your own apps have no @"))
    #expect(own.error.contains("Next: locationctl authorize nodots\n"))
    #expect(try authorize("nodots@\(geteuid())", "reset").status == 0)
  }

  @Test("keeps the state to the person, and rings the bell")
  func privacy() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    #expect(try authorize("org.example.App", "always").status == 0)
    let folder = home.appending(path: "meridian")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "changed").path))
  }

  @Test("knows an app by the identifier its property list declares, else by its path")
  func paths() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    let app = home.appending(path: "tool")
    try Data().write(to: app)
    #expect(try authorize(app.path, "ask").output.contains("\(app.path): ask"))
    let list = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>org.example.Tool</string>
      </dict></plist>
      """
    try Data(list.utf8).write(to: app.appendingPathExtension("plist"))
    #expect(try authorize(app.path, "always").output == "org.example.Tool: always (was: ask)\n")
    let missing = try authorize(home.appending(path: "nothing").path, "always")
    #expect(missing.status == 1)
    #expect(missing.error.contains("there is no file"))
  }

  @Test("takes no half of a decision")
  func wrong() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    #expect(try authorize().status == 2)
    #expect(
      try authorize("org.example.App").error.contains("LEVEL, --precise, or --beacon is missing"))
    #expect(try authorize("--list", "org.example.App").status == 2)
    #expect(try authorize("org.example.App", "--precise", "no").status == 0)
    let nowhere = try Run(["authorize", "--list"])
    #expect(nowhere.status == 1)
    #expect(nowhere.error.contains("XDG_STATE_HOME"))
  }
}
