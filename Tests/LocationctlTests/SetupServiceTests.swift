import Testing

@testable import locationctl

@Suite("The service while setup looks and writes")
struct SetupServiceTests {
  /// What `systemctl` was asked for, and which units run.
  private final class Machine {
    var commands: [String] = []
    var running: Set<String>
    var status: Int32 = 0

    init(running: Set<String>) { self.running = running }

    func carryOut(_ words: [String]) -> Int32 {
      if words.contains("is-active") {
        return words.last.map { running.contains($0) } == true ? 0 : 3
      }
      commands.append(words.joined(separator: " "))
      return status
    }
  }

  private func service(_ machine: Machine, isThere: Bool = true) -> SetupService {
    SetupService(isThere: isThere) { machine.carryOut($0) }
  }

  @Test("SETUP-6: socket and service are stopped before ports are listened to, and go on after")
  func around() {
    let machine = Machine(running: ["locationd.socket", "locationd.service"])
    let stopped = service(machine).stop()
    #expect(machine.commands == ["stop locationd.socket locationd.service"])
    service(machine).resume(stopped)
    #expect(machine.commands.last == "start locationd.socket locationd.service")
  }

  @Test("SETUP-6: what did not run before is not started where nothing was written")
  func idle() {
    let waiting = Machine(running: ["locationd.socket"])
    service(waiting).resume(service(waiting).stop())
    #expect(waiting.commands == ["stop locationd.socket", "start locationd.socket"])
    let off = Machine(running: [])
    service(off).resume(service(off).stop())
    #expect(off.commands.isEmpty)
    let bare = Machine(running: ["locationd.socket"])
    #expect(service(bare, isThere: false).stop().isEmpty)
    #expect(bare.commands.isEmpty)
  }

  @Test("SETUP-9: without an earlier configuration socket and service are stopped and disabled")
  func ended() throws {
    let machine = Machine(running: ["locationd.socket", "locationd.service"])
    try service(machine).end()
    #expect(machine.commands == ["disable --quiet --now locationd.socket locationd.service"])
    try service(machine, isThere: false).end()
    #expect(machine.commands.count == 1)
  }

  @Test("SETUP-9: with the configuration that was put back the service is started again")
  func started() throws {
    let machine = Machine(running: [])
    try service(machine).start()
    #expect(
      machine.commands == ["enable --quiet locationd.socket", "restart locationd.service"])
    machine.status = 1
    #expect(throws: Failure.self) { try service(machine).start() }
    #expect(throws: Failure.self) { try service(machine, isThere: false).start() }
  }
}
