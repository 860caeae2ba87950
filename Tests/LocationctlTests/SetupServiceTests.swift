import Synchronization
import Testing

@testable import locationctl

@Suite("The service while setup looks and writes")
struct SetupServiceTests {
  /// What `systemctl` was asked for, and which units run.
  private final class Machine: Sendable {
    private let asked = Mutex<[String]>([])
    private let running: Set<String>
    private let status: Int32
    private let enabledUnits: Mutex<Set<String>>

    init(running: Set<String>, enabled: Set<String> = [], status: Int32 = 0) {
      enabledUnits = Mutex(enabled)

      (self.running, self.status) = (running, status)
    }

    var commands: [String] { asked.withLock { $0 } }
    var enabled: Set<String> { enabledUnits.withLock { $0 } }

    func carryOut(_ words: [String]) -> Int32 {
      if words.contains("is-active") {
        return words.last.map { running.contains($0) } == true ? 0 : 3
      }
      if words.contains("is-enabled") {
        return words.last.map { enabled.contains($0) } == true ? 0 : 1
      }
      // As systemd does it: the unit of the service has `Also=locationd.socket`.
      let units = words.contains("locationd.service") ? both : both.intersection(words)
      switch words.first {
      case "enable": enabledUnits.withLock { $0.formUnion(units) }
      case "disable": enabledUnits.withLock { $0.subtract(units) }
      default: break
      }
      asked.withLock { $0.append(words.joined(separator: " ")) }
      return status
    }
  }

  private func service(_ machine: Machine, isThere: Bool = true) -> SetupService {
    SetupService(isThere: isThere) { machine.carryOut($0) }
  }

  @Test("SETUP-6: socket and service are stopped before ports are listened to, and go on after")
  func around() {
    let machine = Machine(running: both)
    let pause = SetupPause(service(machine))
    pause.begin()
    #expect(machine.commands == ["stop locationd.socket locationd.service"])
    pause.end()
    #expect(machine.commands.last == "start locationd.socket locationd.service")
    pause.end()
    #expect(machine.commands.count == 2, "once")
  }

  @Test("SETUP-6: what did not run before is not started where nothing was written")
  func idle() {
    let waiting = Machine(running: ["locationd.socket"])
    #expect(service(waiting).resume(service(waiting).stop()))
    #expect(waiting.commands == ["stop locationd.socket", "start locationd.socket"])
    let off = Machine(running: [])
    #expect(service(off).resume(service(off).stop()))
    #expect(off.commands.isEmpty)
    let bare = Machine(running: ["locationd.socket"])
    #expect(service(bare, isThere: false).stop().isEmpty)
    #expect(bare.commands.isEmpty)
  }

  @Test("SETUP-6: a signal starts again what was stopped, once, and says so in one line")
  func interrupted() {
    func interrupt(_ machine: Machine) -> [String] {
      let pause = SetupPause(service(machine))
      pause.begin()
      var said: [String] = []
      for _ in 0..<2 { pause.interrupt { said.append($0) } }
      pause.end()
      return said
    }
    let machine = Machine(running: both)
    let interrupted = "locationctl: setup was interrupted"
    #expect(
      interrupt(machine) == [
        interrupted + "; started again: locationd.socket locationd.service", interrupted,
      ])
    #expect(
      machine.commands == [
        "stop locationd.socket locationd.service", "start locationd.socket locationd.service",
      ])
    #expect(interrupt(Machine(running: [])) == [interrupted, interrupted])
    let broken = interrupt(Machine(running: both, status: 1))
    #expect(broken.first?.contains("did not start again. Next: journalctl") == true)
  }

  @Test("SETUP-6: what setup has started is not started again by a signal or an error after")
  func startedBefore() throws {
    let machine = Machine(running: both)
    let pause = SetupPause(service(machine))
    pause.begin()
    try pause.start()
    let count = machine.commands.count
    pause.interrupt { _ in }
    pause.end()
    #expect(machine.commands.count == count)
  }

  @Test("SETUP-9: without an earlier configuration socket and service are stopped")
  func ended() throws {
    let machine = Machine(running: both)
    try service(machine).end()
    #expect(machine.commands == ["stop locationd.socket locationd.service"])
    try service(machine, isThere: false).end()
    #expect(machine.commands.count == 1)
  }

  @Test("SETUP-9: with the configuration that was put back the service is started again")
  func restarted() throws {
    let machine = Machine(running: [])
    try service(machine).restart()
    #expect(machine.commands == ["restart locationd.service"])
    let broken = Machine(running: [], status: 1)
    #expect(throws: Failure.self) { try service(broken).restart() }
    #expect(throws: Failure.self) { try service(machine, isThere: false).restart() }
  }

  @Test("SETUP-11: service and socket are enabled, and then the service is started")
  func started() throws {
    let machine = Machine(running: [])
    try service(machine).start()
    #expect(
      machine.commands == [
        "enable --quiet locationd.socket locationd.service", "restart locationd.service",
      ])
    let broken = Machine(running: [], status: 1)
    #expect(throws: Failure.self) { try service(broken).start() }
    #expect(throws: Failure.self) { try service(machine, isThere: false).start() }
  }

  @Test(
    "SETUP-11: --remove disables what setup has enabled, also in two runs, and nothing else",
    arguments: [[], ["locationd.socket"], both] as [Set<String>])
  func disabled(before: Set<String>) throws {
    let machine = Machine(running: [], enabled: before)
    let service = service(machine)
    var noted: [String] = []
    for _ in 0..<2 {
      noted = service.unitsToEnable(with: noted)
      try service.start()
      #expect(machine.enabled == both)
    }
    #expect(Set(noted) == both.subtracting(before))
    #expect(try service.disable(noted) == noted)
    #expect(machine.enabled == before)
    #expect(try service.disable(["sshd.service"]).isEmpty, "no unit of somebody else")
  }
}

private let both: Set = ["locationd.socket", "locationd.service"]
