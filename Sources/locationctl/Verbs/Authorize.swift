import LocationEngine
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let list = Option(name: "list", summary: "Show what is stored, and change nothing")
  private static let precise = Option(
    name: "precise", value: .choice(["yes", "no"]),
    summary: "Whether the app may know the place exactly, or only roughly")

  static let authorize = Verb(
    name: "authorize", summary: "Decide what an app may know",
    details: [
      """
      The answer to the app's question, given beforehand or changed later. It is kept, and running \
      apps hear of it at once. With reset the app counts as never asked. Where a location daemon \
      runs, it is the daemon's answer, and only its owner may give it; else that of your own apps. \
      To the daemon, the app of another user is APP@UID, as `locationctl apps` lists it.
      """
    ],
    operands: [
      Operand(name: "APP", summary: "A bundle identifier or a path", isOptional: true),
      Operand(
        name: "LEVEL", summary: "What it may know",
        choices: AuthorizationLevel.settings.map(\.word),
        isOptional: true),
    ],
    options: [precise, list, .json],
    examples: [
      "locationctl authorize com.example.Whereabouts whenInUse",
      "locationctl authorize ./whereabouts always --precise no", "locationctl authorize --list",
    ],
    run: { invocation in
      guard !invocation.has(list) else { return try showAll(invocation) }
      guard let word = invocation.operand(0) else { throw invocation.usage("APP is missing") }
      let level = invocation.operand(1)
      guard level != nil || invocation.has(precise) else {
        throw invocation.usage("LEVEL or --precise is missing")
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
      all = apps.map { Decision(app: $0.app, after: Decision.Standing($0)) }
    } else {
      all = try SavedState().apps.map {
        Decision(app: $0.app.name, after: Decision.Standing($0.record))
      }
    }
    if all.isEmpty, !invocation.has(.json) {
      Output.standard.line("No app has asked or been authorized yet.")
    }
    for decision in all { show(decision, invocation) }
  }

  private static func decide(
    _ app: InstalledApp, _ level: String?, _ invocation: Invocation
  ) throws(Failure) {
    let precise = invocation.text(precise).map { $0 == "yes" }
    let (decision, explanations) =
      if let daemon = try RunningDaemon.find() {
        try ask(daemon, app, level, precise)
      } else {
        try decide(app, level, precise)
      }
    for explanation in explanations {
      Output.error.line("locationctl: \(app.identity.name.escapedForDisplay()): \(explanation)")
    }
    show(decision, invocation)
  }

  private static func ask(
    _ daemon: RunningDaemon, _ app: InstalledApp, _ level: String?, _ precise: Bool?
  ) throws(Failure) -> (Decision, [String]) {
    let decision = try daemon.decide(app.identity, level: level, precise: precise)
    return (
      Decision(
        app: decision.after.app, before: .some(decision.before.map { Decision.Standing($0) }),
        after: Decision.Standing(decision.after)),
      decision.explanations
    )
  }

  /// Without a daemon: in this person's own state.
  private static func decide(
    _ app: InstalledApp, _ level: String?, _ precise: Bool?
  ) throws(Failure) -> (Decision, [String]) {
    let state = try SavedState()
    let before = state.record(of: app.identity)
    let change = AuthorizationChange(
      of: app.identity, manifest: app.manifest, in: state.entries, at: HostClock.now)
    guard let outcome = change.deciding(level: level, precise: precise) else {
      throw .refused("there is no level \(level ?? "")", next: nil)
    }
    if !outcome.changes.isEmpty { try state.commit(outcome.changes) }
    return (
      Decision(
        app: app.identity.name, before: .some(before.map { Decision.Standing($0) }),
        after: Decision.Standing(outcome.after)),
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
  struct Standing: Equatable {
    var level: String
    var isPrecise: Bool

    init(_ record: AuthorizationRecord) {
      level = AuthorizationLevel(record.grant).rawValue
      isPrecise = record.isPrecise
    }

    init(_ app: AppStatus) {
      level = app.level
      isPrecise = app.isPrecise
    }

    var words: String { level + (isPrecise ? "" : ", approximate place only") }
  }

  var app: String
  /// `nil` where nothing was decided now; within, `nil` for an app that was never asked.
  var before: Standing??
  var after: Standing

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
    if let before {
      line.add("previous_level", before?.level ?? AuthorizationLevel(nil).rawValue)
    }
    return line.text
  }
}
