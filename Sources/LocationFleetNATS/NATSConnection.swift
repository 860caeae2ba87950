internal import CNATS
internal import Glibc
internal import LocationFleet

/// A message as the server has sent it.
struct NATSDelivery {
  var subject: String
  /// Where a consumer has it from.
  var place: DeliveryPlace?
  /// `404`, `408`, `503`, … where the server says something itself.
  var status: String?
  var mark: EventMark?
  var bytes: [UInt8]
}

/// One connection to a server of NATS, and everything that comes to one inbox of it.
///
/// libnats reconnects by itself, without end.
final class NATSConnection {
  private var connection: OpaquePointer?
  private var subscription: OpaquePointer?
  /// What comes to subjects that begin so, is received here.
  let inbox: String
  /// Messages that have been taken or sent. libnats frees them on a thread of its own, which it wakes for each that
  /// is given back alone.
  private var done: [OpaquePointer] = []
  private var doneBytes = 0
  /// How many messages nobody was there to take; of which ones the library keeps to itself.
  private(set) var untaken = 0

  /// `mostPending` is what may have come and not been taken, in messages and bytes; what is beyond it is lost.
  init(
    _ access: BrokerAccess, name: String, mostPending: (messages: Int32, bytes: Int32)? = nil
  ) throws(BrokerFault) {
    inbox = try Self.newInbox(access.inboxPrefix)
    connection = try Self.connect(access, name: name)
    var subscription: OpaquePointer?
    try Self.check(natsConnection_SubscribeSync(&subscription, connection, inbox + ".>"))
    // Without it, what may come is bounded by what was asked for.
    try Self.check(
      natsSubscription_SetPendingLimits(
        subscription, mostPending?.messages ?? -1, mostPending?.bytes ?? -1))
    self.subscription = subscription
    try checkInbox(access.name(of: "inbox"))
  }

  /// The server says at once, or never, that answers may not come here; without a word of it nothing would be
  /// answered.
  private func checkInbox(_ setting: String) throws(BrokerFault) {
    var said: UnsafePointer<CChar>?
    // Who does not answer now, may do so later.
    _ = natsConnection_FlushTimeout(connection, 2000)
    guard natsConnection_GetLastError(connection, &said) == NATS_NOT_PERMITTED else { return }
    let cause = said.map { String(cString: $0) } ?? "not permitted"
    throw .refused(
      "\(cause): let this user subscribe to that (docs/fleet-server.conf), or name by `\(setting)` what "
        + "it may subscribe to")
  }

  /// The subject of the newest message that this user may not send; it stays until the connection is made anew.
  var forbidden: String? {
    var said: UnsafePointer<CChar>?
    guard natsConnection_GetLastError(connection, &said) == NATS_NOT_PERMITTED,
      let text = said.map({ String(cString: $0) }),
      let head = text.firstRange(of: "for Publish to \"")
    else { return nil }
    return String(text[head.upperBound...].prefix { $0 != "\"" })
  }

  deinit {
    giveBack()
    natsSubscription_Destroy(subscription)
    natsConnection_Destroy(connection)
  }

  private static func newInbox(_ prefix: String) throws(BrokerFault) -> String {
    var text: UnsafeMutablePointer<CChar>?
    try check(natsInbox_Create(&text))
    defer { natsInbox_Destroy(text) }
    // What the library has made begins in the same way for every user.
    let tail = text.flatMap { String(cString: $0).split(separator: ".").last } ?? ""
    return "\(prefix).\(tail)"
  }

  private static func connect(
    _ access: BrokerAccess, name: String
  ) throws(BrokerFault) -> OpaquePointer? {
    let made = try options(access)
    defer { natsOptions_Destroy(made) }
    try check(natsOptions_SetName(made, name))
    var (connection, status): (OpaquePointer?, natsStatus) = (nil, NATS_OK)
    for _ in 0..<mostAttempts {
      status = natsConnection_Connect(&connection, made)
      guard status == NATS_CONNECTION_AUTH_FAILED else { break }
    }
    try check(status)
    return connection
  }

  /// Attempts to be let in. libnats 3.4.1 leaves out a signature whose first byte is zero, one of 256, and the
  /// server says "Authorization Violation" then; another attempt has another signature. Chosen: all of three
  /// are such in one case of 16 million.
  private static let mostAttempts = 3

  private static func check(_ status: natsStatus) throws(BrokerFault) {
    guard status != NATS_OK else { return }
    throw .unreachable(cause(of: status))
  }

  /// Sends bytes to a subject; an answer comes to the end of the inbox that is named.
  func send(
    _ bytes: [UInt8], to subject: String, reply: String? = nil, headers: [(String, String)] = []
  ) throws(BrokerFault) {
    let reply = reply.map { "\(inbox).\($0)" }
    guard !headers.isEmpty else {
      return try Self.check(
        natsConnection_PublishRequest(
          connection, subject, reply ?? "\(inbox).none", bytes, Int32(bytes.count)))
    }
    var message: OpaquePointer?
    let status = bytes.withUnsafeBytes {
      natsMsg_Create(
        &message, subject, reply, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count))
    }
    try Self.check(status)
    defer { finish(message, bytes.count) }
    for (name, value) in headers { try Self.check(natsMsgHeader_Set(message, name, value)) }
    try Self.check(natsConnection_PublishMsg(connection, message))
  }

  /// How often the connection was made anew; what was asked before that is answered no more.
  var reconnections: UInt64 {
    var statistics: OpaquePointer?
    guard natsStatistics_Create(&statistics) == NATS_OK else { return 0 }
    defer { natsStatistics_Destroy(statistics) }
    var count: UInt64 = 0
    guard natsConnection_GetStats(connection, statistics) == NATS_OK,
      natsStatistics_GetCounts(statistics, nil, nil, nil, nil, &count) == NATS_OK
    else { return 0 }
    return count
  }

  /// The most bytes of a message, with its headers, that the server takes.
  var longestMessage: Int { Int(natsConnection_GetMaxPayload(connection)) }

  /// The next message; `nil` if none comes within so many milliseconds.
  func next(_ milliseconds: Int64) -> NATSDelivery? {
    next(milliseconds) { message, data in
      let subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
      let place = natsMsg_GetReply(message).flatMap { Self.place($0) }
      let isOwn = data.isEmpty && place == nil && subject.hasPrefix(inbox)
      return NATSDelivery(
        subject: subject, place: place,
        status: isOwn ? Self.header("Status", of: message) : nil,
        mark: subject.hasPrefix("evt.") ? Self.mark(of: message) : nil, bytes: [UInt8](data))
    }
  }

  /// What is made of the next message and its data; `nil` if none comes within so many milliseconds.
  func next<Value>(
    _ milliseconds: Int64, _ make: (OpaquePointer, UnsafeRawBufferPointer) -> Value
  ) -> Value? {
    var message: OpaquePointer?
    let status = natsSubscription_NextMsg(&message, subscription, milliseconds)
    guard status == NATS_OK, let message else {
      if status == NATS_NO_RESPONDERS { untaken += 1 }
      giveBack()
      return nil
    }
    let count = Int(natsMsg_GetDataLength(message))
    defer { finish(message, count) }
    return make(message, UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: count))
  }

  private func finish(_ message: OpaquePointer?, _ bytes: Int) {
    if let message { done.append(message) }
    doneBytes += bytes
    if done.count >= Self.mostDone || doneBytes >= Self.mostDoneBytes { giveBack() }
  }

  private func giveBack() {
    for message in done { natsMsg_Destroy(message) }
    done.removeAll(keepingCapacity: true)
    doneBytes = 0
  }

  private static let mostDone = 256
  private static let mostDoneBytes = 1 << 18

  private static func place(_ reply: UnsafePointer<CChar>) -> DeliveryPlace? {
    let count = strlen(reply)
    return reply.withMemoryRebound(to: UInt8.self, capacity: count) {
      DeliveryPlace(UnsafeBufferPointer(start: $0, count: count))
    }
  }

  private static func mark(of message: OpaquePointer?) -> EventMark? {
    guard let input = header(NATSName.input, of: message).flatMap({ UInt64($0) }),
      let index = header(NATSName.index, of: message).flatMap({ Int($0) })
    else { return nil }
    return EventMark(input: input, index: index)
  }

  private static func header(_ name: String, of message: OpaquePointer?) -> String? {
    var value: UnsafePointer<CChar>?
    guard natsMsgHeader_Get(message, name, &value) == NATS_OK else { return nil }
    return value.map { String(cString: $0) }
  }
}
