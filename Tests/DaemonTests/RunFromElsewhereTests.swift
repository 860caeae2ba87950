import Foundation
import TestSupport
import Testing

/// Programs that run from no file, from a file that is gone, by an interpreter, or under a path that
/// another file was mounted over (SECURITY.md).
@Suite("A program that runs from elsewhere", .serialized)
struct RunFromElsewhereTests {
  private static let app = DaemonTests.app

  /// How a program hides its file; Python with `python`, `honest`, `place`, and `run`.
  enum Way: String, CaseIterable {
    case memory = """
      memory = os.memfd_create("../../.." + honest)
      with open(python, "rb") as file: os.sendfile(memory, file.fileno(), 0, 1 << 30)
      run(f"/proc/self/fd/{memory}")
      """
    case deleted = """
      run(shutil.copy(python, place + "/deleted"), "os.unlink(own)")
      """
    case replaced = """
      run(shutil.copy(python, place + "/replaced"), "os.unlink(own); shutil.copy(honest, own);"
        "shutil.copy(honest, own + ' (deleted)'); shutil.copy(honest + '.plist', own + '.plist')")
      """
  }

  private static let beginning = """
    import ctypes, os, shutil, sys
    server, honest, place = sys.argv[1:4]
    python = os.path.realpath("/usr/bin/python3")
    client = '''
    import os, shutil, socket, sys
    server, honest, own = sys.argv[1:4]
    %s
    s = socket.socket(socket.AF_UNIX); s.connect(server)
    call = b'{"method":"org.meridian.location.Open","more":true,"parameters":{"version":2}}\\\\0'
    # A refusal may close the connection before this is read, which the kernel reports instead.
    try: s.sendall(call); said = s.recv(65536).decode()
    except OSError: said = "hung up"
    print("said", said, flush=True)
    '''
    def run(program, first="", name=None):
      words = [name or program, "-I", "-c", client % first, server, honest, program]
      os.execve(program, words, dict(os.environ, PYTHONHOME="/usr"))

    """

  /// A daemon with an app that may know the place, and the app's program.
  private func stage() async throws -> (DaemonRun, honest: String) {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    let honest = try daemon.run(path, "main")
    _ = try await honest.lines.next { $0 == "location 48.5 on main" }
    honest.end()
    return (daemon, path)
  }

  private func said(
    _ way: String, _ daemon: DaemonRun, _ honest: String
  ) async throws -> String {
    let program = try RunningProgram(
      "/usr/bin/python3", ["-c", Self.beginning + way, daemon.socket, honest, daemon.folder.path])
    defer { program.end() }
    return try await program.lines.next { $0.hasPrefix("said") || $0.contains("Error") }
  }

  /// Why the daemon refuses the program.
  private func refusal(
    _ way: String, _ daemon: DaemonRun, _ honest: String
  ) async throws -> String {
    let said = try await said(way, daemon, honest)
    #expect(said.contains("Refused") || said == "said hung up", "\(said)")
    return try await daemon.program.lines.next { $0.contains("refused a client") }
  }

  @Test(
    "border 3: is nobody without a file, and with one that is gone or another",
    arguments: Way.allCases)
  func noFile(_ way: Way) async throws {
    let (daemon, honest) = try await stage()
    let reason = try await refusal(way.rawValue, daemon, honest)
    #expect(reason.contains("is not the file at"), "\(reason)")
  }

  @Test("border 3: is the file that it runs, however it is called and whatever lies by a script")
  func interpreted() async throws {
    let (daemon, honest) = try await stage()
    let renamed = try await said("run(python, name=honest)", daemon, honest)
    #expect(renamed.contains("\"notDetermined\""), "\(renamed)")
    let script = """
      tool = place + "/tool.py"
      with open(tool, "w") as file: file.write(client % "")
      shutil.copy(honest + ".plist", tool + ".plist")
      os.execv(python, [tool, "-I", tool, server, honest, tool])
      """
    let said = try await said(script, daemon, honest)
    #expect(said.contains("\"notDetermined\""), "\(said)")
    _ = try await daemon.program.lines.next { $0.contains("/python3") && $0.contains("connected") }
  }

  @Test("border 3: that runs a file of its own under a second name is that file at most")
  func secondName() async throws {
    let (daemon, honest) = try await stage()
    let way = """
      own = shutil.copy(python, place + "/twin")
      os.link(own, own + " (deleted)")
      run(own, "os.unlink(own)")
      """
    let said = try await said(way, daemon, honest)
    #expect(said.contains("\"notDetermined\"") || said.contains("Refused"), "\(said)")
  }

  @Test(
    "border 3: is not the program that it has mounted its own over, in namespaces of its own",
    .enabled(if: getuid() == 0, "only root may always make a namespace"),
    arguments: [("0x20000", "is not the file at"), ("0x10020000", "refused a client")])
  func mounted(_ namespaces: String, _ reason: String) async throws {
    let (daemon, honest) = try await stage()
    let way = """
      libc = ctypes.CDLL(None, use_errno=True)
      def check(code):
        if code: raise OSError(ctypes.get_errno(), "no mount")
      check(libc.unshare(\(namespaces)))
      check(libc.mount(b"none", b"/", None, 0x44000, None))
      check(libc.mount(python.encode(), honest.encode(), None, 0x1000, None))
      run(honest)
      """
    let said = try await refusal(way, daemon, honest)
    #expect(said.contains(reason), "\(said)")
  }
}
