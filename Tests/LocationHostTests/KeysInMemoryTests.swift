import Foundation
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
    var isDumped: Bool
    var isLocked: Bool
    var name: String
  }

  /// The writable memory of a process, as the kernel shows it.
  private func mappings(of pid: Int32) throws -> [Mapping] {
    var mappings: [Mapping] = []
    let text = try String(contentsOfFile: "/proc/\(pid)/smaps", encoding: .utf8)
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "VmFlags:", !mappings.isEmpty {
        mappings[mappings.count - 1].isDumped = !words.contains("dd")
        mappings[mappings.count - 1].isLocked = words.contains("lo")
      } else if words.count >= 5, words[1].count == 4, words[1].hasPrefix("r") {
        let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        let name = words.count > 5 ? String(words[5]) : ""
        mappings.append(
          Mapping(range: ends[0]..<ends[1], isDumped: true, isLocked: false, name: name))
      }
    }
    return mappings.filter { !$0.name.hasPrefix("[v") }
  }

  private func bytes(of pid: Int32, in range: Range<UInt64>) throws -> Data {
    let file = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/mem"))
    try file.seek(toOffset: range.lowerBound)
    return (try? file.read(upToCount: Int(range.upperBound - range.lowerBound))) ?? Data()
  }

  /// All keys of a state, by what they are, and the master also as text.
  private func keys(of state: StateFolder) throws -> [String: Data] {
    let reading = try #require(try StateKeys(beside: state.file, credentials: nil).read())
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

  @Test("border 25, SEAL-10: no memory that a core dump holds has a key, and that of the keys is locked")
  func dumped() async throws {
    let folder = try TemporaryFolder()
    let state = StateFolder(path: folder.file("state"))
    try state.create()
    try StateStore(path: state.file, credentials: nil).commit([
      .set(StateKey(domain: "visit", owner: ""), [1])
    ])
    let program = try RunningProgram(BuiltProgram.path("HostProgram"), ["hold", state.file])
    defer { program.end() }
    #expect(try await program.lines.next { $0.hasPrefix("holding") } == "holding, 3 entries")
    let keys = try keys(of: state)
    #expect(keys.count == 6)
    var found: Set<String> = []
    for mapping in try mappings(of: program.pid) {
      let bytes = try bytes(of: program.pid, in: mapping.range)
      for (name, key) in keys where bytes.range(of: key) != nil {
        found.insert(name)
        #expect(!mapping.isDumped, "the key \(name) lies in \(mapping.name)")
        #expect(mapping.isLocked, "the key \(name) lies in \(mapping.name)")
      }
    }
    // They are there, so that they would be found elsewhere, too.
    #expect(found == Set(keys.keys).subtracting(["text"]))
  }
}
