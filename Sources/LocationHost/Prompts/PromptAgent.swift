package import LocationModel

/// Puts questions to a person, or to a policy, and brings the answers back.
package protocol PromptAgent: Sendable {
  /// Shows a question; `answer` is called at most once, from any thread. `precise` counts where
  /// the question offers the choice.
  func show(
    _ prompt: Prompt,
    answer: @escaping @Sendable (_ answer: PromptAnswer, _ precise: Bool) -> Void)

  /// The question is moot; an answer would decide nothing any more.
  func withdraw(_ prompt: Prompt.ID)
}
