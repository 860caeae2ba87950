import Foundation
import TestSupport
import LocationLink
import Testing

/// Five users who together reach what the daemon has for all of them.
@Suite("A crowd of users", .serialized, .enabled(if: getuid() == 0, "only root can be others"))
struct CrowdTests {
  private static let users: [uid_t] = [12_001, 12_002, 12_003, 12_004, 12_005]

  private static let visitor = """
    import socket, sys
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    print(s.recv(4096), flush=True)
    """

  @Test(
    "border 13: five users whose files hang in all looks keep out neither a sixth nor the owner",
    .enabled(if: access("/dev/fuse", R_OK | W_OK) == 0, "needs FUSE"))
  func looks() async throws {
    let daemon = try await DaemonRun()
    chmod(daemon.folder.path, 0o755)
    chmod(daemon.socket, 0o666)
    let mount = daemon.folder.file("silence")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    let server = try RunningProgram(
      "/usr/bin/env", ["python3", "-c", SilentFileSystem.script, mount])
    defer {
      server.end()
      umount2(mount, Int32(MNT_DETACH))
    }
    guard try await server.lines.next(where: { _ in true }) == "mounted" else { return }
    var hung: [RunningProgram] = []
    defer { for program in hung { program.end() } }
    // Four programs of a user, and two processes of each, are all that is looked at for the user.
    for user in Self.users {
      for number in 0..<4 {
        let path = daemon.folder.file("\(user)-\(number)")
        try FileManager.default.copyItem(atPath: BorderScript.python, toPath: path)
        symlink("\(mount)/list", path + ".plist")
        for _ in 0..<2 {
          hung.append(try daemon.run(as: user, path, "-c", Self.visitor, daemon.socket))
        }
      }
    }
    // They are turned away, and the looks go on.
    for program in hung {
      _ = try await program.lines.next { $0.contains("Refused") }
    }
    let honest = try daemon.run(as: 12_006, BorderScript.python, "-c", Self.honest, daemon.socket)
    defer { honest.end() }
    #expect(try await honest.lines.next { _ in true }.contains("notDetermined"))
    #expect(
      try LinkCaller(daemon.socket).call("org.meridian.administration.GetStatus").error == nil)
    daemon.kill()
  }

  private static let honest = """
    import json, socket, sys
    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
    s.sendall(json.dumps({"method": "org.meridian.location.GetState"}).encode() + b"\\0")
    print(s.recv(65536), flush=True)
    """

  /// Opens connections, and leaves on each what the daemon sends for one unread.
  private static let filler = """
    import json, socket, sys
    call = json.dumps({"method": "org.varlink.service.GetInterfaceDescription",
      "parameters": {"interface": "org.meridian.administration"}}).encode() + b"\\0"
    def connect():
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      return s
    first = connect()
    first.sendall(call)
    size = 0
    while True:
      piece = first.recv(65536)
      size += len(piece)
      if not piece or piece.endswith(b"\\0"): break
    print("a reply has", size, flush=True)
    kept = []
    while len(kept) < 400:
      s = connect()
      try:
        s.sendall(call * (330_000 // size))
        begin = s.recv(300, socket.MSG_PEEK)
      except OSError: continue
      if begin and b"Refused" not in begin: kept.append(s)
    sys.stdin.read()
    """

  @Test(
    "border 13: five users who leave all unread that there is keep out neither a sixth nor the owner"
  )
  func unread() async throws {
    let daemon = try await DaemonRun()
    chmod(daemon.folder.path, 0o755)
    chmod(daemon.socket, 0o666)
    var fillers: [RunningProgram] = []
    defer { for program in fillers { program.end() } }
    for user in Self.users {
      fillers.append(
        try daemon.run(as: user, BorderScript.python, "-c", Self.filler, daemon.socket))
      // The first four each reach their own bound, and the fifth that of all: one of them gives way.
      let own = "the clients of user \(user) have left"
      _ = try await daemon.program.lines.next(seconds: 60) {
        $0.contains(user == Self.users.last ? "has left most" : own)
      }
    }
    let honest = try daemon.run(as: 12_006, BorderScript.python, "-c", Self.honest, daemon.socket)
    defer { honest.end() }
    #expect(try await honest.lines.next { _ in true }.contains("notDetermined"))
    #expect(
      try LinkCaller(daemon.socket).call("org.meridian.administration.GetStatus").error == nil)
    daemon.kill()
  }
}
