import Foundation
import TestSupport
import Testing

/// Programs of Debian's as they are, on a private bus: what each prints.
@Suite(
  "Programs that ask GeoClue", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(2)))
struct GeoClueClientTests {
  private static let demoPath = "/usr/libexec/geoclue-2.0/demos/where-am-i"
  private static let redshiftPath = "/usr/bin/redshift"
  private let machine: MockMachine

  init() throws {
    machine = try MockMachine()
  }

  private static func isThere(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
  }

  @Test(
    "GEOCLUE-8: where-am-i prints the position",
    .enabled(if: isThere(demoPath), "needs geoclue-2-demo"))
  func demo() async throws {
    let daemon = try await GeoClueDaemon(machine.address, decided: [Self.demoPath: "whenInUse"])
    let program = try daemon.start(Self.demoPath, "-t", "30", "-a", "8")
    _ = try await program.lines.next { $0 == "New location:" }
    #expect(try await program.lines.next { $0.hasPrefix("Latitude:") } == "Latitude:    48.500000°")
    #expect(try await program.lines.next { $0.hasPrefix("Accuracy:") }.contains("5.000000 meters"))
  }

  @Test(
    "GEOCLUE-6: where-am-i prints why it is refused",
    .enabled(if: isThere(demoPath), "needs geoclue-2-demo"))
  func refused() async throws {
    let daemon = try await GeoClueDaemon(machine.address, decided: [Self.demoPath: "denied"])
    let program = try daemon.start(Self.demoPath, "-t", "30")
    _ = try await program.lines.next { $0.contains("this program may not know the location") }
  }

  @Test(
    "GEOCLUE-7: redshift prints a place near the position",
    .enabled(if: isThere(redshiftPath), "needs redshift"))
  func redshift() async throws {
    let daemon = try await GeoClueDaemon(machine.address, decided: [Self.redshiftPath: "whenInUse"])
    let program = try daemon.start(Self.redshiftPath, "-l", "geoclue2", "-p")
    let line = try await program.lines.next { $0.hasPrefix("Location: ") }
    let numbers = line.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }
    try #require(numbers.count == 2, "\(line)")
    #expect(abs(numbers[0] - 48.5) < 0.3, "\(line)")
    #expect(abs(numbers[1] - 11.5) < 0.3, "\(line)")
  }

  private static let libraryImport =
    "import gi; gi.require_version('Geoclue', '2.0'); from gi.repository import Geoclue"

  @Test(
    "GEOCLUE-8: libgeoclue's simple client has the position",
    .enabled(if: SystemPython.can(libraryImport), "needs gir1.2-geoclue-2.0 and python3-gi"))
  func library() async throws {
    let daemon = try await GeoClueDaemon(
      machine.address, decided: [SystemPython.path: "whenInUse"])
    let script = """
      \(Self.libraryImport)
      simple = Geoclue.Simple.new_sync("maps", Geoclue.AccuracyLevel.EXACT, None)
      location = simple.get_location()
      print("found", location.get_property("latitude"), location.get_property("accuracy"))
      """
    let program = try daemon.start(SystemPython.path, "-c", script)
    #expect(try await program.lines.next { $0.hasPrefix("found") } == "found 48.5 5.0")
  }
}
