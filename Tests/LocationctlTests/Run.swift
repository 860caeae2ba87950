import Foundation
import TestSupport

/// A finished run of a program.
struct Run {
  var status: Int32
  var output: String
  var error: String

  /// The built executable, which lies beside the tests.
  static let locationctl: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().appending(path: "locationctl")
  }()

  /// Runs the built `locationctl` to its end, with nothing in its environment, and nothing to read,
  /// but what is given.
  init(_ words: [String], environment: [String: String] = [:], input: String = "") throws {
    try self.init(
      program: Self.locationctl.path, words, environment: environment, input: input)
  }

  init(
    program: String, _ words: [String], environment: [String: String] = [:], input: String = ""
  ) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = words
    let path = ["PATH": "/usr/bin:/bin"]
    let own = ProcessInfo.processInfo.environment
    let names = ["LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"]
    let kept = own.filter { names.contains($0.key) }
    process.environment = environment.merging(path) { given, _ in given }
      .merging(kept) { given, _ in given }
    let (output, error) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = error
    let given = Pipe()
    process.standardInput = given
    try process.run()
    // Little enough for the buffer of a pipe.
    try given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try given.fileHandleForWriting.close()
    self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    self.error = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  /// The objects of a run with `--json`, one for each line.
  func objects() throws -> [[String: Any]] {
    try output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }
}
