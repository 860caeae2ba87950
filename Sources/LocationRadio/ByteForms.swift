/// Writes numbers, the lowest byte first.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }
}

/// Reads what ``ByteWriter`` has written.
struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Returns the next number; `nil` at the end.
  mutating func read<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    let size = Number.bitWidth / 8
    guard rest.count >= size else { return nil }
    var number = Number.zero
    for (place, byte) in rest.prefix(size).enumerated() {
      number |= Number(truncatingIfNeeded: byte) << (place * 8)
    }
    rest = rest.dropFirst(size)
    return number
  }
}
