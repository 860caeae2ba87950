internal import CNATS
internal import Glibc
package import LocationFleet

/// Appends messages to the streams without waiting for one before the next; says later of each whether
/// the stream keeps it.
package struct StreamWriter {
  private let connection: NATSConnection
  private var counter: UInt64 = 0

  package init(_ access: BrokerAccess, name: String) throws(BrokerFault) {
    connection = try NATSConnection(access, name: name)
  }

  /// To a server of somebody else, who may send whatever he likes to where answers come.
  package init(toOther access: BrokerAccess, name: String) throws(BrokerFault) {
    connection = try NATSConnection(access, name: name, mostPending: (4096, 1 << 23))
  }

  /// Sends a message; its acknowledgement has the number that is returned.
  package mutating func send(_ entry: IngressEntry) throws(BrokerFault) -> UInt64 {
    counter += 1
    try connection.send(
      entry.bytes, to: entry.subject, reply: "\(counter)",
      headers: [("Nats-Msg-Id", entry.identifier)])
    return counter
  }

  /// Sends an event; its acknowledgement has the number that is returned.
  ///
  /// - Parameters:
  ///   - event: what is sent.
  ///   - subject: to where.
  /// - Returns: the number of the message.
  /// - Throws: `refused` where the server takes no message of that size.
  package mutating func send(
    _ event: SinkEvent, to subject: String
  ) throws(BrokerFault) -> UInt64 {
    guard event.json.count + Self.roomForHeaders <= connection.longestMessage else {
      throw .refused("larger than the server takes")
    }
    counter += 1
    try connection.send(
      event.json, to: subject, reply: "\(counter)",
      headers: [
        // The stream keeps it once within its window.
        ("Nats-Msg-Id", event.id), ("content-type", "application/cloudevents+json"),
      ])
    return counter
  }

  /// The next answer of a stream to an event, within so many milliseconds: to which message, and what has become of
  /// it.
  package func outcome(
    _ milliseconds: Int64
  ) -> (number: UInt64, outcome: DeliveryOutcome)? {
    connection.next(milliseconds) { message, data in
      Self.number(message).map { ($0, Self.outcome(data)) }
        ?? (0, .failed("no answer of a stream", after: nil))
    }
  }

  private static func outcome(_ bytes: UnsafeRawBufferPointer) -> DeliveryOutcome {
    guard !isKept(bytes) else { return .confirmed }
    guard let answer = JetStreamAnswer(Array(bytes)), let code = answer.code else {
      return .failed("no answer of a stream", after: nil)
    }
    return NATSPublication.outcome(code: code, number: answer.errorNumber, cause: answer.cause)
  }

  /// How many messages no stream takes; which ones, the library does not say.
  package var untaken: Int { connection.untaken }

  /// The subject of the newest message that this user may not send.
  package var forbidden: String? { connection.forbidden }

  /// Whether the connection was made anew: what was sent before that is answered no more.
  package var isAnother: Bool { connection.reconnections > 0 }

  /// Bytes of an event's headers, and more.
  private static let roomForHeaders = 256

  /// The next answer, within so many milliseconds: of which message, and whether the stream keeps it.
  package func next(_ milliseconds: Int64) -> (number: UInt64, isKept: Bool)? {
    connection.next(milliseconds) { message, data in
      // Without bytes it says that no stream takes the subject.
      Self.number(message).map { ($0, !data.isEmpty && Self.isKept(data)) } ?? (0, false)
    }
  }

  /// The number of the message that an answer is to, with which its subject ends.
  private static func number(_ answer: OpaquePointer?) -> UInt64? {
    guard let subject = natsMsg_GetSubject(answer), let dot = strrchr(subject, 0x2e) else {
      return nil
    }
    return strtoull(dot + 1, nil, 10)
  }

  /// `{"stream":"FIX_7","seq":12}`, also with `duplicate` behind it for a message that was kept before;
  /// anything else is read as a whole.
  private static func isKept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // One object and no other within: `error` would be one.
    let isPlain =
      bytes.starts(with: #"{"stream":"#.utf8)
      && bytes.dropFirst().allSatisfy { $0 != UInt8(ascii: "{") }
    guard !isPlain else { return true }
    guard let answer = JetStreamAnswer(Array(bytes)) else { return false }
    return answer.fault == nil && answer.sequence ?? 0 > 0
  }
}
