import Foundation
import LocationCoding
import TestSupport
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

  @Test(
    "border 3: that has a namespace of users or processes of its own is not served: there the kernel may show any program",
    .enabled(if: getuid() == 0 && isInstalled("unshare"), "only root may always make a namespace"),
    arguments: ["--user", "--pid"])
  func namespaces(_ kind: String) async throws {
    let daemon = try await DaemonRun()
    let script = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      # It may be refused before it has asked, and reads why nonetheless.
      try: s.sendall(b'{"method":"org.meridian.location.GetState"}\\0')
      except BrokenPipeError: pass
      print("said", s.recv(4096).decode(), flush=True)
      """
    let program = try RunningProgram(
      "/usr/bin/unshare", [kind, "--fork", BorderScript.python, "-c", script, daemon.socket])
    defer { program.end() }
    let said = try await program.lines.next { $0.hasPrefix("said") }
    #expect(said.contains("Refused") && said.contains("namespace of its own"), "\(said)")
    _ = try await daemon.program.lines.next { $0.contains("may show any program as its own") }
  }

  @Test(
    "border 13: in a user namespace pays as the user who made it",
    .enabled(if: getuid() == 0 && isInstalled("unshare"), "only root can become somebody else"))
  func subordinates() async throws {
    let daemon = try await DaemonRun()
    // Each refusal is fined, and ten use the share up. A refusal may close the connection before the
    // words are sent, which the kernel reports instead of the answer.
    let script = """
      import socket, sys
      while True:
        s = socket.socket(socket.AF_UNIX)
        try:
          s.connect(sys.argv[1])
          s.sendall(b'{"method":"org.meridian.location.GetState"}\\0')
          said = s.recv(4096).decode()
        except OSError: continue
        if sys.argv[2] in said: break
      print("said", said, flush=True)
      """
    // Another user's number in a namespace that user 61000 has made, as newuidmap would give it.
    let beginning = """
      import ctypes, os, sys
      ready, go = os.pipe(), os.pipe()
      child = os.fork()
      if child:
        os.read(ready[0], 1)
        for kind in ["uid", "gid"]:
          with open(f"/proc/{child}/{kind}_map", "w") as file: file.write("0 61001 1")
        os.write(go[1], b"x")
        os.wait()
        sys.exit()
      os.setgroups([]); os.setgid(61000); os.setuid(61000)
      if ctypes.CDLL(None).unshare(0x10000000): sys.exit("no namespace")
      os.write(ready[1], b"x")
      os.read(go[0], 1)
      os.setgid(0); os.setuid(0)

      """
    let inside = try RunningProgram(
      "/usr/bin/python3", ["-c", beginning + script, daemon.socket, "used up its share"])
    defer { inside.end() }
    _ = try await inside.lines.next { $0.hasPrefix("said") }
    let person = ["--reuid=61000", "--regid=61000", "--clear-groups"]
    let outside = try RunningProgram(
      "/usr/bin/setpriv", person + ["/usr/bin/python3", "-c", script, daemon.socket, ""])
    defer { outside.end() }
    let said = try await outside.lines.next { $0.hasPrefix("said") }
    #expect(said.contains("used up its share"), "it is the same user and program: \(said)")
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
      print("sent", flush=True)
      data = s.recv(4096)
      print("answered" if b'"state"' in data else "not answered", flush=True)
      """
    daemon.program.signal(SIGSTOP)
    let program = try RunningProgram("/usr/bin/env", ["python3", "-c", script, daemon.socket])
    defer { program.end() }
    _ = try await program.lines.next { $0 == "sent" }
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

  /// Whether a process can be given a number of one's choice here, and the kernel holds peers by
  /// more than their number.
  private static let canReuseNumbers =
    getuid() == 0 && access("/proc/sys/kernel/ns_last_pid", W_OK) == 0 && holdsPeers

  /// `SO_PEERPIDFD` came with Linux 6.5.
  private static let holdsPeers: Bool = {
    let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 5)
  }()

  @Test(
    "whose number was given to an honest app before the daemon looked is nobody",
    .enabled(if: SpoofingTests.canReuseNumbers, "needs root and Linux 6.5"))
  func reusedNumber() async throws {
    let daemon = try await DaemonRun()
    let script = """
      import os, signal, socket, sys
      server, honest = sys.argv[1], sys.argv[2]
      s = socket.socket(socket.AF_UNIX)
      child = os.fork()
      if child == 0:
        s.connect(server)
        os._exit(0)
      os.waitpid(child, 0)
      # Other programs of this machine take numbers, too: as often as it needs.
      other = None
      while other != child:
        if other: os.waitpid(other, 0)
        with open("/proc/sys/kernel/ns_last_pid", "w") as last: last.write(str(child - 1))
        # Ends for the reader when the honest program has taken the place of this one.
        running, starting = os.pipe()
        other = os.fork()
        if other == 0:
          if os.getpid() != child: os._exit(0)
          os.execv(honest, [honest, "30"])
        os.close(starting)
        os.read(running, 1)
        os.close(running)
      s.sendall(b'{"method":"org.meridian.location.GetState"}\\0')
      print("same number", flush=True)
      s.settimeout(10)
      data = s.recv(4096)
      print("answered" if b'"state"' in data else "not answered", flush=True)
      os.kill(other, signal.SIGKILL); os.waitpid(other, 0)
      """
    try await daemon.answer("whenInUse", for: Self.sleep)
    daemon.program.signal(SIGSTOP)
    let program = try RunningProgram(
      "/usr/bin/env", ["python3", "-c", script, daemon.socket, Self.sleep])
    defer { program.end() }
    _ = try await program.lines.next { $0 == "same number" }
    daemon.program.signal(SIGCONT)
    _ = try await program.lines.next { $0 == "not answered" }
    let reason = try await daemon.program.lines.next { $0.contains("refused a client") }
    #expect(reason.contains("has ended"))
  }

  /// A program that may know, and asks for nothing.
  private static let sleep =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/usr/bin/sleep"))
    ?? "/usr/bin/sleep"

  @Test(
    "who is another user's, with the same program, has permissions of its own",
    .enabled(if: getuid() == 0, "only root can become somebody else"))
  func anotherUser() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    let surroundings = daemon.surroundings.map { "\($0)=\($1)" }
    let other = try RunningProgram(
      "/usr/sbin/runuser", ["-u", "nobody", "--", "/usr/bin/env"] + surroundings + [path, "main"])
    defer { other.end() }
    _ = try await other.lines.next { $0 == "status 0 on main" }
    try await daemon.answer("whenInUse", for: "\(Self.app)@65534")
    _ = try await other.lines.next { $0 == "location 48.5 on main" }
  }

  @Test("that has the name of the owner's own tool is served as itself")
  func borrowedOwner() async throws {
    let daemon = try await DaemonRun()
    let path = try daemon.install("ClassicApp", as: "locationctl", in: "a")
    let impostor = try daemon.run(path, "main")
    defer { impostor.end() }
    _ = try await impostor.lines.next { $0 == "status 0 on main" }
    let line = try await daemon.program.lines.next { $0.contains("which is another program's") }
    #expect(line.contains("served as \(path)"))
  }
}

/// Apps in a Flatpak, or what looks like one; `bwrap` makes sandboxes as Flatpak does.
@Suite("An app in a sandbox", .serialized, .enabled(if: isInstalled("bwrap"), "no bubblewrap"))
struct SandboxTests {
  static let name = "org.example.Boat"

  /// Runs a program of the tests as the Flatpak of a name, from files in some folder.
  private func run(
    _ daemon: DaemonRun, as name: String, files: String, claiming place: String? = nil
  ) throws -> RunningProgram {
    let bin = files + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    if !FileManager.default.fileExists(atPath: bin + "/ClassicApp") {
      try FileManager.default.copyItem(
        atPath: BuiltProgram.path("ClassicApp"), toPath: bin + "/ClassicApp")
    }
    let info = daemon.folder.file("info-\(UUID())")
    let text = "[Application]\nname=\(name)\n\n[Instance]\napp-path=\(place ?? files)\n"
    try text.write(toFile: info, atomically: true, encoding: .utf8)
    let system = ["/usr", "/lib", "/lib64", "/opt", "/etc"].flatMap { ["--ro-bind-try", $0, $0] }
    return try RunningProgram(
      "/usr/bin/bwrap",
      system + [
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", files, "/app",
        "--ro-bind", info, "/.flatpak-info", "--bind", daemon.socket, "/tmp/socket",
        "--setenv", "LOCATIOND_SOCKET", "/tmp/socket", "--setenv", "XDG_STATE_HOME", "/tmp/none",
        // They name files for a sanitizer, which are not in there.
        "--unsetenv", "ASAN_OPTIONS", "--unsetenv", "TSAN_OPTIONS",
        "--", "/app/bin/ClassicApp", "main",
      ])
  }

  /// A daemon whose owner has named these folders of installed Flatpaks.
  private func daemon(installations: String...) async throws -> DaemonRun {
    let folder = try TemporaryFolder()
    let file = folder.file("locationd.conf")
    let lines = installations.map { "flatpak-installation = \(folder.file($0))\n" }
    try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
    return try await DaemonRun(arguments: ["--config", file], in: folder)
  }

  @Test("border 4: is no app of a Flatpak that is not installed, whatever its folder looks like")
  func notInstalled() async throws {
    let daemon = try await daemon(installations: "flatpak")
    try await daemon.answer("whenInUse", for: Self.name)
    func refusal(_ files: String) async throws -> String {
      let impostor = try run(daemon, as: Self.name, files: files)
      defer { impostor.end() }
      return try await daemon.program.lines.next { $0.contains("refused a client") }
    }
    let inside = "app/\(Self.name)/x86_64/stable/c0ffee/files"
    let elsewhere = try await refusal(daemon.folder.file("elsewhere/\(inside)"))
    #expect(elsewhere.contains("is of no installed Flatpak"))
    #expect(
      elsewhere.contains("flatpak-installation = \(daemon.folder.file("elsewhere"))"))
    // In the right folder, through a link to elsewhere.
    let apps = daemon.folder.file("flatpak/app")
    try FileManager.default.createDirectory(atPath: apps, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(apps)/\(Self.name)",
      withDestinationPath: daemon.folder.file("elsewhere/app/\(Self.name)"))
    #expect(try await refusal(daemon.folder.file("flatpak/\(inside)")).contains("leads out of"))
    try FileManager.default.removeItem(atPath: "\(apps)/\(Self.name)")
    // In a folder where others can write.
    try FileManager.default.createDirectory(
      atPath: "\(apps)/\(Self.name)", withIntermediateDirectories: true)
    chmod("\(apps)/\(Self.name)", 0o777)
    #expect(
      try await refusal(daemon.folder.file("flatpak/\(inside)")).contains(
        "can be written by everybody"))
    chmod("\(apps)/\(Self.name)", 0o755)
    let honest = try run(daemon, as: Self.name, files: deployed(daemon, Self.name, "c0ffee"))
    _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    honest.end()
  }

  @Test("border 3: is not served under a name that is no identifier")
  func badName() async throws {
    let daemon = try await daemon(installations: "flatpak")
    try await daemon.answer("whenInUse", for: "org.example.Boat@65534")
    let name = "org.example.Boat@65534"
    let app = try run(daemon, as: name, files: deployed(daemon, name, "c0ffee"))
    defer { app.end() }
    _ = try await app.lines.next { $0 == "status 0 on main" }
    _ = try await daemon.program.lines.next { $0.contains("has the character U+0040") }
  }

  private func deployed(_ daemon: DaemonRun, _ name: String, _ commit: String) -> String {
    daemon.folder.file("flatpak/app/\(name)/x86_64/stable/\(commit)/files")
  }

  @Test("is known by the name that it was installed under, through its updates")
  func known() async throws {
    let daemon = try await daemon(installations: "flatpak")
    try await daemon.answer("whenInUse", for: Self.name)
    for commit in ["c0ffee", "decade"] {
      let files = deployed(daemon, Self.name, commit)
      let app = try run(daemon, as: Self.name, files: files)
      _ = try await app.lines.next { $0 == "location 48.5 on main" }
      app.end()
    }
  }

  @Test("is not believed to be the program whose path it shows in a view of its own")
  func familiarPath() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let honest = try daemon.install("ClassicApp", as: DaemonTests.app, in: "a")
    let evil = try daemon.install("ClassicApp", as: nil, in: "b")
    let impostor = try RunningProgram(
      "/usr/bin/bwrap",
      [
        "--dev-bind", "/", "/", "--ro-bind", evil, honest, "--setenv", "LOCATIOND_SOCKET",
        daemon.socket, "--setenv", "XDG_STATE_HOME", daemon.folder.file("none"), "--", honest,
        "main",
      ])
    defer { impostor.end() }
    let reason = try await daemon.program.lines.next { $0.contains("refused a client") }
    #expect(reason.contains("is not the file at \(honest)"))
  }

  @Test("is not believed to be another app than the one whose files it runs")
  func otherName() async throws {
    let daemon = try await daemon(installations: "flatpak", "elsewhere")
    try await daemon.answer("whenInUse", for: Self.name)
    let honest = try run(daemon, as: Self.name, files: deployed(daemon, Self.name, "c0ffee"))
    _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    honest.end()
    let evil = deployed(daemon, "org.example.Evil", "badbad")
    // Its own files under another name; another app's folder, whose program it does not run.
    for place in [evil, deployed(daemon, Self.name, "c0ffee")] {
      let impostor = try run(daemon, as: Self.name, files: evil, claiming: place)
      defer { impostor.end() }
      let reason = try await daemon.program.lines.next { $0.contains("refused a client") }
      #expect(reason.contains("is not the file at /app/bin/ClassicApp"))
    }
    // A folder of that name elsewhere: the first one keeps the name.
    let copy = daemon.folder.file("elsewhere/app/\(Self.name)/x86_64/stable/c0ffee/files")
    let second = try run(daemon, as: Self.name, files: copy)
    defer { second.end() }
    _ = try await second.lines.next { $0 == "status 0 on main" }
    _ = try await daemon.program.lines.next { $0.contains("which is another program's") }
  }
}
