import Foundation
import TestSupport
import Testing

/// A daemon with a user of its own and the one right of the system's unit, and an app in a folder
/// that only a third user may enter.
@Suite(
  "An app in a private home", .serialized,
  .enabled(if: getuid() == 0 && isInstalled("setpriv"), "only root can become somebody else"))
struct PrivateHomeTests {
  private static let (daemonUser, person): (uid_t, uid_t) = (61_234, 61_235)

  /// A daemon as `systemd/locationd.service` runs it, with these capabilities.
  private func daemon(_ capabilities: String...) async throws -> DaemonRun {
    let folder = try TemporaryFolder()
    chown(folder.path, Self.daemonUser, Self.daemonUser)
    let names = capabilities.map { "+\($0)" }.joined(separator: ",")
    return try await DaemonRun(
      in: folder,
      wrapper: [
        "/usr/bin/setpriv", "--reuid=\(Self.daemonUser)", "--regid=\(Self.daemonUser)",
        "--clear-groups", "--no-new-privs", "--inh-caps=-all,\(names)",
        "--ambient-caps=-all,\(names)",
        "--bounding-set=-all,\(names)", "--",
      ])
  }

  /// A program of the person's, in a home of mode 0700.
  private func install(_ daemon: DaemonRun) throws -> (home: String, path: String) {
    let home = daemon.folder.file("home")
    let path = try daemon.install("ClassicApp", as: "org.example.Private", in: "home/bin")
    for file in [home, home + "/bin", path, path + ".plist"] {
      chown(file, Self.person, Self.person)
    }
    chmod(home, 0o700)
    return (home, path)
  }

  @Test("is served by a daemon that says when the system's bus cannot know its user")
  func namelessUser() async throws {
    let daemon = try await daemon("sys_ptrace")
    let line = try await daemon.program.lines.next { $0.contains("has no name") }
    #expect(line.contains("user \(Self.daemonUser)") && line.contains("systemd-sysusers"))
  }

  @Test("border 23: is refused with the setting that opens the way, and served after that")
  func folder() async throws {
    let daemon = try await daemon("sys_ptrace")
    let (home, path) = try install(daemon)
    let reason =
      "its program \(path) lies in \(home), which is closed to the daemon's user: chmod o+x \(home)"
    let refused = try daemon.run(as: Self.person, path, "main")
    let delivered = try await refused.lines.next { $0.contains("no location service") }
    #expect(delivered.contains(reason))
    let line = try await daemon.program.lines.next { $0.contains("refused a client") }
    #expect(line.contains(reason) && line.contains("CAP_DAC_READ_SEARCH"))
    refused.end()
    // The advice as it stands, by the app's own user.
    let mended = try daemon.run(as: Self.person, "/bin/sh", "-c", "chmod o+x \(home); echo done")
    _ = try await mended.lines.next { $0 == "done" }
    let served = try daemon.run(as: Self.person, path, "main")
    defer { served.end() }
    _ = try await served.lines.next { $0 == "status 0 on main" }
    _ = try await daemon.program.lines.next {
      $0.contains("org.example.Private@\(Self.person) connected")
    }
  }

  @Test("border 23: is refused while the daemon cannot read what it declares")
  func propertyList() async throws {
    let daemon = try await daemon("sys_ptrace")
    let (home, path) = try install(daemon)
    chmod(home, 0o711)
    chmod(path + ".plist", 0o600)
    let refused = try daemon.run(as: Self.person, path, "main")
    let delivered = try await refused.lines.next { $0.contains("no location service") }
    #expect(delivered.contains("chmod o+r \(path).plist"))
    refused.end()
    chmod(path + ".plist", 0o604)
    let served = try daemon.run(as: Self.person, path, "main")
    defer { served.end() }
    _ = try await served.lines.next { $0 == "status 0 on main" }
  }

  @Test("border 23: is served by a daemon that has the capability which the reason names")
  func capability() async throws {
    let daemon = try await daemon("sys_ptrace", "dac_read_search")
    let (_, path) = try install(daemon)
    let served = try daemon.run(as: Self.person, path, "main")
    defer { served.end() }
    _ = try await served.lines.next { $0 == "status 0 on main" }
    _ = try await daemon.program.lines.next {
      $0.contains("org.example.Private@\(Self.person) connected")
    }
  }

  @Test("border 23: locationctl doctor names the folder and the setting")
  func doctor() async throws {
    let daemon = try await daemon("sys_ptrace")
    let (home, path) = try install(daemon)
    let doctor = try daemon.run(
      as: Self.person, BuiltProgram.path("locationctl"), "doctor", "--app", path)
    _ = try await doctor.lines.next { $0.contains("found: \(home) is closed to others") }
    _ = try await doctor.lines.next { $0.contains("next: chmod o+x \(home), or install the app") }
  }
}
