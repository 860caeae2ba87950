package import LocationModel

/// Shows prompts as notifications with buttons, over D-Bus (`org.freedesktop.Notifications`).
///
/// If the notification service shows no buttons, is not there, or goes away, the prompt is passed
/// to the next agent, with the reason.
package struct NotificationPresenter: Machine {
  package enum Input: MachineInput {
    case show(Prompt)
    case withdraw(Prompt.ID)
    case bus(BusEvent)
    /// The connection to the bus failed.
    case closed(reason: String)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Connects to the session bus of the person; `.bus(.connected)` follows.
    case enter
    /// Disconnects from the bus, because no prompt is open.
    case leave
    case bus(BusAction)
    case reply(Prompt.ID, AgentReply)
  }

  private struct Question: Sendable {
    var number: Int
    var prompt: Prompt
    var state: State
  }

  private enum State: Hashable, Sendable {
    /// The bus is not connected yet.
    case waiting
    /// The service was asked whether it shows buttons.
    case asking
    /// The call to show the prompt is pending; a withdrawn one is closed once its number is known.
    case notifying(isWithdrawn: Bool)
    case shown(UInt32)
  }

  private var questions: [Question] = []
  private var lastNumber = 0
  private var isConnected = false
  /// Messages that were rejected, counted by reason.
  package private(set) var refusals: [BusRefusal: Int] = [:]

  package init() {}

  package var nextDeadline: Instant? { nil }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    let before = questions.count
    var outputs: [Output]
    switch input {
    case .show(let prompt): outputs = show(prompt)
    case .withdraw(let id): outputs = withdraw(id)
    case .bus(let event): outputs = take(event)
    case .closed(let reason):
      isConnected = false
      outputs = passAll("there is no bus of a session: \(reason)")
    case .wake: outputs = []
    }
    guard isConnected, before > 0, questions.isEmpty else { return outputs }
    isConnected = false
    outputs.append(.leave)
    return outputs
  }

  // MARK: Questions

  private mutating func show(_ prompt: Prompt) -> [Output] {
    lastNumber += 1
    let isFirst = questions.isEmpty
    questions.append(Question(number: lastNumber, prompt: prompt, state: .waiting))
    if isConnected { return ask(questions.endIndex - 1) }
    return isFirst ? [.enter] : []
  }

  private mutating func withdraw(_ id: Prompt.ID) -> [Output] {
    // One that is withdrawn already may still be there, before the same one that is asked anew.
    guard
      let index = questions.firstIndex(where: {
        $0.prompt.id == id && $0.state != .notifying(isWithdrawn: true)
      })
    else { return [] }
    switch questions[index].state {
    case .waiting, .asking:
      questions.remove(at: index)
      return []
    case .notifying:
      questions[index].state = .notifying(isWithdrawn: true)
      return []
    case .shown(let shown):
      questions.remove(at: index)
      return [close(shown)]
    }
  }

  /// Asks whether there are buttons, for each prompt: the service may have been replaced.
  private mutating func ask(_ index: Int) -> [Output] {
    questions[index].state = .asking
    let call = Self.call("GetCapabilities", reply: "as")
    return [.bus(.call(Self.capabilities(questions[index].number), call))]
  }

  private func close(_ shown: UInt32) -> Output {
    .bus(.call(Self.closing, Self.call("CloseNotification").with(.uint32(shown))))
  }

  private mutating func end(_ index: Int, _ reply: AgentReply) -> [Output] {
    let question = questions.remove(at: index)
    if case .notifying(isWithdrawn: true) = question.state { return [] }
    return [.reply(question.prompt.id, reply)]
  }

  private mutating func passAll(_ reason: String) -> [Output] {
    var outputs: [Output] = []
    while !questions.isEmpty { outputs += end(0, .passed(reason: reason)) }
    return outputs
  }

  // MARK: The bus

  private mutating func take(_ event: BusEvent) -> [Output] {
    switch event {
    case .connected:
      isConnected = true
      return Self.matches.map { .bus(.subscribe($0)) } + questions.indices.flatMap { ask($0) }
    case .disconnected:
      isConnected = false
      return passAll("the bus of the session has gone")
    case .reply(let number, let reply): return take(reply, to: number)
    case .signal(let signal): return take(signal)
    case .called: return []
    case .refused(let reason, let count):
      refusals[reason, default: 0] += count
      return []
    }
  }

  private mutating func take(_ reply: BusReply, to call: Int) -> [Output] {
    guard let index = questions.firstIndex(where: { $0.number == call / 2 }) else { return [] }
    if case .error(let name) = reply {
      return end(index, .passed(reason: "\(Self.service) does not answer: \(name)"))
    }
    guard call != Self.capabilities(questions[index].number) else {
      return takeCapabilities(reply, index)
    }
    guard let shown = reply.first?.integer.flatMap(UInt32.init(exactly:)) else {
      return end(index, .passed(reason: "\(Self.service) gives no number"))
    }
    if questions[index].state == .notifying(isWithdrawn: true) {
      questions.remove(at: index)
      return [close(shown)]
    }
    questions[index].state = .shown(shown)
    return []
  }

  private mutating func takeCapabilities(_ reply: BusReply, _ index: Int) -> [Output] {
    let words = reply.first?.elements?.compactMap(\.text) ?? []
    guard words.contains("actions") else {
      return end(index, .passed(reason: "\(Self.service) shows no buttons"))
    }
    questions[index].state = .notifying(isWithdrawn: false)
    let question = questions[index]
    let call = NotificationQuestion(question.prompt).call(
      Self.call("Notify", reply: "u"), hasMarkup: words.contains("body-markup"))
    return [.bus(.call(Self.capabilities(question.number) + 1, call))]
  }

  private mutating func take(_ signal: BusSignal) -> [Output] {
    // The numbers of notifications are not valid for another service.
    if signal.isLoss(of: Self.service) { return passAll("\(Self.service) has gone") }
    guard signal.interface == Self.service,
      let shown = signal[0]?.integer.flatMap(UInt32.init(exactly:)),
      let index = questions.firstIndex(where: { $0.state == .shown(shown) })
    else { return [] }
    switch signal.member {
    case "ActionInvoked":
      guard let choice = NotificationQuestion.choice(signal[1]?.text ?? "") else { return [] }
      // A service may leave the notification on the screen.
      return end(index, choice) + [close(shown)]
    case "NotificationClosed": return end(index, .answer(.dismissed, precise: true))
    default: return []
    }
  }

  // MARK: Words of the interface

  package static let service = "org.freedesktop.Notifications"
  /// The number of calls that close a notification; their replies are ignored.
  private static let closing = -1

  /// Returns the number of the call that asks for buttons; the one that shows the prompt has the
  /// next.
  private static func capabilities(_ number: Int) -> Int { number * 2 }

  static func call(_ member: String, reply: String? = nil) -> BusCall {
    BusCall(
      service, path: "/org/freedesktop/Notifications", interface: service, member: member,
      reply: reply)
  }

  private static let matches = [
    BusMatch(sender: service, interface: service, member: "ActionInvoked", signature: "us"),
    BusMatch(sender: service, interface: service, member: "NotificationClosed", signature: "uu"),
    .owner(of: service),
  ]
}

/// A prompt as a notification.
struct NotificationQuestion {
  private let prompt: Prompt

  init(_ prompt: Prompt) {
    self.prompt = prompt
  }

  /// Keys and labels of the buttons, alternately.
  var actions: [String] {
    let plain = prompt.kind.answers.flatMap { [$0.rawValue, $0.words] }
    guard prompt.offersPrecise else { return plain }
    let answer = PromptAnswer.whileUsing
    return plain + [answer.rawValue + Self.approximate, answer.words + ", approximate location"]
  }

  /// Returns the reply for the button with a key; `nil` for an unknown key.
  static func choice(_ key: String) -> AgentReply? {
    let isApproximate = key.hasSuffix(approximate)
    return PromptAnswer(rawValue: isApproximate ? String(key.dropLast(approximate.count)) : key)
      .map { .answer($0, precise: !isApproximate) }
  }

  /// Returns the call of `Notify`: the notification stays until it is answered.
  func call(_ call: BusCall, hasMarkup: Bool) -> BusCall {
    call.with(
      .string("Location"), .uint32(0), .string("mark-location"), .string(prompt.title),
      .string(hasMarkup ? body.escapedForMarkup : body),
      .array(of: "s", actions.map { .string($0) }),
      .properties(["urgency": .byte(2), "resident": .boolean(true)]), .int32(0))
  }

  /// The reason that the app gives, and below it the verified app.
  private var body: String { prompt.reason + (prompt.asker.map { "\n\($0)" } ?? "") }

  private static let approximate = "~"
}

extension String {
  /// This text where a desktop reads markup.
  var escapedForMarkup: String {
    reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
  }
}
