import CSQLite
import Foundation
import TestSupport
import LocationService
import LocationEngine
import LocationModel
import Testing

@testable import LocationHost

@Suite("What guards the durable state", .serialized)
struct StateBorderTests {
  private let folder: TemporaryFolder
  private var state: StateFolder { StateFolder(path: folder.file("state")) }

  init() throws {
    folder = try TemporaryFolder()
    try StateFolder(path: folder.file("state")).create()
  }

  private static func fixture(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/state/\(name)").path
  }

  private static let services = StateKey(domain: "settings", owner: "", name: "services")
  private static let claim = StateKey(domain: "identity", owner: "an.app")

  // MARK: The guard

  @Test("border 18: a guard gives back what was written, and sees any byte that has changed")
  func guardBytes() throws {
    let entries = [
      StateEntry(key: Self.claim, value: Array("/opt/a b\n\u{0}c".utf8)),
      StateEntry(key: Self.services, value: Array("off".utf8)),
    ]
    let text = StateGuard.text(entries)
    #expect(StateGuard.read(text) == .entries(entries))
    #expect(StateGuard.read(StateGuard.text([])) == .entries([]))
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "7" ? "8" : "7")
      let reading = StateGuard.read(changed)
      if case .entries = reading { Issue.record("a change at \(index) is not seen") }
      #expect(StateGuard.read(String(text[..<index])) == .damaged || index == text.startIndex)
    }
    #expect(StateGuard.read("") == .damaged)
    #expect(StateGuard.read("meridian-guard 3 \n") == .newer(3))
  }

  @Test("border 18: of state and guard, off is stronger than on, and a claim stays")
  func stronger() throws {
    do {
      let store = try StateStore(path: state.file)
      try store.commit([Setting.servicesChange(true), .set(Self.claim, [1])])
    }
    let guardian = StateGuard(beside: state.file)
    guard case .entries(let before) = guardian.read() else {
      Issue.record("there is no guard")
      return
    }
    #expect(before.map(\.key) == [Self.claim, Self.services])
    let other = StateKey(domain: "identity", owner: "another.app")
    try guardian.write([
      StateEntry(key: Self.services, value: Array("off".utf8)),
      StateEntry(key: Self.claim, value: [9]), StateEntry(key: other, value: [2]),
    ])
    let entries = try StateStore(path: state.file).entries()
    #expect(!Setting.servicesAreOn(in: entries))
    #expect(entries.first { $0.key == Self.claim }?.value == [1])
    #expect(entries.first { $0.key == other }?.value == [2])
    // And not the other way round.
    try guardian.write([StateEntry(key: Self.services, value: Array("on".utf8))])
    #expect(try !Setting.servicesAreOn(in: StateStore(path: state.file).entries()))
    #expect(guardian.read() == .entries(entries))
  }

  @Test("border 18: what was erased is gone from the guard, too")
  func guardErased() throws {
    let store = try StateStore(path: state.file)
    try store.commit([Setting.servicesChange(false), .set(Self.claim, Array("/opt/a".utf8))])
    #expect(try store.erase("an.app") == 1)
    #expect(
      StateGuard(beside: state.file).read()
        == .entries([StateEntry(key: Self.services, value: Array("off".utf8))]))
  }

  @Test("border 18: whatever else is stored of the switch than on is off")
  func switchValues() {
    for value in ["off", "", "On", "on ", "off: why", "0"] {
      let entries = [StateEntry(key: Self.services, value: Array(value.utf8))]
      #expect(!Setting.servicesAreOn(in: entries))
    }
    #expect(Setting.servicesAreOn(in: []))
    #expect(Setting.servicesAreOn(in: [StateEntry(key: Self.services, value: Array("on".utf8))]))
    let closed = StateGuard.servicesOff("of a test")
    #expect(Setting.whyServicesAreOff(in: [closed]) == "of a test")
  }

  // MARK: Versions

  @Test("border 19: killed at any operation while it is brought into a new form, it is old or new")
  func migration() throws {
    let fixture = Self.fixture("unnumbered.sqlite")
    let expected = ["authorization", "identity", "settings", "visit"]
    var operation = 1
    while true {
      let place = folder.file("run-\(operation)")
      try StateFolder(path: place).create()
      let file = place + "/state.sqlite"
      try FileManager.default.copyItem(atPath: fixture, toPath: file)
      let isDone = try !FinishedProgram("HostProgram", ["open", file, "\(operation)"]).isKilled
      #expect(try Self.contents(of: file).domains == expected, "killed at \(operation)")
      let store = try StateStore(path: file)
      #expect(try store.entries().map(\.key.domain) == expected)
      #expect(try Self.contents(of: file).version == 2)
      if isDone { break }
      operation += 1
    }
    #expect(operation > 10)
  }

  /// What any program sees in the file.
  private static func contents(of file: String) throws -> (version: Int32, domains: [String]) {
    var database: OpaquePointer?
    #expect(sqlite3_open(file, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    func rows(_ text: String, _ take: (OpaquePointer?) -> Void) {
      var query: OpaquePointer?
      #expect(sqlite3_prepare_v2(database, text, -1, &query, nil) == SQLITE_OK)
      while sqlite3_step(query) == SQLITE_ROW { take(query) }
      sqlite3_finalize(query)
    }
    var (version, domains): (Int32, [String]) = (-1, [])
    rows("PRAGMA user_version") { version = sqlite3_column_int($0, 0) }
    rows("SELECT domain FROM state ORDER BY domain") {
      domains.append(sqlite3_column_text($0, 0).map { String(cString: $0) } ?? "")
    }
    return (version, domains)
  }

  // MARK: Bytes

  @Test("border 20: what was replaced or removed stays in no file once it was overwritten there")
  func scrubbed() throws {
    let store = try StateStore(path: state.file)
    let key = StateKey(domain: "visit", owner: "", name: "")
    for number in 0..<200 {
      try store.commit([
        .set(key, Array("somewhere-\(number)".utf8)),
        .set(StateKey(domain: "event", owner: "a", name: "\(number)"), Array("elsewhere".utf8)),
      ])
    }
    try store.commit(
      (0..<200).map { .remove(StateKey(domain: "event", owner: "a", name: "\($0)")) }
        + [.set(key, Array("nowhere".utf8))])
    try store.scrub()
    for name in try FileManager.default.contentsOfDirectory(atPath: state.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: state.path + "/" + name))
      for word in ["somewhere", "elsewhere"] {
        #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) in \(name)")
      }
    }
  }

  @Test("border 20: erasing says when another process still reads what was erased")
  func readers() throws {
    let store = try StateStore(path: state.file, timeout: 10)
    try store.commit([.set(Self.claim, Array("somewhere".utf8))])
    var reader: OpaquePointer?
    #expect(sqlite3_open(state.file, &reader) == SQLITE_OK)
    defer { sqlite3_close(reader) }
    #expect(sqlite3_exec(reader, "BEGIN; SELECT * FROM state", nil, nil, nil) == SQLITE_OK)
    #expect(throws: StoreError.self) { try store.erase("an.app") }
    sqlite3_exec(reader, "COMMIT", nil, nil, nil)
    #expect(try store.erase("an.app") == 0)
    #expect(try store.entries().isEmpty)
  }

  // MARK: The lock

  @Test("border 16: is had together by several engines of one process, and until the last has gone")
  func together() throws {
    var first: StateLock? = try StateLock(state, .together)
    let second = try StateLock(state, .together)
    first = nil
    let other = try RunningProgram(BuiltProgram.path("HostProgram"), ["share", state.path])
    other.end()
    withExtendedLifetime(second) {}
    #expect(first == nil)
    var status = stat()
    #expect(stat(state.path + "/lock", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test(
    "border 16: a lock whose file was removed and made again is not taken for the one that counts")
  func removed() throws {
    let first = try StateLock(state, .together)
    unlink(state.path + "/lock")
    let second = try StateLock(state, .alone)
    #expect(first.descriptor != second.descriptor)
    withExtendedLifetime(first) {}
  }

  @Test("border 12: the programs of a user keep 512 identifiers, and leave another user's theirs")
  func identifiers() throws {
    let keeper = StateKeeper(folder: state)
    var refusals = 0
    func claim(_ name: String) -> Bool {
      let claim = keeper.claim(AppIdentity(name), by: Claimant(program: "/opt/\(name)")) { note in
        if case .limit = note { refusals += 1 }
      }
      return claim == .held
    }
    for number in 0..<Bounds.identifiersPerUser { #expect(claim("org.example.a\(number)")) }
    #expect(!claim("org.example.more") && refusals == 1)
    #expect(claim("org.example.a0") && claim("org.example.more@1001"))
  }

  // MARK: What waits

  @Test("border 17: no position leaves while the secret behind coarse places is not stored")
  func secret() throws {
    let folder = try TemporaryFolder()
    let place = StateFolder(path: folder.file("state"))
    try place.create()
    var other: OpaquePointer?
    let first = StateKeeper(folder: place)
    #expect(sqlite3_open(place.file, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    _ = first.secret()
    #expect(first.isPermissionBehind("org.example.Walk"))
    #expect(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK)
    #expect(first.save())
    #expect(!first.isPermissionBehind("org.example.Walk"))
    #expect(try StateStore(path: place.file).entries().contains { $0.key.domain == "secret" })
  }

  private func fix(_ client: ClientID, _ subscriber: UInt32, _ latitude: Double)
    -> ServiceCore.Output
  {
    let fix = Fix(
      coordinate: Coordinate(latitude: latitude, longitude: 0), horizontalAccuracy: 5,
      time: UnixTime(seconds: 0))
    return .engine(.deliver(client, .updates(SubscriberID(subscriber), .fixes([fix]))))
  }

  @Test(
    "border 17: what waits keeps its order, the newest position of each subscriber, and its bound")
  func held() {
    var held = HeldOutputs()
    var isRoom = true
    let (one, two) = (ClientID(1), ClientID(2))
    for latitude in 1...50 { isRoom = held.add(fix(one, 1, Double(latitude))) && isRoom }
    isRoom = held.add(.engine(.deliver(one, .authorizationChanged(nil)))) && isRoom
    isRoom = held.add(fix(one, 2, 7)) && isRoom
    isRoom = held.add(fix(two, 1, 8)) && isRoom
    isRoom = held.add(fix(one, 1, 51)) && isRoom
    #expect(held.count == 4)
    #expect(held.concerns(one) && held.concerns(two))
    guard case .engine(.deliver(one, .authorizationChanged)) = held.popFirst() else {
      Issue.record("the order has changed")
      return
    }
    held.forget(one)
    #expect(held.count == 1 && !held.concerns(one))
    for _ in 0..<HeldOutputs.most.ofClient {
      isRoom = held.add(.engine(.deliver(one, .authorizationChanged(nil)))) && isRoom
    }
    let isTooMuch = held.add(.engine(.deliver(one, .authorizationChanged(nil))))
    #expect(isRoom && !isTooMuch)
    isRoom = held.add(fix(two, 3, 8)) && isRoom
    for _ in 0..<3 {
      isRoom = held.add(.engine(.launch(AppIdentity("an.app")))) && isRoom
    }
    #expect(isRoom && held.count == HeldOutputs.most.ofClient + 3)
    while held.popFirst() != nil {}
    #expect(held.isEmpty && !held.concerns(one) && !held.concerns(two))
  }

  @Test("border 12: a thousand deliveries of a client wait for the disk, and 20,000 of all")
  func mostHeld() {
    var held = HeldOutputs()
    let delivery = { ServiceCore.Output.engine(.deliver($0, .authorizationChanged(nil))) }
    let most = HeldOutputs.most
    let room = (1...25).map { client in
      (0...most.ofClient).count { _ in held.add(delivery(ClientID(client))) }
    }
    let full = most.ofAll / most.ofClient
    #expect(room == (1...25).map { $0 <= full ? most.ofClient : 0 })
    #expect(held.count == most.ofAll)
    held.keep(delivery(ClientID(99)))
    #expect(held.count == most.ofAll)
    held.forget(ClientID(1))
    let isRoom = held.add(delivery(ClientID(99)))
    #expect(isRoom)
  }

  @Test(
    "border 17: changes that cannot be stored are one for each key, and none for what came and went"
  )
  func condensed() async throws {
    let keeper = StateKeeper(folder: state)
    let locker = try RunningProgram(BuiltProgram.path("HostProgram"), ["lock", state.file])
    _ = try await locker.lines.next { $0 == "locked" }
    func commit(_ change: StateChange) { keeper.commit([.engine(.persist(change))]) }
    for number in 0..<3000 {
      let key = StateKey(domain: "event", owner: "a", name: "\(number)")
      commit(.set(key, [1]))
      commit(.remove(key))
    }
    commit(.set(Self.claim, [1]))
    commit(.set(Self.claim, [2]))
    #expect(keeper.isBehind && keeper.isBehind("an.app") && !keeper.save())
    // A position rests on which program the app is, and on the switch of the machine.
    #expect(keeper.isPermissionBehind("an.app") && !keeper.isPermissionBehind("a"))
    commit(Setting.servicesChange(true))
    #expect(keeper.isPermissionBehind("a"))
    #expect(keeper.unsavedCount <= 2100)
    #expect(keeper.stored.first { $0.key == Self.claim }?.value == [2])
    locker.end()
    #expect(keeper.save() && !keeper.isBehind)
    #expect(keeper.stored.map(\.key) == [Self.claim, Self.services])
  }
}
