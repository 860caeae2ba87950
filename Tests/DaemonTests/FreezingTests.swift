import Foundation
import TestSupport
import Testing

/// Control groups of the kernel, and an app whose process is moved between them.
@Suite("A process that the system stops", .serialized, .timeLimit(.minutes(1)))
struct FreezingTests {
  /// Where a test may make groups: only root may.
  private static let root = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
    access("\($0)/cgroup.procs", W_OK) == 0
  }

  private struct Group {
    let path: String

    init(in root: String) throws {
      path = "\(root)/meridian-\(UUID())"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func write(_ text: String, to file: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(path)/\(file)"))
    }
  }

  @Test(
    "MODEL-2: asks for nothing until it goes on, also in a group that it was moved to later",
    .enabled(if: root != nil, "needs root and version 2 of control groups"))
  func moved() async throws {
    let root = try #require(Self.root)
    let (first, second) = (try Group(in: root), try Group(in: root))
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let path = try daemon.install("ClassicApp", as: DaemonTests.app, in: "a")
    // The shell becomes the app when it is in its group.
    let app = try daemon.run(
      "/bin/sh", "-c", "echo $$ > \(first.path)/cgroup.procs; exec \(path) main")
    defer {
      app.end()
      rmdir(first.path)
      rmdir(second.path)
    }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    for group in [first, second] {
      try group.write("\(app.pid)", to: "cgroup.procs")
      try group.write("1", to: "cgroup.freeze")
      _ = try await daemon.program.lines.next { $0.contains("needed: nothing") }
      try group.write("0", to: "cgroup.freeze")
      _ = try await daemon.program.lines.next { $0.contains("needed: satellite") }
    }
  }

  /// Opens connections, and says when all are welcome.
  private static let crowd = """
    import json, socket, sys, time
    hello = {"method": "org.meridian.location.Open", "parameters": {"version": 2}, "more": True}
    open_connections = []
    for _ in range(int(sys.argv[2])):
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      s.sendall(json.dumps(hello).encode() + b"\\0")
      s.recv(65536)
      open_connections.append(s)
    print("all are welcome", flush=True)
    time.sleep(600)
    """

  /// More than the 128 instances of inotify that a user has.
  @Test(
    "MODEL-2: is noticed beside two hundred others",
    .enabled(if: root != nil, "needs root and version 2 of control groups"))
  func crowded() async throws {
    let group = try Group(in: #require(Self.root))
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let path = try daemon.install("ClassicApp", as: DaemonTests.app, in: "a")
    let enter = "echo $$ > \(group.path)/cgroup.procs; exec"
    let crowd = try daemon.run(
      "/bin/sh", "-c", "\(enter) python3 -c '\(Self.crowd)' \(daemon.socket) 200")
    defer {
      crowd.end()
      rmdir(group.path)
    }
    _ = try await crowd.lines.next { $0 == "all are welcome" }
    let app = try daemon.run("/bin/sh", "-c", "\(enter) \(path) main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    try group.write("1", to: "cgroup.freeze")
    _ = try await daemon.program.lines.next { $0.contains("needed: nothing") }
    try group.write("0", to: "cgroup.freeze")
    _ = try await daemon.program.lines.next { $0.contains("needed: satellite") }
  }
}
