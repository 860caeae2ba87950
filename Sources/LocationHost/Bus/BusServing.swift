import CSystemd
import Glibc
package import LocationProviders

/// The calls of others to objects whose answers come later, from the part that serves them.
struct BusServing {
  private var slots: [OpaquePointer] = []
  /// Calls without an answer yet.
  private var held = HeldCalls<OpaquePointer>()
  fileprivate var asked: ((BusQuestion) -> Void)?

  fileprivate mutating func keep(_ slot: OpaquePointer?, _ asked: @escaping (BusQuestion) -> Void) {
    if let slot { slots.append(slot) }
    self.asked = asked
  }

  /// Returns the number of a call, which is kept if it wants an answer; `nil` if there is no room.
  fileprivate mutating func add(_ message: OpaquePointer, of sender: String) -> Int? {
    let wantsAnswer = sd_bus_message_get_expect_reply(message) > 0
    guard let number = held.add(message, of: sender, wantsAnswer: wantsAnswer) else { return nil }
    if wantsAnswer { sd_bus_message_ref(message) }
    return number
  }

  /// Returns a call, which the caller releases.
  fileprivate mutating func take(_ number: Int) -> OpaquePointer? { held.take(number) }

  fileprivate mutating func drop(of sender: String) {
    for message in held.drop(of: sender) { sd_bus_message_unref(message) }
  }

  mutating func end() {
    for slot in slots { sd_bus_slot_unref(slot) }
    for message in held.dropAll() { sd_bus_message_unref(message) }
    (slots, asked) = ([], nil)
  }
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
    guard let values = BusReader(message).all() else { return -E2BIG }
    guard let number = served.add(message, of: head.sender) else {
      let reason = "\(HeldCalls<OpaquePointer>.most) calls of all programs wait already"
      try? reply(to: message, .error("org.freedesktop.DBus.Error.LimitsExceeded", reason))
      return 1
    }
    asked(
      BusQuestion(
        number: number, sender: head.sender,
        call: BusSignal(
          path: head.path, interface: head.interface, member: head.member, arguments: values)))
    return 1
  }
}
