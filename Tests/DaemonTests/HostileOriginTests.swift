import Foundation
import TestSupport
import Testing

/// Lists of installed packages, and signatures, as nobody should write them.
@Suite("A hostile list of packages, or a hostile signature", .serialized)
struct HostileOriginTests {
  enum Kind: CaseIterable {
    case pipe, device, elsewhere, folder, sparse, lines, zeros, long
  }

  /// Puts one of a kind at a path.
  private static func put(_ kind: Kind, at path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    switch kind {
    case .pipe: mkfifo(path, 0o644)
    case .device: symlink("/dev/zero", path)
    case .elsewhere: symlink("/proc/self/mem", path)
    case .folder: mkdir(path, 0o755)
    case .sparse, .lines:
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      ftruncate(descriptor, kind == .sparse ? 8 << 30 : 0)
      // Ten million lines.
      let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: 1_000_000)
      for _ in 0..<(kind == .lines ? 10 : 0) { _ = write(descriptor, lines, lines.count) }
      close(descriptor)
    case .zeros: try Data(count: 4000).write(to: URL(fileURLWithPath: path))
    case .long:
      try Data(repeating: UInt8(ascii: "/"), count: 15 << 20).write(to: URL(fileURLWithPath: path))
    }
  }

  @Test(
    "border 11: lists of packages of any kind hold nobody back, and one that another user wrote names nothing",
    .enabled(if: getuid() == 0, "only root can show the daemon another folder"))
  func packages() async throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    let lists = folder.file("lists")
    try FileManager.default.createDirectory(atPath: lists, withIntermediateDirectories: true)
    for (number, kind) in Kind.allCases.enumerated() {
      try Self.put(kind, at: "\(lists)/a\(number).list")
    }
    let show = ["sh", "-c", "mount --bind \(lists) /var/lib/dpkg/info; exec \"$@\"", "sh"]
    let daemon = try await DaemonRun(
      in: folder, wrapper: ["/usr/bin/unshare", "--mount"] + show)
    let inside = ["/usr/bin/nsenter", "--mount=/proc/\(daemon.program.pid)/ns/mnt"]
    let paths = try ["1", "2", "3"].map {
      try daemon.install("ClassicApp", as: "org.example.boat", in: $0)
    }
    func list(_ names: [String]) throws {
      let text = "/.\n" + names.map { $0 + "\n" }.joined()
      try Data(text.utf8).write(to: URL(fileURLWithPath: lists + "/boat.list"))
    }
    func serve(_ path: String) async throws -> String {
      let app = try RunningProgram(
        inside[0], [inside[1], path, "main"], environment: daemon.surroundings)
      defer { app.end() }
      return try await daemon.program.lines.next {
        $0.contains(path) && ($0.contains("passes") || $0.contains("another program's"))
          || $0.contains("org.example.boat connected")
      }
    }
    // An honest list passes the identifier on.
    try list(Array(paths.prefix(2)))
    #expect(try await serve(paths[0]).contains("org.example.boat connected"))
    #expect(try await serve(paths[1]).contains("passes from \(paths[0])"))
    _ = try await daemon.program.lines.next { $0.contains("org.example.boat connected") }
    // One of another user's does not, nor does what stands behind a zero.
    try list(paths)
    chown(lists + "/boat.list", 12_345, 12_345)
    #expect(try await serve(paths[2]).contains("is part of no package"))
    chown(lists + "/boat.list", 0, 0)
    try list(["/usr/bin/none\0"] + paths)
    #expect(try await serve(paths[2]).contains("is part of no package"))
    daemon.program.terminate()
  }

  @Test(
    "border 11: signatures and keys of any kind leave their program served, and another app as before"
  )
  func signatures() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let honest = try daemon.run(daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    defer { honest.end() }
    let path = try daemon.install("ClassicApp", as: "org.example.signed", in: "b")
    for kind in Kind.allCases {
      for ending in [".minisig", ".pub"] { try Self.put(kind, at: path + ending) }
      let app = try daemon.run(path, "main")
      defer { app.end() }
      #expect(try await app.lines.next { $0.hasPrefix("status") } == "status 0 on main", "\(kind)")
      _ = try await daemon.program.lines.next { $0.contains("org.example.signed connected") }
      _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    }
    daemon.program.terminate()
  }
}
