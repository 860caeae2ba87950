import Glibc
import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let list = Option(name: "list", summary: "Show what is stored, and change nothing")
  private static let precise = Option(
    name: "precise", value: .choice(["yes", "no"]),
    summary: "Whether the app may know the place exactly, or only roughly")

  private static let beacon = Option(
    name: "beacon", value: .choice(["yes", "no"]),
    summary: "Whether the app may make this computer a Bluetooth beacon")

  private static let resets = Option(
    name: "reset-all", summary: "Every app counts as never asked, after you have confirmed that")
  private static let isSure = Option.isSure("With --reset-all: do not ask for confirmation")

  static let authorize = Verb(
    name: "authorize", summary: "Decide what an app may know",
    details: [
      """
      The answer to the app's question, given beforehand or changed later. It is kept, and running \
      apps are notified at once. With reset the app counts as never asked. Where a location daemon \
      runs, it is the daemon's answer, and only its owner may give it; else that of your own apps. \
      To the daemon, the app of another user is APP@UID, as `locationctl apps` lists it.
      """,
      """
      No LEVEL lets an app make this computer a Bluetooth beacon: only --beacon yes does. With \
      --beacon no a beacon that is on the air falls silent.
      """,
    ],
    operands: [
      Operand(name: "APP", summary: "A bundle identifier or a path", isOptional: true),
      Operand(
        name: "LEVEL", summary: "What it may know",
        choices: AuthorizationLevel.settings.map(\.word),
        isOptional: true),
    ],
    options: [precise, beacon, list, resets, isSure, .json],
    examples: [
      "locationctl authorize com.example.Whereabouts whenInUse",
      "locationctl authorize ./whereabouts always --precise no",
      "locationctl authorize com.example.Shop --beacon yes", "locationctl authorize --list",
      "locationctl authorize --reset-all",
    ],
    run: { invocation in
      guard !invocation.has(list) else { return try showAll(invocation) }
      guard !invocation.has(resets) else { return try resetAll(invocation) }
      guard !invocation.has(isSure) else { throw invocation.usage("--yes needs --reset-all") }
      guard let word = invocation.operand(0) else { throw invocation.usage("APP is missing") }
      let level = invocation.operand(1)
      guard level != nil || invocation.has(precise) || invocation.has(beacon) else {
        throw invocation.usage("LEVEL, --precise, or --beacon is missing")
      }
      try decide(try InstalledApp(word), level, invocation)
    })

  private static func showAll(_ invocation: Invocation) throws(Failure) {
    guard invocation.operands.isEmpty else {
      throw invocation.usage("--list takes no APP")
    }
    let all: [Decision]
    if let daemon = try RunningDaemon.find() {
      let apps: [AppStatus] = try daemon.ask(.apps, "apps")
      all = apps.map { Decision(app: $0.app, after: Decision.Level($0)) }
    } else {
      let state = try SavedState()
      all = state.apps.map {
        Decision(
          app: $0.name, after: Decision.Level(state.record(of: $0), state.beacon(of: $0)))
      }
    }
    if all.isEmpty, !invocation.has(.json) {
      Output.standard.line("No app has asked or been authorized yet.")
    }
    for decision in all { show(decision, invocation) }
  }

  /// Resets what every app may know (AUTH-7).
  private static func resetAll(_ invocation: Invocation) throws(Failure) {
    guard invocation.operands.isEmpty else { throw invocation.usage("--reset-all takes no APP") }
    try invocation.confirm("Every app must ask again what it may know.", "--reset-all")
    let apps: [String]
    if let daemon = try RunningDaemon.find() {
      apps = try daemon.ask(.resetAuthorization, "apps")
    } else {
      let state = try SavedState()
      let reset = AuthorizationChange.resetting(state.entries, at: HostClock.now)
      if !reset.changes.isEmpty { try state.commit(reset.changes) }
      apps = reset.apps.map(\.name)
    }
    guard invocation.has(.json) else {
      return Output.standard.line(
        "reset what \(apps.count) \(apps.count == 1 ? "app" : "apps") may know")
    }
    for app in apps {
      var line = JSONLine(type: "reset")
      line.add("app", app)
      Output.standard.line(line.text)
    }
  }

  private static func decide(
    _ app: InstalledApp, _ level: String?, _ invocation: Invocation
  ) throws(Failure) {
    let precise = invocation.text(precise).map { $0 == "yes" }
    let beacon = invocation.text(beacon).map { $0 == "yes" }
    let daemon = try RunningDaemon.find()
    // One that a file was named of exists.
    let isKnown =
      if app.path != nil { true } else { try InstalledApp.isStored(app.identity, by: daemon) }
    let (decision, explanations) =
      if let daemon {
        try ask(daemon.decide(app.identity, level: level, precise: precise, beacon: beacon))
      } else {
        try decide(app, level) { $0.deciding(level: level, precise: precise, beacon: beacon) }
      }
    for explanation in explanations {
      Output.error.line("locationctl: \(app.identity.name.escapedForDisplay()): \(explanation)")
    }
    if !isKnown, level != AuthorizationLevel.reset {
      Output.error.line(
        "locationctl: no app \(app.identity.name.quotedForDisplay()) is registered or has asked yet: "
          + "this counts as soon as one runs\nNext: if that is not its name: locationctl apps")
    }
    show(decision, invocation)
  }

  private static func ask(
    _ decision: AuthorizationDecision
  ) throws(Failure) -> (Decision, [String]) {
    (
      Decision(
        app: decision.after.app, before: .some(decision.before.map { Decision.Level($0) }),
        after: Decision.Level(decision.after)),
      decision.explanations
    )
  }

  /// Without a daemon: in this person's own state.
  private static func decide(
    _ app: InstalledApp, _ level: String?,
    _ deciding: (AuthorizationChange) -> AuthorizationChange.Outcome?
  ) throws(Failure) -> (Decision, [String]) {
    if let user = app.identity.user, user == geteuid(), level != AuthorizationLevel.reset {
      throw .refused(
        "your own apps have no @\(user) behind their names",
        next: "locationctl authorize \(app.identity.base.quotedForShell)")
    }
    let state = try SavedState()
    let before =
      state.apps.contains(app.identity)
      ? Decision.Level(state.record(of: app.identity), state.beacon(of: app.identity)) : nil
    let change = AuthorizationChange(
      of: app.identity, manifest: app.manifest, in: state.entries, at: HostClock.now)
    guard let outcome = deciding(change) else {
      throw .refused("there is no such level", next: "locationctl help authorize")
    }
    if !outcome.changes.isEmpty { try state.commit(outcome.changes) }
    return (
      Decision(
        app: app.identity.name, before: .some(before),
        after: Decision.Level(outcome.after, outcome.beacon)),
      outcome.explanations
    )
  }

  private static func show(_ decision: Decision, _ invocation: Invocation) {
    Output.standard.line(invocation.has(.json) ? decision.json : decision.text)
  }
}

/// What is decided about an app, and what was before.
struct Decision {
  /// What an app may know.
  struct Level: Equatable {
    var level: String
    var isPrecise: Bool
    /// Whether it may make this computer a beacon: `ask`, `yes`, or `no`.
    var beacon: String

    init(_ record: AuthorizationRecord?, _ beacon: BeaconPermission) {
      level = AuthorizationLevel(record?.grant).rawValue
      isPrecise = record?.isPrecise ?? true
      self.beacon = beacon.word
    }

    init(_ app: AppStatus) {
      level = app.level
      isPrecise = app.isPrecise
      beacon = app.beacon
    }

    var words: String {
      let beacons = ["yes": ", may be a beacon", "no": ", must not be a beacon"]
      return level + (isPrecise ? "" : ", approximate place only") + (beacons[beacon] ?? "")
    }
  }

  var app: String
  /// `nil` if nothing was decided now; within, `nil` for an app that never requested authorization.
  var before: Level??
  var after: Level

  var text: String {
    let app = app.escapedForDisplay()
    guard let before else { return "\(app): \(after.words)" }
    let old = before?.words ?? AuthorizationLevel(nil).rawValue
    return old == after.words
      ? "\(app): \(after.words), as before" : "\(app): \(after.words) (was: \(old))"
  }

  var json: String {
    var line = JSONLine(type: "authorization")
    line.add("app", app)
    line.add("level", after.level)
    line.add("precise", flag: after.isPrecise)
    line.add("beacon", after.beacon)
    if let before {
      line.add("previous_level", before?.level ?? AuthorizationLevel(nil).rawValue)
    }
    return line.text
  }
}
