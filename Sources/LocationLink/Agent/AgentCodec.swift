package import LocationCoding
package import LocationModel

/// A message to an agent.
package enum AgentEvent: Hashable, Sendable {
  /// A question, and the word that its answer must repeat; only what has read the question knows it.
  case question(Prompt, token: String? = nil)
  case withdrawn(Prompt.ID)

  package var json: JSON {
    switch self {
    case .question(let prompt, let token):
      .fields(["question": prompt.json, "token": token?.json])
    case .withdrawn(let id): .fields(["withdrawn": id.json])
    }
  }

  /// Parses a reply to `Attend`; `nil` for one that this version does not know.
  package init?(json: JSON) {
    if let prompt = try? json.get("question", Prompt.self) {
      self = .question(prompt, token: try? json.get("token", String.self))
    } else if let id = try? json.get("withdrawn", Prompt.ID.self) {
      self = .withdrawn(id)
    } else {
      return nil
    }
  }
}

/// A person's answer, from an agent.
package struct AgentAnswer: Hashable, Sendable {
  package var id: Prompt.ID
  package var answer: PromptAnswer
  package var precise: Bool
  /// The token of the question.
  package var token: String?
  /// The process whose notification the person has answered; `nil` where the agent asks by itself.
  package var shownBy: Int32?

  package init(
    id: Prompt.ID, answer: PromptAnswer, precise: Bool, token: String? = nil, shownBy: Int32? = nil
  ) {
    self.id = id
    self.answer = answer
    self.precise = precise
    self.token = token
    self.shownBy = shownBy
  }
}

extension AgentAnswer: JSONStructure {
  package static let fields = JSONFields(
    AgentAnswer(id: Prompt.ID(app: .blank, number: 0), answer: .dismissed, precise: true),
    .get("app", \.id.app), .get("number", \.id.number), .get("answer", \.answer),
    .find("precise", \.precise), .find("token", \.token), .find("shownBy", \.shownBy))
}
