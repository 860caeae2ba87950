import Foundation
import TestSupport
import Testing

/// `locationctl agent --desktop` beside a daemon, on a bus of a session with a desktop's notifications.
@Suite(
  "Questions on a desktop", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct DesktopAgentTests {
  private let machine: MockMachine

  init() throws {
    machine = try MockMachine()
    try machine.perform("notifications start body actions")
  }

  private func agent(
    of daemon: DaemonRun, _ environment: [String: String] = [:]
  ) throws -> RunningProgram {
    let session = [
      "DBUS_SESSION_BUS_ADDRESS": machine.address, "DISPLAY": ":0", "WAYLAND_DISPLAY": "",
    ]
    return try RunningProgram(
      BuiltProgram.path("locationctl"), ["agent", "--desktop"],
      environment: daemon.surroundings.merging(session) { $1 }.merging(environment) { $1 },
      keeping: daemon)
  }

  /// Starts an app that waits for a person.
  private func asking(of daemon: DaemonRun) async throws -> RunningProgram {
    let app = try daemon.run(daemon.install("AsyncApp", as: DaemonTests.app, in: "a"))
    _ = try await app.lines.next { $0 == "no location, asking" }
    return app
  }

  @Test("AUTH-58: an app's question is a notification, and its button is the answer")
  func answered() async throws {
    let daemon = try await DaemonRun(configuration: ["agent = none"])
    let app = try await asking(of: daemon)
    defer { app.end() }
    let agent = try agent(of: daemon)
    defer { agent.end() }
    #expect(try machine.perform("await notification 1").contains("to use your location?"))
    // The session has one already, which goes on.
    let second = try self.agent(of: daemon)
    defer { second.end() }
    _ = try await second.lines.next { $0.contains("another agent of this session asks already") }
    try machine.perform("press 1 whileUsing")
    _ = try await app.lines.next { $0 == "live 48.5" }
  }

  @Test("AUTH-58: an agent on a terminal goes on beside it, and the first answer counts for both")
  func beside() async throws {
    let daemon = try await DaemonRun(configuration: ["agent = none"])
    let app = try await asking(of: daemon)
    defer { app.end() }
    let agent = try agent(of: daemon)
    defer { agent.end() }
    try machine.perform("await notification 1")
    let terminal = try BorderScript.run(
      daemon,
      """
      pid, terminal = pty.fork()
      if pid == 0: os.execv(sys.argv[2], [sys.argv[2], "agent"])
      said = b""
      while b"Answer: " not in said: said += os.read(terminal, 4096)
      os.write(terminal, b"w\\n")
      try:
        while True: os.read(terminal, 4096)
      except OSError: pass
      """, BorderScript.tool)
    defer { terminal.end() }
    _ = try await app.lines.next { $0 == "live 48.5" }
    // The question leaves the screen.
    #expect(try machine.perform("await closed 1") == "ok")
  }

  /// A desktop in a script of an interpreter, whose `show` says what is asked.
  private static let desktop = """
    import dbus, dbus.bus, dbus.mainloop.glib, dbus.service
    from gi.repository import GLib
    name = "org.freedesktop.Notifications"
    class Desktop(dbus.service.Object):
      @dbus.service.method(name, in_signature="", out_signature="as")
      def GetCapabilities(self): return ["actions"]
      @dbus.service.method(name, in_signature="susssasa{sv}i", out_signature="u")
      def Notify(self, app, replaced, icon, title, body, actions, hints, timeout):
        say("asked", title)
        return dbus.UInt32(1)
    def show():
      dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
      bus = dbus.bus.BusConnection(sys.argv[2])
      bus.request_name(name)
      desktop = Desktop(bus, "/org/freedesktop/Notifications")
      say("shows")
      GLib.MainLoop().run()

    """

  /// Runs a script of the interpreter of the mocks in place of their notifications.
  private func show(_ script: String, beside daemon: DaemonRun) async throws -> RunningProgram {
    try machine.perform("notifications stop")
    let desktop = try BorderScript.run(
      daemon, Self.desktop + script, machine.address,
      program: try #require(MockMachine.interpreter))
    _ = try await desktop.lines.next { $0 == "shows" }
    return desktop
  }

  @Test(
    "border 1, AUTH-58: an app that shows notifications is nobody to ask, nor is a traced one",
    arguments: [
      ("app = serve()\nshow()", "is served as the app"),
      ("app = serve()\nif os.fork() == 0: show()\nos.wait()", "is served as the app"),
      (
        """
        ready, go = os.pipe()
        child = os.fork()
        if child == 0:
          os.read(ready, 1)
          show()
        # Does not stop what it attaches to (PTRACE_SEIZE).
        ctypes.CDLL(None).ptrace(ctypes.c_long(0x4206), ctypes.c_long(child), None, None)
        os.write(go, b"x")
        os.wait()
        """, "traces process"
      ),
    ])
  func shownByApp(script: String, reason: String) async throws {
    let daemon = try await DaemonRun(configuration: ["agent = none"])
    let desktop = try await show(script, beside: daemon)
    defer { desktop.end() }
    let agent = try agent(of: daemon)
    defer { agent.end() }
    let said = try await daemon.program.lines.next { $0.contains("notifications") }
    #expect(said.contains("refused") && said.contains(reason), "\(said)")
  }

  @Test("AUTH-58: a script may show questions where scripts of its interpreter are apps")
  func shownByScript() async throws {
    let daemon = try await DaemonRun(configuration: ["agent = none"])
    let script = try BorderScript.run(
      daemon, "app = serve()\nsay('served')\napp.recv(1)",
      program: try #require(MockMachine.interpreter))
    defer { script.end() }
    _ = try await script.lines.next { $0 == "served" }
    let app = try await asking(of: daemon)
    defer { app.end() }
    let desktop = try await show("show()", beside: daemon)
    defer { desktop.end() }
    let agent = try agent(of: daemon)
    defer { agent.end() }
    _ = try await desktop.lines.next { $0.hasPrefix("asked") }
  }

  @Test("AUTH-58: without a display, or a bus of a session, it ends at once with the reason")
  func noDisplay() async throws {
    let daemon = try await DaemonRun(configuration: ["agent = none"])
    let blind = try agent(of: daemon, ["DISPLAY": ""])
    defer { blind.end() }
    _ = try await blind.lines.next { $0.contains("there is no display") }
    let mute = try agent(of: daemon, ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"])
    defer { mute.end() }
    _ = try await mute.lines.next { $0.contains("there is no bus of a session") }
  }
}
