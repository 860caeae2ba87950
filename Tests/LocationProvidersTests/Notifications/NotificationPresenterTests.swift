import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("A question as a notification")
struct NotificationPresenterTests {
  private var bench = Bench(NotificationPresenter()) { output in
    switch output {
    case .enter: "enter"
    case .leave: "leave"
    case .bus(.call(_, let call)): call.member
    case .bus: nil
    case .reply(let prompt, let reply): "\(prompt.number): \(reply)"
    }
  }

  private static let buttons = BusReply.values([
    .array(of: "s", [.string("body"), .string("actions")])
  ])

  private mutating func show(_ number: Int = 1) {
    bench.send(.show(Prompt.example(number: number)))
  }

  /// Up to the notification on the screen, under the number 7.
  private mutating func reachScreen() {
    show()
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(2, Self.buttons)))
    bench.send(.bus(.reply(3, .values([.uint32(7)]))))
  }

  private func signal(_ member: String, _ second: BusValue, of number: UInt32 = 7) -> BusEvent {
    .signal(
      BusSignal(
        path: "/org/freedesktop/Notifications", interface: "org.freedesktop.Notifications",
        member: member, arguments: [.uint32(number), second]))
  }

  @Test("enters the bus for the first one, asks for buttons, and leaves with the last answer")
  mutating func life() {
    reachScreen()
    bench.send(.bus(signal("ActionInvoked", .string("once"))))
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  GetCapabilities
        00:00:00  Notify
        00:00:00  1: answer(LocationModel.PromptAnswer.once, precise: true)
        00:00:00  CloseNotification
        00:00:00  leave
        """)
  }

  @Test("receives nothing of other people's notifications, or of keys that it does not know")
  mutating func unknownSenders() {
    reachScreen()
    let before = bench.outputs.count
    bench.send(.bus(signal("ActionInvoked", .string("once"), of: 8)))
    bench.send(.bus(signal("ActionInvoked", .string("default"))))
    bench.send(.bus(signal("NotificationClosed", .uint32(2), of: 8)))
    #expect(bench.outputs.count == before)
  }

  @Test("one withdrawn before its number is known is closed as soon as it is")
  mutating func early() {
    show()
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(2, Self.buttons)))
    bench.send(.withdraw(Prompt.example().id))
    bench.send(.bus(.reply(3, .values([.uint32(7)]))))
    #expect(bench.transcript.hasSuffix("00:00:00  CloseNotification\n00:00:00  leave"))
  }

  @Test("one asked anew, before the withdrawn one's number is known, is withdrawn itself")
  mutating func earlyTwice() {
    show()
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(2, Self.buttons)))
    bench.send(.withdraw(Prompt.example().id))
    show()
    bench.send(.withdraw(Prompt.example().id))
    bench.send(.bus(.reply(4, Self.buttons)))
    bench.send(.bus(.reply(3, .values([.uint32(7)]))))
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  GetCapabilities
        00:00:00  Notify
        00:00:00  GetCapabilities
        00:00:00  CloseNotification
        00:00:00  leave
        """)
  }

  @Test("two stand side by side; a bus that goes passes both on")
  mutating func gone() {
    reachScreen()
    show(2)
    bench.send(.bus(.disconnected))
    let passed = bench.transcript.split(separator: "\n").suffix(2)
    #expect(
      passed.allSatisfy { $0.hasSuffix("(reason: \"the bus of the session has gone\")") })
    show(3)
    #expect(bench.transcript.hasSuffix("enter"))
  }

  @Test("a service that says nothing sensible is passed by")
  mutating func odd() {
    show()
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(2, Self.buttons)))
    bench.send(.bus(.reply(3, .values([]))))
    #expect(
      bench.transcript.contains("passed(reason: \"org.freedesktop.Notifications gives no number\")")
    )
  }
}
