import Foundation
import TestSupport
import Testing

/// When the daemon says that it is ready, where the bus is not; with a bus, see `GeoClueTests`.
@Suite("The readiness of a daemon")
struct ReadinessTests {
  /// A daemon that is to have a name on a bus, ready, and its first line about that name or its readiness.
  private func start(bus path: String) async throws -> (daemon: DaemonRun, line: String) {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let daemon = try await DaemonRun(
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)"],
      configuration: ["geoclue = yes", "owner-program = \(own)"])
    let line = try await daemon.program.lines.next {
      $0.contains("org.freedesktop.GeoClue2") || $0.contains("serving; its state")
    }
    return (daemon, line)
  }

  @Test("GEOCLUE-17: is said without a bus, after the reason")
  func noBus() async throws {
    let folder = try TemporaryFolder()
    let (daemon, line) = try await start(bus: folder.file("none"))
    #expect(line.contains("the system bus: No such file"), "\(line)")
    _ = try await daemon.program.lines.next { $0.contains("serving; its state") }
  }

  @Test("GEOCLUE-17: does not wait for a bus that is silent, and the log says so")
  func silentBus() async throws {
    let folder = try TemporaryFolder()
    let bus = try Server(at: folder.file("bus"))
    let (daemon, line) = try await start(bus: folder.file("bus"))
    #expect(line.hasSuffix("yet: the bus has not answered within 10 s, and is not waited for"))
    _ = try await daemon.program.lines.next { $0.contains("serving; its state") }
    #expect(bus.connections > 0)
    // That it has not answered, or that its time for an answer is over.
    #expect(try daemon.control("status").text.contains("not served: the bus "))
  }
}
