import Foundation
import LocationEngine
import LocationHost
import LocationModel
import TestSupport

/// One daemon with an app for each row of one world, all of them in one state.
///
/// A witness, which may always know and is in the foreground of another terminal, receives every
/// event: what has not reached an app by then, and by the app's next answer, does not reach it.
final class MatrixStage {
  let world: MatrixWorld
  let place: DeliveryPlace
  /// Whether the daemon starts no app that the person has ended.
  let honorsQuit: Bool
  let apps: [MatrixApp]
  let folder: TemporaryFolder
  let daemon: DaemonRun
  let lines: AppLines
  let log: KeptLines<String>
  let job: JobControl
  private let watch: JobControl
  private let mock: MockMachine?
  private var receiver: MatrixReceiver
  /// The number of lines when the apps left the foreground, and when they were where they shall be.
  private(set) var (left, mark) = (0, 0)
  /// What went wrong, by the key of the app.
  var faults: [String: String] = [:]

  static let hasRadio = MockMachine.isThere
  static let witness = "witness"
  /// A witness that receives headings only, as the compass is found when there is a receiver.
  static let needle = "needle"
  /// Shows when the time of grace of all apps is over.
  private static let clock = "clock"

  init(_ world: MatrixWorld, _ place: DeliveryPlace, honorsQuit: Bool = false) async throws {
    (self.world, self.place, self.honorsQuit) = (world, place, honorsQuit)
    apps = MatrixApp.apps(of: world, in: place)
    folder = try TemporaryFolder()
    lines = try AppLines(in: folder)
    receiver = try MatrixReceiver(isLate: world == .journey)
    mock = world != .journey && Self.hasRadio ? try MockMachine() : nil
    for command in ["bluetoothd start", "adapter"] { try mock?.perform(command) }
    try Self.grant(apps, in: folder)
    let bus = mock.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0.address] } ?? [:]
    daemon = try await DaemonRun(
      sources: ["nmea+tcp://127.0.0.1:\(receiver.server.port)"] + (mock == nil ? [] : ["bluez:"]),
      environment: bus.merging(["CORELOCATION_IN_USE": "observed"]) { $1 }, in: folder,
      configuration: [
        "launch = \(folder.file("launch"))", "honor-force-quit = \(honorsQuit ? "yes" : "no")",
      ])
    log = KeptLines(daemon.program.lines) { $0 }
    let places = PlaceIndex.path.map { ["MERIDIAN_PLACES": $0] } ?? [:]
    let environment = daemon.surroundings.merging(places) { $1 }
    job = try JobControl(environment: environment, in: folder)
    watch = try JobControl(environment: environment, in: folder)
  }

  /// Ends every process of the stage.
  func end() {
    job.end()
    watch.end()
    daemon.program.end()
    for pid in lines.pids { kill(pid, SIGKILL) }
    lines.end()
  }

  // MARK: Apps

  private static func grant(_ apps: [MatrixApp], in folder: TemporaryFolder) throws {
    var grants = apps.map { ($0.identifier, $0.grant) }
    grants += [("org.example.\(witness)", .always), ("org.example.\(clock)", .whenInUse)]
    let state = StateFolder(path: folder.file("state"))
    try state.create()
    let changes = grants.map { identifier, grant in
      var record = AuthorizationRecord(manifest: Manifest())
      record.grant = grant
      return record.change(for: AppIdentity(identifier))
    }
    try StateStore(path: state.file).commit(changes)
  }

  /// The program of an app, which is no other app's.
  func program(of key: String) -> String { folder.file("apps/\(key)") }

  /// The command of an app.
  func command(of key: String, _ services: [String], _ aids: [String]) -> [String] {
    [program(of: key), key, lines.path, services.joined(separator: ",")]
      + (aids.isEmpty ? [] : [aids.joined(separator: ",")])
  }

  func command(of app: MatrixApp) -> [String] {
    command(of: app.key, ["\(app.service)"], app.aids(in: place))
  }

  private func install(_ key: String) throws {
    let program = program(of: key)
    try FileManager.default.copyItem(atPath: folder.file("CellApp"), toPath: program)
    let list: [String: Any] = [
      "CFBundleIdentifier": "org.example.\(key)",
      "NSLocationWhenInUseUsageDescription": "To test.",
      "NSLocationAlwaysAndWhenInUseUsageDescription": "To test.",
      "UIBackgroundModes": ["location"],
    ]
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .xml, options: 0)
    try data.write(to: URL(fileURLWithPath: program + ".plist"))
  }

  private func register(_ app: MatrixApp) throws {
    let words = command(of: app).joined(separator: " ")
    let text = "app = \(app.identifier)\ncommand = \(words)\ncontinue = yes\n"
    let file = URL(fileURLWithPath: folder.file("launch") + "/\(app.key).conf")
    try Data(text.utf8).write(to: file, options: .atomic)
  }

  /// Copies the program without what only a debugger needs: there is a copy for each app.
  private func installAll() throws {
    let built = BuiltProgram.path("CellApp")
    _ = try? FinishedProgram("/usr/bin/strip", ["-o", folder.file("CellApp"), built])
    if access(folder.file("CellApp"), X_OK) != 0 {
      try FileManager.default.copyItem(atPath: built, toPath: folder.file("CellApp"))
    }
    try FileManager.default.createDirectory(
      atPath: folder.file("apps"), withIntermediateDirectories: true)
    for key in apps.map(\.key) + [Self.witness, Self.needle, Self.clock] { try install(key) }
    for app in apps { try register(app) }
  }

  // MARK: Before

  /// What the witness has, and its words when the event of this world has reached it.
  private var attested: (services: [String], signs: [String]) {
    switch world {
    case .silence:
      (
        ["standard", "monitor"] + (mock == nil ? [] : ["ranging"]),
        ["fix", "event"] + (mock == nil ? [] : ["ranged"])
      )
    case .journey: (["standard", "region", "visits"], ["entered", "visit"])
    case .beacon: (["standard", "beaconRegion"], ["entered"])
    }
  }

  /// Starts all apps in the foreground of their terminal, and waits until each has begun.
  func prepare() async throws {
    try installAll()
    try await watch.run(command(of: Self.witness, attested.services, []))
    try await watch.front()
    try await lines.wait(for: "ready", of: Self.witness)
    _ = try await receiver.server.arrivals.next()
    if world == .silence {
      receiver.point(to: 90)
      try await watch.run(command(of: Self.needle, ["heading"], []))
      try await lines.wait(for: "ready", of: Self.needle)
    }
    for (number, app) in apps.enumerated() {
      try await job.run(command(of: app))
      if number == 0 { try await job.front() }
    }
    for app in apps { try await lines.wait(for: "ready", of: app.key) }
    if world == .journey { receiver.stay(3, at: MatrixReceiver.away, seconds: 5) }
    for app in apps where app.service == .region || app.service == .beaconRegion {
      try await lines.wait(for: "outside", of: app.key, seconds: 60)
    }
    try await job.run(command(of: Self.clock, ["liveUpdates"], []))
    try await lines.wait(for: "ready", of: Self.clock)
  }

  // MARK: States

  /// Brings all apps into the state of this stage.
  func reach() async throws {
    left = lines.count
    if place != .foreground && place.hasProcess {
      try await job.behind()
      try await all("is in the background (terminal)")
      try await lines.wait(for: "insufficientlyInUse", of: Self.clock, after: left)
    }
    mark = lines.count
    for app in apps where app.service.acts {
      send(SIGUSR2, to: app)
      try await lines.wait(for: "acted", of: app.key, after: mark)
    }
    switch place {
    case .foreground, .backgroundInUse, .background: break
    case .suspended:
      for app in apps { send(SIGSTOP, to: app) }
      try await all("is suspended (stopped)")
    case .dead:
      for app in apps { send(SIGKILL, to: app) }
      try await all("disconnected")
    case .quit:
      for app in apps { send(SIGTERM, to: app) }
      for app in apps { try await lines.wait(for: "quits", of: app.key) }
      try await all("disconnected")
    }
  }

  /// Waits until the daemon has written this about every app.
  private func all(_ words: String) async throws {
    // The daemon looks at processes with a terminal whenever anything else happens.
    if let witness = lines.process(of: Self.witness) { kill(witness, SIGUSR1) }
    for app in apps {
      try await log.first("\"\(words)\" about \(app.key)") {
        $0.contains("\(app.identifier) \(words)")
      }
    }
  }

  func send(_ signal: Int32, to app: MatrixApp) {
    if let pid = lines.process(of: app.key) { kill(pid, signal) }
  }

  // MARK: Events

  /// Has everything happen that the services of this world report, and waits for the witness.
  func happen() async throws {
    let start = lines.count
    switch world {
    case .silence:
      for app in apps where app.service == .diagnostics {
        try authorize(app, "never")
        guard place == .suspended else { continue }
        for level in ["whenInUse", "never"] { try authorize(app, level) }
      }
      receiver.point(to: 120)
      receiver.stay(3, at: 0)
      try appear()
    case .journey:
      receiver.travel(from: MatrixReceiver.away, to: 0)
      receiver.stay(200, at: 0, seconds: 5)
    case .beacon: try appear()
    }
    for sign in attested.signs { try await lines.wait(for: sign, of: Self.witness, after: start) }
    guard world == .silence else { return }
    try await lines.wait(for: "heading 12", of: Self.needle, after: start)
  }

  /// Has it happen again, for apps that were only not in use.
  func happenAgain() {
    switch world {
    case .silence:
      receiver.point(to: 125)
      receiver.stay(3, at: 0)
    case .journey:
      receiver.travel(from: 0, to: MatrixReceiver.away)
      receiver.stay(200, at: MatrixReceiver.away, seconds: 5)
    case .beacon: break
    }
  }

  /// Has the receiver go on, as one does, where it is.
  func goOn() {
    if world == .silence { receiver.stay(3, at: 0) }
  }

  private func appear() throws {
    let address = "C0:00:00:00:00:01"
    try mock?.perform("beacon \(address) 0215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
    // Ranging has the adapter discover; a region has it report the beacon by itself.
    guard world == .beacon, let answer = try mock?.perform("found \(address)") else { return }
    guard answer.hasPrefix("found") else { throw Missing(description: answer) }
  }

  /// Decides about an app as its owner.
  func authorize(_ app: MatrixApp, _ level: String) throws {
    let done = try daemon.control("authorize", app.identifier, level)
    guard done.status == 0 else { throw Missing(description: "no answer: \(done.text)") }
  }
}
