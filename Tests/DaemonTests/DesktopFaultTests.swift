import Foundation
import TestSupport
import Testing

/// Desktops that do not say what they should.
@Suite(
  "A desktop that shows no windows, or false ones", .serialized, .timeLimit(.minutes(3)),
  .enabled(if: XDesktop.isThere && SwayDesktop.isThere, "needs Xvfb, openbox, python3-xlib, sway"))
struct DesktopFaultTests {
  private static let app = DaemonTests.app
  private static let observed = ["CORELOCATION_IN_USE": "observed"]

  /// Starts an app without a terminal that asks for locations from a daemon, and waits for one.
  private func locate(_ daemon: DaemonRun) async throws -> RunningProgram {
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    let app = try RunningProgram(
      "/usr/bin/setsid", ["--wait", path, "main"], environment: daemon.surroundings)
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    return app
  }

  @Test("MODEL-2: a window manager that lies lists no other process, and makes none active")
  func liar() async throws {
    let desktop = try await XDesktop(managedBy: "liar")
    let daemon = try await DaemonRun(
      environment: Self.observed.merging(desktop.surroundings) { $1 })
    let app = try await locate(daemon)
    let path = try daemon.install("WindowApp", as: "com.example.Other", in: "b")
    try await daemon.answer("whenInUse", for: "com.example.Other")
    let windowed = try RunningProgram(
      path, ["x11", "boat", "locate"],
      environment: daemon.surroundings.merging(desktop.surroundings) { $1 })
    // Its window may be known before it connects, which is no change.
    _ = try await windowed.lines.next { $0 == "not in use" }
    let apps = try daemon.control("apps").text
    #expect(
      apps.contains("background (window not active)") && apps.contains("assumed (nothing shows it)")
    )
    windowed.end()
    app.end()
    desktop.end()
  }

  @Test(
    "MODEL-2: a server that accepts and never answers, or answers with what is no message, is stated and delays nobody",
    arguments: [
      ("DISPLAY", "", "does not answer"), ("SWAYSOCK", "", "sway does not answer"),
      ("WAYLAND_DISPLAY", "", "the compositor does not answer"),
      ("SWAYSOCK", "garbage", "no message"), ("WAYLAND_DISPLAY", "garbage", "no message"),
      ("WAYLAND_DISPLAY", "close", "has gone"),
    ])
  func hangs(_ variable: String, _ behavior: String, _ reason: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("server")
    let server = try RunningProgram(
      "/usr/bin/python3",
      ["-c", Self.server, variable == "DISPLAY" ? Self.displaySocket : path, behavior],
      keeping: folder)
    _ = try await server.lines.next { $0 == "listening" }
    let value = variable == "DISPLAY" ? ":\(Self.displayNumber)" : path
    let empty = ["DISPLAY": "", "SWAYSOCK": "", "WAYLAND_DISPLAY": ""]
    let daemon = try await DaemonRun(
      environment: Self.observed.merging(empty) { $1 }.merging([variable: value]) { $1 })
    let app = try await locate(daemon)
    _ = try await daemon.program.lines.next {
      $0.contains("whose window is active is not shown") && $0.contains(reason)
    }
    app.end()
    server.end()
  }

  /// A display that no X server has, and its socket, which has no file.
  private static let displayNumber = 4000 + getpid() % 10_000
  private static let displaySocket = "@/tmp/.X11-unix/X\(displayNumber)"

  /// A server that accepts, and then is silent, sends garbage, or closes.
  private static let server = """
    import socket, sys
    server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1].replace("@", "\\0")); server.listen()
    print("listening", flush=True)
    kept = []
    while True:
      connection, _ = server.accept()
      if sys.argv[2] == "garbage": connection.sendall(b"\\xff" * 65536)
      if sys.argv[2] == "close": connection.close()
      kept.append(connection)
    """

  @Test("MODEL-2: a compositor without the protocol is stated, and other rows decide")
  func without() async throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o700)
    let weston = try RunningProgram(
      "/usr/bin/weston", ["--backend=headless-backend.so", "--socket=bare", "--idle-time=0"],
      environment: ["XDG_RUNTIME_DIR": folder.path], keeping: folder)
    _ = try await weston.lines.next { $0.contains("launching") || $0.contains("desktop-shell") }
    let daemon = try await DaemonRun(
      environment: Self.observed.merging([
        "DISPLAY": "", "SWAYSOCK": "", "WAYLAND_DISPLAY": folder.file("bare"),
      ]) { $1 })
    _ = try await daemon.program.lines.next {
      $0.contains("does not list windows (zwlr_foreign_toplevel_manager_v1)")
    }
    try await locate(daemon).end()
    weston.end()
  }

  @Test("MODEL-2: a window manager that goes away leaves it to the next rows, and nothing is lost")
  func gone() async throws {
    let desktop = try await XDesktop()
    let daemon = try await DaemonRun(
      environment: Self.observed.merging(desktop.surroundings) { $1 })
    let path = try daemon.install("WindowApp", as: Self.app, in: "b")
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try RunningProgram(
      "/usr/bin/setsid", ["--wait", path, "x11", "boat", "locate"],
      environment: daemon.surroundings.merging(desktop.surroundings) { $1 })
    _ = try await app.lines.next { $0 == "location" }
    desktop.end()
    _ = try await daemon.program.lines.next { $0.contains("has gone") }
    _ = try await app.lines.next { $0 == "closed" }
    _ = try await app.lines.next { $0 == "location" }
    let said = try daemon.control("apps").text
    #expect(said.contains("assumed (nothing shows it)"), "\(said)")
    app.end()
  }
}
