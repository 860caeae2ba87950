import Foundation
import HostTesting
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

    deinit { umount2(path, Int32(MNT_DETACH)) }
  }

  private func open(_ daemon: DaemonRun) throws -> LinkCaller {
    let caller = try LinkCaller(daemon.socket)
    _ = try caller.call("\(LinkInterface.name).Open", .fields(["version": .integer(1)]), more: true)
    return caller
  }

  private func ask(_ request: MonitorRequest, _ caller: LinkCaller) {
    let request = Request.monitor(SubscriberID(1), request)
    caller.send(
      frame(
        LinkCall("\(LinkInterface.name).Ask", .fields(["request": request.json]), isOneway: true)
          .json))
  }

  private func add(_ name: String, _ caller: LinkCaller) {
    let circle = Circle(center: Coordinate(latitude: 40, longitude: 10), radius: 100)
    ask(.add(identifier: name, .circle(circle), assuming: .unknown), caller)
  }

  /// The names in the list that follows so many requests.
  private func names(after requests: Int, _ caller: LinkCaller) throws -> [String] {
    while true {
      guard let json = try caller.reply().parameters["delivery"],
        case .monitor(_, .records(requests, let records)) = try Delivery(json: json)
      else { continue }
      return records.map(\.identifier).sorted()
    }
  }

  @Test(
    "whose disk is full goes on, says so, and stores everything when there is room again",
    .enabled(if: isRoot, "only root can make a small disk"))
  func fullDisk() async throws {
    let folder = try TemporaryFolder()
    let disk = try Disk(folder.file("state"), options: "size=512k,mode=700")
    let daemon = try await DaemonRun(in: folder)
    let filler = disk.path + "/filler"
    try Data().write(to: URL(fileURLWithPath: filler))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: filler))
    while (try? file.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
    let caller = try open(daemon)
    ask(.open(name: "m"), caller)
    for number in 0..<20 { add("full-\(number)", caller) }
    #expect(try names(after: 21, caller).count == 20)
    _ = try await daemon.program.lines.next { $0.contains("will try again") }
    // Its room is free even while a program that another test has started holds it open.
    try file.truncate(atOffset: 0)
    try file.close()
    add("later", caller)
    #expect(try names(after: 22, caller).count == 21)
    daemon.kill()
    let next = try await DaemonRun(in: folder)
    let again = try open(next)
    ask(.open(name: "m"), again)
    #expect(try names(after: 1, again).count == 21)
    next.program.terminate()
  }

  @Test(
    "whose disk is read-only serves from memory and says so",
    .enabled(if: isRoot, "only root can make a disk read-only"))
  func readOnlyDisk() async throws {
    let folder = try TemporaryFolder()
    let disk = try Disk(folder.file("state"), options: "size=512k,mode=700")
    #expect(disk.makeReadOnly())
    let daemon = try await DaemonRun(in: folder)
    _ = try await daemon.program.lines.next { $0.contains("kept in memory only") }
    let agent = try LinkCaller(daemon.socket)
    agent.ask("\(AgentInterface.name).Attend", more: true)
    let app = try daemon.run(daemon.install("AsyncApp", as: Self.app, in: "a"))
    defer { app.end() }
    guard case .question(let prompt)? = AgentNews(json: try agent.reply().parameters) else {
      Issue.record("the agent is not asked")
      return
    }
    agent.ask(
      "\(AgentInterface.name).Answer",
      AgentAnswer(id: prompt.id, answer: .whileUsing, precise: true).json)
    _ = try await app.lines.next { $0 == "live 48.5" }
    daemon.program.terminate()
  }

  @Test("whose state is damaged moves it aside, says so, and serves")
  func damaged() async throws {
    let folder = try TemporaryFolder()
    let state = folder.file("state")
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
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
    "that stands still for a while, as in a suspended machine, goes on; its app hears no untruth")
  func suspended() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    daemon.program.signal(SIGSTOP)
    try await Task.sleep(for: .seconds(1))
    daemon.program.signal(SIGCONT)
    let told = try await heard(4, by: app)
    #expect(told == Array(repeating: "location 48.5 on main", count: 4))
    daemon.program.terminate()
  }

  @Test("that is killed and comes back elsewhere: its app hears of places only")
  func away() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await DaemonRun(in: folder)
    try await daemon.answer("whenInUse", for: Self.app)
    let app = try daemon.run(daemon.install("ClassicApp", as: Self.app, in: "a"), "main")
    defer { app.end() }
    _ = try await app.lines.next { $0 == "location 48.5 on main" }
    daemon.kill()
    let next = try await DaemonRun(sources: ["fixed:49.5,11.5,5"], in: folder)
    var told: [String] = []
    while told.last != "location 49.5 on main" { told += try await heard(1, by: app) }
    let others = told.filter { !$0.hasPrefix("location") && !$0.hasPrefix("once 48.5") }
    #expect(others.allSatisfy { $0.contains("the location service went away") })
    next.program.terminate()
  }

  private func heard(_ count: Int, by app: RunningProgram) async throws -> [String] {
    var told: [String] = []
    while told.count < count {
      let line = try await app.lines.next { _ in true }
      // What the app has asked for at its start may still be on its way, and is the same as before.
      if !line.hasPrefix("once"), line != "status 4 on main" { told.append(line) }
    }
    return told
  }
}
