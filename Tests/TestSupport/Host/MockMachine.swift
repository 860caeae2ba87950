import Foundation

/// A private bus with the daemons that a test wants on it, run by `BusTests/Mocks/mock.py` or another
/// script there.
package final class MockMachine {
  /// The address of the bus.
  package let address: String
  private let process = Process()
  private let commands = Pipe()
  private let answers = Pipe()

  package convenience init() throws {
    guard let python = Self.python else { throw Ended() }
    try self.init(command: [python.path, Self.folder.appending(path: "mock.py").path])
  }

  /// A bus with a person's keyring on it, run by `BusTests/Mocks/keyring.py`; that of another user
  /// where one is named, which only root can.
  package static func keyring(of user: [String] = []) throws -> MockMachine {
    let become = user.isEmpty ? [] : ["/usr/bin/setpriv"] + user
    return try MockMachine(
      command: become + [debianPython, folder.appending(path: "keyring.py").path])
  }

  private init(command: [String]) throws {
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
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

  /// The program of the mocks, links resolved: what a daemon knows it by.
  package static var interpreter: String? { python?.resolvingSymlinksInPath().path }

  /// The Python that has the modules of Debian's packages.
  private static let debianPython = "/usr/bin/python3"

  /// Whether there is a real keyring for ``keyring(of:)``, with what the service that answers falsely needs.
  package static let hasKeyring =
    ["/usr/bin/gnome-keyring-daemon", "/usr/bin/dbus-daemon", debianPython]
    .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/gi")
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbus")

  package static let isThere =
    python != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
}
