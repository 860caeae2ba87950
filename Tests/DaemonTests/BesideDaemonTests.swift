import Foundation
import TestSupport
import Testing

/// What `locationctl` says that opens sources itself while a daemon runs.
@Suite("locationctl beside a daemon", .serialized)
struct BesideDaemonTests {
  @Test(
    "names the daemon, and the command that shows its position, where no source is named",
    arguments: ["once", "watch"])
  func position(_ verb: String) async throws {
    let daemon = try await DaemonRun()
    var surroundings = daemon.surroundings
    var others = ProcessInfo.processInfo.environment
    for variables in ["CORELOCATION_SOURCES", "CORELOCATION_RECORD"] {
      surroundings[variables] = nil
      others[variables] = nil
    }
    let run = try withExtendedLifetime(daemon) {
      try FinishedProgram("locationctl", [verb, "--timeout", "3"], surroundings, to: others)
    }
    #expect(run.status == 1, "\(run.text)")
    #expect(run.error.contains("a location daemon runs at \(daemon.socket)"), "\(run.text)")
    #expect(run.error.contains("Next: locationctl status --places --changes"))
    #expect(!run.text.contains("gpsd"))
  }

  @Test("asks a source that is named, whatever daemon runs")
  func named() async throws {
    let daemon = try await DaemonRun()
    let run = try withExtendedLifetime(daemon) {
      try FinishedProgram(
        "locationctl", ["once", "--source", "gpx:///no/such.gpx"], daemon.surroundings)
    }
    #expect(run.status == 1)
    #expect(run.error.contains("open /no/such.gpx"))
  }

  @Test("advises to record without a key where the daemon has the state with the keys")
  func record() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await DaemonRun(
      arguments: ["--state", folder.file("home/meridian")],
      environment: ["CORELOCATION_SECRET_SERVICE": "no"])
    let surroundings = daemon.surroundings.merging(["XDG_STATE_HOME": folder.file("home")]) { $1 }
    func record(_ words: String...) throws -> FinishedProgram {
      try FinishedProgram(
        "locationctl",
        ["record", folder.file("a.rec"), "--source", "fixed:1,2", "--count", "1"] + words,
        surroundings)
    }
    try withExtendedLifetime(daemon) {
      let refused = try record()
      #expect(refused.status == 1, "\(refused.text)")
      #expect(refused.error.contains("a location daemon, process"), "\(refused.text)")
      #expect(refused.error.contains("Next: record without a key: locationctl record --plain"))
      let plain = try record("--plain")
      #expect(plain.status == 0, "\(plain.text)")
    }
  }
}
