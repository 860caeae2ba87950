/// Reads what ``ByteWriter`` has written.
struct RecordingScanner: Sendable {
  private let bytes: [UInt8]
  private(set) var offset: Int

  init(_ bytes: [UInt8], at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset >= bytes.count }

  mutating func byte() throws(RecordingFault) -> UInt8 {
    guard offset < bytes.count else { throw .end }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func number() throws(RecordingFault) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let next = try byte()
      number |= UInt64(next & 0x7f) << shift
      if next < 0x80 { break }
    }
    return number
  }

  mutating func signed() throws(RecordingFault) -> Int64 {
    let zigzag = try number()
    return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
  }

  mutating func word<Word: FixedWidthInteger>(_: Word.Type = Word.self) throws(RecordingFault)
    -> Word
  {
    var word: Word = 0
    for shift in stride(from: 0, to: Word.bitWidth, by: 8) {
      word |= Word(truncatingIfNeeded: try byte()) << Word(shift)
    }
    return word
  }

  mutating func take(_ count: UInt64) throws(RecordingFault) -> [UInt8] {
    guard count <= UInt64(bytes.count - offset) else { throw .end }
    defer { offset += Int(count) }
    return Array(bytes[offset..<(offset + Int(count))])
  }
}
