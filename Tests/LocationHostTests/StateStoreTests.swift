import CSQLite
import Foundation
import LocationEngine
import TestSupport
import LocationHost
import LocationModel
import Testing

@Suite("The store of durable state", .serialized)
struct StateStoreTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("state.sqlite") }
  private let first = StateKey(domain: "test", owner: "", name: "first")
  private let second = StateKey(domain: "test", owner: "an.app", name: "second")

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("gives back what was committed, in the order of the keys, and not what was removed")
  func commit() throws {
    let third = StateKey(domain: "test", owner: "another.app")
    do {
      let store = try StateStore(path: path)
      try store.commit([.set(second, [2]), .set(first, [1]), .set(third, [])])
      try store.commit([.set(first, [3, 4])])
    }
    let store = try StateStore(path: path)
    let app = AppIdentity("an.app")
    #expect(
      try store.entries(of: app) == [
        StateEntry(key: first, value: [3, 4]), StateEntry(key: second, value: [2]),
      ])
    #expect(try store.entries().map(\.key) == [first, second, third])
    try store.commit([.remove(second)])
    #expect(try store.entries(of: app).map(\.key) == [first])
  }

  @Test("border 3: keeps what has a NUL in its name apart from what has not")
  func names() throws {
    let names = ["an.app", "an.app\0@1001", "an.app\0", "", "\0"]
    let keys = names.map { StateKey(domain: "identity", owner: $0, name: "\0") }
    let store = try StateStore(path: path)
    for (index, key) in keys.enumerated() { try store.commit([.set(key, [UInt8(index)])]) }
    let read = try store.entries()
    #expect(Set(read.map(\.key)) == Set(keys))
    for (index, key) in keys.enumerated() {
      #expect(read.first { $0.key == key }?.value == [UInt8(index)])
    }
    #expect(try store.entries(of: AppIdentity("an.app\0")).count == 2)
    #expect(try store.erase("an.app") == 1)
    #expect(try store.entries().count == 4)
    try store.commit([.remove(keys[1])])
    #expect(Set(try store.entries().map(\.key)) == Set([keys[2], keys[3], keys[4]]))
  }

  @Test("REG-14: erases one app, or all but the settings, so that no byte stays in its files")
  func erase() throws {
    let store = try StateStore(path: path)
    let settings = StateKey(domain: "settings", owner: "", name: "services")
    try store.commit([
      .set(settings, [1]), .set(first, Array("somewhere".utf8)),
      .set(second, Array("elsewhere".utf8)),
    ])
    #expect(try store.erase("an.app") == 1)
    #expect(try store.entries().map(\.key) == [settings, first])
    #expect(try store.erase(nil) == 1)
    #expect(try store.entries().map(\.key) == [settings])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      for word in ["somewhere", "elsewhere", "an.app"] {
        #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) in \(name)")
      }
    }
  }

  @Test("keeps the state before a step that fails in the middle")
  func rollback() throws {
    let store = try StateStore(path: path)
    try store.commit([.set(first, [1])])
    let refused = StateKey(domain: "refused", owner: "an.app", name: "second")
    try execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON state WHEN NEW.domain = 'refused' "
        + "BEGIN SELECT RAISE(ABORT, 'refused'); END")
    #expect(throws: StoreError.self) {
      try store.commit([.set(first, [9]), .set(refused, [2])])
    }
    #expect(try store.entries() == [StateEntry(key: first, value: [1])])
    try execute("DROP TRIGGER refuse")
    try store.commit([.set(first, [9]), .set(refused, [2])])
    #expect(try store.entries().count == 2)
  }

  private func execute(_ text: String) throws {
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    #expect(sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK)
  }

  @Test("that is damaged is moved aside, and a new one begun")
  func damaged() throws {
    _ = try StateStore(path: path)
    try Data(repeating: 0x5a, count: 8192).write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.self) { try StateStore(path: path) }
    var notes: [String] = []
    let keeper = StateKeeper(folder: StateFolder(path: folder.path)) { notes.append("\($0)") }
    #expect(keeper.entries.isEmpty)
    let damage = notes.filter { $0.contains("damaged and lies now at") }
    #expect(damage.count == 1)
    #expect(notes.last?.contains("\(folder.path)/guard has given back") == true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains { $0.hasPrefix("state.sqlite.damaged-") })
    #expect(try StateStore(path: path).entries().isEmpty)
  }

  @Test("that cannot be opened leaves the state in memory, and says so")
  func notOpened() {
    var notes: [String] = []
    let nowhere = StateFolder(path: folder.file("none/meridian"))
    let keeper = StateKeeper(folder: nowhere) { notes.append("\($0)") }
    #expect(keeper.entries == [Conditions.notKept])
    #expect(notes.count == 1)
  }

  @Test("keeps all of each step that was committed when the process is killed")
  func killed() async throws {
    for round in 1...3 {
      let program = try RunningProgram(BuiltProgram.path("HostProgram"), ["steps", path])
      let target = "\(round * 7)"
      let said = try await program.lines.next { $0 == target ? Int($0) : nil }
      program.end()
      let entries = try StateStore(path: path).entries()
      let steps = entries.map { Int(String(decoding: $0.value, as: UTF8.self)) ?? -1 }
      #expect(steps.count == 2 && steps[0] == steps[1])
      #expect(steps[0] >= said)
    }
  }

  @Test("keeps the state before a step for which the disk is full, and stores it later")
  func fullDisk() async throws {
    let program = try RunningProgram(BuiltProgram.path("HostProgram"), ["fill", path])
    defer { program.end() }
    let verdict = try await program.lines.next { _ in true }
    #expect(verdict == "refused, 0 entries")
    #expect(try await program.lines.next { _ in true } == "stored, 2 entries")
  }

  @Test("lies in a folder that only its owner can read")
  func mode() throws {
    let inner = StateFolder(path: folder.file("state/meridian"))
    try inner.create()
    var status = stat()
    #expect(stat(inner.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }
}
