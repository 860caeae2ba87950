import Dispatch
import LocationService
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import TestSupport
import Testing

/// Programs on the same bus that speak in the name of others, straight to our connection.
@Suite(
  "Who is believed on the bus", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(2)))
struct SenderTests {
  private let machine: MockMachine

  init() throws {
    machine = try MockMachine()
  }

  private func refusals(_ app: HostOnBus) -> [String: Int] {
    let all = app.host.sourceReports().flatMap(\.rejections)
    return Dictionary(all.map { ($0.reason, $0.count) }) { $1 }
  }

  private func startBluetooth() throws {
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    try machine.perform("beacon \(address) \(payload("02"))")
  }

  /// The minor numbers that an app learns of in the next reports.
  private func minors(_ app: HostOnBus, reports: Int = 3) async -> Set<UInt16> {
    var minors: Set<UInt16> = []
    for _ in 0..<reports {
      for beacon in await app.nextBeacons() ?? [] { minors.insert(beacon.identity.minor) }
    }
    return minors
  }

  @Test("border 7: a forged advert from another bus name is ignored, and counted")
  func beacons() async throws {
    try startBluetooth()
    let app = HostOnBus(.bluez, bus: machine.address)
    app.range(constraint)
    #expect(await minors(app, reports: 1) == [2])
    try machine.perform("forge beacon \(address) \(payload("99"))")
    #expect(await minors(app) == [2])
    #expect(refusals(app)[BusRefusal.signal(of: "org.bluez").description] == 2)
  }

  @Test("border 7: a forged change of owners changes nothing, and makes no forger believed")
  func owners() async throws {
    try startBluetooth()
    let app = HostOnBus(.bluez, bus: machine.address)
    app.range(constraint)
    #expect(await minors(app, reports: 1) == [2])
    try machine.perform("forge owner org.bluez")
    try machine.perform("forge beacon \(address) \(payload("99"))")
    try machine.perform("forge loss org.bluez")
    #expect(await minors(app) == [2])
    #expect(refusals(app)[BusRefusal.ownerChange.description] == 2)
  }

  @Test("border 7: forged replies with guessed numbers are refused, and the true one counts")
  func replies() async throws {
    try startBluetooth()
    let app = HostOnBus(.bluez, bus: machine.address)
    app.range(constraint)
    #expect(await minors(app, reports: 1) == [2])
    try machine.perform("forge replies 64")
    // Stopping and starting asks anew what there is.
    app.host.send(.ranging(HostOnBus.manager, .stop(constraint)), from: app.client)
    try machine.perform("await idle")
    app.range(constraint)
    #expect(await minors(app, reports: 1) == [2])
    #expect(try machine.perform("await discovering") == "ok")
    let counts = refusals(app)
    #expect(counts[BusRefusal.reply(of: "org.bluez").description, default: 0] > 0, "\(counts)")
  }

  @Test("border 7: only bluetoothd may read and call what is offered to it")
  func calls() async throws {
    try startBluetooth()
    let app = HostOnBus(.bluez, bus: machine.address, .always)
    let region = RegionDescription(
      identifier: "shop", target: .beacon(constraint), notices: RegionNotices())
    app.host.send(.region(HostOnBus.manager, .start(region)), from: app.client)
    try machine.perform("await monitor")
    let denied = "org.freedesktop.DBus.Error.AccessDenied"
    #expect(try machine.perform("forge read") == denied)
    #expect(try machine.perform("forge found") == denied)
    #expect(try machine.perform("forge release") == denied)
    #expect(refusals(app)[BusRefusal.call(of: "org.bluez").description] == 3)
    // It is still there for whom it is meant.
    #expect(try machine.perform("found \(address)") == "found 4c000215")
  }

  @Test("border 7: nobody but the desktop presses a button or sweeps a question away")
  func notifications() async throws {
    try machine.perform("notifications start body actions")
    let agent = NotificationAgent(bus: machine.address)
    let prompt = Prompt(
      id: Prompt.ID(app: AppIdentity("org.example.Walk"), number: 1), kind: .whenInUse,
      appName: "Walk", text: "To draw your walk.", offersPrecise: true)
    let (replies, continuation) = AsyncStream.makeStream(of: AgentReply.self)
    agent.show(prompt) { _ = continuation.yield($0) }
    try machine.perform("await notification 1")
    try machine.perform("forge press 1 whileUsing")
    try machine.perform("forge dismiss 1")
    try machine.perform("forge loss org.freedesktop.Notifications")
    try machine.perform("press 1 deny")
    let reply = await replies.first { _ in true }
    #expect(reply == .answer(.deny, precise: true))
    // The forged press, the forged end, and the forged loss of the name did arrive.
    let service = "org.freedesktop.Notifications"
    #expect(await agent.refusals == [.signal(of: service): 2, .ownerChange: 1])
  }

  @Test("border 7: a forged heading is ignored, and counted")
  func headings() async throws {
    let app = try await compass()
    try machine.perform("forge heading 200 5")
    try machine.perform("heading 123.0")
    #expect(await app.nextHeading()?.magneticHeading == 123)
    #expect(refusals(app)[BusRefusal.signal(of: "net.hadess.SensorProxy").description] == 5)
  }

  @Test("border 7: 100,000 signals at once hold nobody back, and none of them is believed")
  func flood() async throws {
    let app = try await compass()
    // The host is held up until the whole flood waits for it.
    let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    DispatchQueue.global().async {
      let held = ClientDescription(app: AppIdentity("org.example.held"), manifest: Manifest())
      let (id, _) = app.host.connect(held) { _ in
        isHeld.signal()
        gate.wait()
      }
      app.host.send(.heading(HostOnBus.manager, .start(HeadingOptions())), from: id)
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isHeld.wait()
        continuation.resume()
      }
    }
    try machine.perform("forge heading 200 100000")
    for _ in 0..<1000 { gate.signal() }
    let guest = ClientDescription(app: AppIdentity("org.example.guest"), manifest: Manifest())
    let (id, _) = app.host.connect(guest) { _ in }
    app.host.disconnect(id)
    // Whoever drains the bus at once comes to the guest when all of them are done.
    let reason = BusRefusal.signal(of: "net.hadess.SensorProxy").description
    #expect(refusals(app)[reason, default: 0] < 100_000)
    try machine.perform("heading 123.0")
    #expect(await app.nextHeading()?.magneticHeading == 123)
    #expect(refusals(app)[reason] == 100_000)
  }

  private func compass() async throws -> HostOnBus {
    try machine.perform("compass start")
    let app = HostOnBus(.iio(motion: true), bus: machine.address, .never)
    _ = await app.first { delivery -> Bool? in
      guard case .state(let state) = delivery, state.equipment.hasCompass else { return nil }
      return true
    }
    app.send(.start(HeadingOptions()))
    #expect(await app.nextHeading()?.magneticHeading == 90)
    return app
  }
}

private let address = "C0:00:00:00:00:01"
/// An iBeacon, with this minor number.
private func payload(_ minor: String) -> String {
  "0215e2c56db5dffb48d2b060d0f5a71096e0" + "000100\(minor)c5"
}
private let constraint = BeaconConstraint(
  uuid: BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0))
