/// Writes numbers and runs of bytes.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  package mutating func append(_ byte: UInt8) { bytes.append(byte) }
  package mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// Writes seven bits per byte, the lowest first; the eighth bit says that more follow.
  package mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes a signed number; one near zero takes few bytes, whatever its sign.
  package mutating func append(signed number: Int64) {
    append(number: UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Writes all bytes of a word, the lowest first.
  package mutating func append(word: some FixedWidthInteger) {
    withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
  }

  /// Writes bytes, and before them how many they are.
  package mutating func append(run: [UInt8]) {
    append(number: UInt64(run.count))
    bytes += run
  }

  /// The bytes, and FNV-1a over them: a disk or a stranger may have changed them.
  package var sealed: [UInt8] {
    var copy = self
    copy.append(word: FNV1a.hash(bytes))
    return copy.bytes
  }
}

/// Reads what ``ByteWriter`` has written; each function returns `nil` at the end.
package struct ByteReader: Sendable {
  package private(set) var rest: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Reads what ``ByteWriter/sealed`` has returned; `nil` where it was changed.
  package init?(sealed bytes: [UInt8]) {
    var sum = ByteReader(Array(bytes.suffix(8)))
    guard bytes.count > 8, sum.word(UInt64.self) == FNV1a.hash(bytes.dropLast(8)) else {
      return nil
    }
    rest = bytes.dropLast(8)
  }

  package var isAtEnd: Bool { rest.isEmpty }

  package mutating func byte() -> UInt8? { rest.popFirst() }

  package mutating func number() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  package mutating func word<Word: FixedWidthInteger>(_ type: Word.Type) -> Word? {
    let size = Word.bitWidth / 8
    guard rest.count >= size else { return nil }
    var word = Word.zero
    for (place, byte) in rest.prefix(size).enumerated() {
      word |= Word(truncatingIfNeeded: byte) << (place * 8)
    }
    rest = rest.dropFirst(size)
    return word
  }

  /// So many bytes.
  package mutating func run(_ count: UInt64) -> [UInt8]? {
    guard count <= UInt64(rest.count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  package mutating func run() -> [UInt8]? { number().flatMap { run($0) } }

  package mutating func text() -> String? {
    run().flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// FNV-1a of 64 bits: shows damage, and is no proof against anybody.
package enum FNV1a {
  /// The value for no bytes.
  package static let empty: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Returns the value for bytes, which may go on from those before.
  package static func hash(_ bytes: some Sequence<UInt8>, from before: UInt64 = empty) -> UInt64 {
    var hash = before
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
