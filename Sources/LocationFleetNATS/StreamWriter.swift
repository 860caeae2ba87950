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

  /// Sends a message; its acknowledgement has the number that is returned.
  package mutating func send(_ entry: IngressEntry) throws(BrokerFault) -> UInt64 {
    counter += 1
    try connection.send(
      entry.bytes, to: entry.subject, reply: "\(counter)",
      headers: [("Nats-Msg-Id", entry.identifier)])
    return counter
  }

  /// The next answer, within so many milliseconds: of which message, and whether the stream keeps it.
  package func next(_ milliseconds: Int64) -> (number: UInt64, isKept: Bool)? {
    connection.next(milliseconds) { message, data in
      guard let subject = natsMsg_GetSubject(message), let dot = strrchr(subject, 0x2e) else {
        return (0, false)
      }
      // Without bytes it says that no stream takes the subject.
      return (strtoull(dot + 1, nil, 10), !data.isEmpty && Self.isKept(data))
    }
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
