import Foundation
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import TestSupport
import Testing

/// States whose master lies in a real gnome-keyring-daemon, or in a service with a fault, on a private bus.
@Suite(
  "A state whose key lies in a keyring", .serialized,
  .enabled(if: MockMachine.hasKeyring, "needs gnome-keyring, python3-dbus, python3-gi"),
  .timeLimit(.minutes(3)))
struct KeyringTests {
  private let machine: MockMachine
  private let folder: TemporaryFolder
  private let state: StateFolder
  private let secrets: SecretBus

  private static let cabin = StateKey(domain: "condition", owner: "org.example.Walk", name: "cabin")
  private static let rows: [StateChange] = [.set(cabin, [1]), Setting.servicesChange(true)]

  init() throws {
    machine = try .keyring()
    folder = try TemporaryFolder()
    state = StateFolder(path: folder.file("state"))
    try state.create()
    secrets = SecretBus(address: machine.address)
  }

  // MARK: Tools

  @discardableResult
  private func open(
    _ secrets: SecretBus? = nil, none: Bool = false, credentials: String? = nil
  ) throws -> StateStore {
    try StateStore(
      path: state.file, credentials: credentials, secrets: none ? nil : secrets ?? self.secrets)
  }

  /// Begins the state, with its rows.
  private func begin() throws {
    try open().commit(Self.rows)
  }

  private func expectRows(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let entries = try open().entries()
    #expect(
      entries.contains(StateEntry(key: Self.cabin, value: [1])), sourceLocation: sourceLocation)
  }

  private var keyNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: state.keys.path).sorted()) ?? []
  }

  /// The bytes of the state and of its keys.
  private var files: [String: Data] {
    let paths = [state.file, state.path + "/guard"] + keyNames.map { state.keys.path + "/" + $0 }
    return Dictionary(
      uniqueKeysWithValues: paths.map { ($0, FileManager.default.contents(atPath: $0) ?? Data()) })
  }

  private var head: String {
    let bytes = FileManager.default.contents(atPath: state.keys.path + "/keys") ?? Data()
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
  }

  /// The name of the item that the keys name.
  private var item: String { String(head.split(separator: ":").last ?? "") }

  /// Expects that the state is kept from a process, which leaves every byte as it is.
  private func expectClosed(
    _ words: String..., by secrets: SecretBus? = nil, none: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = files
    do {
      try open(secrets, none: none)
      Issue.record("it opens", sourceLocation: sourceLocation)
    } catch let error as StoreError {
      #expect(error.isLocked, "\(error)", sourceLocation: sourceLocation)
      for word in words + ["nothing was changed"] {
        #expect("\(error)".contains(word), "\(error)", sourceLocation: sourceLocation)
      }
    }
    let keeper = StateKeeper(folder: state, secrets: none ? nil : secrets ?? self.secrets)
    #expect(keeper.obstacle?.isLocked == true, sourceLocation: sourceLocation)
    #expect(!Setting.servicesAreOn(in: keeper.entries), sourceLocation: sourceLocation)
    #expect(state.damagedFiles().isEmpty, sourceLocation: sourceLocation)
    #expect(files == before, sourceLocation: sourceLocation)
  }

  // MARK: The real one

  @Test("border 25, SEAL-13: lies in an open keyring from the first start on, and in no file")
  func first() throws {
    try machine.perform("keyring start")
    try begin()
    #expect(keyNames == ["keys"])
    #expect(head == "meridian-keys 2 service:\(item)" && item.count == 16)
    #expect(try machine.perform("items") == item)
    let secret = try machine.perform("secret \(item)")
    #expect(secret.count == 64 && secret.allSatisfy(\.isHexDigit))
    let store = try open()
    #expect(store.keyOrigin.contains("item \(item) of the Secret Service"))
    #expect(state.keyOrigin == store.keyOrigin && store.findings.isEmpty)
    try expectRows()
    // A new start of the keyring, and of this program.
    try machine.perform("keyring stop")
    try machine.perform("keyring start")
    try expectRows()
    #expect(try machine.perform("items") == item)
  }

  @Test("border 25, SEAL-14: locked, nothing is changed, nobody is asked, and no other key is made")
  func locked() throws {
    try machine.perform("keyring start")
    try begin()
    try machine.perform("lock")
    try expectClosed("is locked", "unlock it")
    #expect(try machine.perform("items") == item)
    try machine.perform("unlock")
    try expectRows()
    try machine.perform("keyring stop")
    try expectClosed("there is no Secret Service", "DBUS_SESSION_BUS_ADDRESS")
    try machine.perform("keyring start locked")
    try expectClosed("is locked", "unlock it")
    try machine.perform("unlock")
    try expectRows()
    try expectClosed("uses no Secret Service", "CORELOCATION_SECRET_SERVICE", none: true)
  }

  @Test("border 25, SEAL-14: a store that is open goes on while the keyring is locked or gone")
  func goesOn() throws {
    try machine.perform("keyring start")
    try begin()
    let (store, other) = (try open(), try open())
    try machine.perform("lock")
    try store.commit([.set(StateKey(domain: "condition", owner: "org.example.New"), [2])])
    // The keys have changed, and the other one reads them again.
    #expect(try other.entries().count == 3)
    try machine.perform("keyring stop")
    try other.commit([.set(StateKey(domain: "condition", owner: "org.example.Newer"), [3])])
    #expect(try store.entries().count == 4)
    #expect(throws: StoreError.self) { try store.rekey() }
    #expect(try store.entries().count == 4)
  }

  @Test("SEAL-13: lies in a file where the keyring is locked or away at the first start, and stays")
  func fileFirst() throws {
    try machine.perform("keyring start")
    try machine.perform("lock")
    let store = try open()
    try store.commit(Self.rows)
    #expect(store.findings.count == 1 && store.findings[0].contains("is locked"))
    #expect(store.findings[0].contains("locationctl data rekey --key secret-service"))
    #expect(keyNames == ["keys", "master"] && head == "meridian-keys 1 file")
    try machine.perform("unlock")
    try expectRows()
    #expect(keyNames == ["keys", "master"])
    #expect(try machine.perform("items") == "" && open().findings.isEmpty)
    try machine.perform("keyring stop")
    let away = StateFolder(path: folder.file("away"))
    try away.create()
    let other = try StateStore(path: away.file, credentials: nil, secrets: secrets)
    #expect(other.findings.isEmpty && other.keyOrigin.contains("/master"))
    let nowhere = SecretBus(address: "unix:path=\(folder.file("no-bus"))")
    #expect(nowhere.run(.look, within: .seconds(5)) == .absent)
  }

  @Test("border 25, SEAL-16: moves to the keyring and back, and leaves nothing behind")
  func moves() throws {
    let store = try open()
    try store.commit(Self.rows)
    #expect(head == "meridian-keys 1 file")
    try machine.perform("keyring start")
    let engine = try open()
    #expect(try store.rekey(in: .secretService) == 0)
    #expect(keyNames == ["keys"])
    let first = item
    #expect(try machine.perform("items") == first)
    // Another process that had the state open.
    #expect(try engine.entries() == store.entries())
    // New keys, in the same place.
    #expect(try store.rekey() == 0)
    #expect(item != first && keyNames == ["keys"])
    #expect(try machine.perform("items") == item)
    try expectRows()
    #expect(try engine.rekey(in: .file) == 0)
    #expect(keyNames == ["keys", "master"] && head == "meridian-keys 1 file")
    #expect(try machine.perform("items") == "")
    try machine.perform("keyring stop")
    try expectRows()
    let before = files
    #expect(throws: StoreError.self) { try store.rekey(in: .secretService) }
    #expect(files == before)
  }

  @Test("border 25, SEAL-16: a credential takes over from the keyring, and stays where it is")
  func credential() throws {
    try machine.perform("keyring start")
    try begin()
    let place = folder.file("credentials")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    try Data(repeating: 7, count: 32).write(
      to: URL(filePath: place).appending(path: "meridian.state-key"))
    chmod(place + "/meridian.state-key", 0o600)
    let store = try open(credentials: place)
    #expect(store.keyOrigin.contains("systemd credential"))
    #expect(try machine.perform("items") == "" && keyNames == ["keys"])
    #expect(throws: StoreError.self) { try store.rekey(in: .secretService) }
  }

  @Test("border 25, SEAL-15: when its item is deleted, the state is moved aside and begins anew")
  func deleted() throws {
    try machine.perform("keyring start")
    try begin()
    let lost = item
    try machine.perform("delete")
    do {
      try open()
      Issue.record("it opens")
    } catch let error as StoreError { #expect(error.isKeyLost && "\(error)".contains(lost)) }
    var notes: [String] = []
    let keeper = StateKeeper(folder: state, secrets: secrets) { notes.append("\($0)") }
    #expect(keeper.obstacle == nil && state.damagedFiles().count == 1)
    #expect(notes.contains { $0.contains(lost) && $0.contains("begins anew") })
    #expect(Setting.servicesAreOn(in: keeper.entries))
    #expect(item != lost)
    #expect(try machine.perform("items") == item)
  }

  @Test("border 25, SEAL-3: another key in its item loses the state, and what is no key does not")
  func changed() throws {
    try machine.perform("keyring start")
    try begin()
    let secret = try machine.perform("secret \(item)")
    try machine.perform("change \(item) nonsense")
    try expectClosed("no key", "put the key back")
    try machine.perform("change \(item) \(secret)")
    try expectRows()
    try machine.perform("change \(item) \(String(secret.reversed()))")
    do {
      try open()
      Issue.record("it opens")
    } catch let error as StoreError { #expect(error.isKeyLost) }
  }

  @Test("border 25, SEAL-13: of processes at the first start, all use one key in the keyring")
  func together() async throws {
    try machine.perform("keyring start")
    let programs = try (0..<4).map { _ in
      try RunningProgram(
        BuiltProgram.path("HostProgram"), ["keep", state.path],
        environment: [
          "CORELOCATION_SECRET_SERVICE": "yes", "DBUS_SESSION_BUS_ADDRESS": machine.address,
        ])
    }
    for program in programs {
      #expect(
        try await program.lines.next { $0.hasPrefix("keeping") } == "keeping, no obstacle")
    }
    #expect(try machine.perform("items") == item)
    #expect(keyNames == ["keys"])
    for program in programs { program.end() }
    try begin()
    try expectRows()
  }

  @Test("border 25, SEAL-16: killed at any operation on the way to the keyring, the state is whole")
  func killed() throws {
    try machine.perform("keyring start")
    var operation = 1
    while true {
      let place = StateFolder(path: folder.file("run-\(operation)"))
      try place.create()
      try StateStore(path: place.file, credentials: nil).commit(Self.rows)
      let run = try FinishedProgram(
        "HostProgram", ["rekey", place.file, "\(operation)", "secret-service"],
        to: ["DBUS_SESSION_BUS_ADDRESS": machine.address])
      let store = try StateStore(path: place.file, credentials: nil, secrets: secrets)
      #expect(try store.entries().count == 2 && store.rejected.isEmpty, "killed at \(operation)")
      let names = try FileManager.default.contentsOfDirectory(atPath: place.keys.path).sorted()
      #expect([["keys"], ["keys", "master"]].contains(names), "killed at \(operation): \(names)")
      // Whatever it left is gone with the next change, and no item is left over.
      _ = try store.rekey(in: .file)
      #expect(try machine.perform("items") == "", "killed at \(operation)")
      if !run.isKilled { break }
      operation += 1
    }
    #expect(operation > 5)
  }

  @Test("SEAL-16: what a process has put into the keyring before it died is removed by the next")
  func leftOver() throws {
    try machine.perform("keyring start")
    try begin()
    let stray = SecretItem(name: "00112233445566ff", label: "of a process that died")
    #expect(secrets.run(.store(stray, [1, 2, 3]), within: .seconds(5)) == .stored)
    let other = SecretItem(name: "ff112233445566ff", label: "of another state")
    #expect(secrets.run(.store(other, [1, 2, 3]), within: .seconds(5)) == .stored)
    let list = state.keys.path + "/keys.items"
    try Data("\(stray.name)\n\(item)\n../etc/passwd\n".utf8).write(to: URL(filePath: list))
    try expectRows()
    #expect(try machine.perform("items") == [item, other.name].sorted().joined(separator: " "))
    #expect(keyNames == ["keys"])
    // While the keyring is away, it stays listed.
    _ = try open().rekey(in: .file)
    try Data("\(other.name)\n".utf8).write(to: URL(filePath: list))
    try machine.perform("keyring stop")
    try expectRows()
    #expect(keyNames == ["keys", "keys.items", "master"])
    try machine.perform("keyring start")
    try expectRows()
    #expect(try machine.perform("items") == "" && keyNames == ["keys", "master"])
  }

  // MARK: Services with a fault

  @Test("border 25, SEAL-14: no fault of the service moves the state aside, or makes another key")
  func faults() throws {
    try machine.perform("fake none")
    try begin()
    #expect(head.contains("service:"))
    let faults = [
      ("refuses", "org.example.Error.No"), ("short", "no key"), ("long", "no key"),
      ("other", "makes no sense"), ("prompts", "is locked"), ("silent", "did not answer"),
    ]
    for (mode, words) in faults {
      try machine.perform("fake \(mode)")
      try expectClosed(words)
    }
    #expect(try !machine.perform("asked").contains("Prompt"))
    try machine.perform("fake none")
    try expectRows()
    try machine.perform("fake dies")
    try expectClosed("has ended")
    // Now there is another service, of which nothing is known.
    try machine.perform("fake types")
    try expectClosed("of no use")
    try machine.perform("fake stop")
    try machine.perform("fake bare")
    try expectClosed("no collection")
  }

  @Test(
    "SEAL-13: at the first start, a service with a fault keeps no key, which lies in a file",
    arguments: ["forgets", "prompts", "temporary", "bare", "refuses", "dies", "other", "silent"])
  func firstFaults(_ mode: String) throws {
    try machine.perform("fake \(mode)")
    let store = try open()
    try store.commit(Self.rows)
    #expect(store.findings.contains { $0.contains("--key secret-service") })
    #expect(head == "meridian-keys 1 file")
    try expectRows()
  }

  // MARK: Whose bus it is

  @Test(
    "border 25, SEAL-17: a bus of another user, or of another computer, is not used",
    .enabled(if: geteuid() == 0, "needs root, for the bus of another user"))
  func foreign() throws {
    let foreign = SecretBus(address: try machine.perform("foreign"))
    #expect(foreign.run(.look, within: .seconds(5)).fault?.contains("another user's") == true)
    let distant = SecretBus(address: "tcp:host=127.0.0.1,port=1")
    #expect(distant.run(.look, within: .seconds(5)).fault?.contains("not that of a socket") == true)
    try open(foreign).commit(Self.rows)
    #expect(head == "meridian-keys 1 file")
    try machine.perform("keyring start")
    _ = try open().rekey(in: .secretService)
    try expectClosed("another user's", by: foreign)
    try expectRows()
  }
}
