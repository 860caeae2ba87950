import Foundation

/// The path of a command that is installed, or `nil`.
func executable(_ name: String) -> URL? {
  let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
  return folders.split(separator: ":")
    .map { URL(fileURLWithPath: String($0)).appending(path: name) }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}

/// The bytes of a process that are resident; of this one unless another is named.
func residentBytes(of process: String = "self") throws -> Double {
  let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
  let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
  guard let kilobytes = kilobytes.flatMap({ Double($0) }) else {
    throw MissingPeer(text: "the system does not say what memory a process has")
  }
  return kilobytes * 1024
}

/// Runs a command to its end: what it printed, or `nil` when it failed.
func run(_ command: URL, _ arguments: [String]) throws -> String? {
  let (printed, status) = try outcome(command, arguments)
  return status == 0 ? printed : nil
}

/// Runs a command to its end: what it printed, and its status.
func outcome(_ command: URL, _ arguments: [String]) throws -> (printed: String, status: Int32) {
  let process = Process()
  process.executableURL = command
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  try withoutBlockedSignals { try process.run() }
  let printed = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (String(decoding: printed, as: UTF8.self), process.terminationStatus)
}

/// Calls a function with no signal blocked. A thread of Dispatch blocks most signals, and a child that is started
/// there inherits that: it could not be ended by `SIGTERM`.
private func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
  var none = sigset_t()
  var before = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  try body()
}
