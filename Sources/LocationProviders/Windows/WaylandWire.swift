/// A message of the Wayland protocol: an object, what happens to it, and the arguments.
struct WaylandMessage: Hashable, Sendable {
  var object: UInt32
  var opcode: UInt16
  /// The arguments; a multiple of four bytes.
  var body: [UInt8] = []

  /// The message on the wire: two words, and the arguments.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(native: object)
    bytes.append(native: UInt32(body.count + 8) << 16 | UInt32(opcode))
    return bytes + body
  }

  /// Appends a number, or the number of an object.
  func with(_ number: UInt32) -> WaylandMessage {
    var message = self
    message.body.append(native: number)
    return message
  }

  /// Appends a text: its length with the zero at its end, and padding.
  func with(_ text: String) -> WaylandMessage {
    let bytes = Array(text.utf8) + [0]
    var message = with(UInt32(bytes.count))
    message.body += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    return message
  }
}

/// Cuts what a compositor sends into messages.
struct WaylandReader: Sendable {
  /// What is no message of the protocol.
  struct Fault: Error {}

  private var buffer: [UInt8] = []

  /// Adds bytes, and returns the messages that are complete.
  mutating func take(_ bytes: [UInt8]) throws(Fault) -> [WaylandMessage] {
    buffer += bytes
    var messages: [WaylandMessage] = []
    var start = 0
    while let object = buffer.native(at: start), let word = buffer.native(at: start + 4) {
      // The length has sixteen bits, so nothing grows beyond 64 KiB.
      let length = Int(word >> 16)
      guard object != 0, length >= 8, length.isMultiple(of: 4) else { throw Fault() }
      guard start + length <= buffer.count else { break }
      messages.append(
        WaylandMessage(
          object: object, opcode: UInt16(truncatingIfNeeded: word),
          body: Array(buffer[start + 8..<start + length])))
      start += length
    }
    buffer.removeFirst(start)
    return messages
  }
}

/// Reads the arguments of a message, one after the other; `nil` for what is not there.
struct WaylandArguments {
  private let bytes: [UInt8]
  private var position = 0

  init(_ message: WaylandMessage) {
    bytes = message.body
  }

  mutating func number() -> UInt32? {
    defer { position += 4 }
    return bytes.native(at: position)
  }

  /// Reads bytes with their length before them, padded to a multiple of four.
  mutating func array() -> [UInt8]? {
    guard let length = number().map(Int.init), length <= bytes.count - position else { return nil }
    defer { position += (length + 3) / 4 * 4 }
    return Array(bytes[position..<position + length])
  }

  /// Reads a text, which ends with a zero.
  mutating func text() -> String? {
    guard let bytes = array(), bytes.last == 0 else { return nil }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }
}
