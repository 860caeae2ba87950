import Foundation

/// A program that a test has run to its end, and what it said.
package struct FinishedProgram: Sendable {
  /// Its exit status, or the signal that ended it.
  package let status: Int32
  package let isKilled: Bool
  package let output: String
  package let error: String

  /// Standard output, and then standard error.
  package var text: String { output + error }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: its path, or the name of one that is built beside the tests.
  ///   - words: its arguments.
  ///   - surroundings: what is added to its environment.
  ///   - environment: what it has of variables else.
  ///   - user: whom it runs as, which only root can choose.
  ///   - folder: the folder that it works in.
  ///   - input: what it reads from standard input.
  /// - Throws: what kept it from being started.
  package init(
    _ program: String, _ words: [String], _ surroundings: [String: String] = [:],
    to environment: [String: String] = ProcessInfo.processInfo.environment,
    as user: String? = nil, in folder: String? = nil, input: String = ""
  ) throws {
    let process = Process()
    let path = program.contains("/") ? program : BuiltProgram.path(program)
    process.executableURL = URL(fileURLWithPath: user == nil ? path : "/usr/sbin/runuser")
    process.arguments = (user.map { ["-u", $0, "--", path] } ?? []) + words
    process.environment = environment.merging(surroundings) { $1 }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    // Files, as nobody empties two pipes at once.
    let streams = try TemporaryFolder()
    let files = ["in", "out", "err"].map { streams.file($0) }
    try input.write(toFile: files[0], atomically: true, encoding: .utf8)
    for file in files.dropFirst() { try Data().write(to: URL(fileURLWithPath: file)) }
    process.standardInput = FileHandle(forReadingAtPath: files[0])
    process.standardOutput = FileHandle(forWritingAtPath: files[1])
    process.standardError = FileHandle(forWritingAtPath: files[2])
    try process.run()
    process.waitUntilExit()
    (status, isKilled) = (process.terminationStatus, process.terminationReason != .exit)
    output = String(decoding: try Data(contentsOf: URL(fileURLWithPath: files[1])), as: UTF8.self)
    error = String(decoding: try Data(contentsOf: URL(fileURLWithPath: files[2])), as: UTF8.self)
    withExtendedLifetime(streams) {}
  }

  /// The objects of a run with `--json`, one for each line.
  package func objects() throws -> [[String: Any]] {
    try output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }
}
