internal import LocationCoding
package import LocationModel

/// Decides the effect of the sessions of one app, and which diagnostics it receives.
///
/// Inputs change facts. Then the goal, the use, the indicator, and the diagnostics are derived, and
/// the differences are the outputs. A step therefore adds at most one element to any stream
/// (SESS-19).
package struct Sessions: Machine {
  package enum Input: MachineInput {
    /// A service session was created. Background activity sessions have other numbers.
    case open(Int, SessionGoal)
    /// A background activity session was created.
    case openBackgroundActivity(Int)
    /// A session of either kind was invalidated or released.
    case invalidate(Int)
    /// The iteration of a modern sequence began or ended (SESS-9).
    case iterate(Int)
    case endIteration(Int)
    case diagnose(stream: Int, session: Int)
    case endDiagnosis(stream: Int)
    /// One of several processes has ended, with everything that has one of these numbers (SESS-1).
    case processEnded(Range<Int>)
    case lifecycle(AppLifecycleState.Input)
    case manifest(Manifest)
    /// The facts about authorization, and the results of purpose prompts.
    case authorization(AuthorizationFacts, [Question])
    case wake
  }

  /// The result of a session's prompt for its purpose (SESS-5).
  package struct Question: Sendable {
    var session: Int
    /// If not, it was not put, and is put at the next direct use.
    var isSettled: Bool
  }

  package enum Output: Hashable, Sendable {
    case goal(AuthorizationGoal)
    case use(AppUse)
    case askAccuracy(session: Int, purposeKey: String)
    case diagnostics(stream: Int, Diagnostics)
    case finished(stream: Int)
    case indicator(Bool)
    case runtimeOver
    case explain(SessionExplanation)
    case persist(StateChange)
  }

  package let app: AppIdentity
  package private(set) var lifecycle = AppLifecycleState()
  private var manifest: Manifest
  private var facts = AuthorizationFacts(report: AuthorizationReport(status: .notDetermined))
  private var service = ServiceSessions()
  private var background = BackgroundActivity()
  private var streams = DiagnosticStreams()
  private var iterations: [Int] = []
  /// When the sessions of the last process are dropped, counted from the start of this one.
  private var reclaimUntil: Instant?
  private var deliveredGoal = AuthorizationGoal.none
  private var stored = SessionsRecord()

  package init(app: AppIdentity, manifest: Manifest) {
    self.app = app
    self.manifest = manifest
  }

  /// Restores the sessions of an app that ran when the daemon stopped (LIFE-9).
  package mutating func restore(
    from entries: [StateEntry], facts: AuthorizationFacts, at now: Moment
  ) -> [Output] {
    self.facts = facts
    var outputs: [Output] = []
    if let entry = entries.first(where: { $0.key == SessionsRecord.key(of: app) }) {
      if let record = SessionsRecord(stored: entry.value) {
        stored = record
        service = ServiceSessions(remnants: record.service)
        background = BackgroundActivity(remnants: record.background)
      } else {
        outputs.append(.explain(.unreadableRecord))
      }
    }
    return outputs + handle(.lifecycle(.restored), at: now)
  }

  // MARK: Queries

  /// Whether Always is effective for modern sequences outside use (SESS-13).
  package var hasEffectiveAlways: Bool { service.hasEffectiveAlways }

  /// Whether modern services must report `serviceSessionRequired` (SESS-10).
  package var needsSession: Bool { manifest.requiresExplicitServiceSession && service.isEmpty }

  /// Whether some background activity session is active (BGA-4).
  package var hasBackgroundActivity: Bool { background.isActive }

  /// Whether no session outlives the process.
  var isBlank: Bool { stored == SessionsRecord() }

  package var nextDeadline: Instant? {
    earliest(lifecycle.nextDeadline, reclaimUntil)
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    switch input {
    case .open(let id, let goal):
      if !service.open(id, goal: goal, inForeground: isForeground) {
        outputs.append(.explain(.tooMany(limit: Bounds.sessions)))
      }
    case .openBackgroundActivity(let id):
      if !manifest.hasLocationBackgroundMode {
        outputs.append(.explain(.missingBackgroundMode(file: manifest.file)))
      }
      if !background.open(id) { outputs.append(.explain(.tooMany(limit: Bounds.sessions))) }
    case .invalidate(let id):
      service.invalidate { $0 == id }
      background.invalidate { $0 == id }
      outputs += streams.finish(session: id).map { .finished(stream: $0) }
    case .iterate(let id):
      if !iterations.contains(id) { iterations.append(id) }
    case .endIteration(let id):
      iterations.removeAll { $0 == id }
    case .diagnose(let stream, let session):
      outputs += diagnose(stream, session: session)
    case .endDiagnosis(let stream):
      streams.end { $0 == stream }
    case .processEnded(let numbers):
      service.invalidate(numbers.contains)
      background.invalidate(numbers.contains)
      streams.end(numbers.contains)
      iterations.removeAll(where: numbers.contains)
    case .lifecycle(let input):
      outputs += take(input, at: now)
    case .manifest(let manifest):
      self.manifest = manifest
    case .authorization(let facts, let questions):
      self.facts = facts
      for question in questions {
        service.settleAccuracy(question.session, question.isSettled ? .settled : .unasked)
      }
    case .wake:
      outputs += take(.wake, at: now)
    }
    return outputs + settle(at: now)
  }
}

extension Sessions {
  private var isForeground: Bool { lifecycle.life == .foreground }

  /// Begins a stream; that of a session that has ended or never existed is empty.
  private mutating func diagnose(_ stream: Int, session: Int) -> [Output] {
    let isKnown =
      service.sessions.contains { $0.id == session }
      || background.sessions.contains { $0.id == session }
    guard isKnown, streams.begin(stream, session: session) else {
      return [.finished(stream: stream)]
    }
    return []
  }

  private mutating func take(_ input: AppLifecycleState.Input, at now: Moment) -> [Output] {
    let before = lifecycle.life
    let outputs = lifecycle.handle(input, at: now)
    let life = lifecycle.life
    if before.hasProcess && !life.hasProcess {
      service.processEnded()
      background.processEnded()
      streams.removeAll()
      iterations = []
      reclaimUntil = nil
    }
    if !before.hasProcess && life.hasProcess {
      reclaimUntil = now.uptime + AppLifecycleState.reclaimWindow
    }
    if life == .foreground { service.enterForeground() }
    return outputs.map { Self.output($0) }
  }

  private static func output(_ output: AppLifecycleState.Output) -> Output {
    switch output {
    case .use(let use): .use(use)
    case .indicator(let shown): .indicator(shown)
    case .runtimeOver: .runtimeOver
    }
  }

  /// Derives the present state, and returns the differences.
  private mutating func settle(at now: Moment) -> [Output] {
    if let until = reclaimUntil, now.uptime >= until {
      reclaimUntil = nil
      service.dropRemnants()
      background.dropRemnants()
    }
    var outputs = settleInUse(at: now)
    if goal != deliveredGoal {
      deliveredGoal = goal
      outputs.append(.goal(goal))
    }
    if facts.status.isGranted && facts.report.accuracy == .reduced && isForeground {
      for request in service.takeAccuracyRequests() {
        outputs.append(.askAccuracy(session: request.id, purposeKey: request.purposeKey))
      }
    }
    outputs += persist()
    return outputs
  }

  /// The strongest goal; modern use counts as a session of its own (SESS-9, SESS-10).
  private var goal: AuthorizationGoal {
    let isImplicit = !iterations.isEmpty || !background.sessions.isEmpty
    let implicit: AuthorizationGoal =
      isImplicit && !manifest.requiresExplicitServiceSession ? .whenInUse : .none
    return max(implicit, service.goal)
  }

  private mutating func settleInUse(at now: Moment) -> [Output] {
    background.settle(conditions)
    let reason: AppLifecycleState.Input =
      background.isActive ? .hold(.backgroundActivity) : .release(.backgroundActivity)
    let outputs =
      lifecycle.handle(reason, at: now) + lifecycle.handle(.status(facts.status), at: now)
    return outputs.map { Self.output($0) }
  }

  private var conditions: BackgroundActivity.Conditions {
    BackgroundActivity.Conditions(
      isGranted: facts.status.isGranted, hasBackgroundMode: manifest.hasLocationBackgroundMode,
      needsSession: needsSession, isForeground: isForeground)
  }

  private mutating func persist() -> [Output] {
    let record = SessionsRecord(service: service.record, background: background.record)
    guard record != stored else { return [] }
    stored = record
    return [.persist(record.change(for: app))]
  }

  /// Returns the new elements of the streams; a suspended app gets the latest when it runs again.
  ///
  /// Called at the end of a step, so that one element includes the prompts and grants of the step.
  package mutating func publish() -> [Output] {
    guard lifecycle.life != .suspended else { return [] }
    let current =
      service.sessions.map { ($0.id, $0.diagnostics(facts, use: lifecycle.use)) }
      + background.sessions.map { ($0.id, $0.diagnostics(facts, conditions)) }
    return streams.publish(current).map { .diagnostics(stream: $0.stream, $0.diagnostics) }
  }
}
