import Foundation
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite(
  "Sessions of persons, by logind and the screen saver", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(2)))
struct LoginSessionTests {
  private static let address = "C0:00:00:00:00:01"

  @Test(
    "BEACON-24: in process, a region receives its state when the display turns on",
    arguments: ["logind", "screensaver"])
  func display(_ service: String) async throws {
    let machine = try MockMachine()
    try machine.perform("bluetoothd start")
    try machine.perform("adapter")
    try machine.perform("beacon \(Self.address) 0215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
    try machine.perform("\(service) start")
    if service == "logind" { try machine.perform("session \(getuid())") }
    let sessions = LoginWatches(
      login: LoginWatch(LoginSessions(), bus: machine.address),
      screen: LoginWatch(ScreenSaver(), bus: machine.address))
    let app = HostOnBus(.bluez, bus: machine.address, .always, sessions: sessions)
    let region = RegionDescription(
      identifier: "shop", target: .beacon(Self.constraint), notices: RegionNotices(onDisplay: true))
    app.host.send(.region(HostOnBus.manager, .start(region)), from: app.client)
    try machine.perform("await monitor")
    try machine.perform("found \(Self.address)")
    _ = await app.first { delivery -> Bool? in
      guard case .region(_, _, .determined(.satisfied)) = delivery else { return nil }
      return true
    }
    for isDark in [true, false] {
      let sign = service == "logind" ? "session IdleHint" : "screensaver"
      let words = service == "logind" ? ["no", "yes"] : ["off", "on"]
      #expect(try machine.perform("\(sign) \(words[isDark ? 1 : 0])") == "ok")
    }
    let again = await app.first { delivery -> String? in
      guard case .pending(_, .region(let region, .determined(.satisfied))) = delivery else {
        return nil
      }
      return region.identifier
    }
    #expect(again == "shop")
  }

  @Test(
    "LIFE-7: a daemon starts an app of a person once they have unlocked a session, and not before",
    .enabled(
      if: getuid() == 0 && DaemonOfPerson.isThere,
      "needs root, and a user from 1000 to 59999, whom a bus lets in"))
  func unlock() async throws {
    let machine = try MockMachine()
    try machine.perform("logind start")
    var daemon = try DaemonOfPerson(bus: machine.address)
    try await daemon.start(at: "48.5,11.5")
    let app = try daemon.run(daemon.app, "region")
    _ = try await app.lines.next { $0 == "home is inside" }
    app.end()
    #expect(try await daemon.control("apps").contains("start before first unlock"))
    #expect(
      try await daemon.control("doctor", "--app", daemon.app).contains("has unlocked a session"))
    _ = try await daemon.control("monitor", "add", "far", "48.5,11.5,200")
    _ = try await daemon.control("monitor", "events", "--count", "1", "--timeout", "60")
    try daemon.place("49.5,11.5")
    daemon.reload()
    _ = try await daemon.line { $0.contains("starting over") }
    let events = try await daemon.control("monitor", "events", "--count", "1", "--timeout", "60")
    #expect(events.contains("unsatisfied"))
    // Their app, which has left its region too, is not started: what comes next in the log is this.
    _ = try await daemon.control("monitor", "add", "near", "49.5,11.5,200")
    let first = try await daemon.line {
      $0.contains("started for an event") || $0.contains("needed: satellite")
    }
    #expect(first.contains("needed: satellite"), "nothing was started before")
    // Once they have a session, the event starts it.
    try machine.perform("session \(DaemonOfPerson.person)")
    _ = try await daemon.line { $0.contains("started for an event that waits for it") }
    _ = try await daemon.line { $0 == "started location" }
    #expect(try await !daemon.control("apps").contains("start before first unlock"))
    daemon.end()
  }

  @Test("LIFE-7: without logind nobody waits; one that starts later, and another bus, are followed")
  func bus() async throws {
    let machine = try MockMachine()
    // The next bus at this address has another identifier.
    let address = String(machine.address.prefix { $0 != "," })
    let watch = LoginWatch(LoginSessions(), bus: address)
    let (reports, listener) = AsyncStream.makeStream(of: SessionOutput.self)
    var report = reports.makeAsyncIterator()
    watch.begin { listener.yield($0) }
    #expect(await report.next() == .unlocked(nil))
    try machine.perform("logind start")
    #expect(await report.next() == .unlocked([]))
    try machine.perform("session 1000")
    #expect(await report.next() == .unlocked([1000]))
    try machine.perform("bus restart")
    try machine.perform("logind start")
    #expect(await report.next() == .unlocked([1000]), "what was known stays")
    try machine.perform("session 1001")
    #expect(await report.next() == .unlocked([1000, 1001]))
    watch.end()
  }

  @Test("LIFE-7: without a bus nobody waits")
  func noBus() async {
    let watch = LoginWatch(LoginSessions(), bus: "unix:path=/nonexistent/bus")
    let report = await withCheckedContinuation { done in watch.begin { done.resume(returning: $0) }
    }
    #expect(report == .unlocked(nil))
  }

  private static let constraint = BeaconConstraint(
    uuid: BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0))
}

/// A daemon that runs as a person, and an app of theirs that it starts for events.
private struct DaemonOfPerson {
  /// The first person of this system; a bus closes the connection of a user whom it does not know.
  static let person: uid_t = {
    setpwent()
    defer { endpwent() }
    while let entry = getpwent() {
      if (1000..<60_000).contains(entry.pointee.pw_uid) { return entry.pointee.pw_uid }
    }
    return 0
  }()
  static var isThere: Bool { person != 0 }
  let app: String
  private let folder: TemporaryFolder
  private let bus: String
  private var program: RunningProgram?

  private static let name = "org.example.session"
  private static let become = [
    "/usr/bin/setpriv", "--reuid", "\(person)", "--regid", "nogroup", "--clear-groups", "--",
  ]

  init(bus: String) throws {
    folder = try TemporaryFolder()
    self.bus = bus
    app = folder.file("LaunchedApp")
    let list = """
      <plist><dict><key>CFBundleIdentifier</key><string>\(Self.name)</string>
      <key>NSLocationWhenInUseUsageDescription</key><string>To test.</string>
      <key>NSLocationAlwaysAndWhenInUseUsageDescription</key><string>To test.</string></dict></plist>
      """
    try FileManager.default.copyItem(atPath: BuiltProgram.path("LaunchedApp"), toPath: app)
    try Data(list.utf8).write(to: URL(fileURLWithPath: app + ".plist"))
    for name in ["launch", "state"] { mkdir(folder.file(name), 0o700) }
    let registration = folder.file("launch") + "/app.conf"
    try Data("app = \(Self.name)\ncommand = \(app) region\n".utf8)
      .write(to: URL(fileURLWithPath: registration))
    try place("48.5,11.5")
    for path in [
      folder.path, app, app + ".plist", folder.file("launch"), registration, folder.file("state"),
    ] {
      chown(path, Self.person, Self.person)
    }
  }

  /// Where the daemon is from its next start on.
  func place(_ words: String) throws {
    let file = folder.file("locationd.conf")
    let lines =
      "source = fixed:\(words),5\nlaunch = \(folder.file("launch"))\nagent = none\n"
      + "before-first-unlock = wait\n"
    try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
    chown(file, Self.person, Self.person)
  }

  mutating func start(at place: String) async throws {
    try self.place(place)
    let grant = try run(
      BuiltProgram.path("HostProgram"), "grant", "always", Self.name, folder.file("state"))
    _ = try await grant.lines.next { $0 == "granted" }
    program = try run(
      BuiltProgram.path("locationd"), "--socket", folder.file("socket"), "--state",
      folder.file("state"), "--config", folder.file("locationd.conf"))
    _ = try await line { $0.contains("serving; ") }
  }

  func run(_ path: String, _ arguments: String...) throws -> RunningProgram {
    let words = Self.become.dropFirst() + [path] + arguments
    return try RunningProgram(
      Self.become[0], Array(words),
      environment: [
        "DBUS_SYSTEM_BUS_ADDRESS": bus, "CORELOCATION_SOURCES": "", "XDG_RUNTIME_DIR": "",
        "LOCATIOND_SOCKET": folder.file("socket"), "XDG_STATE_HOME": folder.file("none"),
      ])
  }

  /// What `locationctl` says to the owner.
  func control(_ words: String...) async throws -> String {
    try FinishedProgram(
      Self.become[0], Self.become.dropFirst() + [BuiltProgram.path("locationctl")] + words,
      ["LOCATIOND_SOCKET": folder.file("socket")]
    ).text
  }

  func line(_ matches: @escaping @Sendable (String) -> Bool) async throws -> String {
    guard let program else { throw NotStarted() }
    return try await program.lines.next(where: matches)
  }

  private struct NotStarted: Error {}

  func reload() { program?.signal(SIGHUP) }
  func end() { program?.end() }
}
