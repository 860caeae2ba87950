/// Searches of text in bytes, eight of them at a time: lines are searched more often than they are read.
extension Span<UInt8> {
  /// The first place, from `start` on, of what ends or breaks a string of JSON: a quotation mark, a
  /// backslash, or a control character below U+0020.
  package func firstMarkOfJSON(from start: Int) -> Int? {
    first(from: start) { $0.places(below: 0x20) | $0.places(of: 0x22) | $0.places(of: 0x5c) }
  }

  /// The first place, from `start` on, of a byte.
  package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    first(from: start) { $0.places(of: byte) }
  }

  /// Whether every byte is a character of ASCII other than U+007F.
  package var isASCIIWithoutDelete: Bool {
    first(from: 0) { $0 & .highBits | $0.places(of: 0x7f) } == nil
  }

  /// Whether the bytes are text in UTF-8: else a decoder would mend them, and make one of two names.
  package var isUTF8: Bool {
    let isASCII = first(from: 0) { $0 & .highBits } == nil
    guard !isASCII else { return true }
    do {
      _ = try UTF8Span(validating: self)
      return true
    } catch { return false }
  }

  /// Whether a control character of ASCII is among the bytes.
  package var hasControlCharacter: Bool {
    first(from: 0) { $0.places(below: 0x20) | $0.places(of: 0x7f) } != nil
  }

  /// Whether other bytes are among these at a place.
  package func has(_ other: Span<UInt8>, at place: Int) -> Bool {
    guard place >= 0, place <= count - other.count else { return false }
    if other.count >= 8 { return has(other, at: place, by: UInt64.self) }
    if other.count >= 4 { return has(other, at: place, by: UInt32.self) }
    return other.indices.allSatisfy { self[place + $0] == other[$0] }
  }

  /// The same for as many bytes as a word has, or more. The last word begins where it ends with them.
  @inline(__always)
  private func has<Word: FixedWidthInteger & BitwiseCopyable>(
    _ other: Span<UInt8>, at place: Int, by: Word.Type
  ) -> Bool {
    let (size, last) = (MemoryLayout<Word>.size, other.count - MemoryLayout<Word>.size)
    var index = 0
    while index < last {
      guard word(at: place + index, Word.self) == other.word(at: index) else { return false }
      index += size
    }
    return word(at: place + last, Word.self) == other.word(at: last)
  }

  /// The bytes of a word from a place on, the first of them the lowest.
  @inline(__always)
  private func word<Word: FixedWidthInteger & BitwiseCopyable>(
    at place: Int, _: Word.Type = Word.self
  ) -> Word {
    withUnsafeBytes {
      Word(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Word.self))
    }
  }

  /// `places` has the high bit of the first byte that is sought, and none of an earlier one.
  @inline(__always)
  private func first(from start: Int, _ places: (UInt64) -> UInt64) -> Int? {
    var place = start
    while place + 8 <= count {
      let found = places(word(at: place))
      guard found == 0 else { return place + found.trailingZeroBitCount / 8 }
      place += 8
    }
    var rest: UInt64 = 0
    for index in place..<count { rest |= UInt64(self[index]) << UInt64(8 * (index - place)) }
    let index = place + places(rest).trailingZeroBitCount / 8
    return index < count ? index : nil
  }
}

extension UInt64 {
  fileprivate static let highBits: UInt64 = 0x8080_8080_8080_8080
  private static let lowBits: UInt64 = 0x0101_0101_0101_0101

  /// The high bits of its bytes that are `byte`; those above the first one are not to be relied on.
  @inline(__always)
  fileprivate func places(of byte: UInt8) -> UInt64 {
    (self ^ Self.lowBits &* UInt64(byte)).places(below: 1)
  }

  /// The high bits of its bytes that are less than `byte`, of at most 0x80; likewise.
  @inline(__always)
  fileprivate func places(below byte: UInt8) -> UInt64 {
    (self &- Self.lowBits &* UInt64(byte)) & ~self & Self.highBits
  }
}
