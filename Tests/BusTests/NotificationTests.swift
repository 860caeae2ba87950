import LocationService
import LocationHost
import LocationModel
import TestSupport
import Testing

/// A real service of the template of python-dbusmock, on a private bus.
@Suite(
  "Questions as notifications of the desktop", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct NotificationTests {
  private let machine: MockMachine
  private let agent: NotificationAgent

  init() throws {
    machine = try MockMachine()
    agent = NotificationAgent(bus: machine.address)
  }

  private func prompt(_ number: Int, offersPrecise: Bool = true) -> Prompt {
    Prompt(
      id: Prompt.ID(app: AppIdentity("org.example.Walk"), number: number), kind: .whenInUse,
      appName: "Walk", text: "To draw <your> walk.", offersPrecise: offersPrecise)
  }

  /// What comes of a question, while something happens on the desktop.
  private func reply(
    to prompt: Prompt, while happens: () throws -> Void = {}
  ) async throws -> AgentReply? {
    let (replies, continuation) = AsyncStream.makeStream(of: AgentReply.self)
    agent.show(prompt) { _ = continuation.yield($0) }
    try happens()
    for await reply in replies { return reply }
    return nil
  }

  @Test("stand there with the app's words and a button for each answer, and go when one is pressed")
  func press() async throws {
    try machine.perform("notifications start body body-markup actions")
    let reply = try await reply(to: prompt(1)) {
      #expect(
        try machine.perform("await notification 1")
          == "Allow “Walk” to use your location? | To draw &lt;your&gt; walk. | once | whileUsing "
          + "| deny | whileUsing~")
      try machine.perform("press 1 whileUsing")
    }
    #expect(reply == .answer(.whileUsing, precise: true))
    #expect(try machine.perform("await closed 1") == "ok")
  }

  @Test("border 5: show who really asks, and what an app says of itself escaped")
  func asker() async throws {
    try machine.perform("notifications start body body-markup actions")
    var evil = prompt(1)
    evil.appName = "Maps” is safe. \u{202e}“\u{1b}]0;a\u{7}"
    evil.text = "<b>Fine</b>\n/usr/bin/maps, user 0\u{2028}"
    evil.program = VerifiedProgram(path: "/tmp/<evil>\n", user: 1001, isProtected: false)
    let reply = try await reply(to: evil) {
      let shown = try machine.perform("await notification 1")
      let (title, body) = (
        "Allow “Maps\\u{201D} is safe. \\u{202E}\\u{201C}\\u{1B}]0;a\\u{7}” to use your location?",
        "&lt;b&gt;Fine&lt;/b&gt;\\u{A}/usr/bin/maps, user 0\\u{2028}"
      )
      #expect(shown.hasPrefix("\(title) | \(body)"))
      #expect(shown.contains(" / org.example.Walk: /tmp/&lt;evil&gt;\\u{A}, user 1001"))
      try machine.perform("press 1 deny")
    }
    #expect(reply == .answer(.deny, precise: true))
  }

  @Test("allow an approximate location only, where the app leaves the choice")
  func approximate() async throws {
    try machine.perform("notifications start body actions")
    let approximate = try await reply(to: prompt(1)) {
      try machine.perform("await notification 1")
      try machine.perform("press 1 whileUsing~")
    }
    #expect(approximate == .answer(.whileUsing, precise: false))
    let plain = try await reply(to: prompt(2, offersPrecise: false)) {
      let shown = try machine.perform("await notification 2")
      #expect(shown.hasSuffix("| To draw <your> walk. | once | whileUsing | deny"))
      try machine.perform("press 2 deny")
    }
    #expect(plain == .answer(.deny, precise: true))
  }

  @Test("AUTH-27: one that is swept away decides nothing")
  func dismissal() async throws {
    try machine.perform("notifications start body actions")
    let reply = try await reply(to: prompt(1)) {
      try machine.perform("await notification 1")
      try machine.perform("dismiss 1")
    }
    #expect(reply == .answer(.dismissed, precise: true))
  }

  @Test("MODEL-6: one that is moot is taken from the screen")
  func withdrawal() throws {
    try machine.perform("notifications start body actions")
    agent.show(prompt(1)) { _ in Issue.record("a withdrawn question was answered") }
    try machine.perform("await notification 1")
    agent.withdraw(prompt(1).id)
    #expect(try machine.perform("await closed 1") == "ok")
  }

  @Test("are passed on by a desktop without buttons, and by none")
  func nobody() async throws {
    let none = try await reply(to: prompt(1))
    guard case .passed(let reason) = none else { return #expect(Bool(false), "\(none as Any)") }
    #expect(reason.hasPrefix("org.freedesktop.Notifications does not answer"))
    try machine.perform("notifications start body")
    let silent = try await reply(to: prompt(2))
    #expect(silent == .passed(reason: "org.freedesktop.Notifications shows no buttons"))
  }

  @Test("are passed on when the desktop goes, and when there is no bus")
  func gone() async throws {
    try machine.perform("notifications start body actions")
    let reply = try await reply(to: prompt(1)) {
      try machine.perform("await notification 1")
      try machine.perform("notifications stop")
    }
    #expect(reply == .passed(reason: "org.freedesktop.Notifications has gone"))
    let without = NotificationAgent(bus: nil)
    #expect(without.obstacle == "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
    let (replies, continuation) = AsyncStream.makeStream(of: AgentReply.self)
    without.show(prompt(2)) { _ = continuation.yield($0) }
    for await reply in replies {
      guard case .passed(let reason) = reply else { break }
      #expect(reason.hasPrefix("there is no bus of a session"))
      return
    }
    Issue.record("no word of the missing bus")
  }
}
