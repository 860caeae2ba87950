/// Finds sentences in a stream of bytes that may contain anything else.
///
/// A sentence is complete with the second digit of its checksum, before the line's end. Bytes
/// outside sentences are counted, so that a port set to the wrong speed can be distinguished from a
/// silent one.
package struct NMEASentenceReader: Sendable {
  package enum Event: Hashable, Sendable {
    /// `line` holds a sentence with a correct checksum, or one that needs none.
    case sentence
    case rejected(NMEARejection)
  }

  private enum State: Hashable, Sendable {
    /// Between sentences.
    case outside
    /// After `$` or `!`.
    case text
    /// After `*`, with no digit yet.
    case firstDigit
    /// After the first digit, whose value it holds.
    case secondDigit(UInt8)
  }

  /// The text of the last complete sentence.
  package private(set) var line = NMEALine()
  /// Bytes outside sentences that are text: comments, other protocols, line ends.
  package private(set) var skippedText = 0
  /// Bytes outside sentences, or ending one too early, that are not text.
  package private(set) var skippedBinary = 0

  private var state = State.outside
  private var sum: UInt8 = 0
  /// Whether this receiver has sent a correct checksum; from then on every sentence must have one.
  private var hasSeenSum = false

  package init() {}

  /// Reads on from `index` up to the next event; returns `nil` when all bytes are read.
  package mutating func next(in bytes: [UInt8], from index: inout Int) -> Event? {
    while index < bytes.count {
      if case .text = state { readPlain(bytes, &index) }
      guard index < bytes.count else { return nil }
      let byte = bytes[index]
      index += 1
      let event: Event?
      switch state {
      case .text: event = readText(byte)
      case .outside: event = readOutside(byte)
      case .firstDigit: event = readFirstDigit(byte)
      case .secondDigit(let first): event = readSecondDigit(first, byte)
      }
      if let event { return event }
    }
    return nil
  }

  /// Ends the current sentence; an incomplete one is rejected.
  package mutating func cut() -> Event? {
    state == .outside ? nil : reject(.interrupted)
  }

  private mutating func readOutside(_ byte: UInt8) -> Event? {
    if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") {
      begin()
    } else if Self.isText(byte) || Self.isSpace(byte) {
      skippedText += 1
    } else {
      skippedBinary += 1
    }
    return nil
  }

  /// Reads text up to the next byte that is something else: nearly all of a stream.
  private mutating func readPlain(_ bytes: [UInt8], _ index: inout Int) {
    let plain = bytes[index...].prefix(line.room).prefix(while: Self.isPlain)
    for byte in plain { sum ^= byte }
    line.append(plain)
    index = plain.endIndex
  }

  /// Handles the byte that ended the text.
  private mutating func readText(_ byte: UInt8) -> Event? {
    if byte == UInt8(ascii: "*") {
      state = .firstDigit
      return nil
    }
    if byte == UInt8(ascii: "$") {
      begin()
      return .rejected(.interrupted)
    }
    return Self.isText(byte) ? reject(.tooLong) : endWithoutSum(byte)
  }

  private mutating func endWithoutSum(_ byte: UInt8) -> Event {
    guard Self.isSpace(byte) else {
      skippedBinary += 1
      return reject(.garbled)
    }
    return hasSeenSum ? reject(.checksumMissing) : complete()
  }

  private mutating func readFirstDigit(_ byte: UInt8) -> Event? {
    guard let digit = Self.hexadecimal(byte) else { return rejectSum(byte) }
    state = .secondDigit(digit)
    return nil
  }

  private mutating func readSecondDigit(_ first: UInt8, _ byte: UInt8) -> Event {
    guard let digit = Self.hexadecimal(byte) else { return rejectSum(byte) }
    guard first << 4 | digit == sum else { return reject(.checksumMismatch) }
    hasSeenSum = true
    return complete()
  }

  private mutating func begin() {
    line.removeAll()
    sum = 0
    state = .text
  }

  private mutating func complete() -> Event {
    line.finish()
    state = .outside
    return .sentence
  }

  private mutating func reject(_ reason: NMEARejection) -> Event {
    state = .outside
    return .rejected(reason)
  }

  private mutating func rejectSum(_ byte: UInt8) -> Event {
    guard byte == UInt8(ascii: "$") else { return reject(.checksumMalformed) }
    begin()
    return .rejected(.interrupted)
  }

  /// Whether a byte is text that neither ends nor begins a sentence.
  private static func isPlain(_ byte: UInt8) -> Bool {
    isText(byte) && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "$")
  }

  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7f }

  /// Whether a byte is a tab or ends a line.
  private static func isSpace(_ byte: UInt8) -> Bool { byte >= 0x09 && byte <= 0x0d }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
