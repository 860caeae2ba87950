import LocationEngine
import LocationHost
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
      apps hear of it at once. With reset the app counts as never asked.
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

  private static func showAll(_ invocation: Invocation) throws {
    guard invocation.operands.isEmpty else {
      throw invocation.usage("--list takes no APP")
    }
    let state = try SavedState()
    if state.apps.isEmpty, !invocation.has(.json) {
      Output.standard.line("No app has asked or been authorized yet.")
    }
    for (app, record) in state.apps { show(Decision(app: app, after: record), invocation) }
  }

  private static func decide(
    _ app: InstalledApp, _ level: String?, _ invocation: Invocation
  ) throws {
    let state = try SavedState()
    let before = state.record(of: app.identity)
    var inputs = AuthorizationLevel.settings.filter { $0.word == level }.map(\.input)
    if let precise = invocation.text(precise) { inputs.append(.precise(precise == "yes")) }
    let manifest = app.manifest ?? Manifest(declaringAlways: before?.declaresAlways ?? false)
    var machine = Authorization(app: app.identity, manifest: manifest)
    let now = HostClock.now
    let outputs =
      machine.restore(from: state.entries, at: now)
      + inputs.flatMap { machine.handle($0, at: now) }
    for case .explain(let explanation) in outputs {
      Output.error.line("locationctl: \(app.identity): \(explanation)")
    }
    let changes = outputs.compactMap { if case .persist(let change) = $0 { change } else { nil } }
    if !changes.isEmpty { try state.commit(changes) }
    show(Decision(app: app.identity, before: before, after: machine.record), invocation)
  }

  private static func show(_ decision: Decision, _ invocation: Invocation) {
    Output.standard.line(invocation.has(.json) ? decision.json : decision.text)
  }
}

extension Manifest {
  /// What must be assumed of an app that is named by its identifier alone: what it declared when
  /// last seen, so that its record keeps its meaning (AUTH-10).
  fileprivate init(declaringAlways: Bool) {
    self.init(declaringAlways ? [Key.always: .string("declared when last seen")] : [:])
  }
}

/// What is decided about an app, and what was before.
struct Decision {
  var app: AppIdentity
  /// `nil` where nothing was decided now.
  var before: AuthorizationRecord??
  var after: AuthorizationRecord

  private static func words(_ record: AuthorizationRecord?) -> String {
    let level = AuthorizationLevel(record?.grant)
    let isPrecise = record?.isPrecise ?? true
    return level.rawValue + (isPrecise ? "" : ", approximate place only")
  }

  var text: String {
    let (new, old) = (Self.words(after), before.map { Self.words($0) })
    guard let old else { return "\(app): \(new)" }
    return old == new ? "\(app): \(new), as before" : "\(app): \(new) (was: \(old))"
  }

  var json: String {
    var line = JSONLine(type: "authorization")
    line.add("app", app.name)
    line.add("level", AuthorizationLevel(after.grant).rawValue)
    line.add("precise", flag: after.isPrecise)
    if let before { line.add("previous_level", AuthorizationLevel(before?.grant).rawValue) }
    return line.text
  }
}
