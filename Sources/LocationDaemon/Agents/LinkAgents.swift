import Glibc
import LocationHost
import LocationService
import LocationLink
package import LocationModel
import Synchronization

/// Sends prompts to the agents that are connected to the daemon, in a person's session, on a
/// terminal, or elsewhere. The first answer counts.
package final class LinkAgents: PromptAgent {
  /// One connection that answers prompts.
  fileprivate struct Agent {
    var user: UInt32
    var notify: @Sendable (AgentEvent) -> Void
  }

  fileprivate struct Question {
    var prompt: Prompt
    var reply: @Sendable (AgentReply) -> Void
  }

  fileprivate struct State {
    var agents: [Int: Agent] = [:]
    /// Open prompts, in the order in which they were sent.
    var questions: [Question] = []
  }

  package let name = "connected agents"
  private let state = Mutex(State())
  private let attended = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {}

  package var obstacle: String? {
    state.withLock { $0.agents.isEmpty } ? Self.nobody : nil
  }

  private static let nobody = "none is connected"

  /// Calls `body` each time an agent connects.
  func whenAttended(_ body: @escaping @Sendable () -> Void) {
    attended.withLock { $0 = body }
  }

  // MARK: Questions

  package func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void) {
    let agents = state.withLock { state in
      let agents = state.agents(for: prompt.id.app)
      if !agents.isEmpty { state.questions.append(Question(prompt: prompt, reply: reply)) }
      return agents
    }
    if agents.isEmpty { reply(.passed(reason: Self.nobody)) }
    for agent in agents { agent(.question(prompt)) }
  }

  package func withdraw(_ prompt: Prompt.ID) {
    let agents = state.withLock { state in
      guard state.take(prompt) != nil else { return [] as [@Sendable (AgentEvent) -> Void] }
      return state.agents(for: prompt.app)
    }
    for agent in agents { agent(.withdrawn(prompt)) }
  }

  // MARK: Agents

  /// Adds an agent of a user, and sends it every open prompt that it may answer.
  func attend(_ number: Int, user: UInt32, notify: @escaping @Sendable (AgentEvent) -> Void) {
    let open = state.withLock { state in
      state.agents[number] = Agent(user: user, notify: notify)
      return state.questions.map(\.prompt).filter { Self.may(user, answerFor: $0.id.app) }
    }
    for prompt in open { notify(.question(prompt)) }
    attended.withLock { $0 }?()
  }

  /// Removes an agent; prompts that no other agent has are passed on.
  func leave(_ number: Int) {
    let orphans = state.withLock { state in
      guard state.agents.removeValue(forKey: number) != nil else { return [] as [Question] }
      let orphans = state.questions.filter { state.agents(for: $0.prompt.id.app).isEmpty }
      for orphan in orphans { _ = state.take(orphan.prompt.id) }
      return orphans
    }
    for question in orphans { question.reply(.passed(reason: Self.nobody)) }
  }

  /// Applies a person's answer; returns whether this connection was shown the prompt.
  func take(_ answer: AgentAnswer, of number: Int, user: UInt32) -> Bool {
    guard Self.may(user, answerFor: answer.id.app) else { return false }
    let taken: (Question, [@Sendable (AgentEvent) -> Void])? = state.withLock { state in
      // Each agent was shown all open prompts for its user.
      guard state.agents[number]?.user == user,
        let open = state.questions.first(where: { $0.prompt.id == answer.id }),
        answer.answer == .dismissed || open.prompt.kind.answers.contains(answer.answer),
        let question = state.take(answer.id)
      else { return nil }
      return (question, state.agents(for: answer.id.app, besides: number))
    }
    guard let (question, others) = taken else { return false }
    for agent in others { agent(.withdrawn(answer.id)) }
    question.reply(.answer(answer.answer, precise: answer.precise))
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
  ) -> [@Sendable (AgentEvent) -> Void] {
    agents.filter { $0.key != number && LinkAgents.may($0.value.user, answerFor: app) }
      .sorted { $0.key < $1.key }.map(\.value.notify)
  }

  fileprivate mutating func take(_ id: Prompt.ID) -> LinkAgents.Question? {
    questions.firstIndex { $0.prompt.id == id }.map { questions.remove(at: $0) }
  }
}
