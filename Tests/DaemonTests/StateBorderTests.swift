import Foundation
import TestSupport
import LocationCoding
import LocationHost
import LocationLink
import LocationModel
import Testing

/// Who has a state: one daemon, or engines of apps; and what lies around it.
@Suite("The state of a daemon", .serialized)
struct StateBorderTests {
  private static let app = DaemonTests.app

  /// What a daemon says that does not come to serve.
  private func second(
    state: String, socket: String, _ words: [String] = []
  ) throws -> FinishedProgram {
    try FinishedProgram(
      "locationd",
      ["--socket", socket, "--state", state, "--source", "fixed:48.5,11.5,5"] + words)
  }

  private func isServed(at socket: String) throws -> Bool {
    try LinkCaller(socket).call("org.varlink.service.GetInfo").error == nil
  }

  private func attribute(_ key: FileAttributeKey, of path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[key] as? NSNumber)?.intValue
  }

  private func inode(of path: String) -> Int? { attribute(.systemFileNumber, of: path) }

  private func mode(of path: String) -> Int? { attribute(.posixPermissions, of: path) }

  // MARK: One process

  @Test("border 16: is one daemon's; a second one says whose, and leaves socket and state alone")
  func secondDaemon() async throws {
    let daemon = try await DaemonRun()
    let before = inode(of: daemon.socket)
    let other = try second(state: daemon.state, socket: daemon.folder.file("other"))
    #expect(other.status == 1)
    #expect(other.text.contains("process \(daemon.program.pid)"))
    #expect(other.text.contains("next: end it"))
    #expect(inode(of: daemon.folder.file("other")) == nil)
    let same = try second(state: daemon.state, socket: daemon.socket)
    #expect(same.status == 1 && same.text.contains("process \(daemon.program.pid)"))
    #expect(inode(of: daemon.socket) == before)
    #expect(try isServed(at: daemon.socket))
    daemon.program.terminate()
    #expect(inode(of: daemon.socket) == nil)
  }

  @Test("border 16: a socket at which somebody answers, and what is no socket, is left alone")
  func socketInUse() async throws {
    let daemon = try await DaemonRun()
    let before = inode(of: daemon.socket)
    let other = try second(state: daemon.folder.file("own"), socket: daemon.socket)
    #expect(other.status == 1)
    #expect(other.text.contains("process \(daemon.program.pid) answers at \(daemon.socket)"))
    #expect(inode(of: daemon.socket) == before)
    #expect(try isServed(at: daemon.socket))
    let file = daemon.folder.file("letter")
    try Data("dear".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try second(state: daemon.folder.file("own"), socket: file).status == 1)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "dear")
    daemon.program.terminate()
  }

  @Test("border 16: a socket that a killed daemon left is replaced, and its state is free")
  func leftover() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await DaemonRun(in: folder)
    daemon.kill()
    let next = try await DaemonRun(in: folder)
    #expect(try isServed(at: next.socket))
    next.program.terminate()
  }

  @Test("border 16: stays this daemon's while it starts over, without a gap")
  func startOver() async throws {
    let daemon = try await DaemonRun()
    let state = StateFolder(path: daemon.state)
    for _ in 0..<3 {
      daemon.program.signal(SIGHUP)
      // The lock is asked for again and again while the process becomes another program.
      _ = try await daemon.program.lines.next { line in
        #expect(Self.holder(of: state) == daemon.program.pid)
        return line.contains("serving; its state is in")
      }
      #expect(Self.holder(of: state) == daemon.program.pid)
    }
    let other = try second(state: daemon.state, socket: daemon.folder.file("other"))
    #expect(other.status == 1 && other.text.contains("process \(daemon.program.pid)"))
    daemon.program.terminate()
    #expect(Self.holder(of: state) == nil)
  }

  /// The process that has a state alone, as the kernel says.
  private static func holder(of folder: StateFolder) -> Int32? {
    do throws(StateFault) {
      _ = try StateLock(folder, .together)
      return nil
    } catch {
      guard case .held(let pid, isDaemon: true) = error.kind else { return 0 }
      return pid
    }
  }

  @Test(
    "border 16: an engine in an app's process leaves a daemon's state alone, and says whose it is")
  func engineBesideDaemon() async throws {
    let daemon = try await DaemonRun()
    _ = try daemon.control("services", "off")
    let app = try RunningProgram(BuiltProgram.path("HostProgram"), ["share", daemon.state])
    defer { app.end() }
    _ = try await app.lines.next {
      $0.contains("a location daemon, process \(daemon.program.pid), has the state")
        && $0.contains("kept in memory only")
    }
    // What the guard says holds there, too.
    // One of them is that nothing is kept.
    #expect(try await app.lines.next { _ in true } == "sharing, 3 entries")
    daemon.program.terminate()
  }

  @Test("border 16: engines of apps share their state, and a daemon that comes says who they are")
  func daemonBesideEngines() async throws {
    let folder = try TemporaryFolder()
    let state = folder.file("state")
    let apps = try (0..<2).map { _ in
      try RunningProgram(BuiltProgram.path("HostProgram"), ["share", state])
    }
    for app in apps { _ = try await app.lines.next { $0.hasPrefix("sharing") } }
    let daemon = try second(state: state, socket: folder.file("socket"))
    #expect(daemon.status == 1)
    #expect(apps.contains { daemon.text.contains("process \($0.pid) uses the state") })
    #expect(inode(of: folder.file("socket")) == nil)
    for app in apps { app.end() }
    let next = try await DaemonRun(in: folder)
    next.program.terminate()
  }

  @Test("border 16: locationctl without a daemon's socket leaves the daemon's state alone")
  func control() async throws {
    let daemon = try await DaemonRun(in: nil)
    let home = daemon.folder.file("home")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: home + "/none", withDestinationPath: "/nonexistent")
    let own = try await DaemonRun(arguments: ["--state", home + "/meridian"])
    for words in [["data", "erase", "--all", "--yes"], ["authorize", "net.example.x", "always"]] {
      let said = try FinishedProgram(
        "locationctl", words,
        ["LOCATIOND_SOCKET": "", "XDG_STATE_HOME": home, "XDG_RUNTIME_DIR": home])
      #expect(said.status == 1)
      #expect(said.text.contains("process \(own.program.pid)"))
      #expect(said.text.contains("LOCATIOND_SOCKET"))
    }
    own.program.terminate()
    daemon.program.terminate()
  }

  // MARK: A lock that is held

  @Test("border 16: a process that holds the database's lock does not stop the daemon")
  func heldLock() async throws {
    let daemon = try await DaemonRun()
    let locker = try RunningProgram(
      BuiltProgram.path("HostProgram"), ["lock", daemon.state + "/state.sqlite"])
    _ = try await locker.lines.next { $0 == "locked" }
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "m"))
    for number in 0..<20 { caller.add("held-\(number)") }
    // A connection waits two seconds for its answer.
    for _ in 0..<5 { #expect(try isServed(at: daemon.socket)) }
    #expect(!caller.hasReceived("held-"))
    _ = try await daemon.program.lines.next { $0.contains("database is locked") }
    #expect(try daemon.control("status").text.contains("not stored: "))
    #expect(try daemon.control("doctor").text.contains("fuser"))
    locker.end()
    #expect(try caller.names(after: 21).count == 20)
    _ = try await daemon.program.lines.next { $0.contains("everything is stored again") }
    daemon.program.terminate()
  }

  @Test("border 16: a lock that is held at the start makes the daemon say so, and end")
  func heldAtStart() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await DaemonRun(in: folder)
    daemon.program.terminate()
    // A daemon that does not find its table has to write.
    let file = daemon.state + "/state.sqlite"
    for name in [file, file + "-wal", file + "-shm"] { unlink(name) }
    try FileManager.default.copyItem(
      atPath: StateFixture.path("unnumbered.sqlite"), toPath: file)
    let locker = try RunningProgram(BuiltProgram.path("HostProgram"), ["lock", file])
    _ = try await locker.lines.next { $0 == "locked" }
    let said = try second(state: daemon.state, socket: daemon.socket)
    #expect(said.status == 1 && said.text.contains("database is locked"))
    #expect(inode(of: daemon.socket) == nil)
    locker.end()
    let next = try await DaemonRun(in: folder)
    #expect(try next.control("services").text == "location services are off\n")
    next.program.terminate()
  }

  // MARK: Owner and mode

  @Test("border 20: is refused where others may write into its folder, or it is somebody else's")
  func folder() throws {
    let folder = try TemporaryFolder()
    let state = folder.file("state")
    func refusal(_ state: String) throws -> String {
      let said = try second(state: state, socket: folder.file("socket"))
      #expect(said.status == 1)
      return said.text
    }
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    for mode: mode_t in [0o770, 0o702, 0o777] {
      chmod(state, mode)
      #expect(try refusal(state).contains("chmod 700 \(state)"))
    }
    chmod(state, 0o700)
    if getuid() == 0 {
      chown(state, 65_534, 65_534)
      #expect(try refusal(state).contains("chown -R 0 \(state)"))
      chown(state, 0, 0)
    }
    let link = folder.file("link")
    symlink(state, link)
    // One of root's own, in a folder of root's, would be systemd's.
    if getuid() == 0 { lchown(link, 65_534, 65_534) }
    #expect(try refusal(link).contains("is a symbolic link"))
    symlink("/etc/hostname", state + "/state.sqlite")
    #expect(try refusal(state).contains("is no ordinary file"))
    unlink(state + "/state.sqlite")
    let open = folder.file("open")
    try FileManager.default.createDirectory(
      atPath: open + "/state", withIntermediateDirectories: true)
    chmod(open, 0o777)
    chmod(open + "/state", 0o700)
    #expect(try refusal(open + "/state").contains("chmod o-w \(open)"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: state).isEmpty)
  }

  @Test(
    "border 20: its folder has mode 700 and its files 600, whatever the umask",
    arguments: [0, 0o777])
  func umask(mask: Int) async throws {
    let folder = try TemporaryFolder()
    let notices = try NoticeSocket(at: folder.file("notify"))
    let text = String(mask, radix: 8)
    let daemon = try RunningProgram(
      "/bin/sh",
      [
        "-c", "umask \(text); exec \"$0\" \"$@\"", BuiltProgram.path("locationd"), "--socket",
        folder.file("socket"), "--state", folder.file("state"), "--source", "fixed:48.5,11.5,5",
      ], environment: ["NOTIFY_SOCKET": notices.path, "CORELOCATION_SOURCES": ""])
    _ = try await notices.events.next { $0.contains("READY=1") }
    let surroundings = ["LOCATIOND_SOCKET": folder.file("socket")]
    _ = try FinishedProgram("locationctl", ["services", "off"], surroundings)
    try StateFolder(path: folder.file("state")).ringBell()
    #expect(mode(of: folder.file("state")) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("state"))
    #expect(Set(names).isSuperset(of: ["state.sqlite", "state.sqlite-wal", "guard", "lock"]))
    for name in names {
      #expect(mode(of: folder.file("state/\(name)")) == 0o600, "\(name)")
    }
    daemon.terminate()
  }

  @Test("border 20: what could be read by others is closed, and said")
  func tightened() async throws {
    let folder = try TemporaryFolder()
    let first = try await DaemonRun(in: folder)
    first.program.terminate()
    chmod(first.state, 0o755)
    chmod(first.state + "/state.sqlite", 0o644)
    let daemon = try await DaemonRun(in: folder)
    _ = try await daemon.program.lines.next { $0.contains("it has mode 700 now") }
    _ = try await daemon.program.lines.next { $0.contains("had mode 644; it has 600 now") }
    for file in try daemon.stateFiles + [daemon.state] {
      #expect((mode(of: file) ?? 0o777) & 0o077 == 0, "\(file)")
    }
    daemon.program.terminate()
  }

  @Test("border 20: keeps no byte of what was erased, in no file")
  func erased() async throws {
    let daemon = try await DaemonRun()
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "m"))
    for number in 0..<20 { caller.add("the-cabin-\(number)") }
    _ = try caller.names(after: 21)
    #expect(try daemon.control("data", "export").text.contains("the-cabin-7"))
    #expect(try !contents(daemon).contains("the-cabin"))
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #expect(try daemon.control("data", "erase", "--app", own).status == 0)
    _ = try await daemon.program.lines.next { $0.contains("starting over") }
    _ = try await daemon.program.lines.next { $0.contains("serving; its state is in") }
    #expect(try !contents(daemon).contains("the-cabin"))
    daemon.program.terminate()
    #expect(try !contents(daemon).contains("the-cabin"))
  }

  @Test(
    "border 20: what was erased while somebody reads it is forgotten, and leaves the files after that"
  )
  func erasedBesideReader() async throws {
    let daemon = try await DaemonRun()
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "m"))
    caller.add("the-cabin")
    _ = try caller.names(after: 2)
    let reader = try RunningProgram(
      BuiltProgram.path("HostProgram"), ["read", daemon.state + "/state.sqlite"])
    _ = try await reader.lines.next { $0 == "locked" }
    let said = try daemon.control("data", "erase", "--all", "--yes")
    #expect(said.status == 1 && said.text.contains("their bytes still in the files"))
    _ = try await daemon.program.lines.next { $0.contains("starting over") }
    _ = try await daemon.program.lines.next { $0.contains("serving; its state is in") }
    #expect(try !daemon.control("data", "export").text.contains("the-cabin"))
    reader.end()
    #expect(try daemon.control("data", "erase", "--all", "--yes").status == 0)
    _ = try await daemon.program.lines.next { $0.contains("serving; its state is in") }
    #expect(try !contents(daemon).contains("the-cabin"))
    daemon.program.terminate()
  }

  private func contents(_ daemon: DaemonRun) throws -> String {
    try daemon.stateFiles.map {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self)
    }.joined()
  }

  // MARK: Names

  @Test("border 21: names of conditions are in no log, and are sent to an owner who follows")
  func names() async throws {
    let daemon = try await DaemonRun()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    try await daemon.answer("always", for: own)
    let follower = try RunningProgram(
      BuiltProgram.path("locationctl"), ["log", "--follow", "--places", "--timeout", "60"],
      environment: daemon.surroundings)
    defer { follower.end() }
    _ = try await follower.lines.next { $0.contains("serving") }
    let caller = try MonitorCaller(daemon.socket)
    caller.ask(.open(name: "office"))
    let here = Circle(center: Coordinate(latitude: 48.5, longitude: 11.5), radius: 200)
    caller.ask(.add(identifier: "the-cabin", .circle(here), assuming: .unknown))
    caller.ask(.next(after: .none))
    _ = try await follower.lines.next { $0.contains("condition the-cabin is satisfied") }
    _ = try await daemon.program.lines.next { line in
      #expect(!line.contains("the-cabin") && !line.contains("office"))
      return line.contains("condition ‹private› is satisfied")
    }
    for words in [["log"], ["log", "--json"], ["log", "--places"]] {
      let said = try FinishedProgram("locationctl", words, daemon.surroundings).text
      #expect(said.contains("condition ‹private› is satisfied") && !said.contains("the-cabin"))
    }
    daemon.program.terminate()
  }

  @Test("border 21: a source's place is sent to an owner who asks for places, and a key to nobody")
  func sources() async throws {
    let daemon = try await DaemonRun(
      sources: ["fixed:48.5,11.5,5", "ichnaea:https://127.0.0.1:1?key=the-secret"])
    for places in [false, true] {
      let reply = try LinkCaller(daemon.socket).call(
        "org.meridian.administration.GetStatus", .fields(["places": .bool(places)]))
      let text = String(decoding: frame(reply.json), as: UTF8.self)
      #expect(text.contains("fixed:48.5,11.5") == places, "\(text)")
      #expect(text.contains("fixed:‹private›") != places)
      #expect(text.contains("ichnaea:") && !text.contains("the-secret"), "\(text)")
    }
    daemon.program.terminate()
  }
}
