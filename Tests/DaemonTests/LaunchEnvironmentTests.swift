import Foundation
import LocationDaemon
import TestSupport
import Testing

/// What of the daemon's environment reaches an app that the daemon starts.
@Suite("The environment of an app that is started", .serialized)
struct LaunchEnvironmentTests {
  private static let session = [
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
  ]

  @Test("border 15: has of the daemon's what an app needs, no secret, and nothing that loads code")
  func launched() async throws {
    let folder = try TemporaryFolder()
    let (file, launch) = (folder.file("locationd.conf"), folder.file("launch"))
    func write(_ source: String) throws {
      try "source = \(source)\nlaunch = \(launch)\n".write(
        toFile: file, atomically: true, encoding: .utf8)
    }
    try write("fixed:48.5,11.5,5")
    let secrets = [
      "LD_BIND_NOW": "1", "API_TOKEN": "secret", "CREDENTIALS_DIRECTORY": "/secret",
      "CORELOCATION_GEOCODER": "photon+https://me:secret@example.org",
      "CORELOCATION_SIGNIFICANT_CHANGE_HEARTBEAT": "15m",
    ]
    let needed = ["LC_TIME": "C", "TZ": "Europe/Berlin", "XDG_STATE_HOME": folder.file("none")]
    let daemon = try await DaemonRun(
      sources: [], arguments: ["--config", file], environment: secrets.merging(needed) { $1 },
      in: folder)
    defer { daemon.program.terminate() }
    try await daemon.answer("always", for: DaemonTests.app)
    let path = try daemon.install("LaunchedApp", as: DaemonTests.app, in: "a")
    try "app = \(DaemonTests.app)\ncommand = \(path) variables\n".write(
      toFile: launch + "/app.conf", atomically: true, encoding: .utf8)
    let app = try daemon.run(path, "region")
    _ = try await app.lines.next { $0 == "home is inside" }
    app.end()
    try write("fixed:49.5,11.5,5")
    daemon.program.signal(SIGHUP)
    var variables: [String: String] = [:]
    while true {
      let line = try await daemon.program.lines.next { $0.hasPrefix("variable") }
      guard line.hasPrefix("variable ") else { break }
      let parts = line.dropFirst("variable ".count).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      variables[String(parts[0])] = String(parts[1])
    }
    for (name, value) in needed { #expect(variables[name] == value) }
    #expect(variables["LOCATIOND_SOCKET"] == daemon.socket)
    #expect(variables["LOCATIOND_LAUNCH"] == "location")
    #expect(variables["PATH"] != nil)
    let allowed = Set(
      ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"]
        + ["LOCATIOND_SOCKET", "LOCATIOND_LAUNCH"] + Self.session)
    let others = variables.keys.filter { name in
      !allowed.contains(name) && !["LC_", "XDG_"].contains { name.hasPrefix($0) }
    }
    #expect(others.sorted() == [])
  }

  @Test("border 15: has the session's buses and displays only of a user's own daemon")
  func kept() {
    let session = Dictionary(uniqueKeysWithValues: Self.session.map { ($0, "x") })
    #expect(LaunchEnvironment.kept(of: session, isUsers: true) == session)
    #expect(LaunchEnvironment.kept(of: session, isUsers: false).isEmpty)
    let web = ["CORELOCATION_GEOCODER": "photon+https://example.org"]
    #expect(LaunchEnvironment.kept(of: web, isUsers: false) == web)
    for secret in ["photon+https://a:b@example.org", "photon+https://example.org/?key=1"] {
      #expect(LaunchEnvironment.kept(of: ["CORELOCATION_GEOCODER": secret], isUsers: true).isEmpty)
    }
  }
}
