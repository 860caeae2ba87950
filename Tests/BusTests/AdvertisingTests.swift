import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite(
  "Being a beacon over bluetoothd", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct AdvertisingTests {
  private let machine: MockMachine
  private let app: HostOnBus

  init() throws {
    machine = try MockMachine()
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    app = HostOnBus(.bluez, bus: machine.address, .never)
    app.host.pass(.setting(.beacon(HostOnBus.app, .allowed)))
  }

  @Test("border 10: nothing is on the bus without the permission, nor once it is taken back")
  func permission() async throws {
    app.host.pass(.setting(.beacon(HostOnBus.app, .undecided)))
    app.advertise(.start(door))
    #expect(await app.nextRefusal()?.contains("NSBluetoothAlwaysUsageDescription") == true)
    app.host.pass(.setting(.authorization(HostOnBus.app, .always)))
    // Ranging goes over the same connection: had anything been registered, it was before.
    app.range(BeaconConstraint(uuid: door.identity.uuid))
    try machine.perform("await discovering")
    #expect(try machine.perform("advertised") == "nothing")
    #expect(try machine.perform("await silence") == "ok")
    app.host.pass(.setting(.beacon(HostOnBus.app, .allowed)))
    #expect(await app.nextAdvertising() == .advertising)
    #expect(try machine.perform("await advertisement") == "ok")
    app.host.pass(.setting(.beacon(HostOnBus.app, .declined)))
    #expect(await app.nextRefusal()?.contains("declined") == true)
    #expect(try machine.perform("await silence") == "ok")
  }

  @Test("BEACON-1, BEACON-3: is offered to bluetoothd as a broadcast, and withdrawn in the end")
  func advertises() async throws {
    app.advertise(.start(door))
    #expect(await app.nextAdvertising() == .advertising)
    try machine.perform("await advertisement")
    let uuid = "e2c56db5dffb48d2b060d0f5a71096e0"
    #expect(try machine.perform("advertised") == "broadcast 0215\(uuid)00010007c3")
    app.advertise(.stop)
    #expect(await app.nextAdvertising() == .stopped)
    #expect(try machine.perform("await silence") == "ok")
  }

  @Test("BEACON-3: goes with the adapter, and comes back with a bluetoothd that is started again")
  func restart() async throws {
    app.advertise(.start(door))
    #expect(await app.nextAdvertising() == .advertising)
    try machine.perform("power off")
    #expect(await app.nextAdvertising() == .unavailable)
    try machine.perform("bluetoothd stop")
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    #expect(await app.nextAdvertising() == .advertising)
    #expect(try machine.perform("await advertisement") == "ok")
  }

  @Test("stands beside ranging on one connection")
  func both() async throws {
    try machine.perform("beacon C0:00:00:00:00:01 0215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
    app.host.pass(.setting(.authorization(AppIdentity("org.example.signals"), .whileUsing)))
    app.range(BeaconConstraint(uuid: door.identity.uuid))
    #expect(await app.nextBeacons()?.first?.identity.minor == 2)
    app.advertise(.start(door))
    #expect(await app.nextAdvertising() == .advertising)
    #expect(await app.nextBeacons()?.first?.identity.minor == 2)
    app.host.send(
      .ranging(HostOnBus.manager, .stop(BeaconConstraint(uuid: door.identity.uuid))),
      from: app.client)
    #expect(try machine.perform("await idle") == "ok")
    #expect(try machine.perform("await advertisement") == "ok")
  }

  @Test("is unavailable without a bus")
  func noBus() async {
    let app = HostOnBus(.bluez, bus: "unix:path=/nonexistent/bus", .never)
    app.host.pass(.setting(.beacon(HostOnBus.app, .allowed)))
    app.advertise(.start(door))
    #expect(await app.nextAdvertising() == .unavailable)
  }
}

private let door = IBeaconAdvert(
  identity: BeaconIdentity(
    uuid: BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0), major: 1, minor: 7),
  measuredPower: -61)
