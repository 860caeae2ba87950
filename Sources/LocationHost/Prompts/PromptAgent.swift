import LocationService
package import LocationModel

/// Puts questions to a person, or to a policy, and brings the answers back.
package protocol PromptAgent: Sendable {
  /// What it is, in a word or two, as in the configuration.
  var name: String { get }

  /// Shows a question; `reply` is called at most once, from any thread.
  func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void)

  /// The question is moot; an answer would decide nothing any more.
  func withdraw(_ prompt: Prompt.ID)

  /// Why it can ask nobody now, as far as can be told without asking; `nil` when it seems to work.
  var obstacle: String? { get }
}

extension PromptAgent {
  package func withdraw(_ prompt: Prompt.ID) {}
  package var obstacle: String? { nil }
}

/// One that is named in the configuration and cannot be had here.
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
