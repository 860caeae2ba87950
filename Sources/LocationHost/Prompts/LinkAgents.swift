import Glibc
package import LocationEngine
import LocationLink
package import LocationModel
import Synchronization

/// Puts questions to the agents that are connected to the daemon: in a person's session, on a
/// terminal, wherever. The first answer counts.
package final class LinkAgents: PromptAgent {
  /// One connection that attends.
  fileprivate struct Agent {
    var user: UInt32
    var tell: @Sendable (AgentNews) -> Void
  }

  fileprivate struct Question {
    var prompt: Prompt
    var answer: @Sendable (PromptAnswer, Bool) -> Void
  }

  fileprivate struct State {
    var agents: [Int: Agent] = [:]
    /// In the order in which they were asked.
    var questions: [Question] = []
  }

  private let state = Mutex(State())
  private let journal: @Sendable (Note) -> Void

  /// Agents of one daemon; `journal` hears of questions that nobody is there to answer.
  package init(journal: @escaping @Sendable (Note) -> Void = { _ in }) {
    self.journal = journal
  }

  // MARK: Questions

  package func show(
    _ prompt: Prompt, answer: @escaping @Sendable (PromptAnswer, Bool) -> Void
  ) {
    let agents = state.withLock { state in
      state.questions.append(Question(prompt: prompt, answer: answer))
      return state.agents(for: prompt.id.app)
    }
    if agents.isEmpty { journal(.unanswerable(prompt)) }
    for agent in agents { agent(.question(prompt)) }
  }

  package func withdraw(_ prompt: Prompt.ID) {
    let agents = state.withLock { state in
      guard state.take(prompt) != nil else { return [] as [@Sendable (AgentNews) -> Void] }
      return state.agents(for: prompt.app)
    }
    for agent in agents { agent(.withdrawn(prompt)) }
  }

  // MARK: Agents

  /// An agent of a user has come: it hears of every open question that is for it.
  func attend(_ number: Int, user: UInt32, tell: @escaping @Sendable (AgentNews) -> Void) {
    let open = state.withLock { state in
      state.agents[number] = Agent(user: user, tell: tell)
      return state.questions.map(\.prompt).filter { Self.may(user, answerFor: $0.id.app) }
    }
    for prompt in open { tell(.question(prompt)) }
  }

  func leave(_ number: Int) {
    _ = state.withLock { $0.agents.removeValue(forKey: number) }
  }

  /// Takes what a person has answered; whether there was such a question for this user.
  func take(_ answer: AgentAnswer, of number: Int, user: UInt32) -> Bool {
    guard Self.may(user, answerFor: answer.id.app) else { return false }
    let taken: (Question, [@Sendable (AgentNews) -> Void])? = state.withLock { state in
      guard let open = state.questions.first(where: { $0.prompt.id == answer.id }),
        answer.answer == .dismissed || open.prompt.kind.answers.contains(answer.answer),
        let question = state.take(answer.id)
      else { return nil }
      return (question, state.agents(for: answer.id.app, besides: number))
    }
    guard let (question, others) = taken else { return false }
    for agent in others { agent(.withdrawn(answer.id)) }
    question.answer(answer.answer, answer.precise)
    return true
  }

  /// Root and the daemon's own user may answer for everyone, others for their own apps.
  fileprivate static func may(_ user: UInt32, answerFor app: AppIdentity) -> Bool {
    user == 0 || user == getuid() || app.name.hasSuffix("@\(user)")
  }
}

extension LinkAgents.State {
  fileprivate func agents(
    for app: AppIdentity, besides number: Int? = nil
  ) -> [@Sendable (AgentNews) -> Void] {
    agents.filter { $0.key != number && LinkAgents.may($0.value.user, answerFor: app) }
      .sorted { $0.key < $1.key }.map(\.value.tell)
  }

  fileprivate mutating func take(_ id: Prompt.ID) -> LinkAgents.Question? {
    questions.firstIndex { $0.prompt.id == id }.map { questions.remove(at: $0) }
  }
}
