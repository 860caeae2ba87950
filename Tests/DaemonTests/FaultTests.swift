import Foundation
import LocationCoding
import TestSupport
import LocationLink
import LocationModel
import Testing

/// Disks that are full, read-only, or damaged, and time that stands still.
@Suite("A daemon in trouble", .serialized)
struct FaultTests {
  private static let app = DaemonTests.app
  private static let isRoot = getuid() == 0

  /// A small disk of its own, mounted while it lives.
  private final class Disk: Sendable {
    let path: String

    init(_ path: String, options: String) throws {
      self.path = path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      guard mount("tmpfs", path, "tmpfs", 0, options) == 0 else { throw POSIXError(.EPERM) }
    }

    func makeReadOnly() -> Bool {
      mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    }

    /// Leaves no room; the file that takes it.
    func fill() throws -> FileHandle {
      try Data().write(to: URL(fileURLWithPath: path + "/filler"))
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/filler"))
      while (try? file.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
      return file
    }

    /// Makes room again, even while a program that another test has started holds the file open.
    func empty(_ file: FileHandle) throws {
      try file.truncate(atOffset: 0)
      try file.close()
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
  }

  @Test(
    "border 17: whose disk is full goes on, says so, and tells what rests on it when there is room",
    .enabled(if: isRoot, "only root can make a small disk"))
  func fullDisk() async throws {
    let folder = try TemporaryFolder()
    let disk = try Disk(folder.file("state"), options: "size=512k,mode=700")
    let daemon = try await DaemonRun(in: folder)
    let filler = try disk.fill()
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "m"))
    for number in 0..<20 { caller.add("full-\(number)") }
    _ = try await daemon.program.lines.next { $0.contains("will try again") }
    // It serves, and this client has learned of nothing that is not stored.
    let other = try LinkCaller(daemon.socket)
    for _ in 0..<3 { #expect(try other.call("org.varlink.service.GetInfo").error == nil) }
    #expect(!caller.hasReceived("full-"))
    #expect(try daemon.control("services", "off").text.contains("could not be stored yet"))
    try disk.empty(filler)
    #expect(try caller.names(after: 21).count == 20)
    caller.add("later")
    #expect(try caller.names(after: 22).count == 21)
    daemon.kill()
    let next = try await DaemonRun(in: folder)
    let again = try MonitorCaller(next.socket)
    again.ask(.open(name: "m"))
    #expect(try again.names(after: 1).count == 21)
    #expect(try next.control("services").text == "location services are off\n")
    next.program.terminate()
  }

  @Test("border 17: whose files may not grow goes on, says so, and loses nothing until they may")
  func fileSize() async throws {
    let daemon = try await DaemonRun()
    func limit(_ bytes: String) async throws {
      let words = "prlimit --pid \(daemon.program.pid) --fsize=\(bytes):unlimited && echo done"
      let program = try RunningProgram("/bin/sh", ["-c", words])
      defer { program.end() }
      _ = try await program.lines.next { $0 == "done" }
    }
    try await limit("1024")
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "m"))
    for number in 0..<20 { caller.add("full-\(number)") }
    _ = try await daemon.program.lines.next { $0.contains("will try again") }
    #expect(!caller.hasReceived("full-"))
    #expect(try daemon.control("services", "off").text.contains("could not be stored yet"))
    try await limit("unlimited")
    #expect(try caller.names(after: 21).count == 20)
    daemon.kill()
    let next = try await DaemonRun(in: daemon.folder)
    let again = try MonitorCaller(next.socket)
    again.ask(.open(name: "m"))
    #expect(try again.names(after: 1).count == 20)
    #expect(try next.control("services").text == "location services are off\n")
    next.program.terminate()
  }

  @Test("border 17: that starts where no file may grow says so and serves; no signal ends it")
  func fileSizeAtStart() async throws {
    let daemon = try await DaemonRun(wrapper: ["/usr/bin/prlimit", "--fsize=64:unlimited"])
    _ = try await daemon.program.lines.next { $0.contains("kept in memory only") }
    _ = try LinkCaller(daemon.socket).call("org.varlink.service.GetInfo")
    daemon.program.terminate()
  }

  @Test(
    "border 17: positions go on while the disk is full, for an app that receives them already",
    .enabled(if: isRoot, "only root can make a small disk"))
  func positionsGoOn() async throws {
    let folder = try TemporaryFolder()
    let disk = try Disk(folder.file("state"), options: "size=512k,mode=700")
    let server = try Server()
    let receiver = Receiver { server.write($0) }
    let daemon = try await DaemonRun(
      sources: ["nmea+tcp://127.0.0.1:\(server.port)"], in: folder)
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0.hasPrefix("location 48.11") }
    let filler = try disk.fill()
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "m"))
    caller.add("full")
    _ = try await daemon.program.lines.next { $0.contains("will try again") }
    for _ in 0..<3 { _ = try await app.lines.next { $0.hasPrefix("location 48.11") } }
    #expect(!caller.hasReceived("full"))
    try disk.empty(filler)
    #expect(try caller.names(after: 2) == ["full"])
    daemon.program.terminate()
    withExtendedLifetime(receiver) {}
  }

  @Test(
    "border 17: what waits for a full disk has a bound, beyond which its client is cut off, and loses nothing",
    .enabled(if: isRoot, "only root can make a small disk"))
  func heldBound() async throws {
    let folder = try TemporaryFolder()
    let disk = try Disk(folder.file("state"), options: "size=1m,mode=700")
    let daemon = try await DaemonRun(in: folder)
    let filler = try disk.fill()
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "m"))
    for number in 0..<5 { caller.add("kept-\(number)") }
    _ = try await daemon.program.lines.next { $0.contains("will try again") }
    for _ in 0..<1100 { caller.add("kept-0") }
    _ = try await daemon.program.lines.next {
      $0.contains("deliveries wait until the state can be stored")
    }
    #expect(caller.isCutOff())
    let next = try MonitorCaller(daemon.socket)
    try disk.empty(filler)
    _ = try await daemon.program.lines.next { $0.contains("everything is stored again") }
    next.ask(.open(name: "m"))
    #expect(try next.names(after: 1) == (0..<5).map { "kept-\($0)" })
    daemon.program.terminate()
  }

  @Test(
    "ADMIN-12: whose disk is read-only serves from memory and says so",
    .enabled(if: isRoot, "only root can make a disk read-only"))
  func readOnlyDisk() async throws {
    let folder = try TemporaryFolder()
    let disk = try Disk(folder.file("state"), options: "size=512k,mode=700")
    #expect(disk.makeReadOnly())
    let daemon = try await DaemonRun(in: folder)
    _ = try await daemon.program.lines.next { $0.contains("kept in memory only") }
    // ADMIN-12: what lasts for this run only is no success.
    for word in ["off", "on"] {
      let switched = try daemon.control("services", word)
      #expect(switched.status == 1 && switched.text.contains("services are \(word) now"))
      #expect(switched.text.contains("as before when the daemon starts again"), "\(switched.text)")
    }
    #expect(try daemon.control("status").text.contains("not stored: the state is kept in memory"))
    let agent = try LinkCaller(daemon.socket)
    agent.ask("\(AgentInterface.name).Attend", more: true)
    let app = try daemon.run(daemon.install("AsyncApp", as: Self.app, in: "a"))
    defer { app.end() }
    guard case .question(let prompt, let token)? = AgentEvent(json: try agent.reply().parameters)
    else {
      Issue.record("the agent is not asked")
      return
    }
    agent.ask(
      "\(AgentInterface.name).Answer",
      AgentAnswer(id: prompt.id, answer: .whileUsing, precise: true, token: token).json)
    _ = try await app.lines.next { $0 == "live 48.5" }
    daemon.program.terminate()
  }

  @Test("whose state is damaged moves it aside, says so, and serves")
  func damaged() async throws {
    let folder = try TemporaryFolder()
    let state = folder.file("state")
    try await DaemonRun(in: folder).program.terminate()
    try Data(repeating: 0x5a, count: 8192)
      .write(to: URL(fileURLWithPath: state + "/state.sqlite"))
    let daemon = try await DaemonRun(in: folder)
    _ = try await daemon.program.lines.next { $0.contains("damaged and lies now at") }
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    let names = try FileManager.default.contentsOfDirectory(atPath: state)
    #expect(names.contains { $0.hasPrefix("state.sqlite.damaged-") })
    daemon.program.terminate()
  }

  @Test(
    "that stands still for a while, as in a suspended machine, goes on; its app receives nothing false"
  )
  func suspended() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    daemon.program.signal(SIGSTOP)
    try await Task.sleep(for: .seconds(1))
    daemon.program.signal(SIGCONT)
    let delivered = try await received(4, by: app)
    #expect(delivered == Array(repeating: "location 48.5 on main", count: 4))
    daemon.program.terminate()
  }

  @Test("that is killed and comes back elsewhere: its app learns of places only")
  func away() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await DaemonRun(in: folder)
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    daemon.kill()
    let next = try await DaemonRun(sources: ["fixed:49.5,11.5,5"], in: folder)
    var delivered: [String] = []
    while delivered.last != "location 49.5 on main" { delivered += try await received(1, by: app) }
    let others = delivered.filter { !$0.hasPrefix("location") && !$0.hasPrefix("once 48.5") }
    #expect(others.allSatisfy { $0.contains("the location service went away") })
    next.program.terminate()
  }

  private func received(_ count: Int, by app: RunningProgram) async throws -> [String] {
    var delivered: [String] = []
    while delivered.count < count {
      let line = try await app.lines.next { _ in true }
      // What the app has asked for at its start may still be on its way, and is the same as before.
      if !line.hasPrefix("once"), line != "status 4 on main" { delivered.append(line) }
    }
    return delivered
  }
}
