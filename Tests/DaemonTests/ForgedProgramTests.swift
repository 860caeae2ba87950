import Foundation
import TestSupport
import Testing

/// Programs that have the kernel show another program in their place (docs/decisions/0096).
@Suite("A program that the kernel shows as another", .serialized)
struct ForgedProgramTests {
  private static let nobody = "nobody"
  private static let nobodysNumber: uid_t = 65_534

  /// Whether a process without privilege may make a user namespace, as Debian lets it.
  private static let canMakeNamespaces: Bool = {
    guard getuid() == 0, isInstalled("unshare") else { return false }
    let words = DaemonRun.identity(nobody) + ["/usr/bin/unshare", "--user", "/bin/true"]
    return (try? FinishedProgram("/usr/bin/setpriv", words))?.status == 0
  }()

  /// Runs the attack as `nobody`, and returns the daemon's reply.
  private func reply(
    of daemon: DaemonRun, _ way: String, showing program: String, _ method: String,
    _ parameters: String = "{}"
  ) async throws -> String {
    // Where it may be read by everybody.
    let forged = daemon.folder.file("forged-\(UUID())")
    try FileManager.default.copyItem(atPath: BuiltProgram.path("ForgedProgram"), toPath: forged)
    let attack = try RunningProgram(
      "/usr/bin/setpriv",
      DaemonRun.identity(Self.nobody) + [forged, way, program, daemon.socket, method, parameters])
    defer { attack.end() }
    let shown = try await attack.lines.next { $0.hasPrefix("shows") || $0.hasPrefix("cannot") }
    #expect(shown == "shows \(program)")
    return try await attack.lines.next { $0.hasPrefix("said") || $0.hasPrefix("cannot") }
  }

  /// A program that the owner has registered for both roles, in a folder of `nobody`.
  private func registered() throws -> (folder: TemporaryFolder, program: String) {
    let folder = try TemporaryFolder()
    chown(folder.path, Self.nobodysNumber, Self.nobodysNumber)
    return (folder, BorderScript.python)
  }

  @Test(
    "border 2: by a child that shares its memory, administers and answers nothing as a registered program",
    .enabled(if: canMakeNamespaces, "needs root, and user namespaces for everybody"),
    arguments: [
      ("org.meridian.administration.GetStatus", "NotOwner"),
      ("org.meridian.agent.Attend", "NotAgent"),
    ])
  func trusted(method: String, refusal: String) async throws {
    let (folder, program) = try registered()
    let daemon = try await DaemonRun(
      in: folder, configuration: ["agent-program = \(program)", "owner-program = \(program)"],
      as: Self.nobody)
    let said = try await reply(of: daemon, "shared", showing: program, method)
    let reason = "it executes code that is no file's"
    #expect(said.contains(refusal) && said.contains(reason), "\(said)")
    daemon.kill()
  }

  @Test(
    "border 3: in a user namespace is not served",
    .enabled(if: canMakeNamespaces, "needs root, and user namespaces for everybody"))
  func ownNamespace() async throws {
    let (daemon, app) = try await daemonWithApp()
    let said = try await reply(of: daemon, "own", showing: app, "org.meridian.location.GetState")
    #expect(said.contains("Refused") && said.contains("user namespace of its own"), "\(said)")
  }

  @Test(
    "border 3: by a child that shares its memory, is at most another program of its own user",
    .enabled(if: canMakeNamespaces, "needs root, and user namespaces for everybody"))
  func ownUser() async throws {
    let (daemon, app) = try await daemonWithApp()
    try await daemon.answer("always", for: DaemonTests.app)
    let said = try await reply(of: daemon, "shared", showing: app, "org.meridian.location.GetState")
    // What the owner's user has allowed this program, its user has not.
    #expect(said.contains("notDetermined") && !said.hasDegrees("48.5"), "\(said)")
    _ = try await daemon.program.lines.next {
      $0.contains("\(DaemonTests.app)@\(Self.nobodysNumber) connected")
    }
  }

  /// A daemon of root's, and the program of an app that everybody may read.
  private func daemonWithApp() async throws -> (DaemonRun, app: String) {
    let daemon = try await DaemonRun()
    return (daemon, try daemon.install("ClassicApp", as: DaemonTests.app, in: "a"))
  }
}
