import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let unit = Option(
    name: "unit", value: .text("UNIT"),
    summary: "With register: start this unit of systemd in place of PROGRAM")

  private static let continues = Option(
    name: "continue",
    summary: "With register: continue the app for an event while a signal has stopped it")

  static let apps = Verb(
    name: "apps", summary: "List the apps, and what each may know; register what starts them",
    details: [
      "Of the location daemon where one runs, else of your own apps.",
      """
      With register, the daemon starts PROGRAM with these arguments, or the unit, whenever an event \
      is pending for that app and it does not run; with unregister it no longer does. Both write to \
      the daemon's folder of registrations, which locationctl status shows: for a daemon of the \
      system as root. Arguments that begin with a dash come after --.
      """,
      """
      With adopt, a new version of an app at another path keeps the identifier that it declares, and \
      what the person has decided: only the owner of the daemon may do this. It is not needed for a \
      program of the same Debian package, nor for one that the same publisher has signed with its \
      identifier: minisign -S -m boat -t identifier:com.example.Boat, the public key in boat.pub.
      """,
      """
      IN USE is the state of an app that runs, and what shows it: a report of its framework, its \
      windows, its terminal, a service of systemd, or that it is stopped or frozen; assumed where \
      nothing does, or in-use = assumed is configured. WITHHELD and SETTINGS are what the \
      configuration of locationd sets, see locationd(8); an app is not started for an event before \
      its user has unlocked a session.
      """,
    ],
    operands: [
      Operand(
        name: "ACTION", summary: "What to do; else lists the apps",
        choices: ["register", "unregister", "adopt"], isOptional: true),
      Operand(
        name: "PROGRAM", summary: "The path of the app's program, or, to unregister, its name",
        isOptional: true),
      Operand(
        name: "ARGUMENT", summary: "What PROGRAM is started with", isOptional: true,
        repeats: true),
    ],
    options: [unit, continues, .json],
    examples: [
      "locationctl apps", "locationctl apps register /opt/boat/boat -- --background",
      "sudo locationctl apps register /opt/boat/boat --unit boat.service",
      "locationctl apps unregister com.example.Boat", "locationctl apps adopt /opt/boat-2/boat",
    ],
    run: { invocation in
      switch invocation.operand(0) {
      case "register": return try register(invocation)
      case "unregister": return try unregister(invocation)
      case "adopt": return try adopt(invocation)
      default: break
      }
      guard !invocation.has(unit), !invocation.has(continues) else {
        throw invocation.usage("--unit and --continue need register")
      }
      let apps: [AppStatus]
      if let daemon = try RunningDaemon.find() {
        apps = try daemon.ask(.apps, "apps")
      } else {
        apps = try SavedState().appStatuses
      }
      guard !invocation.has(.json) else {
        for app in apps { Output.standard.line(app.line) }
        return
      }
      var table = TextTable(
        [
          "APP", "MAY KNOW", "PRECISE", "BEACON", "PROCESSES", "CONDITIONS", "PROGRAM",
          "STARTED BY", "WITHHELD", "IN USE", "SETTINGS",
        ],
        numbers: [4, 5])
      for app in apps {
        table.add([
          app.app, app.level, app.isPrecise ? "yes" : "no", app.beacon, "\(app.processes)",
          "\(app.conditions)", app.program ?? "",
          app.starter ?? "", app.limits.map(\.inWords).joined(separator: ", "),
          app.use, app.settings.map(\.settingInWords).joined(separator: ", "),
        ])
      }
      Output.standard.table(table, whenEmpty: "No app has asked or been authorized yet.")
    })

  private static func register(_ invocation: Invocation) throws(Failure) {
    guard let word = invocation.operand(1) else { throw invocation.usage("PROGRAM is missing") }
    let app = try InstalledApp(word.contains("/") ? word : "./" + word)
    let arguments = Array(invocation.operands.dropFirst(2))
    let unit = invocation.text(unit)
    guard unit == nil || arguments.isEmpty else {
      throw invocation.usage("a unit takes no ARGUMENT: they belong in its ExecStart=")
    }
    let registration = try StoredRegistration(
      app, arguments, unit: unit, continues: invocation.has(continues))
    show(registration, isThere: true, replaced: try registration.write(), invocation)
  }

  private static func unregister(_ invocation: Invocation) throws(Failure) {
    guard let word = invocation.operand(1) else { throw invocation.usage("PROGRAM is missing") }
    guard invocation.operands.count == 2 else {
      throw invocation.usage("unregister takes one PROGRAM")
    }
    let registration = StoredRegistration(of: try InstalledApp(word).identity)
    try registration.remove()
    show(registration, isThere: false, replaced: true, invocation)
  }

  private static func adopt(_ invocation: Invocation) throws(Failure) {
    guard let word = invocation.operand(1) else { throw invocation.usage("PROGRAM is missing") }
    guard invocation.operands.count == 2 else { throw invocation.usage("adopt takes one PROGRAM") }
    let app = try InstalledApp(word.contains("/") ? word : "./" + word)
    guard let path = app.path, app.identity.path == nil else {
      throw .refused(
        "\(app.path ?? word) declares no identifier that it could keep",
        next: "set CFBundleIdentifier in \(app.manifestFile)")
    }
    let before: String = try RunningDaemon.needed()
      .ask(.adopt(app: app.identity.name, program: path), "before")
    guard invocation.has(.json) else {
      return Output.standard.line(
        "\(app.identity.name.escapedForDisplay()) is now \(path.escapedForDisplay()) (was: "
          + "\(before.escapedForDisplay()))")
    }
    var line = JSONLine(type: "adoption")
    line.add("app", app.identity.name)
    line.add("program", path)
    line.add("before", before)
    Output.standard.line(line.text)
  }

  private static func show(
    _ registration: StoredRegistration, isThere: Bool, replaced: Bool, _ invocation: Invocation
  ) {
    let app = registration.app.name.escapedForDisplay()
    guard invocation.has(.json) else {
      return Output.standard.line(
        isThere
          ? "\(app) is started by \(registration.starter) (\(registration.file)"
            + "\(replaced ? ", replaced" : ""))"
          : "\(app) is no longer started (\(registration.file) is removed)")
    }
    var line = JSONLine(type: "registration")
    line.add("app", registration.app.name)
    line.add("registered", flag: isThere)
    line.add("starter", isThere ? registration.starter : nil)
    line.add("file", registration.file)
    Output.standard.line(line.text)
  }
}

extension String {
  /// What the configuration withholds, for a person.
  fileprivate var inWords: String {
    [
      "restricted": "location", "noBackgroundRefresh": "background refresh",
      "forceQuit": "start after force-quit", "locked": "start before first unlock",
    ][self] ?? self
  }

  /// What the configuration changes for services, for a person.
  fileprivate var settingInWords: String {
    let words = split(separator: " ")
    switch (words.first, words.last.flatMap { Int($0) }) {
    case ("pauseNeedsRestart", _): return "paused until restarted"
    case ("heartbeat", let seconds?): return "a change every \(seconds / 60) min at rest"
    case ("remindAfter", let days?): return "reminder after \(days == 1 ? "1 day" : "\(days) days")"
    default: return self
    }
  }
}

extension AppStatus {
  /// Its lifecycle state, and what that rests on.
  var use: String {
    guard let life else { return "" }
    let shown = shownUse(life)
    return life == "suspended" && asleep != nil ? "\(shown), cannot be woken" : shown
  }

  private func shownUse(_ life: String) -> String {
    switch ground {
    case "assumed": "assumed"
    case "nothing": life == "foreground" ? "assumed (nothing shows it)" : life
    case "window": life + (life == "foreground" ? " (window active)" : " (window not active)")
    default: life + (ground.map { " (\($0))" } ?? "")
    }
  }

  var line: String {
    var line = JSONLine(type: "app")
    line.add("app", app)
    line.add("level", level)
    line.add("precise", flag: isPrecise)
    line.add("beacon", beacon)
    line.add("processes", processes)
    line.add("conditions", conditions)
    line.add("program", program)
    line.add("starter", starter)
    line.add("life", life)
    line.add("ground", ground)
    if !settings.isEmpty { line.add("settings", settings.joined(separator: ", ")) }
    line.add("asleep", asleep)
    if !limits.isEmpty { line.add("withheld", limits.joined(separator: " ")) }
    return line.text
  }
}

extension SavedState {
  /// The apps that have stored data; whether they run is not known here.
  fileprivate var appStatuses: [AppStatus] {
    let owners = Set(entries.map(\.key.owner).filter { !$0.isEmpty })
    return owners.sorted().map { name in
      let app = AppIdentity(name)
      let record = record(of: app)
      var status = AppStatus(
        app: name, level: AuthorizationLevel(record?.grant).rawValue,
        isPrecise: record?.isPrecise ?? true)
      status.beacon = beacon(of: app).word
      status.conditions = entries.count { $0.key.owner == name && $0.key.domain == "condition" }
      status.program = name.hasPrefix("/") ? name : nil
      return status
    }
  }
}
