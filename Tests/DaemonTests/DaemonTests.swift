import Foundation
import TestSupport
import LocationLink
import Testing

/// Real daemons and real apps, one after the other.
@Suite("locationd", .serialized)
struct DaemonTests {
  static let app = "net.meridian.app"

  @Test("gives an unchanged app live updates and its delegate's, as in process")
  func liveUpdates() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("AsyncApp", as: Self.app, in: "a"))
    defer { app.end() }
    var lines: [String] = []
    while lines.last?.hasPrefix("again") != true {
      lines.append(try await app.lines.next { _ in true })
    }
    #expect(lines.count { $0 == "live 48.5" } == 4)
    #expect(lines.contains("canceled loop 1") && lines.contains("canceled loop ends"))
    #expect(lines.contains("delegate 48.5"))
    #expect(lines.last == "again 48.5")
  }

  @Test("AUTH-8: passes on the answer that is given while an app waits for it")
  func answeredLater() async throws {
    let daemon = try await DaemonRun()
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "status 0 on main" }
    try await daemon.answer("whenInUse", for: Self.app)
    _ = try await app.lines.next { $0 == "status 4 on main" }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
  }

  @Test("POW-1: opens a receiver once for two apps")
  func onePlan() async throws {
    let server = try Server()
    let receiver = Receiver { server.write($0) }
    let daemon = try await DaemonRun(sources: ["nmea+tcp://127.0.0.1:\(server.port)"])
    for app in ["net.meridian.one", "net.meridian.two"] {
      try await daemon.answer("whenInUse", for: app)
    }
    let first = try daemon.run(
      daemon.install("ClassicApp", as: "net.meridian.one", in: "a"), "main")
    _ = try await first.lines.next { $0.hasPrefix("location 48.11") }
    let second = try daemon.run(
      daemon.install("ClassicApp", as: "net.meridian.two", in: "b"), "main")
    _ = try await second.lines.next { $0.hasPrefix("location 48.11") }
    _ = try await first.lines.next { $0.hasPrefix("location 48.11") }
    #expect(server.connections == 1)
    first.end()
    _ = try await second.lines.next { $0.hasPrefix("location 48.11") }
    second.end()
    withExtendedLifetime(receiver) {}
  }

  @Test("SEAL-11: records all inputs of its engine, and who has its key replays it after a crash")
  func recording() async throws {
    let server = try Server()
    let receiver = Receiver { server.write($0) }
    let folder = try TemporaryFolder()
    let file = folder.file("day.rec")
    let daemon = try await DaemonRun(
      sources: ["nmea+tcp://127.0.0.1:\(server.port)"],
      environment: ["CORELOCATION_RECORD": file], in: folder)
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    for _ in 0..<3 { _ = try await app.lines.next { $0.hasPrefix("location 48.11") } }
    daemon.kill()
    let replay = try RunningProgram(
      BuiltProgram.path("locationctl"), ["replay", file, "--outputs", "--state", daemon.state])
    defer { replay.end() }
    _ = try await replay.lines.next { $0.contains(Self.app) }
    for _ in 0..<3 { _ = try await replay.lines.next { $0.contains("fix of source 0") } }
    _ = try await replay.lines.next { $0.contains("all as recorded") }
    withExtendedLifetime(receiver) {}
  }

  @Test("goes on with a new configuration on SIGHUP, its apps notice nothing but the new source")
  func reload() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("locationd.conf")
    try "source = fixed:48.5,11.5,5  # here\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    let daemon = try await DaemonRun(sources: [], arguments: ["--config", file], in: folder)
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    try "source = nonsense\n".write(toFile: file, atomically: true, encoding: .utf8)
    daemon.program.signal(SIGHUP)
    let fault = try await daemon.program.lines.next { $0.contains("not reloaded") }
    #expect(fault.contains("locationd.conf:1:"))
    try "source = fixed:49.5,11.5,5\n".write(toFile: file, atomically: true, encoding: .utf8)
    daemon.program.signal(SIGHUP)
    _ = try await app.lines.next { $0 == "location 49.5 on main" }
    daemon.program.terminate()
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
  }

  @Test("serves on a socket that was opened for it, and gives signs of life")
  func activation() async throws {
    let folder = try TemporaryFolder()
    let notices = try NoticeSocket(at: folder.file("notify"))
    let activate = """
      import os, socket, sys
      s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()
      os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
      os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), WATCHDOG_USEC="200000",
                        NOTIFY_SOCKET=sys.argv[4])
      os.execv(sys.argv[2], [sys.argv[2], "--state", sys.argv[3], "--source", "fixed:48.5,11.5,5"])
      """
    let program = try RunningProgram(
      "/usr/bin/env",
      [
        "python3", "-c", activate, folder.file("socket"), BuiltProgram.path("locationd"),
        folder.file("state"), folder.file("notify"),
      ])
    defer { program.end() }
    _ = try await notices.events.next { $0 == "READY=1" }
    for _ in 0..<3 { _ = try await notices.events.next { $0 == "WATCHDOG=1" } }
    let client = try LinkCaller(folder.file("socket"))
    #expect(try client.call("org.varlink.service.GetInfo").error == nil)
  }

  @Test("checks its configuration: file, line, and cause of each fault")
  func check() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("bad.conf")
    try "# comment\nsource = gpsd://localhost\ncolor = red\nstate = here\nclients = 0\n"
      .appending("keep-visits = 30d\nkeep-position = soon\n").write(
        toFile: file, atomically: true, encoding: .utf8)
    let program = try RunningProgram(
      BuiltProgram.path("locationd"), ["--check", "--config", file])
    defer { program.end() }
    for (line, cause) in [
      (3, "unknown key `color`"), (4, "absolute path"), (5, "number"), (7, "12h or 30d"),
    ] {
      let text = try await program.lines.next { $0.contains("bad.conf") }
      #expect(text.contains("bad.conf:\(line):") && text.contains(cause))
    }
  }
}
