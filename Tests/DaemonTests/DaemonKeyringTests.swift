import Foundation
import LocationHost
import TestSupport
import Testing

/// A user's daemon, and that user's real keyring on a private bus. Whoever runs as root is the machine's
/// daemon, so the user is another one.
@Suite(
  "A user's daemon and the keyring", .serialized,
  .enabled(if: getuid() == 0, "only root can become somebody else"),
  .enabled(if: MockMachine.hasKeyring, "needs gnome-keyring, python3-dbus, python3-gi"),
  .timeLimit(.minutes(2)))
struct DaemonKeyringTests {
  private let keyring: MockMachine
  private let folder: TemporaryFolder

  init() throws {
    keyring = try .keyring(of: DaemonRun.identity("nobody"))
    folder = try TemporaryFolder()
    chown(folder.path, 65534, 65534)
  }

  /// The session of the user, whose environment has no other folders.
  private var surroundings: [String: String] {
    [
      "DBUS_SESSION_BUS_ADDRESS": keyring.address, "CORELOCATION_SECRET_SERVICE": "yes",
      "CORELOCATION_SOURCES": "",
    ]
  }

  private func daemon(_ environment: [String: String] = [:]) async throws -> DaemonRun {
    try await DaemonRun(
      environment: surroundings.merging(environment) { $1 }, in: folder, configuration: [],
      as: "nobody")
  }

  private var head: String {
    let bytes = FileManager.default.contents(atPath: folder.file("state-key/keys")) ?? Data()
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
  }

  private func control(_ daemon: DaemonRun, _ words: String...) throws -> FinishedProgram {
    try FinishedProgram("locationctl", words, daemon.surroundings, as: "nobody")
  }

  /// Expects that the daemon ends, and says why, with the state as it is.
  private func expectRefusal(_ words: String...) throws {
    let before = head
    let ended = try FinishedProgram(
      "locationd",
      [
        "--socket", folder.file("socket"), "--state", folder.file("state"),
        "--config", folder.file("locationd.conf"), "--source", "fixed:48.5,11.5,5",
      ], surroundings, as: "nobody")
    #expect(ended.status == 1)
    for word in words + ["nothing was changed"] {
      #expect(ended.text.contains(word), "\(ended.text)")
    }
    #expect(head == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("state"))
    #expect(!names.contains { $0.contains("damaged") }, "\(names)")
  }

  @Test("border 25, SEAL-13, SEAL-14: serves with a key of an open keyring, and of no other")
  func serves() async throws {
    try keyring.perform("keyring start")
    var daemon = try await daemon()
    let item = try keyring.perform("items")
    #expect(head == "meridian-keys 2 service:\(item)")
    #expect(try control(daemon, "status").text.contains("item \(item) of the Secret Service"))
    let doctor = try control(daemon, "doctor").text
    #expect(doctor.contains("state key") && doctor.contains("not from this user's programs"))
    #expect(try control(daemon, "services", "off").status == 0)
    daemon.kill()
    try keyring.perform("lock")
    try expectRefusal("is locked", "unlock it")
    try keyring.perform("keyring stop")
    try expectRefusal("there is no Secret Service")
    try keyring.perform("keyring start")
    daemon = try await self.daemon()
    #expect(try control(daemon, "status").text.contains("off"))
    #expect(try keyring.perform("items") == item)
    daemon.kill()
  }

  @Test("border 25, SEAL-16: moves its key at the word of its owner")
  func moves() async throws {
    let daemon = try await daemon()
    #expect(head == "meridian-keys 1 file")
    let away = try control(daemon, "data", "rekey", "--key", "secret-service")
    #expect(away.status == 1 && away.text.contains("there is no Secret Service"))
    try keyring.perform("keyring start")
    let moved = try control(daemon, "data", "rekey", "--key", "secret-service")
    #expect(moved.status == 0, "\(moved.text)")
    #expect(head == "meridian-keys 2 service:\(try keyring.perform("items"))")
    #expect(try control(daemon, "data", "rekey", "--key", "file").status == 0)
    #expect(head == "meridian-keys 1 file")
    #expect(try keyring.perform("items") == "")
    #expect(try control(daemon, "data", "rekey", "--key", "elsewhere").status == 2)
    daemon.kill()
  }

  @Test("SEAL-11, SEAL-14: a recording opens with the keyring, and else says why not")
  func recording() throws {
    try keyring.perform("keyring start")
    let own = surroundings.merging(["XDG_STATE_HOME": folder.file("own")]) { $1 }
    func run(_ words: String...) throws -> FinishedProgram {
      try FinishedProgram("locationctl", words, own, as: "nobody")
    }
    func record(_ file: String, _ words: String...) throws -> FinishedProgram {
      let source = ["record", file, "--source", "fixed:48.5,11.5,5", "--count", "1"]
      return try FinishedProgram("locationctl", source + words, own, as: "nobody")
    }
    let (file, plain, later) = (folder.file("a.rec"), folder.file("b.rec"), folder.file("c.rec"))
    let made = try record(file)
    #expect(made.status == 0 && made.text.contains("1 locations"), "\(made.text)")
    #expect(try record(plain, "--plain").status == 0)
    let bytes = try (Data(contentsOf: URL(filePath: file)), Data(contentsOf: URL(filePath: plain)))
    for word in ["connected", "locationctl", "provider"] {
      #expect(bytes.0.range(of: Data(word.utf8)) == nil)
      #expect(bytes.1.range(of: Data(word.utf8)) != nil, "what is there would be found")
    }
    #expect(try keyring.perform("items").count == 16)
    #expect(try run("replay", file).text.contains("all as recorded"))
    try keyring.perform("lock")
    for refused in try [run("replay", file), record(later)] {
      #expect(refused.status == 1 && refused.text.contains("is locked"), "\(refused.text)")
      #expect(refused.text.contains("unlock it"), "\(refused.text)")
    }
    #expect(!FileManager.default.fileExists(atPath: later))
    #expect(try run("replay", plain).status == 0)
    try keyring.perform("unlock")
    #expect(try run("data", "rekey").status == 0)
    #expect(try run("replay", file).text.contains("all as recorded"))
  }

  @Test("SEAL-13: leaves the keyring alone where the environment says so, and as root")
  func withoutKeyring() async throws {
    try keyring.perform("keyring start")
    var daemon = try await daemon(["CORELOCATION_SECRET_SERVICE": "no"])
    #expect(head == "meridian-keys 1 file")
    daemon.kill()
    let other = try TemporaryFolder()
    daemon = try await DaemonRun(environment: surroundings, in: other, configuration: [])
    #expect(try daemon.control("status").text.contains("state-key/master"))
    #expect(try keyring.perform("items") == "")
    daemon.kill()
  }
}
