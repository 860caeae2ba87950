import Foundation
import TestSupport

/// A program of the tests in a folder of its own, with a property list beside it and state of its
/// own: in its own process, or in that of a daemon that serves it alone.
struct InstalledApp {
  static let identifier = "net.meridian.app"
  private let folder: TemporaryFolder
  private let name: String
  private let sources: String
  private let transport: Transport
  private let daemon: RunningProgram?

  /// Installs a program, authorized unless nobody has answered.
  init(
    _ name: String, over transport: Transport, sources: String = "fixed:48.5,11.5,5",
    authorized: Bool = true
  ) async throws {
    self.name = name
    self.sources = sources
    self.transport = transport
    folder = try TemporaryFolder()
    daemon = try Self.startDaemon(transport, sources, in: folder)
    if let daemon { _ = try await daemon.lines.next { $0.contains("serving") } }
    try FileManager.default.copyItem(
      atPath: BuiltProgram.path(name), toPath: folder.file(name))
    let list: [String: Any] = [
      "CFBundleIdentifier": Self.identifier,
      "NSLocationWhenInUseUsageDescription": "To test.",
    ]
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .xml, options: 0)
    try data.write(to: URL(fileURLWithPath: folder.file(name + ".plist")))
    if authorized { try await answer("whenInUse") }
  }

  func run(_ arguments: String...) throws -> RunningProgram { try run(arguments) }

  private func run(_ arguments: [String]) throws -> RunningProgram {
    let surroundings =
      switch transport {
      case .inProcess:
        [
          "LOCATIOND_SOCKET": "", "CORELOCATION_SOURCES": sources,
          "XDG_STATE_HOME": folder.file("state"),
        ]
      case .daemon:
        [
          "LOCATIOND_SOCKET": folder.file("socket"), "CORELOCATION_SOURCES": "",
          "XDG_STATE_HOME": folder.file("none"),
        ]
      }
    return try RunningProgram(
      folder.file(name), arguments, environment: surroundings, keeping: (folder, daemon))
  }

  /// Runs the program until it ends: again, at most ten times, while it says that what it began is
  /// lost, as no daemon has answered in time on a busy machine.
  func runToItsEnd(_ arguments: String...) async throws {
    for _ in 0..<10 {
      let program = try run(arguments)
      defer { program.end() }
      var isLost = false
      // Its output ends with it.
      while let line = try? await program.lines.next({ $0 }) {
        if line.contains("is lost if the process ends") { isLost = true }
      }
      guard isLost else { return }
    }
  }

  private static func startDaemon(
    _ transport: Transport, _ sources: String, in folder: TemporaryFolder
  ) throws -> RunningProgram? {
    guard transport == .daemon else { return nil }
    return try RunningProgram(
      BuiltProgram.path("locationd"),
      [
        "--socket", folder.file("socket"), "--state", folder.file("state") + "/meridian",
        "--source", sources,
      ], environment: ["CORELOCATION_SOURCES": ""])
  }

  /// The kinds of data that are stored, once the daemon has noticed that the app has ended.
  func storedDomains() async throws -> [String] {
    if let daemon {
      _ = try await daemon.lines.next { $0.contains("disconnected") }
      // Another program is served when that step is over.
      let other = try RunningProgram(
        BuiltProgram.path("locationctl"), ["status"],
        environment: ["LOCATIOND_SOCKET": folder.file("socket")])
      defer { other.end() }
      while (try? await other.lines.next { _ in true }) != nil {}
    }
    let program = try RunningProgram(
      BuiltProgram.path("HostProgram"), ["domains", folder.file("state") + "/meridian"])
    defer { program.end() }
    let line = try await program.lines.next { $0.hasPrefix("domains") }
    return line.split(separator: " ").map(String.init)
  }

  /// Answers for the person, in another process.
  func answer(_ grant: String) async throws {
    let program = try RunningProgram(
      BuiltProgram.path("HostProgram"),
      ["grant", grant, Self.identifier, folder.file("state") + "/meridian"])
    defer { program.end() }
    _ = try await program.lines.next { $0 == "granted" }
  }
}
