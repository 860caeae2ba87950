import LocationCoding
import LocationLink
import LocationModel

/// The questions of apps that the pages show, and who may answer which (CONSOLE-14).
///
/// It has no connection: what the daemon has sent, and what a page wants, are its inputs.
struct ConsoleQuestions: Hashable, Sendable {
  /// Whether the console answers for a person.
  enum State: Hashable, Sendable {
    case off
    /// It was switched on, and there is no connection yet.
    case connecting
    case attending
    /// Why it may not answer, and what a person does about it.
    case refused(problem: String, next: String?)
  }

  /// What a page sends to answer a question.
  struct Answer: Hashable, Sendable {
    var id: Prompt.ID
    var answer: PromptAnswer
    var precise: Bool
  }

  private struct Question: Hashable, Sendable {
    var prompt: Prompt
    var token: String?
    var isAnswered = false
  }

  private(set) var state = State.off
  private var open: [Question] = []
  /// The user of this console, whom the daemon lets answer; others only for apps of their own.
  private let owner: UInt32

  init(of owner: UInt32) { self.owner = owner }

  var isOn: Bool { state == .connecting || state == .attending }

  // MARK: What happens

  mutating func switchOn() { if !isOn { state = .connecting } }

  mutating func switchOff() { (state, open) = (.off, []) }

  mutating func connect() { if isOn { state = .attending } }

  /// The daemon has gone; it will be looked for again.
  mutating func disconnect() {
    open = []
    if isOn { state = .connecting }
  }

  mutating func refuse(_ problem: String, next: String?) {
    (state, open) = (.refused(problem: problem, next: next), [])
  }

  mutating func take(_ event: AgentEvent) {
    guard isOn else { return }
    switch event {
    case .question(let prompt, let token):
      open.removeAll { $0.prompt.id == prompt.id }
      // Each is one that the daemon holds, and it bounds them.
      open.append(Question(prompt: prompt, token: token))
    case .withdrawn(let id): open.removeAll { $0.prompt.id == id }
    }
  }

  /// A page answers, for a user by the kernel's word.
  ///
  /// - Returns: what the daemon is sent.
  /// - Throws: why it is not.
  mutating func take(_ given: Answer, of user: UInt32?) throws(Failure) -> AgentAnswer {
    guard let index = open.firstIndex(where: { $0.prompt.id == given.id }) else {
      throw Self.isOver
    }
    let question = open[index]
    guard let user, may(user, answer: question.prompt) else {
      throw .refused(
        "this question is not of an app of yours", next: "the user of the app answers it")
    }
    guard !question.isAnswered else { throw Self.isOver }
    guard question.prompt.kind.answers.contains(given.answer) else {
      throw .usage("this question has no such answer", next: "load the page again")
    }
    open[index].isAnswered = true
    return AgentAnswer(
      id: given.id, answer: given.answer, precise: given.precise, token: question.token)
  }

  /// The daemon has said what became of an answer: the question is no longer open.
  mutating func end(_ id: Prompt.ID) { open.removeAll { $0.prompt.id == id } }

  /// Reads whether a page switches this on: `{"on": true}`.
  static func isOn(_ body: [UInt8]) throws(Failure) -> Bool {
    do throws(CodingFault) { return try JSON(parsing: body).get("on") } catch {
      throw .usage("the switch cannot be read: \(error)", next: "load the page again")
    }
  }

  static let isOver = Failure.refused(
    "this question is no longer open: it was answered elsewhere, or the app has gone", next: nil)

  // MARK: For the page

  private func may(_ user: UInt32, answer prompt: Prompt) -> Bool {
    user == owner || (prompt.program?.user == user && prompt.id.app.name.hasSuffix("@\(user)"))
  }

  /// What a page of a user shows.
  func json(for user: UInt32?) -> JSON {
    let own = open.filter { question in
      !question.isAnswered && user.map { may($0, answer: question.prompt) } ?? false
    }
    var problem: (String, String?)?
    if case .refused(let said, let next) = state { problem = (said, next) }
    return .fields([
      "on": isOn.json, "attending": (state == .attending).json, "problem": problem?.0.json,
      "next": problem?.1?.json, "open": .array(own.map(\.prompt.consoleQuestion)),
    ])
  }
}

extension ConsoleQuestions.Answer {
  /// Reads what a page has sent.
  init(_ body: [UInt8]) throws(Failure) {
    do throws(CodingFault) {
      let json = try JSON(parsing: body)
      self.init(
        id: try Prompt.ID(json: json), answer: try json.get("answer"),
        precise: try json.find("precise") ?? true)
    } catch {
      throw .usage("the answer cannot be read: \(error)", next: "load the page again")
    }
  }
}

extension Prompt {
  /// As the page shows it: the words of the app escaped and in quotation marks.
  fileprivate var consoleQuestion: JSON {
    .fields([
      "app": id.app.name.json, "number": id.number.json, "title": title.json,
      "reason": reason.json, "asker": (asker ?? id.app.name.escapedForDisplay()).json,
      "command": command.json, "offersPrecise": offersPrecise.json,
      "answers": .array(
        kind.answers.map { .fields(["answer": $0.rawValue.json, "words": $0.words.json]) }),
    ])
  }
}
