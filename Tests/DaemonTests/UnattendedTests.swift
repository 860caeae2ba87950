import Foundation
import TestSupport
import Testing

/// A daemon that can ask nobody, as the service of a machine cannot without a connected agent.
@Suite("A daemon that can ask nobody", .serialized)
struct UnattendedTests {
  private static let warning = "nobody can be asked, so a program without a decision"

  /// What doctor finds with this line in the configuration.
  private func doctor(_ line: String, _ words: String...) async throws -> FinishedProgram {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let daemon = try await DaemonRun(configuration: ["owner-program = \(own)", line])
    return try withExtendedLifetime(daemon) {
      try FinishedProgram("locationctl", ["doctor"] + words, daemon.surroundings)
    }
  }

  @Test("AUTH-57: doctor warns where nobody can be asked, and does not fail for it")
  func warned() async throws {
    let found = try await doctor("agent = none")
    #expect(found.text.contains("?   agents"), "\(found.text)")
    #expect(found.text.contains(Self.warning))
    #expect(found.text.contains("connected agents: none is connected"))
    #expect(found.text.contains("next: in a terminal of the person: locationctl agent; or"))
    #expect(found.text.contains("decide: locationctl authorize PATH whenInUse"))
    #expect(found.status == 0, "\(found.text)")
  }

  @Test("AUTH-57: an app that is named has a finding of its own instead, which is a failure")
  func named() async throws {
    let found = try await doctor("agent = none", "--app", "net.example.other")
    #expect(found.text.contains("its question stays open"), "\(found.text)")
    #expect(!found.text.contains(Self.warning))
    #expect(found.status == 1)
  }

  @Test("AUTH-57: a policy is somebody to ask")
  func policy() async throws {
    let folder = try TemporaryFolder()
    let policy = folder.file("policy")
    try Data("* always\n".utf8).write(to: URL(fileURLWithPath: policy))
    let found = try await doctor("agent = policy:\(policy)")
    #expect(!found.text.contains(Self.warning), "\(found.text)")
    #expect(found.status == 0, "\(found.text)")
  }
}
