import Foundation
import TestSupport
import LocationHost
import LocationLink
import LocationModel
import Testing

/// What becomes of a daemon whose state is damaged, lost, or of another version.
@Suite("A daemon whose state is lost", .serialized)
struct StateLossTests {
  /// What happens to the file.
  enum Loss: String, CaseIterable {
    case damagedAtOnce, damagedInside, empty, gone
  }

  private func lose(_ daemon: DaemonRun, _ loss: Loss) throws {
    let file = daemon.state + "/state.sqlite"
    unlink(file + "-wal")
    unlink(file + "-shm")
    switch loss {
    case .damagedAtOnce:
      try Data(repeating: 0x5a, count: 8192).write(to: URL(fileURLWithPath: file))
    case .damagedInside:
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
      for page in 1..<max(2, try Data(contentsOf: URL(fileURLWithPath: file)).count / 4096) {
        try handle.seek(toOffset: UInt64(page * 4096))
        try handle.write(contentsOf: Data(repeating: 0x5a, count: 4096))
      }
      try handle.close()
    case .empty: try Data().write(to: URL(fileURLWithPath: file))
    case .gone: unlink(file)
    }
    chmod(file, 0o600)
  }

  @Test("border 18: keeps location services off when its state is lost", arguments: Loss.allCases)
  func services(loss: Loss) async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(in: folder)
    #expect(try daemon.control("services", "off").status == 0)
    daemon.program.terminate()
    try lose(daemon, loss)
    daemon = try await DaemonRun(in: folder)
    _ = try await daemon.program.lines.next {
      $0.contains("has given back the switch of location services (off)")
    }
    #expect(try daemon.control("services").text == "location services are off\n")
    daemon.program.terminate()
  }

  @Test(
    "border 18: keeps location services off when state and guard are lost, until they are switched on"
  )
  func both() async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(in: folder)
    daemon.program.terminate()
    try lose(daemon, .damagedAtOnce)
    try Data("meridian-guard 1\nnonsense\n".utf8)
      .write(to: URL(fileURLWithPath: daemon.state + "/guard"))
    daemon = try await DaemonRun(in: folder)
    _ = try await daemon.program.lines.next { $0.contains("until they are switched on") }
    #expect(try daemon.control("services").text == "location services are off\n")
    #expect(try daemon.control("status").text.contains("the state was lost"))
    let doctor = try daemon.control("doctor")
    #expect(doctor.text.contains("the state was lost"))
    #expect(doctor.text.contains("locationctl services on"))
    #expect(try daemon.control("services", "on").status == 0)
    daemon.program.terminate()
    daemon = try await DaemonRun(in: folder)
    #expect(try daemon.control("services").text == "location services are on\n")
    daemon.program.terminate()
    // The guard alone: it is written anew.
    _ = try daemon.control("services", "off")
    unlink(daemon.state + "/guard")
    daemon = try await DaemonRun(in: folder)
    #expect(try daemon.control("services", "off").status == 0)
    daemon.program.terminate()
    for isGuardGone in [false, true] {
      if isGuardGone { unlink(daemon.state + "/guard") }
      try lose(daemon, .gone)
      daemon = try await DaemonRun(in: folder)
      #expect(try daemon.control("services").text == "location services are off\n")
      daemon.program.terminate()
    }
  }

  @Test("border 18: keeps who may use which identifier when its state is lost")
  func claims() async throws {
    let folder = try TemporaryFolder()
    var daemon = try await DaemonRun(in: folder)
    let first = try daemon.run(
      daemon.install("ClassicApp", as: DaemonTests.app, in: "a"), "main")
    _ = try await first.lines.next { $0 == "status 0 on main" }
    first.end()
    daemon.program.terminate()
    try lose(daemon, .damagedAtOnce)
    daemon = try await DaemonRun(in: folder)
    let other = try daemon.run(
      daemon.install("ClassicApp", as: DaemonTests.app, in: "b"), "main")
    _ = try await daemon.program.lines.next { $0.contains("which is another program's") }
    other.end()
    daemon.program.terminate()
  }

  @Test("border 18: forgets damaged files like what they hold, lists and erases them")
  func damagedFiles() async throws {
    let folder = try TemporaryFolder()
    let state = folder.file("state")
    try StateFolder(path: state).create()
    let now = Int(Date().timeIntervalSince1970)
    let old = "state.sqlite.damaged-\(now - 91 * 86_400)"
    let new = "state.sqlite.damaged-\(now - 3600)"
    let future = "state.sqlite.damaged-\(now + 10 * 365 * 86_400)"
    for name in [old, old + "-wal", new, future] {
      try Data("somewhere".utf8).write(to: URL(fileURLWithPath: "\(state)/\(name)"))
    }
    // Something holds the old one open: what is erased is overwritten.
    let held = try FileHandle(forReadingFrom: URL(fileURLWithPath: "\(state)/\(old)"))
    let daemon = try await DaemonRun(in: folder)
    let listed = try daemon.control("data", "list").text
    #expect(listed.contains("damaged-file"))
    let names = try daemon.stateFiles.filter { $0.contains("damaged") }
    #expect(names.count == 2 && names.contains("\(state)/\(new)"))
    #expect(!names.contains("\(state)/\(future)"))
    #expect(try held.readToEnd() == Data(repeating: 0, count: 9))
    #expect(try daemon.control("data", "erase", "--app", "net.example.x").status == 0)
    #expect(try !daemon.stateFiles.contains { $0.contains("damaged") })
    daemon.program.terminate()
  }

  @Test(
    "border 19: leaves a state that a newer program has written alone, and says which to update")
  func newer() async throws {
    let folder = try TemporaryFolder()
    let state = folder.file("state")
    try StateFolder(path: state).create()
    let fixture = StateFixture.path("newer.sqlite")
    try FileManager.default.copyItem(atPath: fixture, toPath: state + "/state.sqlite")
    let daemon = try FinishedProgram(
      "locationd", ["--socket", folder.file("socket"), "--state", state])
    #expect(daemon.status == 1)
    #expect(daemon.text.contains("in form 7") && daemon.text.contains("update locationd"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("socket")))
    let home = folder.file("home")
    try StateFolder(path: home).create()
    symlink(state, home + "/link")
    rename(state, home + "/meridian")
    let control = try FinishedProgram(
      "locationctl", ["apps"],
      ["LOCATIOND_SOCKET": "", "XDG_STATE_HOME": home, "XDG_RUNTIME_DIR": home])
    #expect(control.status == 1)
    let app = try RunningProgram(BuiltProgram.path("HostProgram"), ["share", home + "/meridian"])
    _ = try await app.lines.next { $0.contains("in form 7") && $0.contains("in memory only") }
    _ = try await app.lines.next { $0 == "location services are off in this run" }
    #expect(try await app.lines.next { _ in true } == "sharing, 2 entries", "and that nothing is kept")
    app.end()
    let file = URL(fileURLWithPath: home + "/meridian/state.sqlite")
    #expect(try Data(contentsOf: file) == Data(contentsOf: URL(fileURLWithPath: fixture)))
  }

  @Test("border 19: brings an older state into the present form, with everything in it")
  func older() async throws {
    let folder = try TemporaryFolder()
    let state = folder.file("state")
    try StateFolder(path: state).create()
    try FileManager.default.copyItem(
      atPath: StateFixture.path("unnumbered.sqlite"), toPath: state + "/state.sqlite")
    let daemon = try await DaemonRun(in: folder)
    #expect(try daemon.control("services").text == "location services are off\n")
    let listed = try daemon.control("data", "export").text
    for word in ["identity", "authorization", "visit", "/opt/meridian/app"] {
      #expect(listed.contains(word))
    }
    daemon.program.terminate()
  }
}
