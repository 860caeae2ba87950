import Foundation
import TestSupport
import Testing

/// What `locationctl` does for a position while a daemon runs.
@Suite("locationctl beside a daemon", .serialized)
struct BesideDaemonTests {
  /// Runs `locationctl` without a source of its own.
  private func run(_ daemon: DaemonRun, _ words: String...) throws -> FinishedProgram {
    try run(daemon, words)
  }

  private func run(_ daemon: DaemonRun, _ words: [String]) throws -> FinishedProgram {
    var surroundings = daemon.surroundings
    var others = ProcessInfo.processInfo.environment
    for variables in ["CORELOCATION_SOURCES", "CORELOCATION_RECORD"] {
      surroundings[variables] = nil
      others[variables] = nil
    }
    return try withExtendedLifetime(daemon) {
      try FinishedProgram("locationctl", words, surroundings, to: others)
    }
  }

  @Test(
    "ADMIN-10: prints the position of the daemon to its owner where no source is named",
    arguments: [
      ["once"], ["once", "--json"], ["once", "--accuracy", "best"], ["watch", "--count", "1"],
      ["watch", "--count", "1", "--distance-filter", "5", "--json"],
    ])
  func position(_ words: [String]) async throws {
    let daemon = try await DaemonRun()
    let run = try run(daemon, words)
    #expect(run.status == 0, "\(run.text)")
    #expect(run.output.contains("48.5"), "\(run.text)")
    let access = try daemon.control("data", "access").text
    #expect(access.contains("locationctl"), "\(access)")
    // The hardware is asked for nothing when the command has ended.
    let status = try daemon.control("status").text
    #expect(status.contains("needed    nothing"), "\(status)")
  }

  @Test("ADMIN-10: says why the daemon has no position", arguments: ["once", "watch"])
  func none(_ verb: String) async throws {
    let daemon = try await DaemonRun(sources: ["gpx:///no/such.gpx"])
    let missing = try run(daemon, verb, "--timeout", "2")
    #expect(missing.status == 1 && missing.error.contains("no position: gpx:"), "\(missing.text)")
    #expect(missing.error.contains("Next: locationctl doctor"), "\(missing.text)")
    #expect(try daemon.control("services", "off").status == 0)
    let off = try run(daemon, verb, "--timeout", "2")
    #expect(off.status == 1 && off.error.contains("location services are off"), "\(off.text)")
    #expect(off.error.contains("Next: locationctl services on"), "\(off.text)")
  }

  @Test("ADMIN-10: what the owner has decided about locationctl holds, also after a restart")
  func denied() async throws {
    let folder = try TemporaryFolder()
    func begin() async throws -> DaemonRun {
      try await DaemonRun(arguments: ["--state", folder.file("state")])
    }
    do {
      let daemon = try await begin()
      #expect(try run(daemon, "once").status == 0)
      #expect(try daemon.control("authorize", "locationctl", "never").status == 0)
    }
    let daemon = try await begin()
    for verb in ["once", "watch"] {
      let denied = try run(daemon, verb, "--timeout", "20")
      #expect(denied.status == 1, "\(denied.text)")
      #expect(denied.error.contains("locationctl may not know the location"), "\(denied.text)")
      #expect(denied.error.contains("Next: locationctl authorize locationctl always"))
    }
    #expect(try daemon.control("authorize", "locationctl", "reset").status == 0)
    #expect(try run(daemon, "once").status == 0)
  }

  @Test("AUTH-59: what a program may know can be taken away when it is not there any more")
  func uninstalled() async throws {
    let daemon = try await DaemonRun()
    let path = try daemon.install("ClassicApp", as: nil, in: "gone")
    #expect(try daemon.control("authorize", path, "always").status == 0)
    try FileManager.default.removeItem(atPath: path)
    let taken = try daemon.control("authorize", path, "never")
    #expect(taken.status == 0 && taken.output.contains("never"), "\(taken.text)")
    #expect(try daemon.control("data", "list", "--app", path).status == 0)
    let unknown = try daemon.control("authorize", path + "-other", "never")
    #expect(unknown.status == 1 && unknown.error.contains("there is no file"), "\(unknown.text)")
  }

  @Test(
    "AUTH-59: a number that no user can have names nobody",
    arguments: ["4294967296", "99999999999"])
  func noUser(number: String) async throws {
    let daemon = try await DaemonRun()
    let run = try daemon.control("authorize", "/usr/bin/env@\(number)", "always")
    #expect(run.status == 1 && run.error.contains("no user has the number"), "\(run.text)")
    #expect(try !daemon.control("authorize", "--list").output.contains("env"))
  }

  @Test(
    "says that nothing answers where something listens and is silent, and how to find out why",
    arguments: [["status"], ["log"], ["data", "list"], ["once"]])
  func silent(_ words: [String]) throws {
    let folder = try TemporaryFolder()
    let socket = folder.file("silent.sock")
    let listener = try SilentListener(at: socket)
    let surroundings = ["LOCATIOND_SOCKET": socket, "CORELOCATION_SECRET_SERVICE": "no"]
    var others = ProcessInfo.processInfo.environment
    others["CORELOCATION_SOURCES"] = nil
    let run = try withExtendedLifetime(listener) {
      try FinishedProgram("locationctl", words, surroundings, to: others)
    }
    #expect(run.status == 1, "\(run.text)")
    #expect(run.error.contains("nothing came within two seconds"), "\(run.text)")
    #expect(run.error.contains("journalctl -u locationd"), "\(run.text)")
  }

  @Test("ADMIN-15: a condition without a name is refused, by the command and by the daemon")
  func nameless() async throws {
    let daemon = try await DaemonRun()
    let run = try daemon.control("monitor", "add", "", "48.1,11.5,150")
    #expect(run.status == 2 && run.error.contains("NAME is empty"), "\(run.text)")
    #expect(try !daemon.control("monitor", "list").output.contains("48.1"))
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

  @Test("ADMIN-10: record says at once that the daemon has the sources, and what to do")
  func recordBeside() async throws {
    let daemon = try await DaemonRun()
    let folder = try TemporaryFolder()
    var environment = daemon.surroundings
    environment["CORELOCATION_SOURCES"] = nil
    environment["XDG_STATE_HOME"] = folder.file("state")
    let program = try RunningProgram(
      "/usr/bin/env",
      ["-u", "CORELOCATION_SOURCES", BuiltProgram.path("locationctl"), "record"]
        + ["--plain", folder.file("a.rec")], environment: environment, keeping: daemon)
    defer { program.end() }
    // Before its end: it runs until it is interrupted.
    _ = try await program.lines.next {
      $0.contains("the location daemon at \(daemon.socket) has the sources of this computer")
    }
  }

  @Test(
    "ADMIN-10: heading says that the daemon has the other sources, and where its heading is seen")
  func headingBeside() async throws {
    let daemon = try await DaemonRun()
    let run = try run(daemon, "heading", "--timeout", "1")
    #expect(run.status == 1)
    #expect(
      run.error.contains("the location daemon at \(daemon.socket) has the other sources"),
      "\(run.text)")
    #expect(run.error.contains("Next: locationctl status"), "\(run.text)")
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

/// A socket to which programs can connect, and where nobody answers.
private final class SilentListener {
  private let descriptor: Int32

  init(at path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound && listen(descriptor, 8) == 0)
  }

  deinit { close(descriptor) }
}
