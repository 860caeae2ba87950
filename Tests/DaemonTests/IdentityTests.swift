import Foundation
import TestSupport
import LocationModel
import Testing

/// Programs that declare names which are none, or another one's (docs/decisions/0067).
@Suite("A declared identifier", .serialized)
struct IdentityTests {
  private static let victim = "org.example.Victim"
  private static let isRoot = getuid() == 0
  private static let nobody: uid_t = 65534
  private static let identifier = "CFBundleIdentifier"

  @Test(
    "border 3: with a NUL in it takes no row of another user's app",
    .enabled(if: IdentityTests.isRoot, "only root can become somebody else"),
    arguments: ["\0", "\0@1001"])
  func rows(_ tail: String) async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.victim)
    let path = try daemon.install("ClassicApp", as: Self.victim, in: "a")
    let honest = try daemon.run(path, "main")
    _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    honest.end()
    let evil = try daemon.install("ClassicApp", as: nil, in: "b")
    try await daemon.declare([Self.identifier: Self.victim + tail], beside: evil)
    let impostor = try daemon.run(as: Self.nobody, evil, "main")
    _ = try await impostor.lines.next { $0 == "status 0 on main" }
    let line = try await daemon.program.lines.next { $0.contains("has the character U+0000") }
    #expect(line.contains("served as \(evil)@65534"))
    impostor.end()
    // What is stored says still whose the identifier is.
    daemon.kill()
    let again = try await DaemonRun(in: daemon.folder)
    let back = try again.run(path, "main")
    defer { back.end() }
    _ = try await back.lines.next { $0 == "location 48.5 on main" }
  }

  @Test("border 3: with another user's number behind it has none of that user's permissions")
  func numbers() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: "\(Self.victim)@1001")
    let path = try daemon.install("ClassicApp", as: "\(Self.victim)@1001", in: "a")
    let impostor = try daemon.run(path, "main")
    defer { impostor.end() }
    _ = try await impostor.lines.next { $0 == "status 0 on main" }
    let line = try await daemon.program.lines.next { $0.contains("has the character U+0040") }
    #expect(line.contains("served as \(path)"))
  }

  @Test("border 3: that is a path has none of the permissions of the program there")
  func path() async throws {
    let daemon = try await DaemonRun()
    let honest = try daemon.install("ClassicApp", as: nil, in: "a")
    try await daemon.answer("whenInUse", for: honest)
    let impostor = try daemon.run(daemon.install("ClassicApp", as: honest, in: "b"), "main")
    defer { impostor.end() }
    _ = try await impostor.lines.next { $0 == "status 0 on main" }
    _ = try await daemon.program.lines.next { $0.contains("has the character U+002F") }
  }

  @Test(
    "border 3: a program whose path ends in @ and a number is not another user's program",
    .enabled(if: IdentityTests.isRoot, "only root can become somebody else"))
  func numberedPath() async throws {
    let daemon = try await DaemonRun()
    let path = try daemon.install("ClassicApp", as: nil, in: "a")
    try await daemon.declare([:], beside: path)
    try FileManager.default.copyItem(atPath: path, toPath: path + "@65534")
    try await daemon.declare([:], beside: path + "@65534")
    try await daemon.answer("whenInUse", for: "\(path)@65534")
    let twin = try daemon.run(path + "@65534", "main")
    _ = try await twin.lines.next { $0 == "status 0 on main" }
    twin.end()
    let honest = try daemon.run(as: Self.nobody, path, "main")
    defer { honest.end() }
    _ = try await honest.lines.next { $0 == "location 48.5 on main" }
  }

  @Test("border 3: in other cases than another program's is another program's")
  func cases() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.victim)
    try await daemon.answer("whenInUse", for: "org.example.victim")
    let honest = try daemon.run(daemon.install("ClassicApp", as: Self.victim, in: "a"), "main")
    _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    honest.end()
    let twin = try daemon.run(
      daemon.install("ClassicApp", as: "org.example.victim", in: "b"), "main")
    defer { twin.end() }
    _ = try await twin.lines.next { $0 == "status 0 on main" }
    _ = try await daemon.program.lines.next { $0.contains("which is another program's") }
  }

  @Test(
    "REG-13: a new version elsewhere has what was decided once the owner says that it is the app")
  func adopted() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.victim)
    let old = try daemon.install("ClassicApp", as: Self.victim, in: "a")
    let new = try daemon.install("ClassicApp", as: Self.victim, in: "b")
    let none = try daemon.control("apps", "adopt", new)
    #expect(none.status == 1 && none.text.contains("no program has used"))
    let first = try daemon.run(old, "main")
    _ = try await first.lines.next { $0 == "location 48.5 on main" }
    let second = try daemon.run(new, "main")
    defer { second.end() }
    _ = try await second.lines.next { $0 == "status 0 on main" }
    let adopted = try daemon.control("apps", "adopt", new)
    #expect(adopted.status == 0 && adopted.text.contains("(was: \(old))"))
    // Both come again, and what they may know has changed sides.
    _ = try await second.lines.next { $0 == "location 48.5 on main" }
    _ = try await first.lines.next { $0 == "status 0 on main" }
    first.end()
    #expect(try daemon.control("apps", "adopt", "/nonexistent").status == 1)
    #expect(try daemon.control("apps", "adopt").status == 2)
  }

  @Test(
    "border 3: passes to a new version elsewhere that the same publisher has signed, and to no other",
    .enabled(if: Minisign.isInstalled, "no minisign (Debian's package)"))
  func signed() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.victim)
    let publisher = try Minisign(in: daemon.folder, named: "publisher")
    let stranger = try Minisign(in: daemon.folder, named: "stranger")
    func begin(_ place: String, by signer: Minisign?, status: String) async throws -> String {
      let path = try daemon.install("ClassicApp", as: Self.victim, in: place)
      try signer?.sign(path, as: Self.victim)
      let app = try daemon.run(path, "main")
      _ = try await app.lines.next { $0 == status }
      app.end()
      return path
    }
    let first = try await begin("1", by: publisher, status: "location 48.5 on main")
    for (place, signer) in [("2", stranger), ("3", nil)] {
      _ = try await begin(place, by: signer, status: "status 0 on main")
    }
    let next = try await begin("4", by: publisher, status: "location 48.5 on main")
    let line = try await daemon.program.lines.next { $0.contains("passes from") }
    #expect(line.contains("passes from \(first) to \(next): both are of minisign:RW"))
  }

  // MARK: Policies

  /// A daemon whose policy says this.
  private func daemon(policy: String) async throws -> DaemonRun {
    let folder = try TemporaryFolder()
    let file = folder.file("locationd.conf")
    try policy.write(toFile: folder.file("policy"), atomically: true, encoding: .utf8)
    try "agent = policy:\(folder.file("policy"))\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    return try await DaemonRun(arguments: ["--config", file], in: folder)
  }

  @Test("border 4: with @ in it has no line of a policy")
  func mark() async throws {
    let daemon = try await daemon(policy: "\(Self.victim) always")
    let path = try daemon.install("AsyncApp", as: "\(Self.victim)@bar", in: "a")
    let impostor = try daemon.run(path)
    defer { impostor.end() }
    let line = try await daemon.program.lines.next { $0.contains("Nobody can be asked") }
    #expect(line.contains("no line for \(path), and none for *"))
  }

  @Test(
    "border 4: has the line of a policy for a program that its user cannot replace, or that it names",
    .enabled(if: IdentityTests.isRoot, "only root can become somebody else"))
  func policy() async throws {
    let daemon = try await daemon(policy: "\(Self.victim) always")
    // The attacker is first, and has the identifier, but nothing of what the owner meant for another.
    let evil = try daemon.install("AsyncApp", as: Self.victim, in: "evil")
    chown(daemon.folder.file("evil"), Self.nobody, Self.nobody)
    let impostor = try daemon.run(as: Self.nobody, evil)
    let line = try await daemon.program.lines.next { $0.contains("Nobody can be asked") }
    #expect(line.contains("does not count, because others could replace \(evil)"))
    impostor.end()
    let path = try daemon.install("AsyncApp", as: Self.victim, in: "honest")
    try "\(Self.victim)=\(path) always".write(
      toFile: daemon.folder.file("policy"), atomically: true, encoding: .utf8)
    let honest = try daemon.run(as: Self.nobody, path)
    defer { honest.end() }
    _ = try await honest.lines.next { $0 == "live 48.5" }
  }

  @Test(
    "border 4: has the line of a policy when it is the first program's that root alone can replace")
  func claimed() async throws {
    let daemon = try await daemon(policy: "\(Self.victim) always")
    let honest = try daemon.run(daemon.install("AsyncApp", as: Self.victim, in: "a"))
    _ = try await honest.lines.next { $0 == "live 48.5" }
    honest.end()
    let path = try daemon.install("AsyncApp", as: Self.victim, in: "b")
    let second = try daemon.run(path)
    defer { second.end() }
    let line = try await daemon.program.lines.next { $0.contains("Nobody can be asked") }
    #expect(line.contains("no line for \(path), and none for *"))
  }

  // MARK: What a person sees

  /// What a terminal would obey, and what would be read in another order than it stands.
  private static let evil = "Maps\u{1b}[2J\r\u{202e}\nlocationd: serving"

  private func isPlain(_ line: String) -> Bool {
    !line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202e}" || $0 == "\u{9b}" }
  }

  @Test("border 5: an app's words stand in the log escaped, in one line, beside its program")
  func journal() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("locationd.conf")
    try "agent = none\n".write(toFile: file, atomically: true, encoding: .utf8)
    let daemon = try await DaemonRun(arguments: ["--config", file], in: folder)
    let path = try daemon.install("AsyncApp", as: nil, in: "a")
    let names = [Self.identifier: Self.victim, "CFBundleDisplayName": Self.evil]
    try await daemon.declare(names, beside: path)
    let app = try daemon.run(path)
    defer { app.end() }
    let line = try await daemon.program.lines.next { $0.contains("Nobody can be asked") }
    #expect(isPlain(line))
    #expect(line.contains("Maps\\u{1B}[2J\\u{D}\\u{202E}\\u{A}locationd: serving"))
    #expect(line.contains("(\(Self.victim): \(path), user \(getuid()))"))
  }

  @Test(
    "border 5: the question on a terminal tells the program and the user, and the words escaped")
  func terminal() async throws {
    let daemon = try await DaemonRun()
    let script = """
      import os, pty, sys
      pid, terminal = pty.fork()
      if pid == 0:
        os.execv(sys.argv[1], [sys.argv[1], "agent"])
      said = b""
      while b"Answer: " not in said:
        try: piece = os.read(terminal, 4096)
        except OSError: break
        said += piece
        if b"attending" in said: print("attending", flush=True)
      for line in said.decode().replace("\\r\\n", "\\n").split("\\n"):
        print("said " + ascii(line), flush=True)
      os.write(terminal, b"d\\n")
      print("end", flush=True)
      os.read(terminal, 4096)
      """
    let agent = try daemon.run(
      "/usr/bin/env", "python3", "-c", script, BuiltProgram.path("locationctl"))
    defer { agent.end() }
    _ = try await agent.lines.next { $0 == "attending" }
    let path = try daemon.install("AsyncApp", as: nil, in: "a")
    let names = [
      Self.identifier: Self.victim, "CFBundleDisplayName": Self.evil,
      "NSLocationWhenInUseUsageDescription": "Fine.\u{1b}]0;x\u{7}\n  asked by /usr/bin/maps",
    ]
    try await daemon.declare(names, beside: path)
    let app = try daemon.run(path)
    defer { app.end() }
    var said: [String] = []
    while said.last != "end" { said.append(try await agent.lines.next()) }
    let text = said.joined(separator: "\n")
    // As Python writes them, each character that is not plain ASCII is an escape of one `\`.
    #expect(!text.contains("\\x1b") || !text.contains("\\x07"))
    #expect(!text.contains("\\u202e") && !text.contains("\\r"))
    #expect(text.contains("Maps\\\\u{1B}[2J\\\\u{D}\\\\u{202E}\\\\u{A}locationd: serving"))
    #expect(text.contains("Fine.\\\\u{1B}]0;x\\\\u{7}\\\\u{A}  asked by /usr/bin/maps"))
    #expect(text.contains("said '  asked by \(Self.victim): \(path), user \(getuid())'"))
  }

  @Test("border 5: the owner's lists show names escaped, one line for each")
  func lists() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.evil)
    for words in [["apps"], ["authorize", "--list"], ["apps", "--json"]] {
      let tool = try RunningProgram(
        BuiltProgram.path("locationctl"), words, environment: daemon.surroundings)
      let line = try await tool.lines.next { $0.contains("Maps") }
      #expect(isPlain(line))
      #expect(line.contains("locationd: serving"))
    }
  }

  @Test("border 11: behind a link, which may lead where only the daemon may read, is not read")
  func linked() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.victim)
    let path = try daemon.install("ClassicApp", as: Self.victim, in: "a")
    try FileManager.default.moveItem(atPath: path + ".plist", toPath: path + ".hidden")
    try FileManager.default.createSymbolicLink(
      atPath: path + ".plist", withDestinationPath: path + ".hidden")
    let app = try daemon.run(path, "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "status 0 on main" }
    let line = try await daemon.program.lines.next { $0.contains("is a link") }
    #expect(line.contains("\(path).plist"), "\(line)")
  }
}
