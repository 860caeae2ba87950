import CSystemd
import Glibc
package import LocationProviders

/// The calls of others to objects whose answers come later, from the part that serves them.
struct BusServing {
  private var slots: [OpaquePointer] = []
  /// Calls without an answer yet, by their numbers, with the names of their senders.
  private var questions: [Int: (message: OpaquePointer, sender: String)] = [:]
  private var last = 0
  fileprivate var asked: ((BusQuestion) -> Void)?

  fileprivate var isFull: Bool { questions.count >= Self.most }

  fileprivate mutating func keep(_ slot: OpaquePointer?, _ asked: @escaping (BusQuestion) -> Void) {
    if let slot { slots.append(slot) }
    self.asked = asked
  }

  fileprivate mutating func add(_ message: OpaquePointer, of sender: String) -> Int {
    last += 1
    questions[last] = (sd_bus_message_ref(message), sender)
    return last
  }

  /// Returns a call, which the caller releases.
  fileprivate mutating func take(_ number: Int) -> OpaquePointer? {
    questions.removeValue(forKey: number)?.message
  }

  fileprivate mutating func drop(of sender: String) {
    for (number, question) in questions where question.sender == sender {
      questions[number] = nil
      sd_bus_message_unref(question.message)
    }
  }

  mutating func end() {
    for slot in slots { sd_bus_slot_unref(slot) }
    for question in questions.values { sd_bus_message_unref(question.message) }
    (slots, questions, asked) = ([], [:], nil)
  }

  /// Calls that wait for an answer. Chosen: a few of each connection that is served.
  private static let most = 4096
}

// Objects that anybody may call, each call with an answer of its own.
extension BusConnection {
  /// Passes the calls of anybody to objects at a path and below it to `asked`; each is answered by
  /// ``answer(_:_:)``, at once or later.
  package func serve(
    below root: String, _ asked: @escaping (BusQuestion) -> Void
  ) throws(BusFault) {
    var slot: OpaquePointer?
    try BusFault.check(
      sd_bus_add_fallback(
        bus, &slot, root,
        { message, context, _ in
          guard let message else { return 0 }
          return BusConnection.from(context)?.take(question: message) ?? 0
        }, context))
    served.keep(slot, asked)
  }

  /// Answers a call; does nothing if its caller has gone, or wants no answer.
  package func answer(_ number: Int, _ response: BusResponse) {
    guard let call = served.take(number) else { return }
    defer { sd_bus_message_unref(call) }
    guard sd_bus_message_get_expect_reply(call) > 0 else { return }
    do throws(BusFault) { try reply(to: call, response) } catch {
      // A value that cannot be sent: no call is left without an answer.
      sd_bus_reply_method_errno(call, error.code, nil)
    }
  }

  private func reply(to call: OpaquePointer, _ response: BusResponse) throws(BusFault) {
    var made: OpaquePointer?
    defer { if let made { sd_bus_message_unref(made) } }
    switch response {
    case .values(let values):
      try BusFault.check(sd_bus_message_new_method_return(call, &made))
      guard let made else { return }
      try BusWriter(made).append(values)
    case .error(let name, let text):
      var error = sd_bus_error()
      defer { sd_bus_error_free(&error) }
      _ = sd_bus_error_set(&error, name, text)
      try BusFault.check(sd_bus_message_new_method_error(call, &made, &error))
    }
    try BusFault.check(sd_bus_send(bus, made, nil))
  }

  /// Forgets the calls of a connection that has gone.
  package func dropQuestions(of sender: String) { served.drop(of: sender) }

  /// Sends a signal to one connection, or to everybody, if it can be sent.
  package func send(_ signal: BusSignal, to receiver: String?) {
    try? emit(signal, to: receiver)
  }

  fileprivate func take(question message: OpaquePointer) -> Int32 {
    guard let head = BusHead(message), head.kind == .call, let asked = served.asked else {
      return 0
    }
    guard !served.isFull else { return -ENOBUFS }
    guard let values = BusReader(message).all() else { return -E2BIG }
    let number = served.add(message, of: head.sender)
    asked(
      BusQuestion(
        number: number, sender: head.sender,
        call: BusSignal(
          path: head.path, interface: head.interface, member: head.member, arguments: values)))
    return 1
  }
}
