import CLinux
import Foundation
import TestSupport
import LocationLink
import LocationModel
import Testing

/// Property lists that an app's folder may hold, and what the daemon makes of them.
@Suite("A hostile property list", .serialized)
struct HostileListTests {
  enum Kind: String, CaseIterable, Sendable {
    case arrays, dictionaries, comments, binary, cyclic, laughs, truncated, counts, entities, ascii
    case text, sparse, empty, pipe, zeros, folder, missing
  }

  /// Puts one of a kind beside a program; whether it is a plain file that is read.
  private func put(_ kind: Kind, at path: String) throws -> Bool {
    try? FileManager.default.removeItem(atPath: path)
    switch kind {
    case .pipe: mkfifo(path, 0o644)
    case .zeros: symlink("/dev/zero", path)
    case .folder: mkdir(path, 0o755)
    case .missing: symlink("/nonexistent/list", path)
    case .sparse:
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      ftruncate(descriptor, 1 << 30)
      close(descriptor)
    case .empty: try Data().write(to: URL(fileURLWithPath: path))
    default:
      try Data(Self.bytes(kind)).write(to: URL(fileURLWithPath: path))
      return true
    }
    return false
  }

  private static func bytes(_ kind: Kind) -> [UInt8] {
    func xml(_ body: String) -> [UInt8] { [UInt8]("<plist>\(body)</plist>".utf8) }
    func nested(_ open: String, _ close: String) -> [UInt8] {
      xml(String(repeating: open, count: 60_000) + String(repeating: close, count: 60_000))
    }
    switch kind {
    case .arrays: return nested("<array>", "</array>")
    case .dictionaries: return Array(nested("<dict><key>k</key>", "").prefix(1_000_000))
    case .comments: return Array(nested("<array><!--</array>-->", "").prefix(1_000_000))
    case .entities:
      return [UInt8]("<!DOCTYPE p [<!ENTITY a \"&a;&a;\">]>".utf8) + xml("<string>&a;</string>")
    case .ascii: return [UInt8](String(repeating: "(", count: 60_000).utf8)
    case .text: return xml("<array>" + String(repeating: "<true/>", count: 50_000) + "</array>")
    case .binary: return binary((0..<60_000).map { [$0 + 1] } + [[]])
    case .cyclic: return binary([[1], [0]])
    case .laughs: return binary((0..<64).map { [$0 + 1, $0 + 1] } + [[]])
    case .truncated: return Array(binary([[1], []]).dropLast(20))
    default:
      return binary([[1], []]).dropLast(24) + [UInt8](repeating: 0xff, count: 24)
    }
  }

  /// A binary list of arrays.
  private static func binary(_ arrays: [[Int]]) -> [UInt8] {
    func word(_ number: Int, _ size: Int = 4) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: number >> ((size - 1 - $0) * 8)) }
    }
    var (bytes, offsets) = (Array("bplist00".utf8), [Int]())
    for array in arrays {
      offsets.append(bytes.count)
      bytes += [0xa0 | UInt8(array.count)] + array.flatMap { word($0) }
    }
    let table = bytes.count
    bytes += offsets.flatMap { word($0) } + [0, 0, 0, 0, 0, 0, 4, 4]
    return bytes + word(arrays.count, 8) + word(0, 8) + word(table, 8)
  }

  @Test("border 11: leaves its program served under its path, and another app as before")
  func served() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let honest = try daemon.run(daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    defer { honest.end() }
    let path = try daemon.install("ClassicApp", as: nil, in: "b")
    for kind in Kind.allCases {
      let isRead = try put(kind, at: path + ".plist")
      let app = try daemon.run(path, "main")
      defer { app.end() }
      let status = try await app.lines.next { $0.hasPrefix("status") }
      #expect(status == "status 0 on main", "\(kind)")
      if isRead {
        let line = try await daemon.program.lines.next { $0.contains("is not read:") }
        #expect(line.contains("served as a program that declares nothing"))
      }
      _ = try await daemon.program.lines.next { $0.contains("\(path) connected") }
      _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    }
  }

  /// Files of texts in the person's language, `de.lproj/InfoPlist.strings`.
  enum Texts: String, CaseIterable, Sendable {
    case lists, keys, comments, quote, units, surrogates, binary
    case pipe, zeros, sparse, folder

    /// The bytes of one that is read; `nil` for what is no plain file of an allowed length.
    var bytes: [UInt8]? {
      switch self {
      case .lists: HostileListTests.bytes(.arrays)
      case .binary: HostileListTests.bytes(.laughs)
      case .keys: Array((0..<100_000).map { "k\($0)=v;" }.joined().utf8.prefix(1 << 20))
      case .comments: Array(String(repeating: "/* ", count: 349_000).utf8)
      case .quote: Array("\"".utf8) + [UInt8](repeating: 0x5c, count: (1 << 20) - 1)
      case .units: [0xFF, 0xFE] + (0..<100_001).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) }
      case .surrogates: [0xFE, 0xFF] + (0..<200_000).map { $0 % 2 == 0 ? 0xD8 : 0 }
      case .pipe, .zeros, .sparse, .folder: nil
      }
    }
  }

  @Test("border 11: of texts in a language leaves its app served with the texts of its list")
  func texts() async throws {
    let daemon = try await DaemonRun(environment: ["LC_ALL": "de_DE.UTF-8"])
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let honest = try daemon.run(daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    defer { honest.end() }
    let path = try daemon.install("ClassicApp", as: "org.example.texts", in: "b")
    let place = daemon.folder.file("b/de.lproj")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for kind in Texts.allCases {
      let file = place + "/InfoPlist.strings"
      if let bytes = kind.bytes {
        try Data(bytes).write(to: URL(fileURLWithPath: file))
      } else {
        _ = try put(Kind(rawValue: kind.rawValue) ?? .missing, at: file)
      }
      let app = try daemon.run(path, "main")
      defer { app.end() }
      #expect(try await app.lines.next { $0.hasPrefix("status") } == "status 0 on main", "\(kind)")
      if kind.bytes != nil {
        let line = try await daemon.program.lines.next { $0.contains("InfoPlist.strings") }
        #expect(line.contains("is not read:") && line.contains("questions show"), "\(line)")
      }
      _ = try await daemon.program.lines.next { $0.contains("org.example.texts connected") }
      _ = try await honest.lines.next { $0 == "location 48.5 on main" }
      try FileManager.default.removeItem(atPath: file)
    }
  }

  /// Writes to a file of texts without end, and begins again when it is longer than is read.
  private static let writer = """
    import itertools, sys
    with open(sys.argv[1], "wb", buffering=0) as file:
      for number in itertools.count():
        file.write(b"k%d = v;\\n" % number * 64)
        if number == 0: print("growing", flush=True)
        if file.tell() > 4 << 20: file.seek(0), file.truncate(1000)
    """

  @Test("border 11: of texts that grows while it is read ends nothing, and its app is served")
  func growing() async throws {
    let daemon = try await DaemonRun(environment: ["LC_ALL": "de_DE.UTF-8"])
    let path = try daemon.install("ClassicApp", as: "org.example.texts", in: "b")
    let place = daemon.folder.file("b/de.lproj")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let writer = try RunningProgram(
      "/usr/bin/env", ["python3", "-c", Self.writer, place + "/InfoPlist.strings"])
    defer { writer.end() }
    _ = try await writer.lines.next { $0 == "growing" }
    for _ in 0..<12 {
      let app = try daemon.run(path, "main")
      defer { app.end() }
      #expect(try await app.lines.next { $0.hasPrefix("status") } == "status 0 on main")
      _ = try await daemon.program.lines.next { $0.contains("org.example.texts connected") }
    }
  }

  @Test(
    "border 11: on a file system that hangs has its program turned away; others are served at once",
    .enabled(if: getuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0, "needs root and FUSE"))
  func hung() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let mount = daemon.folder.file("silence")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    let server = try RunningProgram(
      "/usr/bin/env", ["python3", "-c", SilentFileSystem.script, mount])
    defer {
      server.end()
      umount2(mount, Int32(MNT_DETACH))
    }
    guard try await server.lines.next(where: { _ in true }) == "mounted" else { return }
    // A program that does not look at its list itself.
    let path = daemon.folder.file("python3")
    try FileManager.default.copyItem(
      at: URL(fileURLWithPath: "/usr/bin/python3").resolvingSymlinksInPath(),
      to: URL(fileURLWithPath: path))
    symlink("\(mount)/list", path + ".plist")
    let script = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      print(s.recv(4096), flush=True)
      """
    let hung = try (0..<4).map { _ in try daemon.run(path, "-c", script, daemon.socket) }
    defer { for app in hung { app.end() } }
    let honest = try daemon.run(daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    defer { honest.end() }
    for _ in 0..<3 { _ = try await honest.lines.next { $0 == "location 48.5 on main" } }
    let reason = try await daemon.program.lines.next { $0.contains("refused a client") }
    #expect(reason.contains("could not be read in 5 seconds"))
    for _ in 0..<3 { _ = try await honest.lines.next { $0 == "location 48.5 on main" } }
  }

  @Test(
    "border 11: whose file system stops after the program was identified holds nobody back",
    .enabled(if: ProvidedFileSystem.isPossible, "needs root and FUSE"))
  func hungLater() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: DaemonTests.app)
    let files = try await ProvidedFileSystem(in: daemon.folder, program: BorderScript.python)
    let script = """
      s = connect()
      say('identified', ask(s, "org.varlink.service.GetInfo"))
      while not os.path.exists(sys.argv[2]): os.sched_yield()
      say('served', ask(s, "org.meridian.location.GetState"))
      """
    let go = daemon.folder.file("go")
    let hung = try BorderScript.run(daemon, script, go, program: files.program)
    defer { hung.end() }
    _ = try await hung.lines.next { $0.hasPrefix("identified") }
    files.stop()
    _ = FileManager.default.createFile(atPath: go, contents: nil)
    let honest = try daemon.run(daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    defer { honest.end() }
    for _ in 0..<3 { _ = try await honest.lines.next { $0 == "location 48.5 on main" } }
    let served = try await hung.lines.next { $0.hasPrefix("served") }
    #expect(served.contains("notDetermined"), "\(served)")
  }

  @Test(
    "border 4: in a file system that a program provides, which shows any owner, has no line of a policy",
    .enabled(if: ProvidedFileSystem.isPossible, "needs root and FUSE"))
  func providedOwner() async throws {
    let folder = try TemporaryFolder()
    let list = folder.file("app.plist")
    try Data(Self.named.utf8).write(to: URL(fileURLWithPath: list))
    let files = try await ProvidedFileSystem(
      in: folder, program: BuiltProgram.path("AsyncApp"), list: list)
    let policy = folder.file("policy")
    try "org.example.Provided always\n".write(toFile: policy, atomically: true, encoding: .utf8)
    let daemon = try await DaemonRun(configuration: ["agent = policy:\(policy)"])
    let app = try daemon.run(files.program)
    defer { app.end() }
    let line = try await daemon.program.lines.next { $0.contains("Nobody can be asked") }
    #expect(line.contains("does not count, because others could replace \(files.program)"))
  }

  private static let named = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.Provided</string>
    <key>NSLocationWhenInUseUsageDescription</key><string>To test.</string></dict></plist>
    """
}
