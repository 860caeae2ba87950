import CSQLite
import Foundation
import LocationEngine
import LocationModel
import TestSupport
import Testing

@testable import LocationHost

/// What becomes of the keys of a state when processes meet, die, or have no room.
@Suite("The keys of the sealed state", .serialized)
struct SealedKeysTests {
  private let folder: TemporaryFolder
  private var state: StateFolder { StateFolder(path: folder.file("state")) }
  private var keyFile: String { state.keys.path + "/keys" }
  private var master: String { state.keys.path + "/master" }

  private static let app = "org.example.Walk"
  private static let cabin = StateKey(domain: "condition", owner: app, name: "the cabin")
  private static let other = StateKey(domain: "condition", owner: "org.example.Other", name: "shed")
  private static let visit = StateKey(domain: "visit", owner: "")
  private static let rows: [StateChange] = [
    .set(cabin, [1]), .set(other, [2]), .set(visit, [3]), Setting.servicesChange(true),
  ]

  init() throws {
    folder = try TemporaryFolder()
    try StateFolder(path: folder.file("state")).create()
  }

  private func open(_ state: StateFolder? = nil, timeout: Int32 = 2000) throws -> StateStore {
    try StateStore(path: (state ?? self.state).file, timeout: timeout, credentials: nil)
  }

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
  }

  private func move(_ from: String, to: String) { #expect(rename(from, to) == 0) }

  /// Runs `body` while another connection has the lock to write.
  private func whileLocked(_ body: () throws -> Void) throws {
    var database: OpaquePointer?
    #expect(sqlite3_open(state.file, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    #expect(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    try body()
    #expect(sqlite3_exec(database, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
  }

  /// The error of `body`.
  private func fault(_ body: () throws -> Void) throws -> StoreError {
    do { try body() } catch let error as StoreError { return error }
    Issue.record("it does not throw")
    throw CancellationError()
  }

  private func expect(
    _ kind: (StoreError) -> Bool, _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let error = try fault(body)
    #expect(kind(error), "\(error)", sourceLocation: sourceLocation)
  }

  // MARK: Two processes

  @Test("border 25, SEAL-7: what another process has begun anew is not moved aside")
  func movedTwice() throws {
    try write("no database, and not even a short one", to: state.file)
    let found = FileNumber(of: state.file)
    // Another process finds the same, moves it aside, and begins anew.
    do {
      let first = StateKeeper(folder: state)
      #expect(first.obstacle == nil)
      try first.store(Self.rows)
    }
    #expect(try state.moveDamagedFileAside(found) == nil)
    #expect(state.damagedFiles().count == 1)
    #expect(try open().entries().contains(StateEntry(key: Self.cabin, value: [1])))
  }

  @Test("border 25, SEAL-7: nothing is moved aside while a process opens the state")
  func movedWhileOpened() throws {
    try write("no database, and not even a short one", to: state.file)
    let (opening, other) = (try state.hold(), try state.hold())
    try opening.lock(alone: false)
    try other.lock(alone: false, attempts: 1)
    other.unlock()
    let found = FileNumber(of: state.file)
    let busy = try fault { _ = try state.moveDamagedFileAside(found, attempts: 1) }
    #expect(busy.isBusy && FileNumber(of: state.file) == found)
    opening.unlock()
    #expect(try state.moveDamagedFileAside(found, attempts: 1) != nil)
    // And no process opens it while it is moved.
    try opening.lock(alone: true)
    try expect(\.isBusy) { try other.lock(alone: false, attempts: 1) }
  }

  @Test(
    "border 25, SEAL-7: of processes that find a damaged state, all use the one that begins anew")
  func damagedForAll() async throws {
    try write("no database, and not even a short one", to: state.file)
    let programs = try (0..<4).map { _ in
      try RunningProgram(BuiltProgram.path("HostProgram"), ["keep", state.path])
    }
    for program in programs {
      #expect(
        try await program.lines.next { $0.hasPrefix("keeping") } == "keeping, no obstacle")
    }
    #expect(state.damagedFiles().count == 1)
    try open().commit(Self.rows)
    for program in programs { program.end() }
    #expect(try open().entries().contains(StateEntry(key: Self.cabin, value: [1])))
  }

  @Test("border 25, SEAL-7: keys are lost only for who has the lock to write")
  func lostOnlyWithLock() throws {
    let store = try open()
    try store.commit(Self.rows)
    store.wait(0)
    try whileLocked {
      // Whoever has the lock changes the keys just now.
      move(keyFile, to: keyFile + "-away")
      try expect(\.isBusy) { _ = try store.entries() }
      try expect(\.isBusy) { _ = try open(timeout: 0) }
      move(keyFile + "-away", to: keyFile)
    }
    #expect(try store.entries().count == 4)
    #expect(try open().entries().count == 4)
    unlink(keyFile)
    try expect(\.isKeyLost) { _ = try store.entries() }
    try expect(\.isKeyLost) { _ = try open() }
  }

  @Test(
    "border 25, SEAL-7: the key that another process makes while everything is sealed again is kept"
  )
  func madeWhileSealedAgain() throws {
    let (store, engine) = (try open(), try open())
    try store.commit(Self.rows)
    #expect(try store.sealAgain() == 0)
    let third = StateKey(domain: "condition", owner: "org.example.Third", name: "mill")
    try engine.commit([.set(third, [4])])
    try store.destroyEarlierKeys(in: .file)
    #expect(try store.entries().count == 5 && store.rejected.isEmpty)
    #expect(try engine.entries().contains(StateEntry(key: third, value: [4])))
    // The same while all is erased.
    #expect(try store.eraseRows(of: nil) == 4)
    try engine.commit([.set(third, [5])])
    try store.destroyKeys(of: nil)
    #expect(try open().entries().contains(StateEntry(key: third, value: [5])))
  }

  @Test("border 25, SEAL-7: keys are put back only where no other process has changed them since")
  func putBack() throws {
    try open().commit(Self.rows)
    let keys = try StateKeys(beside: state.file, credentials: nil)
    let seal = try StateSeal.begin(keys)
    let (ring, generation) = (seal.ring, seal.generation)
    try seal.beginGeneration(keepingRecordings: true)
    // Its transaction fails, and nobody is in between.
    seal.restore(ring, generation)
    #expect(try keys.read()?.ring == ring && seal.generation == generation)
    try seal.beginGeneration(keepingRecordings: true)
    let changed = try StateSeal.begin(keys)
    try changed.destroyKey(of: "nobody")
    _ = try changed.seal([], of: Self.key(of: "org.example.New"), as: changed.name(of: Self.cabin))
    seal.restore(ring, generation)
    #expect(try keys.read()?.ring == changed.ring)
    #expect(try open().entries().count == 4)
  }

  private static func key(of app: String) -> StateKey { StateKey(domain: "condition", owner: app) }

  // MARK: A master that cannot be read, and one that is none

  @Test("border 25, SEAL-8: a master that cannot be read for a moment is not lost, and stays")
  func unreadableMaster() throws {
    try open().commit(Self.rows)
    let keys = try StateKeys(beside: state.file, credentials: nil)
    let opened = try #require(try keys.read()).master
    let before = try Data(contentsOf: URL(fileURLWithPath: keyFile))
    // Reading ends with "Too many levels of symbolic links", as it might with an error of the disk.
    move(master, to: master + "-away")
    #expect(symlink("master", master) == 0)
    try expect(\.isLocked) { _ = try keys.read() }
    try expect(\.isLocked) { _ = try keys.master() }
    #expect(!keys.wantsAnother(than: opened))
    #expect(unlink(master) == 0)
    move(master + "-away", to: master)
    #expect(try Data(contentsOf: URL(fileURLWithPath: keyFile)) == before)
    #expect(try names(state.keys.path) == ["keys", "master"])
    #expect(try open().entries().count == 4)
  }

  @Test("border 25, SEAL-8: a master that is none is kept under another name, and so are the keys")
  func malformedMaster() throws {
    try open().commit(Self.rows)
    let present = try String(contentsOfFile: master, encoding: .utf8)
    try write("half of a ke", to: master)
    #expect(StateKeeper(folder: state).obstacle == nil)
    let aside = try names(state.keys.path).filter { $0.contains(".damaged-") }
    #expect(aside.map { String($0.prefix(4)) } == ["keys", "mast"])
    let kept = try #require(aside.last)
    #expect(
      try String(contentsOfFile: "\(state.keys.path)/\(kept)", encoding: .utf8) == "half of a ke")
    #expect(try String(contentsOfFile: master, encoding: .utf8) != present)
    // A second one in the same second has a name of its own.
    let keys = try StateKeys(beside: state.file, credentials: nil)
    try keys.moveAside()
    try write("other", to: keyFile)
    try keys.moveAside()
    #expect(try names(state.keys.path).filter { $0.hasPrefix("keys.damaged-") }.count == 3)
    #expect(throws: StoreError.self) { try keys.moveAside() }
    state.removeDamagedFiles()
    #expect(try names(state.keys.path) == ["master"])
  }

  @Test("border 25, SEAL-9: the keys of another state open nothing, and are not taken for its own")
  func keysOfAnotherState() throws {
    let second = StateFolder(path: folder.file("second"))
    try second.create()
    try open().commit(Self.rows)
    try open(second).commit(Self.rows)
    #expect(try open(second).entries().count == 4)
    try FileManager.default.removeItem(atPath: state.keys.path)
    try FileManager.default.copyItem(atPath: second.keys.path, toPath: state.keys.path)
    let error = try fault { _ = try open() }
    #expect(error.isKeyLost && error.message.contains("another state"))
  }

  // MARK: What stays behind, and what grows

  @Test("border 25, SEAL-5: what a process has left beside the keys that died is overwritten")
  func leftovers() throws {
    try open().commit(Self.rows)
    // It died between the link and the name: these are the present bytes.
    #expect(link(keyFile, keyFile + ".old") == 0)
    #expect(link(master, master + ".4711.new") == 0)
    let guardian = state.path + "/guard"
    #expect(link(guardian, guardian + ".old") == 0)
    // It died after the name.
    try write("earlier keys", to: keyFile + ".new")
    try write("earlier", to: guardian + ".new")
    #expect(link(keyFile + ".new", folder.file("watched")) == 0)
    #expect(try open().entries().count == 4)
    #expect(try names(state.keys.path) == ["keys", "master"])
    #expect(try names(state.path).filter { $0.hasPrefix("guard") } == ["guard"])
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.file("watched"))) == Data(count: 12))
    #expect(try open().entries().count == 4)
  }

  @Test("border 25, SEAL-9: more keys than are read are refused, and the others stay")
  func tooManyKeys() throws {
    let store = try open()
    try store.commit(Self.rows)
    let names = ["a", "b"].map { String(repeating: $0, count: 5 << 20) }
    try store.commit([.set(Self.key(of: names[0]), [1])])
    let error = try fault { try store.commit([.set(Self.key(of: names[1]), [1])]) }
    #expect(error.message.contains("do not fit"))
    #expect(try store.entries().count == 5)
    #expect(try open().entries().count == 5)
    // An owner that has no rows any more leaves room with the next start.
    try store.commit([.remove(Self.key(of: names[0]))])
    let next = try open()
    try next.commit([.set(Self.key(of: names[1]), [1])])
    #expect(try next.entries().count == 5)
  }

  @Test("border 25, SEAL-9: a guard that is larger than what is read is refused, and stays")
  func largeGuard() throws {
    let store = try open()
    try store.commit(Self.rows)
    let claim = StateKey(domain: "identity", owner: Self.app)
    let error = try fault {
      try store.commit([.set(claim, [UInt8](repeating: 7, count: 5 << 20))])
    }
    #expect(error.message.contains("are read"))
    #expect(try open().entries().count == 4)
    #expect(StateGuard(beside: state.file).read() != .damaged)
  }

  @Test("border 25, SEAL-9: keys of apps stay while a damaged state may still be looked at")
  func keysOfDamaged() throws {
    try open().commit(Self.rows)
    let count = try StateKeys(beside: state.file, credentials: nil).read()?.ring
    try write("no database, and not even a short one", to: state.file)
    for suffix in ["-wal", "-shm"] { unlink(state.file + suffix) }
    _ = StateKeeper(folder: state)
    _ = try open()
    #expect(try StateKeys(beside: state.file, credentials: nil).read()?.ring == count)
    state.removeDamagedFiles()
    _ = try open()
    #expect(
      try StateKeys(beside: state.file, credentials: nil).read()?.ring.generations.values
        .map(\.owners.count) == [1])
  }

  // MARK: Erasing

  @Test("border 25, SEAL-4: an app's key leaves every generation")
  func destroyedEverywhere() throws {
    let keys = try StateKeys(beside: state.file, credentials: nil)
    let seal = try StateSeal.begin(keys)
    for _ in 0..<2 {
      _ = try seal.seal([1], of: Self.cabin, as: seal.name(of: Self.cabin))
      try seal.beginGeneration(keepingRecordings: true)
    }
    try seal.destroyKey(of: Self.app)
    let owners = seal.ring.generations.values.flatMap(\.owners.keys)
    #expect(owners.count == 3 && owners.allSatisfy(\.isEmpty))
    #expect(try keys.read()?.ring == seal.ring)
  }

  @Test("border 25, SEAL-4: without room to write the keys an app's data is gone, and then its key")
  func eraseWithoutRoom() throws {
    let store = try open()
    try store.commit(Self.rows)
    // Nothing can be written beside the keys.
    #expect(mkdir(keyFile + ".new", 0o700) == 0)
    let error = try fault { _ = try store.erase(Self.app) }
    #expect(error.isErased)
    #expect(try store.entries().count == 3 && store.rejected.isEmpty)
    #expect(rmdir(keyFile + ".new") == 0)
    _ = try open()
    let owners = try StateKeys(beside: state.file, credentials: nil).read()?.ring.generations.values
      .flatMap(\.owners.keys)
    #expect(owners?.contains(Array(Self.app.utf8)) == false && owners?.count == 2)
  }

  @Test(
    "border 25, SEAL-4: killed at any operation while it is erased, an app has all of its data or none",
    arguments: [Self.app, ""])
  func eraseKilled(app: String) throws {
    var operation = 1
    while true {
      let place = StateFolder(path: folder.file("run-\(operation)"))
      try place.create()
      try open(place).commit(Self.rows)
      let isDone = try !FinishedProgram("HostProgram", ["erase", app, place.file, "\(operation)"])
        .isKilled
      let store = try open(place)
      let entries = try store.entries()
      let left = app.isEmpty ? 1 : 3
      #expect(isDone ? entries.count == left : [left, 4].contains(entries.count))
      #expect(store.rejected.isEmpty, "killed at \(operation)")
      let ring = try #require(try StateKeys(beside: place.file, credentials: nil).read()).ring
      let owners = ring.generations.values.flatMap(\.owners.keys)
      #expect(Set(owners) == Set(entries.map { Array($0.key.owner.utf8) } + [[]]))
      if isDone { break }
      operation += 1
    }
    #expect(operation > 5)
  }

  @Test("border 25, SEAL-5: nothing is said to be erased or sealed while it is kept in memory only")
  func notOpened() throws {
    try open().commit(Self.rows)
    move(state.keys.path, to: folder.file("keys"))
    try write("", to: state.keys.path)
    let keeper = StateKeeper(folder: state)
    for app in [nil, Self.app] {
      try expect({ $0.context.contains("is not in use") }) { _ = try keeper.erase(app) }
    }
    try expect({ $0.context.contains("is not in use") }) { _ = try keeper.rekey() }
    #expect(!keeper.isErased)
    unlink(state.keys.path)
    move(folder.file("keys"), to: state.keys.path)
    #expect(try open().entries().count == 4)
    // Where there is no state at all, there is nothing to erase.
    let none = StateKeeper(folder: StateFolder(path: "/proc/nothing"))
    #expect(try none.erase(nil) == 0 && none.isErased)
  }
}
