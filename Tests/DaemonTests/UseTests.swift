import Foundation
import LocationHost
import TestSupport
import Testing

/// Apps of which the kernel shows whether they are in use.
@Suite("An app of which the kernel shows whether it is in use", .serialized)
struct UseTests {
  private static let app = DaemonTests.app
  private static let observed = ["CORELOCATION_IN_USE": "observed"]

  /// A shell with job control on a terminal of its own, which carries out lines of a file as they come.
  private static let shell = """
    import os, pty, sys, threading
    pid, terminal = pty.fork()
    if pid == 0: os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    def type():
      with open(sys.argv[1]) as lines:
        for line in iter(lines.readline, ""): os.write(terminal, eval(line))
    threading.Thread(target=type, daemon=True).start()
    while True: os.write(1, os.read(terminal, 4096).replace(b"\\r", b""))
    """

  /// A person at a terminal.
  private final class Terminal: Sendable {
    let program: RunningProgram
    private let keys: FileHandle

    init(of daemon: DaemonRun, environment: [String: String]? = nil) throws {
      let path = daemon.folder.file("keys-\(UUID())")
      guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
      program = try RunningProgram(
        "/usr/bin/env", ["python3", "-c", UseTests.shell, path],
        environment: environment ?? daemon.surroundings)
      // Opened both ways, or it would wait for the shell.
      let descriptor = open(path, O_RDWR)
      guard descriptor >= 0 else { throw POSIXError(.EIO) }
      keys = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func type(_ line: String) throws { try press("\(line)\\n") }

    /// Presses keys, as in a literal of Python.
    func press(_ keys: String) throws {
      try self.keys.write(contentsOf: Data("b\"\(keys)\"\n".utf8))
    }

    func sees(_ text: String) async throws {
      _ = try await program.lines.next { $0.hasSuffix(text) }
    }
  }

  private func use(of daemon: DaemonRun) throws -> String {
    let lines = try daemon.control("apps", "--json").text.split(separator: "\n")
    let line = try #require(lines.first { $0.contains("\"\(Self.app)\"") })
    let words = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return "\(words?["life"] ?? "none") \(words?["ground"] ?? "none")"
  }

  @Test(
    "MODEL-2, STD-48: has its locations in the foreground of its terminal, and none behind",
    .timeLimit(.minutes(2)))
  func terminal() async throws {
    let daemon = try await DaemonRun(environment: Self.observed)
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    let terminal = try Terminal(of: daemon)
    try terminal.type("\(path) main &")
    try await terminal.sees("status 4 on main")
    #expect(try use(of: daemon) == "background terminal")
    let doctor = try daemon.control("doctor", "--app", path).text
    #expect(doctor.contains("in the background, as its terminal shows"))
    #expect(try daemon.control("apps").text.contains("background (terminal)"))
    try terminal.type("fg")
    try await terminal.sees("location 48.5 on main")
    #expect(try use(of: daemon) == "foreground terminal")
    try terminal.press("\\x1a")
    _ = try await daemon.program.lines.next { $0.contains("needed: nothing") }
    #expect(try use(of: daemon) == "suspended stopped")
    try terminal.type("bg")
    try await terminal.sees("&")
    try terminal.type("fg")
    _ = try await daemon.program.lines.next { $0.contains("needed: satellite") }
    #expect(try use(of: daemon) == "foreground terminal")
    terminal.program.end()
  }

  @Test(
    "MODEL-2, STD-48: the same holds for an app with an engine of its own", .timeLimit(.minutes(2)))
  func ownEngine() async throws {
    let daemon = try await DaemonRun(environment: Self.observed)
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    let terminal = try Terminal(
      of: daemon,
      environment: daemon.surroundings(.inProcess).merging(Self.observed) { $1 })
    try terminal.type("\(path) main &")
    try await terminal.sees("status 4 on main")
    // Its engine has begun: a location would come before this.
    try terminal.type("echo here''mark")
    let first = try await terminal.program.lines.next {
      $0.hasSuffix("heremark") || $0.contains("location 48.5")
    }
    #expect(first.hasSuffix("heremark"))
    try terminal.type("fg")
    try await terminal.sees("location 48.5 on main")
    try terminal.press("\\x1a")
    try await terminal.sees("\(path) main")
    try terminal.type("fg")
    try await terminal.sees("location 48.5 on main")
    terminal.program.end()
    // The app's program lies in the daemon's folder, and ends with it.
    withExtendedLifetime(daemon) {}
  }

  @Test("STD-50: one that a signal has stopped asks for nothing until it continues")
  func stopped() async throws {
    let daemon = try await DaemonRun(environment: Self.observed)
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    let app = try daemon.run(path, "main")
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    app.signal(SIGSTOP)
    _ = try await daemon.program.lines.next { $0.contains("needed: nothing") }
    #expect(try use(of: daemon) == "suspended stopped")
    app.signal(SIGCONT)
    _ = try await daemon.program.lines.next { $0.contains("needed: satellite") }
    app.end()
  }

  @Test(
    "SLC-8: one that is stopped is continued for an event if its registration says so, and stopped again",
    .timeLimit(.minutes(2)), arguments: [true, false])
  func wakes(_ continues: Bool) async throws {
    let server = try Server()
    let folder = try TemporaryFolder()
    let launch = folder.file("launch")
    let daemon = try await DaemonRun(
      sources: ["nmea+tcp://127.0.0.1:\(server.port)"], environment: Self.observed, in: folder,
      configuration: ["launch = \(launch)"])
    try await daemon.answer("always", for: Self.app)
    let path = try daemon.install("LaunchedApp", as: Self.app, in: "a")
    try "app = \(Self.app)\ncommand = \(path) changes\n\(continues ? "continue = yes\n" : "")"
      .write(
        toFile: launch + "/app.conf", atomically: true, encoding: .utf8)
    let terminal = try Terminal(of: daemon)
    try terminal.type("\(path) changes")
    try await terminal.sees("started by hand")
    _ = try await server.arrivals.next()
    try terminal.press("\\x1a")
    try await terminal.sees("\(path) changes")
    let receiver = Receiver { server.write($0) }
    if continues {
      try await terminal.sees("change to \(Receiver.latitude)")
      _ = try await daemon.program.lines.next { $0.contains("had for an event is over") }
      #expect(try use(of: daemon).hasSuffix("stopped"), "within the time of a query")
    } else {
      let line = try await daemon.program.lines.next { $0.contains("waits until it continues") }
      #expect(line.contains("continue = yes"))
      try terminal.type("fg")
      try await terminal.sees("change to \(Receiver.latitude)")
    }
    withExtendedLifetime(receiver) {}
    terminal.program.end()
  }

  @Test(
    "AUTH-20: a request that was ignored in the background is not made again for a daemon that restarts",
    .timeLimit(.minutes(2)))
  func ignoredRequest() async throws {
    var daemon = try await DaemonRun(environment: Self.observed)
    let path = try daemon.install("LaunchedApp", as: Self.app, in: "a")
    let terminal = try Terminal(of: daemon)
    try terminal.type("\(path) asks &")
    try await terminal.sees("asks, status 0")
    _ = try await daemon.program.lines.next { $0.contains("ignored: the app is not in the fore") }
    // The app has read that when the daemon has answered another one.
    #expect(try use(of: daemon) == "background terminal")
    daemon.kill()
    daemon = try await DaemonRun(environment: Self.observed, in: daemon.folder)
    _ = try await daemon.program.lines.next { $0.contains("\(Self.app) connected") }
    try terminal.type("fg")
    _ = try await daemon.program.lines.next { $0.contains("is in use (terminal)") }
    #expect(try use(of: daemon) == "foreground terminal")
    // Asked for in the foreground, it comes; and only that one has come.
    try terminal.press("\\x03")
    try terminal.type("\(path) asks")
    let asked = try await daemon.program.lines.next {
      $0.contains("Nobody can be asked") || $0.contains("disconnected")
    }
    #expect(asked.contains("disconnected"), "it was asked about before the app asked again")
    _ = try await daemon.program.lines.next { $0.contains("Nobody can be asked") }
    terminal.program.end()
  }

  /// An app with live updates that reads on and on, and prints what a person wants to know at its end.
  private static let reader = """
    import json, os, socket, sys
    s = socket.socket(socket.AF_UNIX); s.connect(os.environ["LOCATIOND_SOCKET"])
    def call(method, parameters, **how):
      words = {"method": "org.meridian.location." + method, "parameters": parameters, **how}
      s.sendall(json.dumps(words).encode() + b"\\0")
    def ask(kind, words): call("Ask", {"request": {kind: words}}, oneway=True)
    call("Open", {"version": 2}, more=True)
    s.recv(65536)
    ask("session", {"subscriber": 1, "ask": {"open": {"goal": "always"}}})
    ask("live", {"subscriber": 2, "ask": {"start": {}}})
    print("begins", flush=True)
    data, count = b"", 0
    while True:
      more = s.recv(65536)
      if not more: sys.exit("cut off")
      *messages, data = (data + more).split(b"\\0")
      count += sum(b'"live"' in m and b'"fix"' in m for m in messages)
      print(f"has {count}", flush=True)
    """

  @Test(
    "LIVE-30: one that is stopped is not cut off by what it leaves unread, and then has the newest",
    .timeLimit(.minutes(3)))
  func unread() async throws {
    let server = try Server()
    let daemon = try await DaemonRun(
      sources: ["nmea+tcp://127.0.0.1:\(server.port)"], environment: Self.observed)
    let python = try FileManager.default.destinationOfSymbolicLink(atPath: "/usr/bin/python3")
    let program = daemon.folder.file("reader")
    try FileManager.default.copyItem(atPath: "/usr/bin/\(python)", toPath: program)
    try await daemon.answer("always", for: program)
    let app = try daemon.run(program, "-c", Self.reader)
    _ = try await app.lines.next { $0 == "begins" }
    _ = try await server.arrivals.next()
    let feed = Feed(to: server)
    feed.send(20)
    _ = try await app.lines.next { $0.hasPrefix("has ") && $0 != "has 0" }
    app.signal(SIGSTOP)
    feed.send(20)
    _ = try await daemon.program.lines.next { $0.contains("is suspended (stopped)") }
    // About 300 bytes for each delivery: three times what may stay unread.
    feed.send(3000)
    let said = try daemon.control("apps").text
    #expect(said.contains("suspended (stopped)"))
    app.signal(SIGCONT)
    _ = try await daemon.program.lines.next {
      #expect(!$0.contains("cut off"))
      return $0.contains("is in use") || $0.contains("in the background")
    }
    feed.send(20)
    let last = try await app.lines.next { line in
      Int(line.dropFirst(4)).map { $0 > 80 } ?? (line == "cut off")
    }
    #expect(last != "cut off")
    #expect(Int(last.dropFirst(4)).map { $0 < 400 } ?? false, "\(last)")
    app.end()
  }

  /// Solutions of a receiver, one after the other.
  private final class Feed {
    private let server: Server
    private var number = 0

    init(to server: Server) { self.server = server }

    func send(_ count: Int) {
      for _ in 0..<count {
        number += 1
        server.write(Receiver.epoch(number))
      }
    }
  }
}
