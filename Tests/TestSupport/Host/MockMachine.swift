import Foundation

/// A private system bus with the daemons that a test wants on it, run by
/// `BusTests/Mocks/mock.py`.
package final class MockMachine {
  /// The address of the bus.
  package let address: String
  private let process = Process()
  private let commands = Pipe()
  private let answers = Pipe()

  package init() throws {
    guard let python = Self.python else { throw Ended() }
    process.executableURL = python
    process.arguments = [Self.folder.appending(path: "mock.py").path]
    process.standardInput = commands
    process.standardOutput = answers
    try process.run()
    address = try Self.line(from: answers)
  }

  deinit {
    try? commands.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Carries out a command, and returns when it has been; see `mock.py`.
  @discardableResult
  package func perform(_ command: String) throws -> String {
    commands.fileHandleForWriting.write(Data((command + "\n").utf8))
    return try Self.line(from: answers)
  }

  private static func line(from pipe: Pipe) throws -> String {
    var bytes: [UInt8] = []
    while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    throw Ended()
  }

  private struct Ended: Error {}

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../BusTests/Mocks")

  /// The Python that has dbusmock; `Scripts/bootstrap.sh test` makes it.
  private static var python: URL? {
    let venv = folder.appending(path: "../../../.build/venv/bin/python")
    return FileManager.default.isExecutableFile(atPath: venv.path) ? venv : nil
  }

  package static let isThere =
    python != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
}
