import Foundation
import TestSupport
import Testing

/// What the daemon's process keeps to itself, whoever has started it.
@Suite("The daemon's process", .serialized)
struct ConfinementTests {
  private static let nobody = "nobody"
  private static let number: uid_t = 65_534

  /// The value of a field of `/proc/PID/status`.
  private func status(_ field: String, of process: Int32) throws -> String? {
    try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      .split(separator: "\n").first { $0.hasPrefix(field + ":") }
      .map { $0.dropFirst(field.count + 1).trimmingCharacters(in: .whitespaces) }
  }

  @Test("border 14: leaves no core dump")
  func coreDump() async throws {
    let daemon = try await DaemonRun()
    let limits = try String(
      contentsOfFile: "/proc/\(daemon.program.pid)/limits", encoding: .utf8)
    let line = try #require(limits.split(separator: "\n").first { $0.contains("core file") })
    #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    daemon.kill()
  }

  @Test(
    "border 14: cannot be traced or read by another program of its user",
    .enabled(if: getuid() == 0, "only root can become somebody else"))
  func memory() async throws {
    let folder = try TemporaryFolder()
    chown(folder.path, Self.number, Self.number)
    let daemon = try await DaemonRun(in: folder, as: Self.nobody)
    let script = """
      import ctypes, os, sys
      pid = int(sys.argv[1])
      print("traced", ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0)
      for name in ["mem", "environ", "maps"]:
        try:
          with open(f"/proc/{pid}/{name}", "rb") as file: file.read(1)
          print("read", name)
        except OSError: print("closed", name)
      """
    let other = try RunningProgram(
      "/usr/bin/setpriv",
      DaemonRun.identity(Self.nobody) + ["/usr/bin/python3", "-c", script, "\(daemon.program.pid)"])
    defer { other.end() }
    let traced = try await other.lines.next()
    #expect(traced == "traced False")
    for name in ["mem", "environ", "maps"] {
      #expect(try await other.lines.next() == "closed \(name)")
    }
    daemon.kill()
  }

  @Test(
    "border 14: serves nobody while another program of its user traces it",
    .enabled(if: getuid() == 0 && isInstalled("strace"), "only root can become somebody else"))
  func traced() async throws {
    let folder = try TemporaryFolder()
    chown(folder.path, Self.number, Self.number)
    let daemon = try RunningProgram(
      "/usr/bin/setpriv",
      DaemonRun.identity(Self.nobody) + [
        "/usr/bin/strace", "-qq", "-o", "/dev/null", BuiltProgram.path("locationd"), "--system",
        "--config", "/dev/null", "--source", "fixed:1,2", "--socket", folder.file("socket"),
        "--state", folder.file("state"),
      ])
    defer { daemon.end() }
    _ = try await daemon.lines.next { $0.contains("traces the daemon, which then serves nobody") }
    #expect(!FileManager.default.fileExists(atPath: folder.file("socket")))
  }

  @Test(
    "border 14: serves nobody once a program of its user has attached to it while it starts over",
    .enabled(if: getuid() == 0, "only root can become somebody else"))
  func tracedAfterReload() async throws {
    let folder = try TemporaryFolder()
    chown(folder.path, Self.number, Self.number)
    let daemon = try await DaemonRun(
      arguments: ["--system"], in: folder, configuration: [], as: Self.nobody)
    // Does not stop what it attaches to (PTRACE_SEIZE), as somebody who wants to stay unseen.
    let script = """
      import ctypes, sys
      trace, pid = ctypes.CDLL(None).ptrace, int(sys.argv[1])
      print("attached" if trace(0x4206, pid, 0, 0) == 0 else "waiting", flush=True)
      while trace(0x4206, pid, 0, 0) != 0: pass
      print("attached", flush=True)
      sys.stdin.read(1)
      while True: pass
      """
    let tracer = try RunningProgram(
      "/usr/bin/setpriv",
      DaemonRun.identity(Self.nobody)
        + ["/usr/bin/python3", "-c", script, "\(daemon.program.pid)"])
    defer { tracer.end() }
    let first = try await tracer.lines.next()
    #expect(first == "waiting", "it cannot attach while the daemon serves")
    // For a moment of each start, which the other processor has to meet.
    for _ in 0..<50 {
      daemon.program.signal(SIGHUP)
      let said = try await daemon.program.lines.next {
        $0.contains("traces the daemon") || $0.contains("serving;")
      }
      if said.contains("which then serves nobody") { return }
    }
    Issue.record("the program never attached in time")
  }

  @Test(
    "border 14: gives the programs that it starts no capability, and keeps its own through a reload",
    .enabled(if: getuid() == 0, "only root can grant a capability"))
  func capabilities() async throws {
    let folder = try TemporaryFolder()
    chown(folder.path, Self.number, Self.number)
    let script = folder.file("started")
    try "grep -e Cap -e NoNewPrivs /proc/self/status\n".write(
      toFile: script, atomically: true, encoding: .utf8)
    let launch = folder.file("launch")
    try FileManager.default.createDirectory(atPath: launch, withIntermediateDirectories: true)
    let program = folder.file("a/LaunchedApp")
    try "app = \(DaemonTests.app)=\(program)\ncommand = /bin/sh \(script)\n".write(
      toFile: launch + "/app.conf", atomically: true, encoding: .utf8)
    let file = folder.file("locationd.conf")
    func write(source: String) throws {
      try "source = \(source)\nlaunch = \(launch)\n".write(
        toFile: file, atomically: true, encoding: .utf8)
    }
    try write(source: "fixed:48.5,11.5,5")
    let daemon = try await DaemonRun(
      sources: [], arguments: ["--config", file], in: folder,
      wrapper: ["/usr/bin/setpriv"] + DaemonRun.identity(Self.nobody)
        + ["--inh-caps", "+sys_ptrace", "--ambient-caps", "+sys_ptrace"]
        + ["--bounding-set", "-all,+sys_ptrace", "--no-new-privs"])
    let unit = SharedData.packageRoot.appending(path: "systemd/locationd.service")
    let lines = try String(contentsOf: unit, encoding: .utf8).split(separator: "\n")
    for name in ["CapabilityBoundingSet", "AmbientCapabilities"] {
      #expect(lines.filter { $0.hasPrefix(name) } == ["\(name)=CAP_SYS_PTRACE"])
    }
    #expect(lines.contains("NoNewPrivileges=yes"))
    let held = "0000000000080000"
    #expect(try status("CapEff", of: daemon.program.pid) == held)
    #expect(try status("CapAmb", of: daemon.program.pid) == "0000000000000000")
    try await daemon.answer("always", for: DaemonTests.app, as: Self.nobody)
    #expect(try daemon.install("LaunchedApp", as: DaemonTests.app, in: "a") == program)
    let app = try RunningProgram(
      "/usr/bin/setpriv", DaemonRun.identity(Self.nobody) + [program, "region"],
      environment: daemon.surroundings)
    _ = try await app.lines.next { $0 == "home is inside" }
    app.end()
    try write(source: "fixed:49.5,11.5,5")
    daemon.program.signal(SIGHUP)
    for field in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
      let line = try await daemon.program.lines.next { $0.hasPrefix(field) }
      // Nothing takes from the bounding set without CAP_SETPCAP, so it is what the unit leaves.
      #expect(line == "\(field):\t\(field == "CapBnd" ? held : "0000000000000000")")
    }
    #expect(try await daemon.program.lines.next { $0.hasPrefix("NoNewPrivs") } == "NoNewPrivs:\t1")
    #expect(try status("CapEff", of: daemon.program.pid) == held)
    #expect(try status("CapAmb", of: daemon.program.pid) == "0000000000000000")
    daemon.kill()
  }
}
