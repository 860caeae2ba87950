import Foundation
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import LocationService
import TestSupport
import Testing

@Suite(
  "The modem over ModemManager", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct ModemTests {
  private let machine: MockMachine

  init() throws {
    machine = try MockMachine()
    try machine.perform("modems start")
  }

  private func app(assistance: String? = nil) -> HostOnBus {
    HostOnBus(.modem(assistance: assistance), bus: machine.address)
  }

  private func start(_ app: HostOnBus, accuracy: DesiredAccuracy = .best) {
    let request = UpdatesRequest.start(UpdateOptions(accuracy: accuracy))
    app.host.send(.updates(HostOnBus.manager, request), from: app.client)
  }

  private func stop(_ app: HostOnBus) {
    app.host.send(.updates(HostOnBus.manager, .stop), from: app.client)
  }

  private func nextFix(_ app: HostOnBus) async -> Fix? {
    await app.first { delivery in
      guard case .updates(_, .fixes(let fixes)) = delivery else { return nil }
      return fixes.last
    }
  }

  /// Waits for the next outage, and returns the source's reason.
  private func nextReason(_ app: HostOnBus) async -> String? {
    let failure = await app.first { delivery -> Failure? in
      guard case .updates(_, .failed(let failure)) = delivery else { return nil }
      return failure
    }
    guard failure == .positionUnknown, let report = app.host.sourceReports().first,
      case .unavailable(let reason) = report.status
    else { return nil }
    return reason.text
  }

  @Test("RADIO-21, RADIO-22: its receiver is set up while an app needs it, and no longer")
  func satellites() async throws {
    try machine.perform("modem 0 Enabled=2")
    let app = app()
    start(app)
    let fix = try #require(await nextFix(app))
    #expect(abs(fix.coordinate.latitude - 52.5) < 1e-9)
    #expect(try machine.perform("enabled 0") == "7")
    #expect(app.host.sourceReports().first?.evidence.cells == 1)
    stop(app)
    #expect(try machine.perform("await enabled 0 2") == "ok")
  }

  @Test("RADIO-22: a modem with cells alone is not asked for satellites")
  func cells() async throws {
    try machine.perform("modem 0 Capabilities=5")
    let app = app()
    start(app, accuracy: .meters(3000))
    #expect(try machine.perform("await enabled 0 1") == "ok")
    stop(app)
    #expect(try machine.perform("await enabled 0 0") == "ok")
  }

  @Test("RADIO-86: the file that the owner names reaches the modem whole, and positions go on")
  func assistance() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("xtra3grc.bin")
    try Data(repeating: 7, count: 40_000).write(to: URL(filePath: path))
    try machine.perform("modem 0 SupportedAssistanceData=1")
    let app = app(assistance: path)
    start(app)
    #expect(try machine.perform("await given 0") == "40000")
    #expect(await nextFix(app) != nil)
    stop(app)
    #expect(try machine.perform("await enabled 0 0") == "ok")
  }

  @Test("RADIO-87: a modem that takes no such data gives positions, and the report says so")
  func noAssistance() async throws {
    try machine.perform("modem 0")
    let app = app(assistance: "/nonexistent")
    start(app)
    #expect(await nextFix(app) != nil)
    #expect(app.host.sourceReports().first?.evidence.assistanceFault == .unsupported)
  }

  @Test("RADIO-24: positions end when it is unplugged, and come back with another")
  func unplugged() async throws {
    try machine.perform("modem 0")
    let app = app()
    start(app)
    #expect(await nextFix(app) != nil)
    try machine.perform("unplug 0")
    #expect(await nextReason(app) == ModemLack.modem.rawValue)
    try machine.perform("modem 1")
    #expect(await nextFix(app) != nil)
    try machine.perform("modems stop")
    #expect(await nextReason(app) == ModemLack.service.rawValue)
  }

  @Test(
    "RADIO-23: says why there is nothing",
    arguments: [
      ("modem 0 State=2 UnlockRequired=2 Capabilities=1", ModemLack.locked),
      ("modem 0 State=-1 StateFailedReason=2 Capabilities=1", .sim),
      ("modem 0 Capabilities=0", .capability), ("modem 0 State=3 Capabilities=1", .disabled),
      ("modem 0 refused=1", .permission), ("modems stop", .service), ("enabled", .modem),
    ])
  func lacks(command: String, lack: ModemLack) async throws {
    try machine.perform(command)
    let app = app()
    start(app)
    #expect(await nextReason(app) == lack.rawValue)
  }

  @Test("border 7: a forged modem from another bus name is ignored, and counted")
  func forged() async throws {
    try machine.perform("modem 0")
    let app = app()
    start(app)
    #expect(await nextFix(app) != nil)
    try machine.perform("forge modem")
    #expect(await nextFix(app) != nil)
    let refused = BusRefusal.signal(of: ModemService.service).description
    let counts = app.host.sourceReports().flatMap(\.rejections)
    #expect(counts.first { $0.reason == refused }?.count == 1)
  }

  @Test("border 7: nobody else unplugs a modem, and a forged end of ModemManager ends nothing")
  func forgedEnd() async throws {
    try machine.perform("modem 0")
    let app = app()
    start(app)
    #expect(await nextFix(app) != nil)
    try machine.perform("forge unplug 0")
    try machine.perform("forge loss \(ModemService.service)")
    for _ in 0..<3 { #expect(await nextFix(app) != nil) }
    let all = app.host.sourceReports().flatMap(\.rejections)
    let counts = Dictionary(all.map { ($0.reason, $0.count) }) { $1 }
    #expect(counts[BusRefusal.signal(of: ModemService.service).description] == 1, "\(counts)")
    #expect(counts[BusRefusal.ownerChange.description] == 1, "\(counts)")
  }
}
