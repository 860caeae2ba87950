import Foundation
import TestSupport

/// How an app reaches its engine.
enum Reach: String, CaseIterable, Sendable {
  /// The engine runs in the app's own process.
  case inProcess
  /// The engine is that of a daemon, which sees the same desktop.
  case daemon
}

extension DaemonRun {
  /// What an app has in its environment that reaches its engine in a way. For an engine of the app's
  /// own the daemon ends, and its state, with the person's answers, becomes that of the app.
  func surroundings(_ reach: Reach) throws -> [String: String] {
    guard reach == .inProcess else { return surroundings }
    kill()
    let own = folder.file("own")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    for part in ["", "-key"] {
      try FileManager.default.moveItem(atPath: state + part, toPath: own + "/meridian" + part)
    }
    return [
      "LOCATIOND_SOCKET": "", "CORELOCATION_SOURCES": "fixed:48.5,11.5,5", "XDG_STATE_HOME": own,
    ]
  }
}

/// A desktop with windows, and how the active one is changed.
protocol Desktop: Sendable {
  /// What an app of the desktop, and the daemon of its person, have in their environment.
  var surroundings: [String: String] { get }
  /// The word with which the app for tests opens a window here.
  var word: String { get }
  /// Makes the window of a name the active one; returns when that is asked for.
  func activate(_ name: String) async throws -> ContinuousClock.Instant
  func end()
}

/// An X server without a screen, and a window manager.
struct XDesktop: Desktop {
  private let server: RunningProgram
  private let manager: RunningProgram
  let display: String
  let word = "x11"
  var surroundings: [String: String] {
    ["DISPLAY": display, "WAYLAND_DISPLAY": "", "SWAYSOCK": ""]
  }

  static var isThere: Bool {
    ["/usr/bin/Xvfb", "/usr/bin/openbox", "/usr/lib/python3/dist-packages/Xlib/display.py"]
      .allSatisfy(FileManager.default.fileExists)
  }

  /// Starts a desktop with openbox, or with what a verb of the script does in its place.
  init(managedBy verb: String? = nil) async throws {
    server = try RunningProgram(
      "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    display = ":" + (try await server.lines.next { Int($0) != nil })
    if let verb {
      manager = try Self.run([verb], on: display)
      _ = try await manager.lines.next { $0 == "managing" }
    } else {
      manager = try RunningProgram("/usr/bin/openbox", [], environment: ["DISPLAY": display])
      try await ask("manager")
    }
  }

  private static func run(_ arguments: [String], on display: String) throws -> RunningProgram {
    try RunningProgram(
      "/usr/bin/python3", ["-c", script] + arguments, environment: ["DISPLAY": display])
  }

  /// Runs a verb that ends.
  @discardableResult
  func ask(_ arguments: String...) async throws -> ContinuousClock.Instant {
    let program = try Self.run(arguments, on: display)
    _ = try await program.lines.next { $0 == "asks" }
    let asked = ContinuousClock.now
    _ = try await program.lines.next { $0 == "done" }
    program.end()
    return asked
  }

  func activate(_ name: String) async throws -> ContinuousClock.Instant {
    try await ask("activate", name)
  }

  func end() {
    manager.end()
    server.end()
  }

  /// `manager` waits until windows are managed, `activate NAME` has the window of that name activated,
  /// `close NAME` closed. `liar` is a window manager that lists each window, and many that there are not,
  /// and says that the active one is a window that it does not list, of no client.
  private static let script = """
    import sys
    from Xlib import X, display, error, protocol
    screen = display.Display()
    root = screen.screen().root
    def atom(name): return screen.intern_atom(name)
    def listed(name): return (root.get_full_property(atom(name), X.AnyPropertyType) or type("", (), {"value": []})).value
    def find(name):
      for window in listed("_NET_CLIENT_LIST"):
        window = screen.create_resource_object("window", window)
        if window.get_wm_name() == name: return window
    def ask(window, kind):
      event = protocol.event.ClientMessage(window=window, client_type=atom(kind), data=(32, [2, 0, 0, 0, 0]))
      root.send_event(event, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    verb = sys.argv[1]
    if verb == "liar":
      root.change_attributes(event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
      windows = []
      def show():
        root.change_property(atom("_NET_ACTIVE_WINDOW"), atom("WINDOW"), 32, [0xdeadbee])
        root.change_property(atom("_NET_CLIENT_LIST"), atom("WINDOW"), 32, windows + list(range(1, 4000)))
        screen.sync()
      show()
      print("managing", flush=True)
      while True:
        event = screen.next_event()
        if event.type == X.MapRequest:
          event.window.map(); windows.append(event.window.id); show()
    root.change_attributes(event_mask=X.PropertyChangeMask | X.SubstructureNotifyMask)
    if verb == "manager":
      while len(listed("_NET_SUPPORTING_WM_CHECK")) == 0: screen.next_event()
    print("asks", flush=True)
    if verb in ("activate", "close"):
      ask(find(sys.argv[2]), "_NET_ACTIVE_WINDOW" if verb == "activate" else "_NET_CLOSE_WINDOW")
      screen.sync()
    print("done", flush=True)
    """
}

/// A compositor of Wayland without a screen.
struct SwayDesktop: Desktop {
  private let folder: TemporaryFolder
  private let compositor: RunningProgram
  private let control: String
  private let socket: String
  /// Whether programs may use the control socket, which names processes.
  let namesProcesses: Bool
  let word = "wayland"

  var surroundings: [String: String] {
    [
      "DISPLAY": "", "WAYLAND_DISPLAY": socket, "XDG_RUNTIME_DIR": folder.path,
      "SWAYSOCK": namesProcesses ? control : "", "XDG_DATA_HOME": folder.file("share"),
    ]
  }

  static var isThere: Bool {
    ["/usr/bin/sway", "/usr/bin/swaymsg"].allSatisfy(FileManager.default.fileExists)
  }

  init(namesProcesses: Bool) async throws {
    self.namesProcesses = namesProcesses
    folder = try TemporaryFolder()
    try Data("xwayland disable\nexec echo ready $SWAYSOCK $WAYLAND_DISPLAY\n".utf8)
      .write(to: URL(fileURLWithPath: folder.file("config")))
    // It refuses to run as root.
    var command = ["/usr/bin/sway", "-c", folder.file("config")]
    if getuid() == 0 {
      guard let nobody = getpwnam("nobody")?.pointee.pw_uid else { throw POSIXError(.ENOENT) }
      chown(folder.path, nobody, gid_t.max)
      command = ["/usr/bin/setpriv"] + DaemonRun.identity("nobody") + command
    }
    chmod(folder.path, 0o700)
    compositor = try RunningProgram(
      command[0], Array(command.dropFirst()),
      environment: [
        "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "WLR_BACKENDS": "headless",
        "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1", "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
      ], keeping: folder)
    let words = try await compositor.lines.next { $0.hasPrefix("ready ") }.split(separator: " ")
    (control, socket) = (String(words[1]), String(words[2]))
  }

  /// Writes a desktop entry whose identifier stands for a program.
  func install(_ program: String, as identifier: String) throws {
    let entries = folder.file("share/applications")
    try FileManager.default.createDirectory(
      atPath: entries, withIntermediateDirectories: true)
    try Data("[Desktop Entry]\nType=Application\nExec=\"\(program)\" %U\n".utf8)
      .write(to: URL(fileURLWithPath: "\(entries)/\(identifier).desktop"))
  }

  func activate(_ name: String) async throws -> ContinuousClock.Instant {
    let asked = ContinuousClock.now
    let program = try RunningProgram(
      "/usr/bin/swaymsg", ["-s", control, "[title=\"^\(name)$\"] focus"])
    _ = try await program.lines.next { $0.contains("\"success\": true") }
    program.end()
    return asked
  }

  func end() { compositor.end() }
}
