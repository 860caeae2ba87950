import Foundation
import TestSupport

/// A program of the project that was run to its end, and what it said.
struct FinishedProgram {
  var status: Int32
  /// Standard output and standard error together.
  var text: String

  /// Runs a built program, as another user where one is named, which only root can.
  init(
    _ name: String, _ words: [String], _ surroundings: [String: String] = [:],
    as user: String? = nil
  ) throws {
    let process = Process()
    let path = BuiltProgram.path(name)
    process.executableURL = URL(fileURLWithPath: user == nil ? path : "/usr/sbin/runuser")
    process.arguments = (user.map { ["-u", $0, "--", path] } ?? []) + words
    process.environment = ProcessInfo.processInfo.environment.merging(surroundings) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}

extension DaemonRun {
  /// Runs `locationctl` to its end, as the owner of this daemon.
  func control(_ words: String...) throws -> FinishedProgram {
    try FinishedProgram("locationctl", words, surroundings)
  }

  /// The files of the state, without folders.
  var stateFiles: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: state).sorted().map { "\(state)/\($0)" }
    }
  }
}
