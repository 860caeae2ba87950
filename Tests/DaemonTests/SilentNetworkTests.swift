import Foundation
import TestSupport
import Testing

/// What the daemon, an app of it, and `locationctl` send, in a network of their own (`Network/machine.py`).
@Suite(
  "A machine without a server", .serialized,
  .enabled(
    if: getuid() == 0 && ["unshare", "python3", "openssl", "ip"].allSatisfy(isInstalled),
    "only root makes a network"))
struct SilentNetworkTests {
  /// What left the network, and what was printed.
  private struct Outcome {
    var log: [String] = []

    /// To whom frames went.
    var places: [String] {
      values("sent").compactMap { $0.split(separator: " ", maxSplits: 1).last.map(String.init) }
    }
    /// The requests that a location service received.
    var asked: [String] { values("asked") }
    var app: String? { values("app").first }

    private func values(_ word: String) -> [String] {
      log.filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
    }
  }

  /// All that receives or finds without a server; the radio stands for an adapter, which no test has.
  private static let radios = [
    "wifi:", "modem:", "iio:", "zone:", "geoip:/none.mmdb", "scans+tcp://127.0.0.1:7001",
  ]

  private func run(
    _ sources: [String], hearing heard: String = "known", bus: String? = nil
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let binaries = URL(fileURLWithPath: BuiltProgram.path("locationd")).deletingLastPathComponent()
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Network/machine.py")
    let program = try RunningProgram(
      "/usr/bin/unshare",
      ["--net", "--mount", "/usr/bin/python3", script.path, folder.path, binaries.path, heard]
        + sources,
      environment: bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:])
    defer { program.end() }
    var outcome = Outcome()
    while outcome.log.last != "done", outcome.log.last?.hasPrefix("no network") != true {
      outcome.log.append(try await program.lines.next(seconds: 60) { _ in true })
    }
    try #require(outcome.log.last == "done", "\(outcome.log)")
    return outcome
  }

  @Test("NET-4: nothing leaves a machine while no server and no source elsewhere is named")
  func silence() async throws {
    let quiet = try await run([])
    #expect(quiet.places == [], "\(quiet.log)")
    #expect(quiet.log.contains("authorize 0") && quiet.log.contains("reverse 0"), "\(quiet.log)")
    // What would leave is seen.
    let other = try await run(["nmea+tcp://192.0.2.1:10110"])
    #expect(other.places == ["tcp 192.0.2.1:10110"], "\(other.log)")
  }

  @Test("NET-4, RADIO-42: nothing leaves it while all radios are read, and a map finds its place")
  func radios() async throws {
    let machine = MockMachine.isThere ? try MockMachine() : nil
    try machine?.perform("modems start")
    try machine?.perform("modem 0 Capabilities=1")
    let found = try await run(Self.radios, bus: machine?.address)
    #expect(found.app?.hasPrefix("48.1") == true && found.log.contains("map 0"), "\(found.log)")
    #expect(found.places == [] && found.asked == [], "\(found.log)")
    let lost = try await run(Self.radios, hearing: "strange", bus: machine?.address)
    #expect(lost.app == "none", "\(lost.log)")
    #expect(lost.places == [] && lost.asked == [], "\(lost.log)")
  }

  @Test(
    "RADIO-42: what the map does not place is sent to the service that is named, and nowhere else")
  func service() async throws {
    let server = ["ichnaea:https://192.0.2.1"]
    let known = try await run(Self.radios + server)
    #expect(known.app?.hasPrefix("48.1") == true, "\(known.log)")
    #expect(known.places == [] && known.asked == [], "\(known.log)")
    let strange = try await run(Self.radios + server, hearing: "strange")
    #expect(strange.app == "48.2", "\(strange.log)")
    #expect(strange.places == ["tcp 192.0.2.1:443"], "\(strange.log)")
    #expect(strange.asked == ["/v1/geolocate"], "\(strange.log)")
    let local = try await run(
      Self.radios + ["ichnaea:http://127.0.0.1:7002"], hearing: "strange")
    #expect(local.app == "48.2" && local.asked == ["/v1/geolocate"], "\(local.log)")
    #expect(local.places == [], "\(local.log)")
  }
}
