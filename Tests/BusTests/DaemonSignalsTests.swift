import Foundation
import TestSupport
import LocationEngine
import LocationHost
import LocationModel
import Testing

@Suite(
  "Beacons and headings through locationd", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct DaemonSignalsTests {
  @Test("BEACON-6, POW-3: ranges over the link, and lets the radio rest when nobody does")
  func beacons() async throws {
    let machine = try MockMachine()
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    try machine.perform("beacon C0:00:00:00:00:01 0215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
    let app = try await AppOfDaemon("bluez:", bus: machine.address)
    app.send(.ranging(AppOfDaemon.manager, .start(constraint)))
    let beacons = await app.first { delivery -> [RangedBeacon]? in
      guard case .ranging(_, .ranged(_, let beacons)) = delivery, !beacons.isEmpty else {
        return nil
      }
      return beacons
    }
    #expect(beacons?.first?.identity.minor == 2)
    #expect(beacons?.first?.proximity == .near)
    app.leave()
    #expect(try machine.perform("await idle") == "ok")
  }

  @Test("border 10: an app over the link is a beacon only while its owner permits it, BEACON-3")
  func advertising() async throws {
    let machine = try MockMachine()
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    let app = try await AppOfDaemon("bluez:", bus: machine.address)
    let identity = BeaconIdentity(uuid: constraint.uuid, major: 1, minor: 7)
    let advert = IBeaconAdvert(identity: identity)
    // It may always know where it is, and is in the foreground.
    app.send(.advertising(AppOfDaemon.manager, .start(advert)))
    let reason = await app.nextRefusal()
    #expect(reason?.contains("NSBluetoothAlwaysUsageDescription") == true)
    #expect(reason?.contains("locationctl authorize --beacon yes") == true)
    #expect(try machine.perform("advertised") == "nothing")
    try await app.owner("authorize", "--beacon", "yes")
    #expect(await app.nextAdvertising() == .advertising)
    #expect(try machine.perform("await advertisement") == "ok")
    try await app.owner("authorize", "--beacon", "no")
    #expect(await app.nextRefusal()?.contains("declined") == true)
    #expect(try machine.perform("await silence") == "ok")
    try await app.owner("authorize", "--beacon", "yes")
    #expect(await app.nextAdvertising() == .advertising)
    app.leave()
    #expect(try machine.perform("await silence") == "ok")
  }

  @Test("HEAD-1, POW-4: points over the link, and lets the compass rest when nobody looks")
  func heading() async throws {
    let machine = try MockMachine()
    try machine.perform("compass start")
    let app = try await AppOfDaemon("iio:", bus: machine.address)
    let isThere = await app.first { delivery -> Bool? in
      guard case .state(let state) = delivery, state.equipment.hasCompass else { return nil }
      return true
    }
    #expect(isThere == true)
    app.send(.heading(AppOfDaemon.manager, .start(HeadingOptions())))
    let heading = await app.first { delivery -> Double? in
      guard case .heading(_, .heading(let heading)) = delivery else { return nil }
      return heading.magneticHeading
    }
    #expect(heading == 90)
    try machine.perform("await claim")
    app.leave()
    #expect(try machine.perform("await release") == "ok")
  }
}

/// An app of a real daemon whose only hardware is on a bus of the tests.
private final class AppOfDaemon {
  static let manager = SubscriberID(1)
  private let daemon: RunningProgram
  private let socket: String
  private let program: String
  private let link: SocketLink
  private let client: ClientID
  private let deliveries: AsyncStream<Delivery>

  init(_ source: String, bus: String) async throws {
    let folder = try TemporaryFolder()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let person = try RunningProgram(
      BuiltProgram.path("HostProgram"), ["grant", "always", own, folder.file("state")])
    _ = try await person.lines.next { $0 == "granted" }
    let socket = folder.file("socket")
    (program, self.socket) = (own, socket)
    // An app that starts the owner's tool is the owner only when it is registered.
    let configuration = folder.file("locationd.conf")
    try Data("owner-program = \(own)\n".utf8).write(to: URL(fileURLWithPath: configuration))
    daemon = try RunningProgram(
      BuiltProgram.path("locationd"),
      [
        "--socket", socket, "--state", folder.file("state"), "--config", configuration, "--source",
        source,
      ],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus, "CORELOCATION_SOURCES": ""], keeping: folder)
    let (deliveries, listener) = AsyncStream.makeStream(of: Delivery.self)
    link = SocketLink(at: socket)
    let description = ClientDescription(app: AppIdentity("unsaid"), manifest: Manifest())
    // The daemon may not be there yet; the link goes on trying.
    (client, _) = link.connect(description) { listener.yield($0) }
    self.deliveries = deliveries
  }

  func send(_ request: Request) { link.send(request, from: client) }
  func leave() { link.disconnect(client) }

  /// Decides about this app as the owner of the daemon.
  func owner(_ words: String...) async throws {
    let owner = try RunningProgram(
      BuiltProgram.path("locationctl"), words + ["--", program],
      environment: ["LOCATIOND_SOCKET": socket])
    defer { owner.end() }
    _ = try await owner.lines.next { $0.contains(": always") }
  }

  func nextAdvertising() async -> BeaconAdvertising? {
    await first { delivery in
      guard case .advertising(_, let state) = delivery else { return nil }
      return state
    }
  }

  func nextRefusal() async -> String? {
    await first { delivery in
      guard case .advertising(_, .refused(let reason)) = delivery else { return nil }
      return reason
    }
  }

  func first<Value>(_ pick: (Delivery) -> Value?) async -> Value? {
    for await delivery in deliveries {
      if let value = pick(delivery) { return value }
    }
    return nil
  }
}

private let constraint = BeaconConstraint(
  uuid: BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0))
