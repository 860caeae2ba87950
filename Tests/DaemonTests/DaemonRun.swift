import Foundation
import TestSupport

/// A daemon of its own, with its socket and its state in a folder of one test.
final class DaemonRun: Sendable {
  let folder: TemporaryFolder
  let program: RunningProgram

  var socket: String { folder.file("socket") }
  var state: String { folder.file("state") }

  /// The arguments of `setpriv` that make a program run as a user, with no group of ours.
  static func identity(_ user: String) -> [String] {
    ["--reuid", user, "--regid", "nogroup", "--clear-groups"]
  }

  /// Starts a daemon and waits until it says that it is ready; as another user where one is named, and
  /// under another program where there is a wrapper.
  ///
  /// Without a `--config` among the arguments this process is registered as an agent and to administer;
  /// `configuration` are the lines of the file instead.
  init(
    sources: [String] = ["fixed:48.5,11.5,5"], arguments: [String] = [],
    environment: [String: String] = [:], in folder: TemporaryFolder? = nil,
    configuration: [String]? = nil, as user: String? = nil, wrapper: [String] = []
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    var arguments = arguments
    if !arguments.contains("--config") {
      let file = folder.file("locationd.conf")
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let lines = configuration ?? ["agent-program = \(own)", "owner-program = \(own)"]
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
      arguments += ["--config", file]
    }
    let notices = try NoticeSocket(at: folder.file("notify-\(UUID())"))
    chmod(notices.path, 0o666)
    let become = user.map { ["/usr/bin/setpriv"] + Self.identity($0) } ?? []
    let command = wrapper + become + [BuiltProgram.path("locationd")]
    program = try RunningProgram(
      command[0],
      command.dropFirst() + ["--socket", folder.file("socket"), "--state", folder.file("state")]
        + arguments + sources.flatMap { ["--source", $0] },
      environment: ["NOTIFY_SOCKET": notices.path, "CORELOCATION_SOURCES": ""]
        .merging(environment) { $1 })
    do {
      _ = try await notices.events.next(seconds: 30, where: { $0.contains("READY=1") })
    } catch {
      program.end()
      let said = try? await program.lines.next(seconds: 1)
      throw NotReady(said: said ?? "nothing")
    }
    withExtendedLifetime(notices) {}
  }

  /// As when it crashes.
  func kill() { program.end(with: SIGKILL) }

  /// Answers for the person, in another process, as `locationctl authorize` does; as another user where
  /// the state is theirs.
  func answer(_ grant: String, for app: String, as user: String? = nil) async throws {
    let become = user.map { ["/usr/bin/setpriv"] + Self.identity($0) } ?? []
    let command = become + [BuiltProgram.path("HostProgram"), "grant", grant, app, state]
    let program = try RunningProgram(command[0], Array(command.dropFirst()))
    defer { program.end() }
    _ = try await program.lines.next { $0 == "granted" }
  }

  /// What an app's environment says, so that it finds this daemon and nothing else.
  var surroundings: [String: String] {
    [
      "LOCATIOND_SOCKET": socket, "CORELOCATION_SOURCES": "",
      "CORELOCATION_SECRET_SERVICE": "no", "XDG_STATE_HOME": folder.file("none"),
    ]
  }

  /// Installs a program of the tests in a folder of its own, and returns its path.
  func install(_ name: String, as identifier: String?, in place: String) throws -> String {
    let home = folder.file(place)
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let path = "\(home)/\(name)"
    try FileManager.default.copyItem(atPath: BuiltProgram.path(name), toPath: path)
    if let identifier {
      let list = [
        "CFBundleIdentifier": identifier, "NSLocationWhenInUseUsageDescription": "To test.",
        "NSLocationAlwaysAndWhenInUseUsageDescription": "To test.",
      ]
      let data = try PropertyListSerialization.data(
        fromPropertyList: list, format: .xml, options: 0)
      try data.write(to: URL(fileURLWithPath: path + ".plist"))
    }
    return path
  }

  func run(_ path: String, _ arguments: String...) throws -> RunningProgram {
    try RunningProgram(path, arguments, environment: surroundings)
  }

  /// Runs a program as another user, which only root can.
  func run(
    as user: uid_t, _ path: String, _ arguments: String..., environment: [String: String] = [:]
  ) throws -> RunningProgram {
    try RunningProgram(
      "/usr/bin/setpriv",
      ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--", path] + arguments,
      environment: surroundings.merging(environment) { $1 })
  }

  /// Writes a property list with any characters beside an installed program, as a file of Python's.
  func declare(_ values: [String: String], beside path: String) async throws {
    let script = """
      import json, plistlib, sys
      with open(sys.argv[1], "wb") as file:
        plistlib.dump(json.loads(sys.argv[2]), file, fmt=plistlib.FMT_BINARY)
      print("written", flush=True)
      """
    let list = [
      "NSLocationWhenInUseUsageDescription": "To test.",
      "NSLocationAlwaysAndWhenInUseUsageDescription": "To test.",
    ].merging(values) { $1 }
    let json = String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
    let writer = try RunningProgram(
      "/usr/bin/env", ["python3", "-c", script, path + ".plist", json])
    _ = try await writer.lines.next { $0 == "written" }
  }
}

/// A daemon did not say that it is ready; what it said instead.
struct NotReady: Error {
  var said: String
}
