import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite(
  "Beacons over bluetoothd", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct BeaconTests {
  private let machine: MockMachine

  init() throws {
    machine = try MockMachine()
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    try machine.perform("beacon \(address) \(payload)")
  }

  @Test("BEACON-6, BEACON-9: are ranged while the adapter discovers, and no longer")
  func ranging() async throws {
    let app = HostOnBus(.bluez, bus: machine.address)
    #expect(app.state.equipment.hasBeaconRadio)
    app.range(constraint)
    let beacon = try #require(await app.nextBeacons()?.first)
    #expect(beacon.identity == identity)
    #expect(try #require(beacon.rssi) <= -60)
    #expect(beacon.proximity == .near)
    app.host.send(.ranging(HostOnBus.manager, .stop(constraint)), from: app.client)
    #expect(try machine.perform("await idle") == "ok")
  }

  @Test("BEACON-16: fail when the adapter is switched off, and come back with it")
  func power() async throws {
    let app = HostOnBus(.bluez, bus: machine.address)
    app.range(constraint)
    #expect(await app.nextBeacons() != nil)
    try machine.perform("power off")
    #expect(await app.nextRangingFailure() == .unavailable)
    try machine.perform("power on")
    #expect(await app.nextBeacons() != nil)
  }

  @Test("BEACON-16: fail when the adapter is removed")
  func removal() async throws {
    let app = HostOnBus(.bluez, bus: machine.address)
    app.range(constraint)
    #expect(await app.nextBeacons() != nil)
    try machine.perform("silence \(address)")
    try machine.perform("remove")
    #expect(await app.nextRangingFailure() == .unavailable)
  }

  @Test("BEACON-16: outlive a bluetoothd that is started again")
  func restart() async throws {
    let app = HostOnBus(.bluez, bus: machine.address)
    app.range(constraint)
    #expect(await app.nextBeacons() != nil)
    try machine.perform("bluetoothd stop")
    #expect(await app.nextRangingFailure() == .unavailable)
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    try machine.perform("beacon \(address) \(payload)")
    #expect(await app.nextBeacons()?.first?.identity == identity)
  }

  @Test("BEACON-21: are seen in a region that the adapter watches by itself, without discovery")
  func monitor() async throws {
    let app = HostOnBus(.bluez, bus: machine.address, .always)
    let region = RegionDescription(
      identifier: "shop", target: .beacon(constraint), notices: RegionNotices())
    app.host.send(.region(HostOnBus.manager, .start(region)), from: app.client)
    try machine.perform("await monitor")
    #expect(try machine.perform("found \(address)") == "found 4c000215")
    let inside = await app.first { delivery -> String? in
      guard case .region(_, let region, .determined(.satisfied)) = delivery else { return nil }
      return region.identifier
    }
    #expect(inside == "shop")
  }

  @Test("BEACON-16: are refused without a bus")
  func noBus() async {
    let app = HostOnBus(.bluez, bus: "unix:path=/nonexistent/bus")
    app.range(constraint)
    #expect(await app.nextRangingFailure() == .unavailable)
  }
}

private let address = "C0:00:00:00:00:01"
private let payload = "0215e2c56db5dffb48d2b060d0f5a71096e000010002c5"
private let uuid = BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)
private let identity = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
private let constraint = BeaconConstraint(uuid: uuid, major: 1)
