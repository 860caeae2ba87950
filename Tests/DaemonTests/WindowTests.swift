import Foundation
import TestSupport
import Testing

/// The desktops that the tests run.
enum DesktopKind: String, CaseIterable, Sendable {
  /// X with a window manager.
  case x11
  /// Wayland, with the control socket of sway.
  case sway
  /// Wayland alone, where windows name app identifiers.
  case wayland

  static var installed: [DesktopKind] {
    (XDesktop.isThere ? [.x11] : []) + (SwayDesktop.isThere ? [.sway, .wayland] : [])
  }

  func start(for program: String) async throws -> any Desktop {
    guard self != .x11 else { return try await XDesktop() }
    let desktop = try await SwayDesktop(namesProcesses: self == .sway)
    if self == .wayland { try desktop.install(program, as: "boat") }
    return desktop
  }
}

/// Apps with windows.
@Suite(
  "An app with a window", .serialized, .timeLimit(.minutes(3)),
  .enabled(if: XDesktop.isThere && SwayDesktop.isThere, "needs Xvfb, openbox, python3-xlib, sway"))
struct WindowTests {
  private static let app = DaemonTests.app
  private static let observed = ["CORELOCATION_IN_USE": "observed"]

  /// An app on a desktop, and the daemon that serves it, if one does.
  private struct Boat {
    let folder: TemporaryFolder
    let desktop: any Desktop
    let daemon: DaemonRun?
    let path: String
    let program: RunningProgram

    /// Starts an app with a window, which may know its location while it is in use.
    init(on kind: DesktopKind, reach: Reach) async throws {
      let folder = try TemporaryFolder()
      let path = folder.file("WindowApp")
      desktop = try await kind.start(for: path)
      let daemon = try await DaemonRun(
        environment: WindowTests.observed.merging(desktop.surroundings) { $1 }, in: folder)
      try FileManager.default.copyItem(atPath: BuiltProgram.path("WindowApp"), toPath: path)
      try await daemon.declare(["CFBundleIdentifier": WindowTests.app], beside: path)
      try await daemon.answer("whenInUse", for: WindowTests.app)
      let environment = try daemon.surroundings(reach).merging(desktop.surroundings) { $1 }
        .merging(reach == .inProcess ? WindowTests.observed : [:]) { $1 }
      self.daemon = reach == .daemon ? daemon : nil
      (self.folder, self.path) = (folder, path)
      program = try RunningProgram(
        path, [desktop.word, "boat", "locate"], environment: environment, keeping: folder)
      _ = try await program.lines.next { $0 == "shown" }
      _ = try await program.lines.next { $0 == "location" }
    }

    /// Starts another window, which becomes the active one.
    func another() async throws -> RunningProgram {
      let other = try RunningProgram(
        BuiltProgram.path("WindowApp"), [desktop.word, "other"],
        environment: desktop.surroundings)
      _ = try await other.lines.next { $0 == "shown" }
      return other
    }

    /// Waits until the daemon has the app in a state, and returns when.
    func becomes(_ state: String) async throws -> ContinuousClock.Instant {
      guard let daemon else { return .now }
      _ = try await daemon.program.lines.next {
        $0.contains("\(WindowTests.app) is \(state) (window)")
      }
      return .now
    }

    func end() {
      program.end()
      daemon?.program.end()
      desktop.end()
    }
  }

  @Test(
    "MODEL-2, LIVE-14: is in use while its window is the active one, and within a second no longer",
    arguments: DesktopKind.installed, Reach.allCases)
  func focus(_ kind: DesktopKind, _ reach: Reach) async throws {
    let boat = try await Boat(on: kind, reach: reach)
    let other = try await boat.another()
    _ = try await boat.becomes("in the background")
    _ = try await boat.program.lines.next { $0 == "not in use" }
    let gained = try await boat.desktop.activate("boat")
    let seen = try await boat.becomes("in use")
    _ = try await boat.program.lines.next { $0 == "location" }
    let located = ContinuousClock.now
    #expect(gained.duration(to: seen) < .seconds(1))
    #expect(gained.duration(to: located) < .seconds(1))
    let lost = try await boat.desktop.activate("other")
    let gone = try await boat.becomes("in the background")
    #expect(lost.duration(to: gone) < .seconds(1))
    print(
      "focus \(kind) \(reach): gained \(gained.duration(to: located)), lost \(lost.duration(to: gone))"
    )
    _ = try await boat.program.lines.next { $0 == "not in use" }
    let clock = ContinuousClock()
    // The grace period after use counts from the loss of focus (LIFE-11).
    let grace = lost.duration(to: clock.now)
    #expect(grace >= .seconds(4) && grace < .seconds(6))
    other.end()
    boat.end()
  }

  @Test("MODEL-2: shows in apps and doctor what its windows show, in plain words")
  func words() async throws {
    let boat = try await Boat(on: .x11, reach: .daemon)
    let daemon = try #require(boat.daemon)
    #expect(try daemon.control("apps").text.contains("foreground (window active)"))
    let other = try await boat.another()
    _ = try await boat.becomes("in the background")
    #expect(try daemon.control("apps").text.contains("background (window not active)"))
    let doctor = try daemon.control("doctor", "--app", boat.path).text
    #expect(doctor.contains("in the background, as none of its windows is active"))
    other.end()
    boat.end()
  }

  @Test(
    "MODEL-2: doctor names an app of which nothing shows its use, unless that is configured")
  func unknown() async throws {
    for (setting, isNamed) in [("observed", true), ("assumed", false)] {
      let daemon = try await DaemonRun(environment: ["CORELOCATION_IN_USE": setting])
      try await daemon.answer("whenInUse", for: Self.app)
      let path = try daemon.install("ClassicApp", as: Self.app, in: "a")
      // A session of its own has no terminal.
      let app = try RunningProgram(
        "/usr/bin/setsid", ["--wait", path, "main"], environment: daemon.surroundings)
      _ = try await app.lines.next { $0 == "location 48.5 on main" }
      let doctor = try daemon.control("doctor", "--app", path).text
      #expect(doctor.contains("shows whether it is in use") == isNamed, "\(doctor)")
      #expect(doctor.contains("in-use = assumed") == isNamed)
      let apps = try daemon.control("apps").text
      #expect(apps.contains("assumed (nothing shows it)") == isNamed && apps.contains("assumed"))
      app.end()
    }
  }

  @Test(
    "MODEL-2: reports its own windows to a daemon that cannot see them, and only while they are there",
    arguments: [DesktopKind.x11, .wayland])
  func ofSystem(_ kind: DesktopKind) async throws {
    let daemon = try await DaemonRun(
      environment: Self.observed.merging(["DISPLAY": "", "WAYLAND_DISPLAY": ""]) { $1 })
    let path = try daemon.install("WindowApp", as: Self.app, in: "a")
    let desktop = try await kind.start(for: path)
    try await daemon.answer("whenInUse", for: Self.app)
    let environment = daemon.surroundings.merging(desktop.surroundings) { $1 }
      .merging(Self.observed) { $1 }
    let app = try RunningProgram(
      path, [desktop.word, "boat", "locate"], environment: environment)
    _ = try await app.lines.next { $0 == "location" }
    let other = try RunningProgram(
      BuiltProgram.path("WindowApp"), [desktop.word, "other"], environment: desktop.surroundings)
    _ = try await app.lines.next { $0 == "not in use" }
    #expect(try daemon.control("apps").text.contains("background (reported)"))
    _ = try await desktop.activate("boat")
    _ = try await app.lines.next { $0 == "location" }
    #expect(try daemon.control("apps").text.contains("foreground (reported)"))
    other.end()
    desktop.end()
    _ = try await app.lines.next { $0 == "not in use" }
    app.end()
  }
}
