import Foundation
import TestSupport
import Testing

/// What the owner's configuration withholds from apps, and what the journal says of their use.
@Suite("The owner's policy", .serialized)
struct PolicyTests {
  private static let app = DaemonTests.app

  @Test("AUTH-3: restricts an app, whatever was answered before, until the line is gone")
  func restricted() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await DaemonRun(
      in: folder, configuration: ["restrict = \(Self.app)", "no-background-refresh = a.b"])
    try await daemon.answer("always", for: Self.app)
    let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
    let app = try daemon.run(path, "main")
    #expect(try await app.lines.next { $0.hasPrefix("status") } == "status 1 on main")
    #expect(try await app.lines.next { $0.hasPrefix("error") } == "error 1 on main")
    let list = try daemon.control("apps").text
    #expect(list.contains("WITHHELD"))
    let json = try daemon.control("apps", "--json").text
    #expect(json.contains("\"withheld\":\"restricted\""))
    try Data().write(to: URL(fileURLWithPath: folder.file("locationd.conf")))
    daemon.program.signal(SIGHUP)
    _ = try await app.lines.next { $0 == "status 3 on main" }
    app.end()
  }

  @Test("BGA-5, STD-47: an app's use of the location in the background is in the journal")
  func indicator() async throws {
    let daemon = try await DaemonRun()
    try await daemon.answer("whenInUse", for: Self.app)
    let path = try daemon.install("LaunchedApp", as: Self.app, in: "a")
    let list = """
      <plist><dict><key>CFBundleIdentifier</key><string>\(Self.app)</string>
      <key>NSLocationWhenInUseUsageDescription</key><string>To test.</string>
      <key>UIBackgroundModes</key><array><string>location</string></array></dict></plist>
      """
    try Data(list.utf8).write(to: URL(fileURLWithPath: path + ".plist"))
    let app = try daemon.run(path, "background")
    let uses = "\(Self.app) uses the location in the background"
    _ = try await daemon.program.lines.next { $0.contains(uses) }
    let ends = "\(Self.app) no longer uses the location in the background"
    _ = try await daemon.program.lines.next { $0.contains(ends) }
    app.end()
  }
}
