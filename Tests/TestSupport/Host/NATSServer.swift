import Foundation

/// A server of NATS with JetStream of a test's own: on the loopback, in a temporary folder, ended with
/// the test.
package final class NATSServer: Sendable {
  package let port: Int
  package let folder: TemporaryFolder
  private let program: RunningProgram

  package static var isInstalled: Bool { TestSupport.isInstalled("nats-server") }

  package init() async throws {
    folder = try TemporaryFolder()
    let program = try RunningProgram(
      "nats-server", ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", folder.file("store")],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    self.program = program
    port = try await program.lines.next { line in
      let words = line.components(separatedBy: "client connections on 127.0.0.1:")
      return words.count == 2 ? Int(words[1]) : nil
    }
    _ = try await program.lines.next { $0.contains("Server is ready") }
  }

  package var address: String { "nats://127.0.0.1:\(port)" }

  deinit { program.end() }
}
