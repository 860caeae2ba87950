import LocationHost
import LocationModel
import LocationProviders
import Synchronization
import Testing

/// How the system shows that an app is in use.
@Suite("Whether a process is in use")
struct UseWatchTests {
  /// Processes whose facts a test changes.
  private final class Processes: ProcessTable {
    struct Process {
      var state = "S"
      var group: Int32 = 7
      var terminal: Int32 = 0
      var foreground: Int32 = -1
      var start = 100
      var unit: String?
    }

    private let all = Mutex<[Int32: Process]>([:])
    private let looks = Mutex(0)

    /// How often a process was looked at since the last call.
    func takeLooks() -> Int {
      looks.withLock { looks in
        defer { looks = 0 }
        return looks
      }
    }

    func set(_ pid: Int32, _ change: (inout Process) -> Void) {
      all.withLock { change(&$0[pid, default: Process()]) }
    }

    func facts(of pid: Int32) -> ProcessFacts? {
      looks.withLock { $0 += 1 }
      return all.withLock { $0[pid] }.flatMap { process in
        ProcessFacts(
          "\(pid) (a b) \(process.state) 1 \(process.group) 7 \(process.terminal) "
            + "\(process.foreground) 0 0 0 0 0 0 0 0 0 20 0 1 0 \(process.start) 0 0")
      }
    }

    func user(of pid: Int32) -> UInt32? { 1000 }
    func program(of pid: Int32) -> String? { "/opt/\(pid)" }
    func controlGroup(of pid: Int32) -> String? { all.withLock { $0[pid]?.unit } }
  }

  private static let client = ClientID(1)
  private static let start = Instant.start

  @Test(
    "MODEL-2: a service of systemd is in the background; apps that a desktop starts as one are not",
    arguments: [
      ("/system.slice/boat.service", AppLife.background),
      ("/user.slice/user-1000.slice/user@1000.service/app.slice/run-u7.service", .background),
      ("/user.slice/user@1000.service/app.slice/app-boat@0.service", nil),
      ("/user.slice/user@1000.service/app.slice/app-gnome-boat-7.scope", nil),
      ("/user.slice/user-1000.slice/session-2.scope", nil), ("/", nil),
      ("/system.slice/boat.service/worker", .background),
    ])
  func services(_ unit: String, _ life: AppLife?) {
    let processes = Processes()
    processes.set(20) { $0.unit = unit }
    var watch = UseWatch(of: processes)
    #expect(watch.follow(20, as: Self.client, at: Self.start) == life)
    #expect(watch.use(of: Self.client).life == life ?? .foreground)
    #expect(watch.nextDeadline == nil, "nothing is looked at again and again")
    _ = processes.takeLooks()
    #expect(watch.changes(at: Self.start).isEmpty && processes.takeLooks() == 0)
  }

  @Test("MODEL-2: is in use while its process group is in the foreground of its terminal")
  func terminal() {
    let processes = Processes()
    processes.set(20) { ($0.terminal, $0.foreground) = (34816, 9) }
    var watch = UseWatch(of: processes)
    #expect(watch.follow(20, as: Self.client, at: Self.start) == .background)
    #expect(watch.nextDeadline == Self.start + .seconds(1), "no event says that it changes")
    processes.set(20) { $0.foreground = 7 }
    let later = Self.start + .seconds(1)
    #expect(watch.changes(at: later).map(\.life) == [.foreground])
    #expect(watch.nextDeadline == nil, "what uses it is seen with its events")
    #expect(watch.changes(at: later).isEmpty)
    processes.set(20) { $0.foreground = 9 }
    #expect(watch.changes(at: later).map(\.life) == [.background])
    processes.set(20) { $0.state = "T" }
    #expect(watch.changes(at: later).map(\.life) == [.suspended])
    watch.leave(Self.client)
    #expect(watch.nextDeadline == nil && watch.changes(at: later).isEmpty)
  }

  @Test("MODEL-2: one that is stopped is noticed when it leaves a delivery unread")
  func stopped() {
    let processes = Processes()
    processes.set(20) { $0.unit = nil }
    var watch = UseWatch(of: processes)
    #expect(watch.follow(20, as: Self.client, at: Self.start) == nil)
    processes.set(20) { $0.state = "T" }
    #expect(watch.changes(at: Self.start).isEmpty, "nothing hints at it")
    watch.suspect(Self.client)
    #expect(watch.changes(at: Self.start).map(\.life) == [.suspended])
    #expect(watch.nextDeadline != nil)
    processes.set(20) { $0.state = "S" }
    #expect(watch.changes(at: Self.start).map(\.life) == [.foreground])
    #expect(watch.nextDeadline == nil)
  }

  @Test(
    "MON-38, REG-31: one that was woken is not in use, until it is stopped and continues otherwise")
  func woken() {
    let processes = Processes()
    processes.set(20) { $0.state = "T" }
    var watch = UseWatch(of: processes)
    #expect(watch.follow(20, as: Self.client, at: Self.start) == .suspended)
    watch.note(Self.client, woken: true)
    processes.set(20) { $0.state = "R" }
    #expect(watch.changes(at: Self.start).map(\.life) == [.background])
    processes.set(20) { $0.state = "T" }
    watch.suspect(Self.client)
    #expect(watch.changes(at: Self.start).map(\.life) == [.suspended])
    processes.set(20) { $0.state = "R" }
    #expect(watch.changes(at: Self.start).map(\.life) == [.foreground])
  }

  @Test(
    "a number that was given to another process shows nothing, and neither does one that is gone")
  func reused() {
    let processes = Processes()
    processes.set(20) { $0.state = "T" }
    var watch = UseWatch(of: processes)
    #expect(watch.follow(20, as: Self.client, at: Self.start) == .suspended)
    processes.set(20) { ($0.state, $0.start) = ("R", 200) }
    #expect(watch.changes(at: Self.start).isEmpty)
    #expect(watch.follow(21, as: ClientID(2), at: Self.start) == nil)
  }

  @Test(
    "MODEL-2: is in use while any source shows a window of it, or of its program, as active")
  func windows() {
    let processes = Processes()
    processes.set(20) { $0.unit = "/system.slice/boat.service" }
    var watch = UseWatch(of: processes)
    #expect(watch.follow(20, as: Self.client, at: Self.start) == .background)
    func take(_ owners: WindowOwner..., active: WindowOwner?, from source: WindowSource)
      -> [AppLife]
    {
      let state = WindowState(owners: Set(owners), active: active.map { [$0] } ?? [])
      return watch.take(state, from: source, at: Self.start).map(\.life)
    }
    #expect(take(.process(20), active: .process(20), from: .sway) == [.foreground])
    #expect(take(.process(20), active: .process(9), from: .sway) == [.background])
    #expect(watch.use(of: Self.client).ground == .window && watch.nextDeadline == nil)
    #expect(take(active: .program("/opt/other"), from: .x11) == [])
    #expect(
      take(.program("/opt/20"), active: .program("/opt/20"), from: .wayland) == [.foreground])
    #expect(watch.take(nil, from: .wayland, at: Self.start).map(\.life) == [.background])
    #expect(take(active: nil, from: .sway) == [], "it had one")
    #expect(watch.use(of: Self.client).ground == .window)
    #expect(watch.take(nil, from: .sway, at: Self.start).isEmpty)
    #expect(watch.use(of: Self.client).ground == .service, "nothing shows windows of it any more")
  }

  @Test("where use is assumed, nobody is looked at")
  func assumed() {
    var watch = UseWatch()
    #expect(watch.follow(1, as: Self.client, at: Self.start) == nil)
    watch.suspect(Self.client)
    #expect(watch.changes(at: Self.start).isEmpty && watch.nextDeadline == nil)
    #expect(watch.use(of: Self.client).ground == .assumed)
  }
}
