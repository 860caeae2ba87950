import LocationCore
import LocationModel
import Testing

@Suite("A policy file")
struct PromptPolicyTests {
  private static let text = """
    # A kiosk that is always known, and a walk that is not.
    org.example.Kiosk   always
    org.example.Walk    whenInUse reduced   # a hundred kilometers of hills
    org.example.Visitor once
    org.example.Map@1000 ask
    /usr/bin/python3.11 never
    """

  private func reply(
    _ app: String, _ kind: Prompt.Kind = .whenInUse, others: String = ""
  ) -> AgentReply {
    let (policy, faults) = PromptPolicy.read(Self.text + others, file: "policy")
    #expect(faults == [])
    var prompt = PromptDeskTests.prompt(kind)
    prompt.id.app = AppIdentity(app)
    return policy.reply(to: prompt)
  }

  @Test("answers the first question by the line of the app")
  func first() {
    #expect(reply("org.example.Kiosk") == .answer(.whileUsing, precise: true))
    #expect(reply("org.example.Walk") == .answer(.whileUsing, precise: false))
    #expect(reply("org.example.Visitor") == .answer(.once, precise: true))
    #expect(reply("/usr/bin/python3.11") == .answer(.deny, precise: true))
  }

  @Test("answers the second question, and that for a while, by the same line")
  func later() {
    #expect(reply("org.example.Kiosk", .upgrade) == .answer(.always, precise: true))
    #expect(reply("org.example.Walk", .upgrade) == .answer(.keepWhileUsing, precise: false))
    #expect(reply("org.example.Kiosk", .reminder) == .answer(.always, precise: true))
    let race = Prompt.Kind.temporaryAccuracy(purposeKey: "race")
    #expect(reply("org.example.Kiosk", race) == .answer(.accept, precise: true))
    #expect(reply("org.example.Walk", race) == .answer(.decline, precise: false))
    #expect(reply("/usr/bin/python3.11", race) == .answer(.decline, precise: true))
    #expect(reply("org.example.Kiosk", .locationButton) == .answer(.accept, precise: true))
    #expect(reply("/usr/bin/python3.11", .locationButton) == .answer(.decline, precise: true))
  }

  @Test("border 10: no level answers the question about a beacon, only a word of its own does")
  func beacons() {
    for level in PromptPolicy.Level.allCases {
      for accuracy in ["", "precise", "reduced"] {
        let line = "\(level.rawValue) \(accuracy)"
        let others = "\nan.app \(line)\nan.app2 \(line) beacon\nan.app3 \(line) no-beacon"
        guard case .passed(let reason) = reply("an.app", .beaconAdvertising, others: others) else {
          Issue.record("\(line) answers")
          continue
        }
        #expect(reason.contains("neither beacon nor no-beacon"))
        let yes = AgentReply.answer(.accept, precise: true)
        #expect(reply("an.app2", .beaconAdvertising, others: others) == yes)
        let no = AgentReply.answer(.decline, precise: true)
        #expect(reply("an.app3", .beaconAdvertising, others: others) == no)
      }
    }
    for line in ["an.app beacon", "an.app always beacon precise", "an.app always beacon beacon"] {
      #expect(PromptPolicy.read(line, file: "policy").faults.count == 1, "\(line)")
    }
  }

  @Test("every answer was offered by its question", arguments: PromptPolicy.Level.allCases)
  func offered(level: PromptPolicy.Level) {
    let kinds: [Prompt.Kind] = [
      .whenInUse, .upgrade, .reminder, .temporaryAccuracy(purposeKey: "race"), .locationButton,
      .beaconAdvertising,
    ]
    let (policy, _) = PromptPolicy.read("* \(level.rawValue) beacon", file: "policy")
    for kind in kinds {
      switch policy.reply(to: PromptDeskTests.prompt(kind)) {
      case .answer(let answer, _): #expect(kind.answers.contains(answer))
      case .passed: #expect(level == .ask)
      }
    }
  }

  @Test("leaves what it does not know, or shall not decide, to the next agent")
  func passing() {
    #expect(
      reply("org.example.Other") == .passed(reason: "no line for org.example.Other, and none for *")
    )
    #expect(
      reply("org.example.Map@1000")
        == .passed(reason: "the line for org.example.Map@1000 says to ask"))
  }

  @Test("a line for all others counts where there is no other; a line for any user for each")
  func others() {
    #expect(reply("org.example.Other", others: "\n* never") == .answer(.deny, precise: true))
    #expect(reply("org.example.Kiosk", others: "\n* never") == .answer(.whileUsing, precise: true))
    #expect(reply("org.example.Kiosk@1000") == .answer(.whileUsing, precise: true))
    #expect(reply("org.example.Map@1001", others: "\n* never") == .answer(.deny, precise: true))
  }

  @Test("tells file, line, and cause of every fault")
  func faults() {
    let (_, faults) = PromptPolicy.read(
      """
      org.example.Kiosk

      org.example.Walk sometimes
      org.example.Walk always coarse
      org.example.Walk always
      org.example.Walk never
      org.example.Race always reduced now
      """, file: "/etc/meridian/policy")
    #expect(
      faults.map(\.description) == [
        "/etc/meridian/policy:1: expected `APP LEVEL`, found `org.example.Kiosk`",
        "/etc/meridian/policy:3: unknown level `sometimes`; known are never, once, whenInUse, "
          + "always, ask",
        "/etc/meridian/policy:4: unknown accuracy `coarse`; known are precise, reduced, "
          + "and beacon, no-beacon",
        "/etc/meridian/policy:6: a second line for `org.example.Walk`",
        "/etc/meridian/policy:7: expected `APP LEVEL [precise|reduced] [beacon|no-beacon]`, "
          + "found more",
      ])
  }
}
