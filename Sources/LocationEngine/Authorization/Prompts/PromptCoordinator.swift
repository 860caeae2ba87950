package import LocationModel

/// Decides which agent receives a prompt: the first, in the order of the configuration, that does
/// not pass it on.
///
/// A prompt that all agents have passed on stays open (AUTH-27). It is offered again each
/// ``timeout``, because a person may have logged in, or a file may have been corrected.
package struct PromptCoordinator: Machine {
  package enum Input: MachineInput {
    case asked(Prompt)
    /// The prompt has been withdrawn.
    case withdrawn(Prompt.ID)
    case reply(Prompt.ID, agent: Int, AgentReply)
    /// An agent that passed before may be able to answer now.
    case arrival
    case wake
  }

  package enum Output: Hashable, Sendable {
    case show(Prompt, agent: Int)
    case withdraw(Prompt.ID, agent: Int)
    case answer(Prompt.ID, PromptAnswer, precise: Bool)
    /// All agents have passed, each for a reason; output again only when the reasons change.
    case unanswered(Prompt, reasons: [String])
  }

  private struct Question: Sendable {
    var prompt: Prompt
    var state: State
    /// The reasons that were output last.
    var delivered: [String]?
  }

  private enum State: Sendable {
    /// An agent has it; those before it have passed for these reasons.
    case shown(agent: Int, passed: [String])
    /// All have passed.
    case resting(until: Instant)
  }

  /// The number of agents.
  private let agents: Int
  private var questions: [Question] = []

  package init(agents: Int) {
    self.agents = agents
  }

  package var nextDeadline: Instant? {
    questions.reduce(nil) { next, question in
      guard case .resting(let until) = question.state, agents > 0 else { return next }
      return earliest(next, until)
    }
  }

  /// Whether all agents have passed on a question of an app.
  package func isUnanswered(_ app: AppIdentity) -> Bool {
    questions.contains { question in
      guard case .resting = question.state else { return false }
      return question.prompt.id.app == app && question.delivered != nil
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .asked(let prompt):
      questions.append(Question(prompt: prompt, state: .resting(until: now.uptime)))
      return show(questions.endIndex - 1, to: 0, passed: [], at: now)
    case .withdrawn(let id):
      return remove(id)
    case .reply(let id, let agent, let reply):
      return take(reply, of: agent, to: id, at: now)
    case .arrival: return goAround(at: now) { _ in true }
    case .wake: return goAround(at: now) { now.uptime >= $0 }
    }
  }

  private mutating func goAround(
    at now: Moment, _ isReady: (_ until: Instant) -> Bool
  ) -> [Output] {
    questions.indices.flatMap { index -> [Output] in
      guard agents > 0, case .resting(let until) = questions[index].state, isReady(until)
      else { return [] }
      return show(index, to: 0, passed: [], at: now)
    }
  }

  private mutating func show(
    _ index: Int, to agent: Int, passed: [String], at now: Moment
  ) -> [Output] {
    guard agent < agents else {
      questions[index].state = .resting(until: now.uptime + Self.timeout)
      guard questions[index].delivered != passed else { return [] }
      questions[index].delivered = passed
      return [.unanswered(questions[index].prompt, reasons: passed)]
    }
    questions[index].state = .shown(agent: agent, passed: passed)
    return [.show(questions[index].prompt, agent: agent)]
  }

  /// An answer counts from any agent; the engine rejects one to a prompt that is no longer open.
  private mutating func take(
    _ reply: AgentReply, of agent: Int, to id: Prompt.ID, at now: Moment
  ) -> [Output] {
    let index = questions.firstIndex { $0.prompt.id == id }
    switch reply {
    case .answer(let answer, let precise):
      if let index, !questions[index].prompt.kind.canBe(answer) {
        return pass(index, by: agent, "it answers \(answer.rawValue), which was not offered", now)
      }
      questions.removeAll { $0.prompt.id == id }
      return [.answer(id, answer, precise: precise)]
    case .passed(let reason):
      return index.map { pass($0, by: agent, reason, now) } ?? []
    }
  }

  private mutating func pass(
    _ index: Int, by agent: Int, _ reason: String, _ now: Moment
  ) -> [Output] {
    guard case .shown(agent, let passed) = questions[index].state else { return [] }
    return show(index, to: agent + 1, passed: passed + [reason], at: now)
  }

  private mutating func remove(_ id: Prompt.ID) -> [Output] {
    guard let index = questions.firstIndex(where: { $0.prompt.id == id }) else { return [] }
    guard case .shown(let agent, _) = questions.remove(at: index).state else { return [] }
    return [.withdraw(id, agent: agent)]
  }

  /// Chosen: soon enough for a person who has just logged in.
  package static let timeout = Duration.seconds(60)
}

extension Prompt.Kind {
  /// Whether a prompt of this kind can have this answer; it can always go unanswered.
  fileprivate func canBe(_ answer: PromptAnswer) -> Bool {
    answer == .dismissed || answers.contains(answer)
  }
}
