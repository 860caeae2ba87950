import Foundation
import TestSupport

/// A `locationd` that serves GeoClue's interface on the bus of a test.
final class GeoClueDaemon {
  let program: RunningProgram
  let bus: String
  /// What it tells its supervisor.
  let notices: NoticeSocket
  private let folder: TemporaryFolder
  private let socket: String

  static let place = "fixed:48.5,11.5,5"

  /// Starts it, after what was decided for programs by their paths: `whenInUse`, `denied`.
  init(
    _ bus: String, decided: [String: String] = [:], source: String = place,
    agents: [String] = ["none"], configuration more: [String] = [],
    awaiting line: String = "serves the programs that ask"
  ) async throws {
    (folder, self.bus) = (try TemporaryFolder(), bus)
    notices = try NoticeSocket(at: folder.file("notices"))
    socket = folder.file("socket")
    for (path, level) in decided.sorted(by: { $0.key < $1.key }) {
      let person = try RunningProgram(
        BuiltProgram.path("HostProgram"), ["grant", level, path, folder.file("state")])
      _ = try await person.lines.next { $0 == "granted" }
    }
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let lines =
      ["owner-program = \(own)", "geoclue = yes"] + more + agents.map { "agent = \($0)" }
    let configuration = folder.file("locationd.conf")
    try Data((lines.joined(separator: "\n") + "\n").utf8)
      .write(to: URL(fileURLWithPath: configuration))
    program = try RunningProgram(
      BuiltProgram.path("locationd"),
      [
        "--socket", socket, "--state", folder.file("state"), "--config", configuration, "--source",
        source,
      ],
      environment: [
        "DBUS_SYSTEM_BUS_ADDRESS": bus, "CORELOCATION_SOURCES": "",
        "CORELOCATION_INDICATOR": "no", "NOTIFY_SOCKET": notices.path,
      ], keeping: folder)
    _ = try await program.lines.next { $0.contains(line) }
  }

  /// What the owner's tool prints first with these words in it.
  func owner(_ words: String..., expecting text: String) async throws -> String {
    let tool = try RunningProgram(
      BuiltProgram.path("locationctl"), words, environment: ["LOCATIOND_SOCKET": socket])
    defer { tool.end() }
    return try await tool.lines.next { $0.contains(text) }
  }

  /// A program of Debian's on this bus.
  func start(_ path: String, _ arguments: String...) throws -> RunningProgram {
    try RunningProgram(
      path, arguments,
      environment: [
        "DBUS_SYSTEM_BUS_ADDRESS": bus, "LC_ALL": "C.UTF-8", "HOME": folder.path,
        "XDG_CONFIG_HOME": folder.path,
      ])
  }
}

/// Python, with libraries of Debian's that programs of the tests need.
struct SystemPython {
  /// The program, links resolved: what the daemon knows it by.
  static let path = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath().path

  /// Whether it can run a line.
  static func can(_ line: String) -> Bool {
    (try? FinishedProgram(path, ["-c", line]))?.status == 0
  }
}

/// A program that asks GeoClue what the test says; see `geoclue.py`.
final class GeoClueCaller {
  private let process = Process()
  private let commands = Pipe()
  private let answers = Pipe()
  /// What must last as long as it, such as the daemon.
  private let belongings: Any

  init(_ bus: String, keeping belongings: Any = ()) throws {
    self.belongings = belongings
    process.executableURL = URL(filePath: SystemPython.path)
    process.arguments = [
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Mocks/geoclue.py").path
    ]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["DBUS_SYSTEM_BUS_ADDRESS": bus]) { $1 }
    process.standardInput = commands
    process.standardOutput = answers
    try process.run()
    _ = try line()
  }

  deinit {
    try? commands.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  static let isThere = SystemPython.can("import dbus, gi")

  /// Carries out a command, and returns the answer to it.
  @discardableResult
  func perform(_ command: String) throws -> String {
    commands.fileHandleForWriting.write(Data((command + "\n").utf8))
    return try line()
  }

  private func line() throws -> String {
    var bytes: [UInt8] = []
    while let byte = try answers.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    throw Ended()
  }

  private struct Ended: Error {}
}
