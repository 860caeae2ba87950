package import LocationCoding

/// Splits a stream of bytes into messages, each ended by NUL.
package struct FrameSplitter: Sendable {
  private let limit: Int
  private var rest: [UInt8] = []

  /// Creates a splitter; the limit is in bytes, for one message without its NUL.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Returns the messages that end in these bytes.
  ///
  /// - Throws: ``CodingFault/tooLong(limit:)`` as soon as a message exceeds the limit; the stream
  ///   cannot be used after that.
  package mutating func take(_ bytes: some Collection<UInt8>) throws(CodingFault) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var left = bytes[...]
    while let end = left.firstIndex(of: 0) {
      try add(left[..<end])
      messages.append(rest)
      rest = []
      left = left[left.index(after: end)...]
    }
    try add(left)
    return messages
  }

  private mutating func add(_ bytes: some Collection<UInt8>) throws(CodingFault) {
    guard rest.count + bytes.count <= limit else { throw .tooLong(limit: limit) }
    rest += bytes
  }
}

/// Returns one message in the form of the wire.
package func frame(_ message: JSON) -> [UInt8] { message.bytes + [0] }
