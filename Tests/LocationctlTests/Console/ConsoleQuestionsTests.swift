import LocationCoding
import LocationLink
import LocationModel
import Testing

@testable import locationctl

@Suite("The questions of apps in the console")
struct ConsoleQuestionsTests {
  private static func prompt(_ number: Int = 1, of user: UInt32 = 1000) -> Prompt {
    var prompt = Prompt(
      id: Prompt.ID(app: AppIdentity("org.example.Walk@\(user)"), number: number),
      kind: .whenInUse, appName: "Walk\u{1b}[2J", text: "To draw <b>your</b> walk.",
      offersPrecise: true)
    prompt.program = VerifiedProgram(path: "/opt/walk", user: user, isProtected: true)
    return prompt
  }

  /// A console of root that attends, with one question of user 1000.
  private static func attending(by owner: UInt32 = 0) -> ConsoleQuestions {
    var questions = ConsoleQuestions(of: owner)
    questions.switchOn()
    questions.connect()
    questions.take(.question(prompt(), token: "t1"))
    return questions
  }

  private static func answer(
    _ answer: PromptAnswer = .whileUsing, precise: Bool = false
  ) -> ConsoleQuestions.Answer {
    ConsoleQuestions.Answer(id: prompt().id, answer: answer, precise: precise)
  }

  private static func shown(_ questions: ConsoleQuestions, to user: UInt32?) -> String {
    String(decoding: questions.json(for: user).bytes, as: UTF8.self)
  }

  @Test("CONSOLE-14: shows the app, the question, its reason, and the answers, escaped")
  func shows() {
    let text = Self.shown(Self.attending(), to: 0)
    for part in [
      #""attending":true"#, #""number":1"#, "To draw <b>your</b> walk.", "/opt/walk, user 1000",
      #"{"answer":"once","words":"Allow Once"}"#, #""offersPrecise":true"#,
      "to use your location?",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(!text.contains("t1"), "the page does not need the token")
    #expect(!text.contains("\u{1b}"))
  }

  @Test("CONSOLE-14: only the user of the app, and the console's own, see it and answer it")
  func others() throws {
    var questions = Self.attending()
    for user in [1001, nil] as [UInt32?] {
      #expect(Self.shown(questions, to: user).contains(#""open":[]"#))
      #expect(throws: Failure.self) { try questions.take(Self.answer(), of: user) }
    }
    #expect(Self.shown(questions, to: 1000).contains("Walk"))
    let taken = try questions.take(Self.answer(), of: 1000)
    #expect(
      taken
        == AgentAnswer(id: Self.prompt().id, answer: .whileUsing, precise: false, token: "t1"))
  }

  @Test("CONSOLE-14: the first answer counts; others, and those that it has not, are refused")
  func first() throws {
    var questions = Self.attending()
    let unfit = #expect(throws: Failure.self) {
      try questions.take(Self.answer(.always), of: 0)
    }
    #expect("\(unfit.map(String.init(describing:)) ?? "")".contains("no such answer"))
    _ = try questions.take(Self.answer(), of: 0)
    let late = #expect(throws: Failure.self) { try questions.take(Self.answer(.deny), of: 0) }
    #expect("\(late.map(String.init(describing:)) ?? "")".contains("no longer open"))
    var other = Self.attending()
    other.take(.withdrawn(Self.prompt().id))
    #expect(throws: Failure.self) { try other.take(Self.answer(), of: 0) }
  }

  @Test("CONSOLE-14: asks only while it is switched on; a refusal of the daemon is shown")
  func switched() {
    var questions = ConsoleQuestions(of: 0)
    questions.take(.question(Self.prompt(), token: "t1"))
    #expect(Self.shown(questions, to: 0) == #"{"on":false,"attending":false,"open":[]}"#)
    questions = Self.attending()
    questions.switchOff()
    #expect(Self.shown(questions, to: 0) == #"{"on":false,"attending":false,"open":[]}"#)
    questions.switchOn()
    questions.refuse("an app is behind it", next: "use a terminal")
    let shown = Self.shown(questions, to: 0)
    #expect(shown.contains(#""problem":"an app is behind it","next":"use a terminal""#))
    #expect(shown.contains(#""on":false"#))
    questions = Self.attending()
    questions.disconnect()
    #expect(Self.shown(questions, to: 0) == #"{"on":true,"attending":false,"open":[]}"#)
  }

  @Test(
    "CONSOLE-14: refuses what is no answer",
    arguments: [
      "", "{}", "[]", #"{"app":"a","number":1}"#, #"{"app":"a","number":1,"answer":"x"}"#,
    ])
  func garbled(text: String) {
    #expect(throws: Failure.self) { try ConsoleQuestions.Answer(Array(text.utf8)) }
    #expect(throws: Failure.self) { try ConsoleQuestions.isOn(Array(text.utf8)) }
  }

  @Test("CONSOLE-14: a page hears of a question, and of its end")
  func news() {
    var state = LiveState(of: 0)
    let begin = state.version
    state.questions.switchOn()
    #expect(state.version > begin)
    state.questions.take(.question(Self.prompt(), token: "t1"))
    let version = state.version
    #expect(state.news(after: begin, for: 0)["questions"] != nil)
    #expect(state.news(after: version, for: 0)["questions"] == nil)
    state.questions.take(.withdrawn(Self.prompt().id))
    #expect(state.news(after: version, for: 0)["questions"] != nil)
  }
}
