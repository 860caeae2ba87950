import Foundation
import Glibc
import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationHost

/// What a core dump of a process that has the keys of a state would hold.
@Suite("The keys in memory", .serialized)
struct KeysInMemoryTests {
  /// Memory of a process, and whether a core dump has it.
  private struct Mapping {
    var range: Range<UInt64>
    var isReadable: Bool
    var isDumped: Bool
    var isLocked: Bool
    var name: String
  }

  /// The readable memory of a process, as the kernel shows it.
  private func mappings(of pid: Int32) throws -> [Mapping] {
    var mappings: [Mapping] = []
    let bytes = try #require(SmallFile.read("/proc/\(pid)/smaps", limit: 1 << 24))
    let text = String(decoding: bytes, as: UTF8.self)
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "VmFlags:", !mappings.isEmpty {
        mappings[mappings.count - 1].isDumped = !words.contains("dd")
        mappings[mappings.count - 1].isLocked = words.contains("lo")
      } else if words.count >= 5, words[1].count == 4 {
        let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        let name = words.count > 5 ? String(words[5]) : ""
        mappings.append(
          Mapping(
            range: ends[0]..<ends[1], isReadable: words[1].hasPrefix("r"), isDumped: true,
            isLocked: false, name: name))
      }
    }
    // Those that begin so are the kernel's.
    return mappings.filter { $0.isReadable && !$0.name.hasPrefix("[v") }
  }

  /// What can be read of a range; what is between pages that nobody can touch cannot.
  private func bytes(of pid: Int32, in range: Range<UInt64>) -> Data {
    let file = Glibc.open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = Data(count: Int(range.upperBound - range.lowerBound))
    let count = bytes.withUnsafeMutableBytes {
      pread(file, $0.baseAddress, $0.count, off_t(range.lowerBound))
    }
    return bytes.prefix(max(count, 0))
  }

  /// All keys of a state, by what they are, and the master also as text.
  private func keys(of state: StateFolder, _ secrets: SecretBus?) throws -> [String: Data] {
    let place = try StateKeys(beside: state.file, credentials: nil, secrets: secrets)
    let reading = try #require(try place.read())
    let master = reading.master.key
    var keys = ["master": master.withUnsafeBytes { Data($0) }, "text": Data(master.digits)]
    for generation in reading.ring.generations.values {
      keys["names"] = generation.names.withUnsafeBytes { Data($0) }
      for (owner, key) in generation.owners {
        keys["of \(String(decoding: owner, as: UTF8.self))"] = key.withUnsafeBytes { Data($0) }
      }
    }
    return keys
  }

  @Test(
    "border 25, SEAL-10: no memory that a core dump holds has a key, and that of the keys is locked"
  )
  func dumped() async throws { try await expectNoKey() }

  @Test(
    "border 25, SEAL-10: nor has any what the Secret Service has handed out and been given",
    .enabled(if: MockMachine.hasKeyring, "needs gnome-keyring, python3-dbus, python3-gi"))
  func handedOut() async throws {
    let machine = try MockMachine.keyring()
    try machine.perform("keyring start")
    try await expectNoKey(SecretBus(address: machine.address), bus: machine.address)
  }

  /// Expects that a process that has opened, changed, and sealed a state anew has its keys only in memory
  /// that is locked, and left out of core dumps.
  private func expectNoKey(_ secrets: SecretBus? = nil, bus: String? = nil) async throws {
    let folder = try TemporaryFolder()
    let state = StateFolder(path: folder.file("state"))
    try state.create()
    try StateStore(path: state.file, credentials: nil, secrets: secrets).commit([
      .set(StateKey(domain: "visit", owner: ""), [1])
    ])
    let first = try keys(of: state, secrets)
    let session = ["CORELOCATION_SECRET_SERVICE": "yes", "DBUS_SESSION_BUS_ADDRESS": bus ?? ""]
    let program = try RunningProgram(
      BuiltProgram.path("HostProgram"), ["hold", state.file],
      environment: bus == nil ? [:] : session)
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("holding") } == "holding, 3 entries")
    var keys = try keys(of: state, secrets)
    #expect(keys.count == 6 && state.keyOrigin?.contains("Secret Service") == (bus != nil))
    // The master before, which is in use no more.
    (keys["first"], keys["first text"]) = (first["master"], first["text"])
    var found: Set<String> = []
    var count = 0
    for mapping in try mappings(of: program.pid) {
      count += 1
      let bytes = bytes(of: program.pid, in: mapping.range)
      for (name, key) in keys where bytes.range(of: key) != nil {
        found.insert(name)
        #expect(!mapping.isDumped, "the key \(name) lies in \(mapping.name)")
        #expect(mapping.isLocked, "the key \(name) lies in \(mapping.name)")
      }
    }
    #expect(count > 50, "mappings were read")
    // They are there, so that they would be found elsewhere, too.
    #expect(found == Set(keys.keys).subtracting(["text", "first", "first text"]))
  }
}
