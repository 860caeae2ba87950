package import LocationModel

/// A simulated person, who answers prompts as configured, in virtual time.
package struct Person: Sendable {
  package struct Reply: Hashable, Sendable {
    package var answer: PromptAnswer
    package var precise: Bool
    package var delay: Duration
    /// Whether it is meant for the question about a beacon; `nil` for any question that offers it.
    package var isForBeacon: Bool?

    package init(_ answer: PromptAnswer, precise: Bool = true, after delay: Duration = .seconds(1))
    {
      self.answer = answer
      self.precise = precise
      self.delay = delay
    }
  }

  /// The next answers, in order; each is given once.
  package var replies: [Reply] = []
  /// What is answered when no reply is left, where the question has that answer.
  package var habit: [Reply] = []

  package init() {}

  /// The answer to a question; `nil` leaves it on the screen.
  mutating func reply(to prompt: Prompt) -> Reply? {
    if let index = replies.firstIndex(where: { Self.fits($0, prompt) }) {
      return replies.remove(at: index)
    }
    return habit.first { Self.fits($0, prompt) }
  }

  private static func fits(_ reply: Reply, _ prompt: Prompt) -> Bool {
    let isBeacon = prompt.kind == .beaconAdvertising
    guard reply.isForBeacon ?? isBeacon == isBeacon else { return false }
    return reply.answer == .dismissed || prompt.kind.answers.contains(reply.answer)
  }
}
