import Foundation
import TestSupport
import Testing

/// A desktop of X: a server without a screen, and a window manager.
private struct Desktop {
  let server: RunningProgram
  let manager: RunningProgram
  let display: String

  static var isThere: Bool {
    ["/usr/bin/Xvfb", "/usr/bin/openbox", "/usr/lib/python3/dist-packages/Xlib/display.py"]
      .allSatisfy(FileManager.default.fileExists)
  }

  init() async throws {
    server = try RunningProgram(
      "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    display = ":" + (try await server.lines.next { Int($0) != nil })
    manager = try RunningProgram("/usr/bin/openbox", [], environment: ["DISPLAY": display])
    try await ask("manager")
  }

  func run(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(
      "/usr/bin/python3", ["-c", Self.script] + arguments,
      environment: ["DISPLAY": display])
  }

  /// Runs a verb that ends.
  func ask(_ arguments: String...) async throws {
    let program = try run(arguments)
    _ = try await program.lines.next { $0 == "done" }
    program.end()
  }

  func end() {
    manager.end()
    server.end()
  }

  /// `manager` waits until windows are managed, `window NAME` has a window, `app NAME SOCKET` has one and
  /// asks for locations, `activate NAME` has the window of that name activated, `close NAME` closed.
  private static let script = """
    import json, os, socket, sys, threading
    from Xlib import X, display, protocol
    screen = display.Display()
    root = screen.screen().root
    root.change_attributes(event_mask=X.PropertyChangeMask | X.SubstructureNotifyMask)
    def atom(name): return screen.intern_atom(name)
    def listed(name): return (root.get_full_property(atom(name), X.AnyPropertyType) or type("", (), {"value": []})).value
    def find(name):
      for window in listed("_NET_CLIENT_LIST"):
        window = screen.create_resource_object("window", window)
        if window.get_wm_name() == name: return window
    def ask(window, kind):
      event = protocol.event.ClientMessage(window=window, client_type=atom(kind), data=(32, [2, 0, 0, 0, 0]))
      root.send_event(event, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
      screen.sync()
    verb = sys.argv[1]
    if verb == "manager":
      while len(listed("_NET_SUPPORTING_WM_CHECK")) == 0: screen.next_event()
      print("done", flush=True)
    elif verb in ("activate", "close"):
      ask(find(sys.argv[2]), "_NET_ACTIVE_WINDOW" if verb == "activate" else "_NET_CLOSE_WINDOW")
      print("done", flush=True)
    else:
      window = root.create_window(0, 0, 100, 100, 1, screen.screen().root_depth)
      window.set_wm_name(sys.argv[2])
      window.set_wm_protocols([atom("WM_DELETE_WINDOW")])
      # A lie: the server knows better.
      window.change_property(atom("_NET_WM_PID"), atom("CARDINAL"), 32, [1])
      window.map()
      screen.flush()
      def follow():
        while True:
          event = screen.next_event()
          if event.type == X.ClientMessage and event.data[1][0] == atom("WM_DELETE_WINDOW"):
            window.destroy(); screen.flush(); print("closed", flush=True)
      threading.Thread(target=follow, daemon=True).start()
      print("shown", flush=True)
      if verb == "app":
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[3])
        s.sendall(json.dumps({"method": "org.meridian.location.Watch", "more": True}).encode() + b"\\0")
        data = b""
        while True:
          data += s.recv(65536)
          while b"\\0" in data:
            message, _, data = data.partition(b"\\0")
            print("location" if b"latitude" in message else message.decode(), flush=True)
      threading.Event().wait()
    """
}

/// Apps with windows.
@Suite(
  "An app with a window", .serialized, .timeLimit(.minutes(2)),
  .enabled(if: Desktop.isThere, "needs Xvfb, openbox, and python3-xlib"))
struct WindowTests {
  @Test(
    "MODEL-2: is in use while its window is the active one, whatever process its property names")
  func focus() async throws {
    let desktop = try await Desktop()
    let daemon = try await DaemonRun(
      environment: ["CORELOCATION_IN_USE": "observed", "DISPLAY": desktop.display])
    let python = try #require(SmallPath.resolved("/usr/bin/python3"))
    try await daemon.answer("whenInUse", for: python)
    func becomes(_ state: String) async throws {
      _ = try await daemon.program.lines.next { $0.contains("\(python) is \(state) (window)") }
    }
    let app = try desktop.run(["app", "boat", daemon.socket])
    _ = try await app.lines.next { $0 == "location" }
    let other = try desktop.run(["window", "other"])
    try await becomes("in the background")
    let clock = ContinuousClock()
    let start = clock.now
    try await desktop.ask("activate", "boat")
    try await becomes("in use")
    // With the start of the program that asks for it.
    #expect(start.duration(to: clock.now) < .seconds(10))
    other.end()
    try await desktop.ask("close", "boat")
    _ = try await app.lines.next { $0 == "closed" }
    try await becomes("in the background")
    desktop.end()
    _ = try await daemon.program.lines.next { $0.contains("\(python) is in use (nothing)") }
    app.end()
  }
}

private enum SmallPath {
  static func resolved(_ path: String) -> String? {
    realpath(path, nil).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
  }
}
