import LocationModel
import LocationRecording
import TestSupport
import Testing

@testable import LocationHost

@Suite("The keys of recordings")
struct RecordingKeysTests {
  private let folder: TemporaryFolder
  private var state: StateFolder { StateFolder(path: folder.file("state")) }

  private static let app = "org.example.Walk"
  private static let rows: [StateChange] = [
    .set(StateKey(domain: "condition", owner: app, name: "the cabin"), [1])
  ]

  init() throws {
    folder = try TemporaryFolder()
    try StateFolder(path: folder.file("state")).create()
  }

  private func open() throws -> StateStore {
    try StateStore(path: state.file, credentials: nil)
  }

  @Test("SEAL-12: recordings open after all keys were changed, and a new one has a new key")
  func recordings() throws {
    let store = try open()
    try store.commit(Self.rows)
    let first = try store.recordingsKeys()
    #expect(first.count == 1)
    #expect(try store.recordingsKeys() == first)
    _ = try store.rekey()
    let second = try store.recordingsKeys()
    #expect(second.count == 2)
    for (number, key) in first {
      #expect(second[number] == key)
      #expect(second.keys.max() != number)
    }
    _ = try store.erase(Self.app)
    #expect(try open().recordingsKeys() == second)
    #expect(try state.recordingsKeys == second)
  }

  @Test("SEAL-12: no recording opens any more when all is erased")
  func recordingsErased() throws {
    let store = try open()
    let first = try store.recordingsKeys()
    _ = try store.erase(nil)
    #expect(try state.recordingsKeys == [:])
    #expect(try store.recordingsKeys().values.allSatisfy { !first.values.contains($0) })
  }

  @Test("SEAL-12: of a hundred changes of all keys, the last hundred keys of recordings are kept")
  func recordingsBounded() throws {
    var generation = KeyRing.Generation.new()
    for _ in 0..<130 { generation.addRecordingsKey() }
    let numbers = generation.recordings.keys.sorted()
    #expect(numbers.count == 100)
    #expect(numbers.last.map { $0 - numbers[0] } == 99)
  }
}
