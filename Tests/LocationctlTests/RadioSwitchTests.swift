import Foundation
import LocationHost
import Testing

@testable import locationctl

@Suite("Switches of radios")
struct RadioSwitchTests {
  @Test("RADIO-7, RADIO-92: the switches of radios of one kind are read, and of no other")
  func reading() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (entry, type, soft, hard) in [
      ("rfkill0", "bluetooth", "1", "0"), ("rfkill1", "wlan", "1", "0"),
      ("rfkill2", "wlan", "0", "1"), ("rfkill3", "wlan", "0", "0"),
    ] {
      let place = folder.appending(path: entry)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for (name, text) in [
        ("type", type), ("soft", soft), ("hard", hard), ("name", "phy\(entry.last ?? "0")"),
      ] {
        try Data((text + "\n").utf8).write(to: place.appending(path: name))
      }
    }
    let switches = RadioSwitch.all(of: .wifi, in: folder.path)
    #expect(
      switches == [
        RadioSwitch(name: "phy1", isSoftBlocked: true, isHardBlocked: false),
        RadioSwitch(name: "phy2", isSoftBlocked: false, isHardBlocked: true),
        RadioSwitch(name: "phy3", isSoftBlocked: false, isHardBlocked: false),
      ])
    #expect(switches.map(\.isBlocked) == [true, true, false])
    #expect(
      RadioSwitch.all(of: .bluetooth, in: folder.path) == [
        RadioSwitch(name: "phy0", isSoftBlocked: true, isHardBlocked: false)
      ])
    #expect(RadioSwitch.all(of: .modem, in: folder.path).isEmpty)
    #expect(RadioSwitch.all(of: .wifi, in: "/nonexistent").isEmpty)
  }
}
