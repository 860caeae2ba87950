import Foundation
import HostTesting

/// A program of the tests in a folder of its own, with a property list beside it and state of its
/// own.
struct InstalledApp {
  static let identifier = "net.meridian.app"
  private let folder: TemporaryFolder
  private let name: String
  private let sources: String

  /// Installs a program, authorized unless nobody has answered.
  init(_ name: String, sources: String = "fixed:48.5,11.5,5", authorized: Bool = true) async throws
  {
    self.name = name
    self.sources = sources
    folder = try TemporaryFolder()
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

  func run(_ arguments: String...) throws -> RunningProgram {
    try RunningProgram(
      folder.file(name), arguments,
      environment: ["CORELOCATION_SOURCES": sources, "XDG_STATE_HOME": folder.file("state")],
      keeping: folder)
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
