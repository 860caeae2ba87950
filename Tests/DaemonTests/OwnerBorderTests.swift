import Foundation
import TestSupport
import Testing

/// Programs of the owner's user that are not the owner.
@Suite("The border of the owner", .serialized)
struct OwnerBorderTests {
  private static let python = BorderScript.python
  private static let tool = BorderScript.tool
  private static let notOwner = "org.meridian.administration.NotOwner"

  /// Runs a script, and returns its first line that tells how it went.
  private func said(
    _ daemon: DaemonRun, _ script: String, _ tool: String = tool, as user: String? = nil
  ) async throws -> String {
    let program = try BorderScript.run(daemon, script, tool, as: user)
    defer { program.end() }
    return try await program.lines.next { $0.hasPrefix("said ") || $0.hasPrefix("ended ") }
  }

  @Test("border 2: only the installed locationctl and registered programs administer")
  func programs() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let other = try await said(daemon, "say('said', ask(connect(), status))")
    #expect(other.contains(Self.notOwner) && other.contains("owner-program = PATH"), "\(other)")
    #expect(try await said(daemon, "locationctl('status')").hasPrefix("ended 0 "))
    let registered = try await DaemonRun(configuration: ["owner-program = \(Self.python)"])
    #expect(try await said(registered, "say('said', ask(connect(), status))").contains("\"pid\""))
  }

  @Test("border 2: a copy, a hard link, and another program of the name are not locationctl")
  func copies() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let places = ["copy", "renamed", "link"].map { daemon.folder.file($0) }
    for place in places {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    }
    let names = places.map { $0 + "/locationctl" }
    try FileManager.default.copyItem(atPath: Self.tool, toPath: names[0])
    try FileManager.default.copyItem(atPath: Self.python, toPath: names[1])
    try FileManager.default.createSymbolicLink(atPath: names[2], withDestinationPath: Self.tool)
    let copy = try await said(daemon, "locationctl('status')", names[0])
    #expect(copy.hasPrefix("ended 1 ") && copy.contains("neither the installed"), "\(copy)")
    #expect(copy.contains("Next: use \(Self.tool)"), "\(copy)")
    let renamed = try BorderScript.run(
      daemon, "say('said', ask(connect(), status))", program: names[1])
    defer { renamed.end() }
    let delivered = try await renamed.lines.next { $0.hasPrefix("said") }
    #expect(delivered.contains(Self.notOwner), "\(delivered)")
    // A symbolic link is the very program; a hard link has a place of its own.
    #expect(try await said(daemon, "locationctl('status')", names[2]).hasPrefix("ended 0 "))
    let hard = BuiltProgram.path("locationctl-\(UUID())")
    guard link(Self.tool, hard) == 0 else { return }
    defer { unlink(hard) }
    #expect(try await said(daemon, "locationctl('status')", hard).contains("neither the installed"))
  }

  @Test("border 2: an app that starts the real locationctl, or becomes it, decides nothing")
  func app() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let words = "'authorize', '\(Self.python)', 'always'"
    let child = try await said(daemon, "app = serve()\nlocationctl(\(words))")
    #expect(child.hasPrefix("ended 1 ") && child.contains("is served as the app"), "\(child)")
    let become = """
      output, tell = os.pipe()
      if os.fork() != 0:
        os.close(tell)
        said = b""
        while True:
          piece = os.read(output, 4096)
          if not piece: break
          said += piece
        say("said", said.decode().replace("\\n", " "))
        os._exit(0)
      serve().close()
      os.dup2(tell, 1); os.dup2(tell, 2); os.close(tell)
      os.execv(sys.argv[2], [sys.argv[2], \(words)])
      """
    let became = try await said(daemon, become)
    #expect(became.contains("is served as the app"), "\(became)")
  }

  @Test("ADMIN-10: an app learns no position from a locationctl that it starts")
  func position() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let asked = """
      os.environ.pop("CORELOCATION_SOURCES", None)
      app = serve()
      locationctl('once', '--timeout', '2')
      """
    let once = try await said(daemon, asked)
    #expect(once.hasPrefix("ended 1 ") && once.contains("is served as the app"), "\(once)")
    #expect(!once.hasDegrees("48.5"), "\(once)")
    let direct = try await said(
      daemon, "say('said', ask(connect(), 'org.meridian.administration.FollowLocations', True))")
    #expect(direct.contains(Self.notOwner), "\(direct)")
  }

  @Test(
    "border 2: the program of an app that is known starts no locationctl, also while it is away")
  func knownApp() async throws {
    let daemon = try await DaemonRun(configuration: [])
    try await daemon.answer("whenInUse", for: Self.python)
    let delivered = try await said(daemon, "locationctl('status')")
    #expect(
      delivered.hasPrefix("ended 1 ") && delivered.contains("runs the app \(Self.python)"),
      "\(delivered)")
  }

  @Test(
    "border 2: in a sandbox nobody administers, with the owner's user and the real locationctl",
    .enabled(if: isInstalled("bwrap"), "no bubblewrap"))
  func sandbox() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let base = ["--dev-bind", "/", "/"]
    for more in [[], ["--unshare-user"], ["--unshare-pid", "--proc", "/proc"]] {
      let program = try RunningProgram(
        "/usr/bin/bwrap", base + more + ["--", Self.tool, "status"],
        environment: daemon.surroundings)
      defer { program.end() }
      let delivered = try await program.lines.next {
        $0.contains("refuses") || $0.contains("location")
      }
      #expect(delivered.contains("sandbox") || delivered.contains("cannot be seen"), "\(delivered)")
    }
  }

  @Test(
    "border 2: in a chroot nobody administers",
    .enabled(if: getuid() == 0, "only root can change its root folder"))
  func changedRoot() async throws {
    let daemon = try await DaemonRun(configuration: ["owner-program = \(Self.python)"])
    let delivered = try await said(
      daemon,
      """
      s = connect()
      os.chroot("\(daemon.folder.path)")
      say('said', ask(s, status))
      """)
    #expect(
      delivered.contains(Self.notOwner) && delivered.contains("root folder of its own"),
      "\(delivered)")
  }

  @Test("border 2: a library that others can write, preloaded into locationctl, is seen")
  func preloaded() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let library = try copyOfLibrary(in: daemon.folder, mode: 0o666)
    let delivered = try await said(
      daemon, "os.environ['LD_PRELOAD'] = '\(library)'\nlocationctl('status')")
    #expect(
      delivered.hasPrefix("ended 1 ") && delivered.contains("loaded what others can change"),
      "\(delivered)")
    #expect(delivered.contains(library))
  }

  @Test(
    "border 2: the daemon of a user answers its user; a library of that user in locationctl is seen",
    .enabled(if: getuid() == 0, "only root can become somebody else"))
  func preloadedByUser() async throws {
    let folder = try TemporaryFolder()
    chown(folder.path, 65534, 65534)
    let daemon = try await DaemonRun(in: folder, configuration: [], as: "nobody")
    let library = try copyOfLibrary(in: folder, mode: 0o644)
    chown(library, 65534, 65534)
    #expect(try await said(daemon, "locationctl('status')", as: "nobody").hasPrefix("ended 0 "))
    let delivered = try await said(
      daemon, "os.environ['LD_PRELOAD'] = '\(library)'\nlocationctl('status')", as: "nobody")
    #expect(
      delivered.hasPrefix("ended 1 ") && delivered.contains("belongs to user 65534"), "\(delivered)"
    )
  }

  /// Some library that every program can load.
  private func copyOfLibrary(in folder: TemporaryFolder, mode: mode_t) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
    let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    let paths = maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }
    let path = String(try #require(paths.first { $0.contains("/libm.so") }))
    let copy = folder.file("library.so")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    chmod(copy, mode)
    return copy
  }

  @Test("border 2: a locationctl that is traced, or whose code was changed, decides nothing")
  func traced() async throws {
    let daemon = try await DaemonRun(configuration: ["owner-program = \(Self.python)"])
    let traced = try await said(
      daemon,
      """
      libc = ctypes.CDLL(None, use_errno=True)
      ready, go = os.pipe()
      output, tell = os.pipe()
      child = os.fork()
      if child == 0:
        os.read(ready, 1)
        os.dup2(tell, 1); os.dup2(tell, 2); os.close(tell)
        os.execv(sys.argv[2], [sys.argv[2], "status"])
      libc.ptrace(ctypes.c_long(0x4206), ctypes.c_long(child), None, None)
      os.write(go, b"x")
      os.close(tell)
      said = b""
      while True:
        piece = os.read(output, 4096)
        if not piece: break
        said += piece
      say("said", said.decode().replace("\\n", " "))
      """)
    #expect(traced.contains("traces process"), "\(traced)")
    let changed = try await said(
      daemon,
      """
      for line in open("/proc/self/maps"):
        words = line.split()
        if "x" in words[1] and words[-1].startswith("/"):
          start = int(words[0].split("-")[0], 16)
          break
      with open("/proc/self/mem", "rb+", buffering=0) as memory:
        memory.seek(start); byte = memory.read(1); memory.seek(start); memory.write(byte)
      say("said", ask(connect(), status))
      """)
    #expect(changed.contains("changed in memory"), "\(changed)")
  }

  @Test(
    "border 13: a user whose app is a shell or an interpreter keeps no other user's from the owner's tool",
    .enabled(if: getuid() == 0, "only root may become another user"))
  func shellOfOthers() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let theirs = try await said(daemon, "say('said', ask(serve(), status))", as: "nobody")
    #expect(theirs.contains("OutOfOrder") || theirs.contains(Self.notOwner), "\(theirs)")
    let own = try await said(daemon, "locationctl('status')")
    #expect(own.hasPrefix("ended 0"), "\(own)")
    // The owner's own app of that program does.
    let app = try await said(daemon, "serve().close()\nlocationctl('status')")
    #expect(app.contains("is served as the app"), "\(app)")
    let later = try await said(daemon, "locationctl('status')")
    #expect(later.contains("runs the app"), "\(later)")
  }
}
