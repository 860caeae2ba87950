import LocationService
import LocationEngine
package import LocationModel

extension LocationHost {
  /// Passes an input to the prompt coordinator, and carries out its decisions.
  ///
  /// May be called in the middle of a step: an answer becomes a separate step.
  func ask(_ input: PromptCoordinator.Input, at now: Moment) {
    for output in prompts.handle(input, at: now) {
      switch output {
      case .show(let prompt, let agent): show(prompt, agent)
      case .withdraw(let prompt, let agent): agents[agent].withdraw(prompt)
      case .answer(let prompt, let answer, let precise):
        pass(.answer(prompt, answer, precise: precise))
      case .unanswered(let prompt, let reasons):
        let named = zip(agents, reasons).map { "\($0.name): \($1)" }
        journal(.unanswerable(prompt, named))
        unanswered?(prompt.id.app)
      }
    }
    arm()
  }

  /// Whether an app waits for an answer that nobody can give now.
  package func isUnanswered(_ app: AppIdentity) -> Bool { prompts.isUnanswered(app) }

  /// Shows prompts that no agent could answer again, after an agent has connected.
  package nonisolated func askAgain() {
    enter { $0.ask(.arrival, at: HostClock.now) }
  }

  private func show(_ prompt: Prompt, _ agent: Int) {
    agents[agent].show(prompt) { [weak self] reply in
      self?.enter { $0.ask(.reply(prompt.id, agent: agent, reply), at: HostClock.now) }
    }
  }
}
