import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The order in which agents are asked")
struct PromptCoordinatorTests {
  /// A program that nobody but root can replace, and one that others can.
  static let installed = VerifiedProgram(path: "/opt/walk/walk", user: 1000, isProtected: true)
  static let own = VerifiedProgram(path: "/srv/anna/walk", user: 1000, isProtected: false)

  private static func bench(agents: Int) -> Bench<PromptCoordinator> {
    Bench(PromptCoordinator(agents: agents)) { output in
      switch output {
      case .show(let prompt, let agent): "agent \(agent) is shown \(prompt.id.number)"
      case .withdraw(let prompt, let agent): "agent \(agent) takes \(prompt.number) back"
      case .answer(let prompt, let answer, _): "\(prompt.number): \(answer)"
      case .unanswered(let prompt, let reasons): "\(prompt.id.number) unanswered \(reasons)"
      }
    }
  }

  private let id = Prompt.example().id

  @Test("goes from one to the next until one answers")
  func order() {
    var bench = Self.bench(agents: 3)
    bench.send(.asked(Prompt.example()))
    bench.send(.reply(id, agent: 0, .passed(reason: "no line")))
    bench.send(.reply(id, agent: 1, .answer(.once, precise: true)))
    bench.run(for: .seconds(600))
    #expect(
      bench.transcript == """
        00:00:00  agent 0 is shown 1
        00:00:00  agent 1 is shown 1
        00:00:00  1: once
        """)
  }

  @Test("goes around again each minute when all have passed, and says why only once")
  func unanswered() {
    var bench = Self.bench(agents: 2)
    bench.send(.asked(Prompt.example()))
    for reason in ["no terminal", "no terminal", "no bus"] {
      bench.send(.reply(id, agent: 0, .passed(reason: "no line")))
      bench.send(.reply(id, agent: 1, .passed(reason: reason)))
      bench.run(for: .seconds(60))
    }
    #expect(
      bench.transcript == """
        00:00:00  agent 0 is shown 1
        00:00:00  agent 1 is shown 1
        00:00:00  1 unanswered ["no line", "no terminal"]
        00:01:00  agent 0 is shown 1
        00:01:00  agent 1 is shown 1
        00:02:00  agent 0 is shown 1
        00:02:00  agent 1 is shown 1
        00:02:00  1 unanswered ["no line", "no bus"]
        00:03:00  agent 0 is shown 1
        """)
  }

  @Test("says at once that there is no agent at all, and never again")
  func none() {
    var bench = Self.bench(agents: 0)
    bench.send(.asked(Prompt.example()))
    bench.run(for: .seconds(3600))
    #expect(bench.transcript == "00:00:00  1 unanswered []")
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("takes a moot question back from the one who shows it, and from nobody else")
  func withdrawal() {
    var bench = Self.bench(agents: 2)
    bench.send(.asked(Prompt.example()))
    bench.send(.withdrawn(id))
    bench.send(.withdrawn(id))
    bench.send(.reply(id, agent: 0, .passed(reason: "late")))
    #expect(
      bench.transcript == """
        00:00:00  agent 0 is shown 1
        00:00:00  agent 0 takes 1 back
        """)
  }

  @Test("an answer that was not offered is none; one that comes late is for the engine to judge")
  func odd() {
    var bench = Self.bench(agents: 2)
    bench.send(.asked(Prompt.example()))
    bench.send(.reply(id, agent: 0, .answer(.always, precise: true)))
    bench.send(.reply(id, agent: 1, .answer(.dismissed, precise: true)))
    bench.send(.reply(id, agent: 0, .answer(.deny, precise: true)))
    #expect(
      bench.transcript == """
        00:00:00  agent 0 is shown 1
        00:00:00  agent 1 is shown 1
        00:00:00  1: dismissed
        00:00:00  1: deny
        """)
  }

  @Test("questions of several apps go their own ways")
  func several() {
    var bench = Self.bench(agents: 2)
    let second = Prompt.example(number: 2)
    bench.send(.asked(Prompt.example()))
    bench.send(.asked(second))
    bench.send(.reply(id, agent: 0, .passed(reason: "no line")))
    bench.send(.reply(second.id, agent: 0, .answer(.deny, precise: true)))
    bench.send(.reply(id, agent: 1, .answer(.once, precise: true)))
    #expect(bench.transcript.hasSuffix("2: deny\n00:00:00  1: once"))
  }
}
