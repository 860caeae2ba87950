import Foundation
import LocationHost
import LocationProviders
import TestSupport
import Testing

/// The windows of GNOME, shown by its shell or by the backend of its portal, both mocks.
@Suite(
  "Windows on the bus of a session", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(2)))
struct WindowTests {
  /// What follows the windows of a desktop of GNOME without a compositor that can be asked.
  private final class Session {
    let machine: MockMachine
    private let folder: TemporaryFolder
    private let watch: WindowWatch
    private let reports = Events<String>()

    init(_ machine: MockMachine) throws {
      self.machine = machine
      folder = try TemporaryFolder()
      let entries = folder.file("applications")
      try FileManager.default.createDirectory(
        atPath: entries, withIntermediateDirectories: true)
      for (name, program) in [("car", "/bin/cat"), ("lost", "/none")] {
        try Data("[Desktop Entry]\nExec=\(program)\n".utf8)
          .write(to: URL(fileURLWithPath: "\(entries)/\(name).desktop"))
      }
      let surroundings = [
        "DBUS_SESSION_BUS_ADDRESS": machine.address, "XDG_CURRENT_DESKTOP": "GNOME",
        "WAYLAND_DISPLAY": folder.file("none"), "XDG_DATA_HOME": folder.path,
        "XDG_DATA_DIRS": "/nonexistent",
      ]
      watch = try #require(WindowWatch(surroundings))
      watch.begin { [reports] in reports.add(Self.text($0)) }
    }

    deinit { watch.end() }

    private static func text(_ report: WindowReport) -> String {
      guard case .windows(let source, let windows) = report else {
        if case .obstacle(let text) = report { return text }
        return ""
      }
      guard let windows else { return "\(source) nothing" }
      func list(_ owners: Set<WindowOwner>) -> String {
        owners.map { "\($0)" }.sorted().joined(separator: " ")
      }
      return "\(source) of \(list(windows.owners)) active \(list(windows.active))"
    }

    func reports(_ text: String) async throws {
      _ = try await reports.next { $0.contains(text) }
    }
  }

  private static let cat = #"program("\#(realpath("/bin/cat"))")"#

  private static func realpath(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  @Test("MODEL-2: come from the shell, for programs that a desktop entry names")
  func shell() async throws {
    let machine = try MockMachine()
    try machine.perform("shell start")
    let session = try Session(machine)
    try await session.reports("bus of  active ")
    try machine.perform("windows +car lost unknown")
    try await session.reports("bus of \(Self.cat) active \(Self.cat)")
    let clock = ContinuousClock()
    let start = clock.now
    try machine.perform("windows car +unknown")
    try await session.reports("bus of \(Self.cat) active ")
    #expect(start.duration(to: clock.now) < .seconds(1))
    try machine.perform("shell stop")
    try await session.reports("bus nothing")
    try machine.perform("shell start")
    try machine.perform("windows +car")
    try await session.reports("bus of \(Self.cat) active \(Self.cat)")
  }

  @Test(
    "MODEL-2: come from the portal's backend where the shell refuses, and end with the bus")
  func portal() async throws {
    let machine = try MockMachine()
    try machine.perform("shell start")
    try machine.perform("shell deny")
    try machine.perform("portal start")
    let session = try Session(machine)
    try await session.reports("bus of  active ")
    try machine.perform("apps car=2 unknown=1")
    try await session.reports("bus of \(Self.cat) active \(Self.cat)")
    try machine.perform("apps car=1 unknown=2")
    try await session.reports("bus of \(Self.cat) active ")
    try machine.perform("bus stop")
    try await session.reports("the bus of the session has gone")
    try await session.reports("bus nothing")
  }

  @Test("MODEL-2: are stated as not shown where neither the shell nor a portal answers")
  func neither() async throws {
    let session = try Session(MockMachine())
    try await session.reports("no service of this desktop shows which app is active")
  }
}
