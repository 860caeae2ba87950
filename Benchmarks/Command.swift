import Foundation

/// The path of a command that is installed, or `nil`.
func executable(_ name: String) -> URL? {
  let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
  return folders.split(separator: ":")
    .map { URL(fileURLWithPath: String($0)).appending(path: name) }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}

/// Runs a command to its end: what it printed, or `nil` when it failed.
func run(_ command: URL, _ arguments: [String]) throws -> String? {
  let process = Process()
  process.executableURL = command
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let printed = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return process.terminationStatus == 0 ? String(decoding: printed, as: UTF8.self) : nil
}
