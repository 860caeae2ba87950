import LocationHost
import TestSupport
import Testing

@testable import LocationDaemon

/// A service manager by python-dbusmock, on a private bus.
@Suite(
  "Units that are frozen and thawed", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct UnitFreezerTests {
  private let machine: MockMachine
  private let freezer: UnitFreezer

  init() throws {
    machine = try MockMachine()
    freezer = UnitFreezer(.user(bus: machine.address))
  }

  private func freeze(_ unit: String, _ isFrozen: Bool) async -> String? {
    await withCheckedContinuation { continuation in
      freezer.freeze(unit, isFrozen) { continuation.resume(returning: $0) }
    }
  }

  @Test("are what systemd says that they are")
  func done() async throws {
    try machine.perform("units start")
    #expect(await freeze("boat.service", false) == nil)
    #expect(await freeze("boat.service", true) == nil)
    #expect(try machine.perform("units calls") == "ThawUnit boat.service FreezeUnit boat.service")
  }

  @Test("are not when systemd refuses, with its reason")
  func refused() async throws {
    try machine.perform("units start org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
    let fault = await freeze("boat.service", false)
    #expect(
      fault
        == "systemd refuses it: org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
  }

  @Test("are not without a service manager, and are when it is there")
  func absent() async throws {
    #expect(
      await freeze("boat.service", false)
        == "systemd refuses it: org.freedesktop.DBus.Error.ServiceUnknown")
    try machine.perform("units start")
    #expect(await freeze("boat.service", false) == nil)
  }

  @Test("are not without a bus")
  func noBus() async {
    let (none, gone) = (UnitFreezer(.user(bus: nil)), UnitFreezer(.user(bus: "unix:path=/none")))
    for (freezer, reason) in [(none, "DBUS_SESSION_BUS_ADDRESS"), (gone, "/none")] {
      let fault = await withCheckedContinuation { continuation in
        freezer.freeze("boat.service", false) { continuation.resume(returning: $0) }
      }
      #expect(fault?.contains(reason) == true)
    }
  }
}
