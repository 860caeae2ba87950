import Foundation
import HostTesting
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
}
