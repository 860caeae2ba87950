import LocationService
package import LocationModel

/// Shows prompts to a person, or to a policy, and returns the answers.
package protocol PromptAgent: Sendable {
  /// The agent's name, as in the configuration.
  var name: String { get }

  /// Shows a prompt; `reply` is called at most once, from any thread.
  func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void)

  /// Withdraws a prompt, because an answer would no longer decide anything.
  func withdraw(_ prompt: Prompt.ID)

  /// Why it can ask no person now, as far as is known without asking; `nil` if it seems to work.
  var obstacle: String? { get }
}

extension PromptAgent {
  package func withdraw(_ prompt: Prompt.ID) {}
  package var obstacle: String? { nil }
}

/// An agent that is named in the configuration and cannot be used here.
package struct AbsentAgent: PromptAgent {
  package let name: String
  private let reason: String

  package init(_ name: String, because reason: String) {
    self.name = name
    self.reason = reason
  }

  package var obstacle: String? { reason }

  package func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void) {
    reply(.passed(reason: reason))
  }
}
