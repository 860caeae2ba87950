import Foundation
import LocationDaemon
import LocationEngine
import LocationService
import LocationHost
import LocationLink
import Testing

@Suite("Who stands behind a process")
struct TrustTests {
  /// Processes made up for a test.
  private struct Machine: ProcessTable {
    struct Process {
      var parent: Int32
      var session: Int32
      var program: String? = "/usr/bin/sh"
      var user: UInt32 = 1000
      var group: String?
      var start: UInt64 = 10
    }

    var processes: [Int32: Process] = [
      1: Process(parent: 0, session: 1, program: "/sbin/init", user: 0, start: 1)
    ]

    func facts(of pid: Int32) -> ProcessFacts? {
      processes[pid].flatMap { process in
        ProcessFacts(
          "\(pid) (a) b) S \(process.parent) \(pid) \(process.session) 0 -1 0 0 0 0 0 0 0 0 0 20 0 1"
            + " 0 \(process.start) 0 0")
      }
    }

    func user(of pid: Int32) -> UInt32? { processes[pid]?.user }
    func program(of pid: Int32) -> String? { processes[pid]?.program }
    func controlGroup(of pid: Int32) -> String? { processes[pid]?.group }

    /// Why a process is an app's, when others were served.
    func fault(of pid: Int32, served: [Int32], apps: Set<AppProgram> = []) throws -> String? {
      var known = ServedProcesses()
      for app in served {
        let chain = try ProgramAncestry(of: app, in: self).chain
        let first = try #require(chain.first)
        let process = ServedProcesses.Process(
          app: "org.example.App", user: 1000, session: first.session,
          controlGroup: controlGroup(of: app), ancestors: Set(chain.dropFirst().map(\.mark)),
          began: ProgramAncestry.begin(of: chain, in: self))
        #expect(known.note(first.mark, process) { _ in true })
      }
      return AncestryJudge(self, served: known, apps: apps) { _ in false }.fault(of: pid)
    }
  }

  @Test("border 12: 512 refusals are remembered, so that each is logged once")
  func refusals() {
    var trust = TrustState(TrustedPrograms(agents: [], owners: []))
    let refusal = AccessRefusal(reason: "no")
    for pid in 0..<Int32(TrustState.mostLogged) {
      let isNew = trust.isNew(refusal, of: ProcessMark(pid: pid, start: 1))
      #expect(isNew)
    }
    // The first is remembered until one more than 512 comes; then all are forgotten.
    let starts: [UInt64] = [2, 1, 1]
    let isNew = starts.map { trust.isNew(refusal, of: ProcessMark(pid: 0, start: $0)) }
    #expect(isNew == [true, true, false])
  }

  @Test("border 12: who has more than 64 parents is refused with the reason")
  func parents() throws {
    var machine = Machine()
    for pid in 2...Int32(ProgramAncestry.longest) {
      machine.processes[pid] = Machine.Process(parent: pid - 1, session: 1, start: UInt64(pid))
    }
    let last = Int32(ProgramAncestry.longest)
    #expect(try ProgramAncestry(of: last, in: machine).chain.count == ProgramAncestry.longest)
    machine.processes[last + 1] = Machine.Process(parent: last, session: 1, start: 100)
    do throws(ProgramAncestry.Fault) {
      _ = try ProgramAncestry(of: last + 1, in: machine)
      Issue.record("65 are looked at")
    } catch { #expect(error.reason == "process 65 has more than 64 parents") }
  }

  @Test("border 12: an agent is refused with more than 16,384 processes of its user, not of others")
  func processes() {
    let most = Int32(PeerTerminal.mostProcesses)
    func candidates(_ own: Int32, _ others: Int32) -> Int? {
      PeerTerminal.candidates(Array(1...(own + others)), of: [1000], or: [own + others]) {
        $0 <= own ? 1000 : 1001
      }?.count
    }
    #expect(candidates(most, 0) == Int(most))
    #expect(candidates(3, 2 * most) == 4)
    #expect(candidates(most + 1, 0) == nil)
  }

  @Test("border 1: reads where a process stands, whatever its program is named")
  func facts() throws {
    let machine = Machine()
    let facts = try #require(machine.facts(of: 1))
    #expect(facts.mark == ProcessMark(pid: 1, start: 1))
    #expect(facts.session == 1 && facts.terminal == 0 && facts.foreground == -1)
    #expect(ProcessFacts("1 (a S 1 2") == nil && ProcessFacts("") == nil)
  }

  @Test("border 1: an app, and whoever descends from one, is an app's; its parents are not")
  func descent() throws {
    var machine = Machine()
    machine.processes[10] = .init(parent: 1, session: 10)
    machine.processes[11] = .init(parent: 10, session: 10)
    machine.processes[12] = .init(parent: 11, session: 12)
    machine.processes[13] = .init(parent: 10, session: 10)
    #expect(try machine.fault(of: 11, served: [11])?.contains("process 11 is served") == true)
    #expect(try machine.fault(of: 12, served: [11])?.contains("process 11 is served") == true)
    #expect(try machine.fault(of: 10, served: [11]) == nil)
    #expect(try machine.fault(of: 13, served: [11]) == nil)
    #expect(
      try machine.fault(of: 12, served: [], apps: [AppProgram(path: "/usr/bin/sh", user: 1000)])?
        .contains("runs the app") == true)
    // Another user's app says nothing of this user's shell.
    let others = try machine.fault(
      of: 12, served: [], apps: [AppProgram(path: "/usr/bin/sh", user: 1001)])
    #expect(others == nil)
  }

  @Test("border 1, AUTH-58: who shows questions is of the person's user, and no app or registered")
  func shower() {
    var machine = Machine()
    machine.processes[10] = .init(parent: 1, session: 10, program: "/usr/bin/shell")
    machine.processes[11] = .init(parent: 1, session: 11, program: "/usr/bin/shell", user: 1001)
    let app = AppProgram(path: "/usr/bin/shell", user: 1000)
    func fault(
      _ pid: Int32, _ apps: Set<AppProgram> = [], _ program: Shower.Program = .other,
      tracer: Int32 = 0
    ) -> String? {
      AncestryJudge(machine, served: ServedProcesses(), apps: apps) { _ in false }
        .fault(shownBy: Shower(pid: pid, program: program, tracer: tracer), to: 1000)
    }
    #expect(fault(10) == nil)
    #expect(fault(10, [app])?.contains("shown by an app: process 10 runs the app") == true)
    #expect(fault(10, [app], .registered) == nil)
    for program in [Shower.Program.other, .system, .registered] {
      #expect(fault(11, [], program)?.contains("is not of user 1000") == true)
      #expect(fault(12, [], program)?.contains("or has ended") == true)
      #expect(fault(10, [], program, tracer: 9)?.contains("process 9 traces process 10") == true)
    }
  }

  @Test("border 1, AUTH-58: a script of root's interpreter shows questions, unless it is served")
  func script() {
    var machine = Machine()
    for pid in Int32(10)...12 {
      machine.processes[pid] = .init(parent: 1, session: pid, program: "/usr/bin/gjs-console")
    }
    machine.processes[13] = .init(parent: 12, session: 12, program: "/usr/bin/sh")
    var served = ServedProcesses()
    let weather = ServedProcesses.Process(
      app: "org.example.Weather", user: 1000, session: 11, controlGroup: nil, ancestors: [],
      began: 10)
    #expect(served.note(ProcessMark(pid: 11, start: 10), weather) { _ in true })
    let judge = AncestryJudge(
      machine, served: served, apps: [AppProgram(path: "/usr/bin/gjs-console", user: 1000)]
    ) { _ in false }
    func fault(_ pid: Int32, _ program: Shower.Program = .system) -> String? {
      judge.fault(shownBy: Shower(pid: pid, program: program), to: 1000)
    }
    #expect(fault(10) == nil)
    #expect(fault(10, .other)?.contains("process 10 runs the app") == true)
    #expect(fault(11)?.contains("process 11 is served") == true)
    // What any process of that program has started.
    #expect(fault(13)?.contains("process 12 runs the app") == true)
  }

  @Test("AUTH-58: who shows questions is nobody once its process has ended, where the bus says so")
  func endedShower() throws {
    #expect(BusCredentials(pid: 7, user: 1000, process: nil).takeNumber() == 7)
    // A descriptor of a process can be read once that has ended.
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let running = BusCredentials(pid: 7, user: 1000, process: dup(ends[0]))
    let ended = BusCredentials(pid: 7, user: 1000, process: dup(ends[0]))
    #expect(running.takeNumber() == 7)
    #expect(write(ends[1], "x", 1) == 1)
    #expect(ended.takeNumber() == nil)
  }

  @Test("border 1: who began after an app in its login, and has no parent, is the app's")
  func latecomers() throws {
    let login = "/user.slice/session-3.scope"
    var machine = Machine()
    machine.processes[2] = .init(parent: 1, session: 2, user: 0, group: "/sshd.service", start: 2)
    machine.processes[10] = .init(parent: 2, session: 10, user: 0, group: login, start: 3)
    machine.processes[11] = .init(parent: 10, session: 11, group: login, start: 4)
    machine.processes[12] = .init(parent: 11, session: 11, program: "/app", group: login, start: 20)
    // Two that were left behind, each with a terminal of its own; one before the app began.
    machine.processes[13] = .init(parent: 1, session: 13, group: login, start: 30)
    machine.processes[14] = .init(parent: 13, session: 14, group: login, start: 31)
    machine.processes[15] = .init(parent: 1, session: 15, group: login, start: 10)
    #expect(try machine.fault(of: 14, served: [12])?.contains("has no parent") == true)
    #expect(try machine.fault(of: 15, served: [12]) == nil)
    // What the person starts in the login's own shell; in another login; before any app.
    machine.processes[16] = .init(parent: 11, session: 16, group: login, start: 40)
    let other = "/user.slice/session-4.scope"
    machine.processes[17] = .init(parent: 1, session: 17, group: other, start: 40)
    #expect(try machine.fault(of: 16, served: [12]) == nil)
    #expect(try machine.fault(of: 17, served: [12]) == nil)
    #expect(try machine.fault(of: 14, served: []) == nil)
    // Another user's app there shows nothing.
    machine.processes[14]?.user = 1001
    machine.processes[13]?.user = 1001
    #expect(try machine.fault(of: 14, served: [12]) == nil)
  }

  @Test("border 1: an app began with the first of its processes; at any time if that has ended")
  func leftBehindBefore() throws {
    let login = "/user.slice/session-3.scope"
    var machine = Machine()
    machine.processes[2] = .init(parent: 1, session: 2, user: 0, group: "/sshd.service", start: 2)
    machine.processes[10] = .init(parent: 2, session: 10, user: 0, group: login, start: 3)
    machine.processes[11] = .init(parent: 10, session: 11, group: login, start: 4)
    // One that nobody knows has left another one behind, and started the one that is served.
    machine.processes[12] = .init(parent: 11, session: 11, program: "/app", group: login, start: 20)
    machine.processes[13] = .init(parent: 1, session: 13, group: login, start: 21)
    machine.processes[14] = .init(parent: 12, session: 11, program: "/app", group: login, start: 30)
    #expect(try machine.fault(of: 13, served: [14])?.contains("began in the login") == true)
    // One from before it, such as a terminal that the person has opened.
    machine.processes[15] = .init(parent: 1, session: 15, group: login, start: 10)
    #expect(try machine.fault(of: 15, served: [14]) == nil)
    // A shell that starts an app is not the app.
    machine.processes[12]?.program = "/usr/bin/bash"
    #expect(try machine.fault(of: 13, served: [14]) == nil)
    // The first one has ended, and nobody sees whether it was the app.
    machine.processes[14]?.parent = 1
    #expect(try machine.fault(of: 13, served: [14])?.contains("neither has the app") == true)
    #expect(try machine.fault(of: 15, served: [14])?.contains("neither has the app") == true)
    #expect(try machine.fault(of: 11, served: [14]) == nil)
  }

  @Test("border 1: an orphan counts by its session, unless the app descends from it")
  func orphans() throws {
    var machine = Machine()
    machine.processes[10] = .init(parent: 1, session: 10)
    machine.processes[11] = .init(parent: 10, session: 10)
    machine.processes[12] = .init(parent: 1, session: 10)
    machine.processes[13] = .init(parent: 12, session: 10)
    #expect(try machine.fault(of: 13, served: [11])?.contains("left behind") == true)
    // A script whose shell has ended, with the app and the tool below it.
    #expect(try machine.fault(of: 13, served: [13]) != nil)
    machine.processes[14] = .init(parent: 12, session: 10)
    #expect(try machine.fault(of: 14, served: [13]) == nil)
  }

  @Test("border 1: an orphan counts where the first process is in the session of all, too")
  func container() throws {
    var machine = Machine()
    let session = try #require(machine.facts(of: 1)).session
    machine.processes[10] = .init(parent: 1, session: session)
    machine.processes[11] = .init(parent: 10, session: session)
    machine.processes[12] = .init(parent: 1, session: session)
    #expect(try machine.fault(of: 12, served: [11])?.contains("left behind") == true)
    // The program that has started the app.
    #expect(try machine.fault(of: 10, served: [11]) == nil)
  }

  @Test(
    "border 1: a process apart counts by the control group of an app, not by that of a login",
    arguments: [
      ("/user.slice/app.slice/app-boat-1.scope", true), ("/system.slice/boat.service", true),
      ("/user.slice/session-3.scope", false), ("/user.slice/vte-spawn-x.scope", false),
      ("/", false),
    ])
  func controlGroups(group: String, isApps: Bool) throws {
    var machine = Machine()
    machine.processes[9] = .init(parent: 1, session: 9, group: group, start: 5)
    machine.processes[10] = .init(parent: 9, session: 10, program: "/app", group: group, start: 20)
    machine.processes[11] = .init(parent: 1, session: 11, group: group)
    machine.processes[12] = .init(parent: 11, session: 12, group: group)
    #expect(try (machine.fault(of: 12, served: [10]) != nil) == isApps)
    // Its own service, which starts both.
    #expect(try machine.fault(of: 11, served: [12]) == nil)
  }

  @Test("border 1: a program that hides itself below the login is not believed")
  func hidden() throws {
    var machine = Machine()
    machine.processes[10] = .init(parent: 1, session: 10, program: nil, user: 0)
    machine.processes[11] = .init(parent: 10, session: 10, program: nil)
    machine.processes[12] = .init(parent: 11, session: 12)
    #expect(try machine.fault(of: 12, served: []) == nil)
    machine.processes[13] = .init(parent: 12, session: 12, program: nil)
    machine.processes[14] = .init(parent: 13, session: 12)
    #expect(try machine.fault(of: 14, served: [])?.contains("cannot be seen") == true)
  }

  @Test("border 1: a parent that is younger than its child, or has gone, is none")
  func reused() {
    var machine = Machine()
    machine.processes[10] = .init(parent: 1, session: 10, start: 99)
    machine.processes[11] = .init(parent: 10, session: 10)
    #expect(throws: ProgramAncestry.Fault.self) { try ProgramAncestry(of: 11, in: machine) }
    machine.processes[10] = nil
    #expect(throws: ProgramAncestry.Fault.self) { try ProgramAncestry(of: 11, in: machine) }
    for pid in Int32(20)..<120 { machine.processes[pid] = .init(parent: pid - 1, session: 20) }
    machine.processes[19] = .init(parent: 1, session: 19)
    #expect(throws: ProgramAncestry.Fault.self) { try ProgramAncestry(of: 119, in: machine) }
  }

  @Test("border 1: a user fills the memory of served processes for nobody else")
  func full() {
    var served = ServedProcesses()
    func process(_ user: UInt32) -> ServedProcesses.Process {
      .init(app: "a", user: user, session: 1, controlGroup: nil, ancestors: [], began: 1)
    }
    for pid in 1...Int32(ServedProcesses.most) {
      #expect(served.note(ProcessMark(pid: pid, start: 1), process(1000)) { _ in true })
    }
    let next = ProcessMark(pid: 5000, start: 1)
    #expect(!served.note(next, process(1000)) { _ in true })
    #expect(served.note(next, process(1001)) { _ in true })
    let later = ProcessMark(pid: 5001, start: 1)
    let attempts = ServedProcesses.most / ServedProcesses.looks
    #expect(
      (0..<attempts).contains { _ in served.note(later, process(1000)) { $0.pid < 3000 } })
  }

  @Test("border 13: one that is served costs few looks, however many of its user are remembered")
  func looks() {
    var served = ServedProcesses()
    let process = ServedProcesses.Process(
      app: "a", user: 1000, session: 1, controlGroup: nil, ancestors: [], began: 1)
    var most = 0
    for pid in 1...Int32(2 * ServedProcesses.most) {
      var looks = 0
      // A user's programs come and go; a thousand run at a time.
      let isRoom = served.note(ProcessMark(pid: pid, start: 1), process) {
        looks += 1
        return $0.pid > pid - 1000
      }
      #expect(isRoom)
      most = max(most, looks)
      if pid <= ServedProcesses.most / 2 { #expect(looks == 0) }
    }
    #expect(most == ServedProcesses.looks)
  }

  // MARK: Files

  @Test("border 1: a program that does not qualify is reported, with the command that repairs it")
  func programs() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trust's-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    chmod(folder, 0o755)
    let path = folder + "/program"
    try Data("\u{7f}ELF".utf8).write(to: URL(fileURLWithPath: path))
    func fault(_ path: String) -> String? {
      let text = "agent-program = \(path)\n"
      do throws(DaemonFault) {
        try Configuration.read(text, file: "f").configuration.check()
        return nil
      } catch { return error.reason }
    }
    chmod(path, 0o755)
    #expect(fault(path) == nil)
    chmod(path, 0o775)
    let quoted = path.replacing("'", with: "'\\''")
    #expect(
      fault(path)
        == "agent-program: \(path): it can be written by others than its owner; mend it with: "
        + "chmod go-w '\(quoted)'")
    chmod(path, 0o755)
    chmod(folder, 0o775)
    #expect(fault(path)?.contains("the folder \(folder) can be written by others") == true)
    // Nobody else can rename what is ours there.
    chmod(folder, 0o1777)
    #expect(fault(path) == nil)
    chmod(folder, 0o755)
    symlink(path, folder + "/link")
    #expect(fault(folder + "/link")?.contains("reached by a link; name \(path)") == true)
    #expect(fault(folder)?.contains("no plain file") == true)
    #expect(fault(folder + "/none")?.contains("No such file") == true)
    try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(fault(path)?.contains("it is a script") == true)
    let bad = Configuration.read("owner-program = sh\n", file: "f").faults
    #expect(bad.first?.description == "f:1: `owner-program` must be an absolute path")
  }

  @Test(
    "border 1: a program of another user does not administer, and answers for that user alone",
    .enabled(if: getuid() == 0, "only root can give a file away"))
  func ownersOfFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trust-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    chmod(folder, 0o755)
    let path = folder + "/program"
    try Data("\u{7f}ELF".utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o755)
    chown(path, 65534, 65534)
    #expect(ProtectedFile.fault(of: path, owners: [0])?.mend == "chown root \(path)")
    #expect(ProtectedFile.fault(of: path, owners: [0, 65534]) == nil)
    var programs = TrustedPrograms(agents: [path], owners: [path])
    #expect(programs.faults.map { $0.prefix(14) } == ["owner-program:"])
    programs.owners = []
    #expect(programs.faults.isEmpty)
  }
}
