import LocationEngine
import LocationModel
import TestSupport
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
    _ app: String, _ kind: Prompt.Kind = .whenInUse, others: String = "",
    of program: VerifiedProgram? = PromptCoordinatorTests.installed
  ) -> AgentReply {
    let (policy, faults) = PromptPolicy.read(Self.text + others, file: "policy")
    #expect(faults == [])
    var prompt = Prompt.example(kind)
    prompt.id.app = AppIdentity(app)
    prompt.program = program
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
      .whenInUse, .upgrade, .reminder, .temporaryAccuracy(purposeKey: "race"),
      .beaconAdvertising,
    ]
    let (policy, _) = PromptPolicy.read("* \(level.rawValue) beacon", file: "policy")
    for kind in kinds {
      switch policy.reply(to: Prompt.example(kind)) {
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

  @Test("border 4: a line without a path counts for no program that others could replace")
  func replaceable() {
    let app = "org.example.Kiosk"
    let reason =
      "no line for org.example.Kiosk, and none for *; the line for org.example.Kiosk does not count, "
      + "because others could replace /srv/anna/walk: write org.example.Kiosk=/srv/anna/walk"
    #expect(reply(app, of: PromptCoordinatorTests.own) == .passed(reason: reason))
    #expect(
      reply(app, of: nil)
        == .passed(
          reason: "no line for org.example.Kiosk, and none for *; the line for org.example.Kiosk "
            + "does not count: nobody knows the program"))
    #expect(
      reply(app, others: "\n* never", of: PromptCoordinatorTests.own)
        == .answer(.deny, precise: true))
    // What forbids counts for whoever has the name, and a path is known for what it is.
    #expect(
      reply("org.example.No", others: "\norg.example.No never", of: nil)
        == .answer(.deny, precise: true))
    #expect(reply("/usr/bin/python3.11", of: nil) == .answer(.deny, precise: true))
  }

  @Test(
    "border 4: a line with a path counts for that program only, whoever has used its name before")
  func paths() {
    let lines = "\norg.example.Tour=/srv/anna/walk once\norg.example.Boat=/opt/boats/app/x always"
    let own = PromptCoordinatorTests.own
    #expect(reply("org.example.Tour", others: lines, of: own) == .answer(.once, precise: true))
    #expect(reply("/srv/anna/walk", others: lines, of: own) == .answer(.once, precise: true))
    #expect(
      reply("org.example.Tour", others: lines)
        == .passed(
          reason: "no line for org.example.Tour, and none for *; the line for "
            + "org.example.Tour=/srv/anna/walk is for another program than /opt/walk/walk"))
    let boat = VerifiedProgram(
      path: "/opt/boats/app/x/c0ffee/bin/x", user: 7, package: "/opt/boats/app/x",
      isProtected: false)
    #expect(
      reply("org.example.Boat@7", others: lines, of: boat) == .answer(.whileUsing, precise: true))
    // The same characters in other bytes are another path.
    let accents = "\norg.example.Bar=/opt/caf\u{e9} always"
    let twin = VerifiedProgram(path: "/opt/cafe\u{301}", user: 7, isProtected: true)
    #expect(
      reply("org.example.Bar", others: accents, of: twin) != .answer(.whileUsing, precise: true))
  }

  @Test("border 4: a name that an app has declared with @ in it is no name and a user")
  func marks() {
    #expect(
      reply("org.example.Kiosk@bar")
        == .passed(reason: "no line for org.example.Kiosk@bar, and none for *"))
    // A user's own line goes before that of any user, and one with a path before one without.
    let lines = "\norg.example.Kiosk@1000 never\norg.example.Kiosk=/opt/walk/walk once"
    #expect(reply("org.example.Kiosk@1000", others: lines) == .answer(.deny, precise: true))
    let other = VerifiedProgram(path: "/opt/walk/walk", user: 1001, isProtected: true)
    #expect(
      reply("org.example.Kiosk@1001", others: lines, of: other) == .answer(.once, precise: true))
  }

  @Test("border 4: a line that names no app is a fault")
  func names() {
    let (_, faults) = PromptPolicy.read(
      "org.example.Kiosk@bar always\nkiosk always\norg.example.Kiosk=bin always", file: "policy")
    #expect(faults.map(\.line) == [1, 2, 3])
    #expect(faults.allSatisfy { $0.cause.contains("is no app: expected an identifier such as") })
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
