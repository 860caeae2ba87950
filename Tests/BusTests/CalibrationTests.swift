import Foundation
import TestSupport
import Testing

/// A person calibrates the adapter of a bluetoothd that reports what the test says.
@Suite(
  "locationctl beacons calibrate", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct CalibrationTests {
  private let machine: MockMachine
  private let folder: TemporaryFolder

  init() throws {
    machine = try MockMachine()
    folder = try TemporaryFolder()
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    try machine.perform("beacon C0:00:00:00:00:01 0215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
  }

  @Test("BEACON-29: guides from one meter to three, stores the offset, shows it, and clears it")
  func guided() async throws {
    let person = try calibrate("--seconds", "5")
    try await person.expect("1 m from this computer")
    person.pressReturn()
    try await person.expect("1 m: 5 of 5 seconds, median -6")
    try await person.expect("3 m from this computer")
    try machine.perform("weaken 10")
    person.pressReturn()
    try await person.expect("3 m: 5 of 5 seconds, median -7")
    try await person.expect("stored: the adapter 00:01:02:03:04:05 receives -3 dB more")
    #expect(try locationctl("--list").contains("00:01:02:03:04:05   -3 dB"))
    #expect(try locationctl("--clear") == "forgot 1 adapter\n")
    #expect(try locationctl("--list") == "Nothing is known of any adapter.\n")
  }

  @Test("BEACON-29: stores nothing when both places sound the same")
  func same() async throws {
    let person = try calibrate("--seconds", "5")
    person.pressReturn()
    try await person.expect("3 m from this computer")
    person.pressReturn()
    try await person.expect("three meters were 0 dB weaker than one")
    #expect(try locationctl("--list") == "Nothing is known of any adapter.\n")
  }

  @Test("BEACON-29: stores nothing when the adapter vanishes meanwhile")
  func vanishing() async throws {
    let person = try calibrate("--seconds", "20")
    try await person.expect("1 m from this computer")
    person.pressReturn()
    try machine.perform("await discovering")
    try machine.perform("power off")
    try await person.expect("no adapter receives beacons, and nothing is stored")
  }

  @Test("BEACON-29: says that a named adapter does not receive")
  func otherAdapter() async throws {
    let person = try calibrate("--seconds", "5", "--adapter", "00:1A:7D:DA:71:13")
    try await person.expect("1 m from this computer")
    person.pressReturn()
    try await person.expect("the adapter 00:01:02:03:04:05 receives, and not 00:1A:7D:DA:71:13")
  }

  private var environment: [String: String] {
    [
      "DBUS_SYSTEM_BUS_ADDRESS": machine.address, "XDG_STATE_HOME": folder.file("state"),
      "LOCATIOND_SOCKET": "", "CORELOCATION_SOURCES": "bluez:",
    ]
  }

  private func calibrate(_ words: String...) throws -> TypedProgram {
    try TypedProgram(
      ["beacons", "calibrate", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"] + words, environment)
  }

  private func locationctl(_ words: String...) throws -> String {
    try TypedProgram(["beacons", "calibrate"] + words, environment).whole()
  }
}

/// A person asks what keeps beacons from being received.
@Suite(
  "locationctl doctor, of Bluetooth", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct BluetoothDoctorTests {
  private let machine: MockMachine
  private let folder: TemporaryFolder

  init() throws {
    machine = try MockMachine()
    folder = try TemporaryFolder()
  }

  private func doctor() throws -> String {
    try TypedProgram(
      ["doctor", "--json", "--source", "bluez:"],
      [
        "DBUS_SYSTEM_BUS_ADDRESS": machine.address, "XDG_STATE_HOME": folder.file("state"),
        "LOCATIOND_SOCKET": "",
      ]
    ).whole()
  }

  @Test("RADIO-93: names an adapter that receives, one that is off, and that there is none")
  func adapters() throws {
    try machine.perform("bluetoothd start")
    #expect(try doctor().contains("\"bluetooth_adapter\""))
    try machine.perform("adapter")
    let on = try doctor()
    #expect(on.contains("\"beacons\"") && on.contains("\"bluez: hci0\""), "\(on)")
    try machine.perform("power off")
    #expect(try doctor().contains("\"bluetooth_off\""))
    try machine.perform("bluetoothd stop")
    #expect(try doctor().contains("\"bluetooth_service\""))
  }
}

/// A `locationctl` to which a person types.
private final class TypedProgram {
  private let process = Process()
  private let typed = Pipe()
  private let printed = Pipe()

  init(_ words: [String], _ environment: [String: String]) throws {
    process.executableURL = URL(fileURLWithPath: BuiltProgram.path("locationctl"))
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = typed
    process.standardOutput = printed
    process.standardError = printed
    try process.run()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  func pressReturn() { typed.fileHandleForWriting.write(Data("\n".utf8)) }

  /// Reads lines until one has a text.
  func expect(_ text: String, _ place: SourceLocation = #_sourceLocation) async throws {
    var seen: [String] = []
    while let line = try line() {
      if line.contains(text) { return }
      seen.append(line)
    }
    Issue.record("\"\(text)\" is not in \(seen)", sourceLocation: place)
  }

  func whole() throws -> String {
    try typed.fileHandleForWriting.close()
    return String(decoding: try printed.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }

  private func line() throws -> String? {
    var bytes: [UInt8] = []
    while let byte = try printed.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
