package import LocationModel

/// The authorization, sessions, and lifecycle of one app: everything about the app that is not a
/// service.
///
/// The parent of ``Authorization`` and ``Sessions``: it passes the outputs of one to the other
/// until neither has more, and only then publishes diagnostics.
package struct AppAuthorizationState: Machine {
  package enum Input: MachineInput {
    case authorization(Authorization.Input)
    case sessions(Sessions.Input)
    /// The app was installed anew, or updated.
    case manifest(Manifest)
    /// A process has ended, with everything that has one of these numbers. The sessions of the last
    /// process are kept for the next one (SESS-14): its end must be an input first.
    case processEnded(Range<Int>)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case authorization(Authorization.Output)
    case sessions(Sessions.Output)
  }

  package private(set) var authorization: Authorization
  package private(set) var sessions: Sessions

  /// Creates the state of an app that was never asked and does not run.
  package init(app: AppIdentity, manifest: Manifest) {
    authorization = Authorization(app: app, manifest: manifest)
    sessions = Sessions(app: app, manifest: manifest)
  }

  /// Restores what was stored of the app.
  package mutating func restore(from entries: [StateEntry], at now: Moment) -> [Output] {
    let answers = authorization.restore(from: entries, at: now)
    let words = sessions.restore(from: entries, facts: authorization.facts, at: now)
    return settle(words, answers, at: now)
  }

  /// The inputs of the delivery table for the app.
  package var circumstances: DeliveryRule.Circumstances {
    let session: DeliverySession =
      sessions.lifecycle.carriesModernServices
      ? .backgroundActivity : sessions.hasEffectiveAlways ? .always : .none
    return DeliveryRule.Circumstances(
      authorization: authorization.facts, session: session, lifecycle: sessions.lifecycle,
      needsSession: sessions.needsSession)
  }

  @inline(__always)
  package var nextDeadline: Instant? {
    earliest(authorization.nextDeadline, sessions.nextDeadline)
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .authorization(let input):
      return settle([], authorization.handle(input, at: now), at: now)
    case .sessions(let input):
      return settle(sessions.handle(input, at: now), [], at: now)
    case .manifest(let manifest):
      let words = sessions.handle(.manifest(manifest), at: now)
      return settle(words, authorization.handle(.manifest(manifest), at: now), at: now)
    case .processEnded(let numbers):
      let words = sessions.handle(.processEnded(numbers), at: now)
      return settle(words, authorization.handle(.processEnded(numbers), at: now), at: now)
    case .wake:
      let words = sessions.handle(.wake, at: now)
      return settle(words, authorization.handle(.wake, at: now), at: now)
    }
  }

  /// Passes outputs on until neither side has more for the other.
  private mutating func settle(
    _ fromSessions: [Sessions.Output], _ fromAuthorization: [Authorization.Output],
    at now: Moment
  ) -> [Output] {
    var outputs: [Output] = []
    var words = fromSessions
    var answers = fromAuthorization
    var delivered: AuthorizationFacts?
    repeat {
      for word in words {
        outputs += Self.isInternal(word) ? [] : [.sessions(word)]
        answers += ask(word, at: now)
      }
      outputs += answers.compactMap { Self.isInternal($0) ? nil : .authorization($0) }
      let questions = answers.compactMap { Self.question($0) }
      answers = []
      let hasChanged = delivered != authorization.facts || !questions.isEmpty
      delivered = authorization.facts
      words =
        hasChanged ? sessions.handle(.authorization(authorization.facts, questions), at: now) : []
    } while !words.isEmpty
    return outputs + sessions.publish().map { .sessions($0) }
  }

  /// Passes an output of the sessions to the authorization, if it is for it.
  private mutating func ask(_ word: Sessions.Output, at now: Moment) -> [Authorization.Output] {
    switch word {
    case .goal(let goal):
      authorization.handle(.goal(goal), at: now)
    case .use(let use):
      authorization.handle(.use(use), at: now)
    case .askAccuracy(let session, let key):
      authorization.handle(.temporaryAccuracy(.session(session), purposeKey: key), at: now)
    case .diagnostics, .finished, .indicator, .runtimeOver, .explain, .persist:
      []
    }
  }

  private static func isInternal(_ word: Sessions.Output) -> Bool {
    switch word {
    case .goal, .askAccuracy: true
    case .use, .diagnostics, .finished, .indicator, .runtimeOver, .explain, .persist: false
    }
  }

  private static func isInternal(_ word: Authorization.Output) -> Bool {
    question(word) != nil
  }

  /// Returns the result of a session's prompt for its purpose.
  private static func question(_ word: Authorization.Output) -> Sessions.Question? {
    switch word {
    case .completed(.session(let id), _): Sessions.Question(session: id, isSettled: true)
    case .postponed(let id): Sessions.Question(session: id, isSettled: false)
    case .completed(.call, _), .report, .changed, .prompt, .withdraw, .release, .drop, .explain,
      .persist:
      nil
    }
  }
}
