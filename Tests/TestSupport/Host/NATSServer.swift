import Foundation

/// A server of NATS with JetStream of a test's own: on the loopback, in a temporary folder, ended with
/// the test.
package final class NATSServer: Sendable {
  package let port: Int
  package let folder: TemporaryFolder
  private let program: RunningProgram

  package static var isInstalled: Bool { TestSupport.isInstalled("nats-server") }

  /// Starts one, in a folder of its own unless one is given: then a configuration may say the rest, and that
  /// its store is in `store` of that.
  package init(
    in folder: TemporaryFolder? = nil, port wanted: Int = -1, configuration: String? = nil
  ) async throws {
    self.folder = try folder ?? TemporaryFolder()
    let program = try RunningProgram(
      "nats-server",
      ["-a", "127.0.0.1", "-p", "\(wanted)"]
        + (configuration.map { ["-c", $0] } ?? ["-js", "-sd", self.folder.file("store")]),
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    self.program = program
    port = try await program.lines.next { line in
      let words = line.components(separatedBy: "client connections on 127.0.0.1:")
      return words.count == 2 ? Int(words[1]) : nil
    }
    _ = try await program.lines.next { $0.contains("Server is ready") }
  }

  package var address: String { "nats://127.0.0.1:\(port)" }

  /// What it logs.
  package var lines: Events<String> { program.lines }

  /// Ends it before the test does.
  package func end(with signal: Int32 = SIGTERM) { program.end(with: signal) }

  /// The files of its store that have some bytes in them.
  package func files(with text: String, ending end: String = "") throws -> [String] {
    let root = folder.file("store")
    let wanted = Data(text.utf8)
    return try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
      guard path.hasSuffix(end), let bytes = FileManager.default.contents(atPath: "\(root)/\(path)")
      else { return false }
      return bytes.range(of: wanted) != nil
    }.sorted()
  }

  deinit { program.end() }
}
