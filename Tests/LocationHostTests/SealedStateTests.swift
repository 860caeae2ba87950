import CSQLite
import Foundation
import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationHost

@Suite("The sealed state", .serialized)
struct SealedStateTests {
  private let folder: TemporaryFolder
  private var state: StateFolder { StateFolder(path: folder.file("state")) }
  private var keyFile: String { state.keys.path + "/keys" }
  private var master: String { state.keys.path + "/master" }

  private static let app = "org.example.Walk"
  private static let cabin = StateKey(domain: "condition", owner: app, name: "the cabin")
  private static let shed = StateKey(domain: "condition", owner: app, name: "the shed")
  private static let visit = StateKey(domain: "visit", owner: "")
  private static let services = StateKey(domain: "settings", owner: "", name: "services")
  private static let rows: [StateChange] = [
    .set(cabin, Array("47.6205".utf8)), .set(shed, Array("-122.3493".utf8)),
    .set(visit, Array("51.4779".utf8)), Setting.servicesChange(true),
  ]

  init() throws {
    folder = try TemporaryFolder()
    try StateFolder(path: folder.file("state")).create()
  }

  private func open(credentials: String? = nil) throws -> StateStore {
    try StateStore(path: state.file, credentials: credentials)
  }

  /// All bytes of the files of the state, and of its keys.
  private func bytes() throws -> Data {
    try [state.path, state.keys.path].reduce(into: Data()) { bytes, folder in
      for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
        bytes += Data(name.utf8) + (try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
      }
    }
  }

  private func expectNothing(of words: [String], _ comment: Comment? = nil) throws {
    let bytes = try bytes()
    for word in words where !word.isEmpty {
      #expect(bytes.range(of: Data(word.utf8)) == nil, comment)
    }
  }

  private func execute(_ text: String) throws {
    var database: OpaquePointer?
    #expect(sqlite3_open(state.file, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    #expect(sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK)
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
  }

  private func credentials(_ keys: [String: UInt64]) throws -> String {
    let path = folder.file("credentials")
    try? FileManager.default.removeItem(atPath: path)
    try StateFolder(path: path).create()
    for (name, seed) in keys { try write(SecretKey(seed: seed).hexadecimal, to: "\(path)/\(name)") }
    return path
  }

  private func copy(_ from: String, to: String) throws {
    try? FileManager.default.removeItem(atPath: to)
    try FileManager.default.copyItem(atPath: from, toPath: to)
  }

  // MARK: What is readable

  @Test("border 25, SEAL-1: no place, no name, and no app stands in a file")
  func unreadable() throws {
    let store = try open()
    try store.commit(Self.rows)
    let words = ["47.6205", "-122.3493", "51.4779", "the cabin", "the shed", Self.app]
    try expectNothing(of: words)
    try store.scrub()
    try expectNothing(of: words)
    #expect(try open().entries().count == 4)
    #expect(try open().entries(of: AppIdentity(Self.app)).count == 4)
    #expect(try open().entries(of: AppIdentity("org.example.Other")).count == 2)
    var status = stat()
    for path in [keyFile, master] {
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    #expect(stat(state.keys.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test(
    "border 25, SEAL-6: an earlier state is sealed, and leaves nothing that is readable",
    arguments: [
      "unnumbered.sqlite", "earlier-rows.sqlite",
    ])
  func migration(fixture: String) throws {
    let path = SharedData.packageRoot.appending(path: "Tests/Fixtures/state/\(fixture)").path
    try FileManager.default.copyItem(atPath: path, toPath: state.file)
    chmod(state.file, 0o600)
    // The secret of an earlier guard: "ab", 32 times.
    let secret = String(repeating: "6162", count: 32)
    try write(
      "meridian-guard 1\n736563726574   \(secret)\n6cc3162edec4dbb8\n", to: state.path + "/guard")
    let before = try plain()
    let entries = try open().entries()
    let kept = entries.filter { $0.key.domain != "secret" }
    #expect(Set(kept.map(\.key)) == Set(before.map(\.key)) && !before.isEmpty)
    #expect(kept.allSatisfy { entry in before.contains(entry) })
    #expect(StateKeeper.secret(in: entries)?.hexadecimal == String(repeating: "ab", count: 32))
    try expectNothing(of: [secret, String(repeating: "ab", count: 32)])
    // The guard may know who has an identifier.
    let open = before.filter { !["identity", "settings"].contains($0.key.domain) }
    try expectNothing(of: open.map(\.key.name).filter { $0.utf8.count > 5 })
    try expectNothing(
      of: open.map { String(decoding: $0.value, as: UTF8.self) }.filter { $0.utf8.count > 5 })
    #expect(try self.open().entries() == entries)
  }

  /// The rows of a file that is not sealed.
  private func plain() throws -> [StateEntry] {
    var (database, query): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    #expect(sqlite3_open(state.file, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    let text = "SELECT domain, owner, name, CAST(value AS TEXT) FROM state"
    #expect(sqlite3_prepare_v2(database, text, -1, &query, nil) == SQLITE_OK)
    defer { sqlite3_finalize(query) }
    var entries: [StateEntry] = []
    while sqlite3_step(query) == SQLITE_ROW {
      let columns = (0..<4).map { column in
        let start = sqlite3_column_text(query, Int32(column))
        let count = Int(sqlite3_column_bytes(query, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
      }
      let key = StateKey(domain: columns[0], owner: columns[1], name: columns[2])
      entries.append(StateEntry(key: key, value: Array(columns[3].utf8)))
    }
    return entries
  }

  // MARK: Rows

  @Test("border 25, SEAL-2: a row opens in no other place, and the others live")
  func swapped() throws {
    try open().commit(Self.rows)
    try execute(
      "UPDATE state SET value = (SELECT max(value) FROM state WHERE domain = 'condition') "
        + "WHERE domain = 'condition'")
    let store = try open()
    #expect(try store.entries().count == 3)
    #expect(store.rejected == ["changed, or of another place": 1])
    #expect(store.unreadWords?.contains("1 changed") == true)
    try execute("UPDATE state SET domain = 'region' WHERE domain = 'condition'")
    #expect(try store.entries().map(\.key) == [Self.services, Self.visit])
    #expect(store.rejected.values.reduce(0, +) == 2)
    // Stored again, they open again.
    try store.commit(Self.rows)
    #expect(try store.entries().count == 4)
  }

  @Test("border 25, SEAL-2: any byte of a row that has changed is noticed")
  func changed() throws {
    let key = SecretKey(seed: 1)
    let place = Array("here".utf8)
    let sealed = Seal.seal([1, 2, 3], at: place, nonce: .random(Seal.nonceLength), with: key)
    #expect(Seal.open(sealed, at: place, with: key) == [1, 2, 3])
    #expect(Seal.open(sealed, at: [], with: key) == nil)
    #expect(Seal.open(sealed, at: place, with: SecretKey(seed: 2)) == nil)
    for index in sealed.indices {
      var other = sealed
      other[index] ^= 1
      #expect(Seal.open(other, at: place, with: key) == nil)
      #expect(Seal.open(sealed.prefix(index), at: place, with: key) == nil)
    }
    let empty = Seal.seal([], at: place, nonce: .random(Seal.nonceLength), with: key)
    #expect(Seal.open(empty, at: place, with: key) == [])
  }

  @Test("border 25, SEAL-2: a damaged switch is given back by the guard, and without it is off")
  func damagedSwitch() throws {
    try open().commit(Self.rows)
    let damage = "UPDATE state SET value = x'01' WHERE domain = 'settings'"
    try execute(damage)
    #expect(try Setting.servicesAreOn(in: open().entries()))
    try execute(damage)
    unlink(state.path + "/guard")
    let store = try open()
    #expect(try !Setting.servicesAreOn(in: store.entries()))
    #expect(store.findings.contains { $0.contains("switch of location services was damaged") })
  }

  // MARK: Keys

  @Test(
    "border 25, SEAL-1: of two processes at the first start, one makes the keys and both use them")
  func firstStart() async throws {
    let programs = try (0..<4).map { _ in
      try RunningProgram(BuiltProgram.path("HostProgram"), ["open", state.file, "999999"])
    }
    for program in programs {
      #expect(try await program.lines.next { _ in true } == "opened, 0 entries")
    }
    try open().commit(Self.rows)
    #expect(try open().entries().count == 4)
    let names = try FileManager.default.contentsOfDirectory(atPath: state.keys.path)
    #expect(names.sorted() == ["keys", "master"])
  }

  /// What becomes of the keys.
  enum Loss: CaseIterable { case keys, master, otherMaster, damaged, folder }

  private func lose(_ loss: Loss) throws {
    switch loss {
    case .keys: unlink(keyFile)
    case .master: unlink(master)
    case .otherMaster: try write(SecretKey(seed: 9).hexadecimal, to: master)
    case .damaged: try write("meridian-keys 1 file\nnonsense", to: keyFile)
    case .folder: try FileManager.default.removeItem(atPath: state.keys.path)
    }
  }

  @Test(
    "border 25, SEAL-3: without its key the state is moved aside, and services stay off",
    arguments: Loss.allCases)
  func lost(loss: Loss) throws {
    try open().commit(Self.rows + [Setting.servicesChange(false)])
    _ = StateKeeper(folder: state).secret()
    try lose(loss)
    var notes: [String] = []
    do {
      let keeper = StateKeeper(folder: state) { notes.append("\($0)") }
      #expect(!Setting.servicesAreOn(in: keeper.entries))
      #expect(keeper.entries.map(\.key) == [Self.services])
      _ = keeper.secret()
    }
    #expect(notes.contains { $0.contains("the key of the state is lost") })
    #expect(StateFolder(path: state.path).damagedFiles().count == 1)
    #expect(try open().entries().count == 2)
    // Erasing removes what was moved aside, with its keys.
    #expect(state.removeDamagedFiles() == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: state.keys.path)
    #expect(names.sorted() == ["keys", "master"])
  }

  @Test(
    "border 25, SEAL-3: a credential takes over from the file, and without it nothing is touched")
  func credential() throws {
    try open().commit(Self.rows)
    let path = try credentials(["meridian.state-key": 7])
    #expect(try open(credentials: path).keyOrigin.contains("systemd credential"))
    #expect(access(master, F_OK) != 0)
    #expect(try open(credentials: path).entries().count == 4)
    let before = try bytes()
    do throws(StoreError) {
      _ = try StateStore(path: state.file, credentials: nil)
      Issue.record("it opens without its credential")
    } catch { #expect(error.isLocked && error.message.contains("was not given")) }
    let keeper = StateKeeper(folder: state)
    #expect(keeper.obstacle?.isLocked == true)
    #expect(!Setting.servicesAreOn(in: keeper.entries))
    #expect(try bytes() == before || state.damagedFiles().isEmpty)
    // It is replaced while the one before is given, too.
    let both = try credentials(["meridian.state-key": 8, "meridian.state-key-before": 7])
    #expect(try open(credentials: both).entries().count == 4)
    let next = try credentials(["meridian.state-key": 8])
    #expect(try open(credentials: next).entries().count == 4)
    let wrong = try credentials(["meridian.state-key": 7])
    do throws(StoreError) {
      _ = try StateStore(path: state.file, credentials: wrong)
      Issue.record("it opens with another credential")
    } catch { #expect(error.isKeyLost) }
  }

  @Test("border 25, SEAL-3: a credential that is no key, or that others can write, is refused")
  func badCredential() throws {
    let path = try credentials([:])
    try write("short", to: path + "/meridian.state-key")
    #expect(throws: StoreError.self) { try open(credentials: path) }
    try write(SecretKey(seed: 1).hexadecimal + "\n", to: path + "/meridian.state-key")
    chmod(path + "/meridian.state-key", 0o666)
    #expect(throws: StoreError.self) { try open(credentials: path) }
    chmod(path + "/meridian.state-key", 0o400)
    #expect(try open(credentials: path).entries().isEmpty)
  }

  // MARK: Erasing

  @Test(
    "border 25, SEAL-4: erasing an app destroys its key, so that an older state does not tell of it"
  )
  func eraseApp() throws {
    let store = try open()
    let other = StateKey(domain: "condition", owner: "org.example.Other", name: "elsewhere")
    try store.commit(Self.rows + [.set(other, [1])])
    try store.scrub()
    try copy(state.path, to: folder.file("older"))
    #expect(try store.erase(Self.app) == 2)
    #expect(try Set(store.entries().map(\.key)) == [other, Self.services, Self.visit])
    try copy(folder.file("older"), to: state.path)
    let older = try open()
    #expect(try Set(older.entries().map(\.key)) == [other, Self.services, Self.visit])
    #expect(older.rejected == ["of an app whose key is gone": 2])
    // The app begins anew with another key.
    try older.commit([.set(Self.cabin, [3])])
    #expect(try open().entries().contains(StateEntry(key: Self.cabin, value: [3])))
  }

  @Test("border 25, SEAL-4: erasing all destroys all keys, so that an older state does not open")
  func eraseAll() throws {
    let store = try open()
    try store.commit(Self.rows)
    try store.scrub()
    try copy(state.path, to: folder.file("older"))
    #expect(try store.erase(nil) == 3)
    #expect(try store.entries().map(\.key) == [Self.services])
    #expect(try open().entries().map(\.key) == [Self.services])
    try copy(folder.file("older"), to: state.path)
    do throws(StoreError) {
      _ = try StateStore(path: state.file, credentials: nil)
      Issue.record("an older state opens")
    } catch { #expect(error.isKeyLost) }
  }

  // MARK: New keys

  @Test(
    "border 25, SEAL-5: new keys seal everything again, also for an engine that has the state open")
  func rekey() throws {
    let (store, engine) = (try open(), try open())
    try store.commit(Self.rows)
    try store.scrub()
    #expect(try engine.entries().count == 4)
    let before = try Data(contentsOf: URL(fileURLWithPath: master))
    try copy(state.path, to: folder.file("older"))
    #expect(try store.rekey() == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: master)) != before)
    #expect(try engine.entries() == store.entries())
    try engine.commit([.set(Self.cabin, [5])])
    #expect(try store.entries().contains(StateEntry(key: Self.cabin, value: [5])))
    #expect(try open().entries().count == 4)
    try copy(folder.file("older"), to: state.path)
    #expect(throws: StoreError.self) { try open() }
  }

  @Test(
    "border 25, SEAL-5: killed at any operation while it gets new keys, the state opens and is whole"
  )
  func rekeyKilled() throws {
    var operation = 1
    while true {
      let place = StateFolder(path: folder.file("run-\(operation)"))
      try place.create()
      try StateStore(path: place.file).commit(Self.rows)
      let isDone = try !FinishedProgram("HostProgram", ["rekey", place.file, "\(operation)"])
        .isKilled
      let store = try StateStore(path: place.file)
      #expect(try store.entries().count == 4 && store.rejected.isEmpty, "killed at \(operation)")
      if isDone { break }
      operation += 1
    }
    #expect(operation > 5)
  }
}
