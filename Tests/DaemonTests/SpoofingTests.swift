import Foundation
import HostTesting
import LocationLink
import LocationModel
import Testing

/// What a hostile program may try, and what comes of it (SECURITY.md).
@Suite("An impostor", .serialized)
struct SpoofingTests {
  static let app = DaemonTests.app

  @Test("that declares another app's identifier is served as itself, with none of its permissions")
  func borrowedIdentifier() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let honest = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    honest.end()
    let impostor = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "b"), "main")
    defer { impostor.end() }
    let status = try await impostor.lines.next { $0.hasPrefix("status") }
    #expect(status == "status 0 on main")
    _ = try await daemon.program.lines.next { $0.contains("which is another program's") }
  }

  @Test("that was put in the place of a running app's program is not taken for it")
  func changedExecutable() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    // It runs, and connects only after its file was replaced.
    let late = try RunningProgram(
      path, ["main"],
      environment: daemon.surroundings.merging(["LOCATIOND_SOCKET": daemon.socket + "-late"]) { $1 }
    )
    defer { late.end() }
    _ = try await late.lines.next { $0.contains("no location service") }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: BuiltProgram.path("AsyncApp"), toPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: daemon.socket + "-late", withDestinationPath: daemon.socket)
    let reason = try await daemon.program.lines.next { $0.contains("refused a client") }
    #expect(reason.contains("is not the file at"))
  }

  @Test("that writes to a connection which it got from another process is cut off")
  func copiedConnection() async throws {
    let daemon = try await DaemonRun()
    let script = """
      import os, socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      s.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
      print("own", len(s.recv(4096)) > 0, flush=True)
      if os.fork() == 0:
        s.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
        print("copy", len(s.recv(4096)) > 0, flush=True)
        os._exit(0)
      os.wait()
      """
    let program = try RunningProgram("/usr/bin/env", ["python3", "-c", script, daemon.socket])
    defer { program.end() }
    _ = try await program.lines.next { $0 == "own True" }
    _ = try await program.lines.next { $0 == "copy False" }
    _ = try await daemon.program.lines.next { $0.contains("writes to a connection of process") }
  }

  @Test("that has ended before it was looked at is nobody")
  func endedProcess() async throws {
    let daemon = try await DaemonRun()
    let script = """
      import os, socket, sys, time
      s = socket.socket(socket.AF_UNIX)
      if os.fork() == 0:
        s.connect(sys.argv[1])
        os._exit(0)
      os.wait()
      s.sendall(b'{"method":"org.meridian.location.GetState"}\\0')
      data = s.recv(4096)
      print("answered" if b'"state"' in data else "not answered", flush=True)
      """
    daemon.program.signal(SIGSTOP)
    let program = try RunningProgram("/usr/bin/env", ["python3", "-c", script, daemon.socket])
    defer { program.end() }
    try await Task.sleep(for: .milliseconds(500))
    daemon.program.signal(SIGCONT)
    _ = try await program.lines.next { $0 == "not answered" }
    let reason = try await daemon.program.lines.next { $0.contains("refused a client") }
    #expect(reason.contains("process"))
  }

  @Test("whose messages claim to be someone is believed in nothing")
  func claims() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let caller = try LinkCaller(daemon.socket)
    let claim = JSON.fields([
      "version": .integer(1), "app": .string(Self.app), "pid": .integer(1),
      "executable": .string("/usr/bin/true"), "bundleIdentifier": .string(Self.app),
    ])
    let welcome = try caller.call("\(LinkInterface.name).Open", claim, more: true)
    let state = try ClientState(json: #require(welcome.parameters["state"]))
    #expect(state.authorization.status == .notDetermined)
    #expect(state.lastFix == nil)
  }
}
