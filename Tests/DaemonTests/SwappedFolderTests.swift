import Foundation
import TestSupport
import Testing

/// Another user who may rename the folder of a state puts one of their own at its path while the daemon opens it.
@Suite(
  "A folder that is exchanged while it is opened", .serialized,
  .enabled(if: getuid() == 0, "only root can own a folder in another user's"))
struct SwappedFolderTests {
  private static let stranger: uid_t = 12_345
  /// A log of three pages.
  private static let sizeOfTables = 32 + 3 * (24 + 4096)

  /// Exchanges two folders as soon as the first one was opened so many times.
  private static let exchange = """
    import ctypes, os, struct, sys
    watched, times, one, other = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init()
    libc.inotify_add_watch(watch, watched.encode(), 0x20)
    print("watching", flush=True)
    while times > 0:
      events, place = os.read(watch, 4096), 0
      while place < len(events):
        _, mask, _, length = struct.unpack_from("iIII", events, place)
        place += 16 + length
        # Of the folder itself, not of a file in it.
        if length == 0 and mask & 0x40000000: times -= 1
    libc.renameat2(-100, one.encode(), -100, other.encode(), 2)
    print("exchanged", flush=True)
    """

  @Test(
    "border 20: an exchange between check and use is refused, or has no effect",
    arguments: ["state", "state-key"], 1...5)
  func exchanged(name: String, times: Int) async throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    let shared = folder.file("shared")
    let other = shared + "/other"
    for path in [shared, shared + "/state", shared + "/state-key", other] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      chmod(path, path == shared ? 0o755 : 0o700)
    }
    // A key that the stranger knows, and a database that they may read.
    for (file, text) in [("state.sqlite", ""), ("master", String(repeating: "5", count: 64))] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(other)/\(file)"))
      chmod("\(other)/\(file)", 0o666)
      chown("\(other)/\(file)", Self.stranger, Self.stranger)
    }
    for path in [shared, other] { chown(path, Self.stranger, Self.stranger) }
    let place = "\(shared)/\(name)"
    let swapper = try RunningProgram(
      "/usr/bin/python3", ["-c", Self.exchange, place, "\(times)", place, other])
    defer { swapper.end() }
    _ = try await swapper.lines.next { $0 == "watching" }
    let daemon = try RunningProgram(
      BuiltProgram.path("locationd"),
      [
        "--socket", folder.file("socket"), "--state", shared + "/state", "--source",
        "fixed:48.5,11.5,5",
      ], environment: ["CORELOCATION_SOURCES": ""])
    defer { daemon.end() }
    let line = try await daemon.lines.next {
      $0.contains("serving; its state is in") || $0.contains("was replaced")
        || $0.contains("belongs to user \(Self.stranger)")
    }
    // From here on nothing is exchanged any more.
    swapper.end()
    // What the stranger put there lies at the path now, if they came in time.
    let strangers = try Self.found(place).owner == Self.stranger ? place : other
    if line.contains("serving") {
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd")
        .compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon.pid)/fd/\($0)")
        }
      #expect(!open.contains { $0.hasPrefix(strangers + "/") }, "\(times): \(open)")
    }
    // SQLite makes the files of its log by their path, and leaves them where its database is not.
    let (logs, names) = try FileManager.default.contentsOfDirectory(atPath: strangers).sorted()
      .reduce(into: ([String](), [String]())) { found, name in
        if name.hasPrefix("state.sqlite-") { found.0.append(name) } else { found.1.append(name) }
      }
    #expect(
      names.filter { $0 != "lock" && $0 != "state.sqlite" } == ["master"], "\(times): \(line)")
    #expect(logs.isEmpty || line.contains("was replaced"), "\(times): \(line)")
    for log in logs {
      let file = try Self.found("\(strangers)/\(log)")
      // As root SQLite gives them the owner of the database that it finds there, when that is exchanged a moment
      // before. They have the definitions of the tables then, and no row.
      let isTables = log.hasSuffix("-shm") || (file.size ?? .max) <= Self.sizeOfTables
      #expect(isTables || file.owner == 0 && file.mode == 0o600, "\(log) \(file)")
    }
    #expect(try Self.found(strangers + "/state.sqlite").size == 0, "\(times): \(line)")
  }

  private static func found(_ path: String) throws -> (owner: uid_t?, mode: Int?, size: Int?) {
    let found = try FileManager.default.attributesOfItem(atPath: path)
    return (
      (found[.ownerAccountID] as? NSNumber)?.uint32Value,
      (found[.posixPermissions] as? NSNumber)?.intValue, (found[.size] as? NSNumber)?.intValue
    )
  }
}
