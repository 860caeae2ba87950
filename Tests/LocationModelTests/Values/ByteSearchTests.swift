import Testing

@testable import LocationModel

/// Searches of eight bytes at a time find what a search byte by byte finds.
@Suite("Byte search")
struct ByteSearchTests {
  /// Texts of every length around eight and sixteen, with each byte at each place.
  @Test("finds each byte at each place")
  func everyPlace() {
    for count in 0..<20 {
      for place in 0..<count {
        for byte in UInt8.min...UInt8.max {
          var text = [UInt8](repeating: UInt8(ascii: "a"), count: count)
          text[place] = byte
          check(text)
        }
      }
    }
  }

  /// A byte that is found may not hide an earlier one, nor lend a bit to a later one.
  @Test("finds the first of several")
  func several() {
    var random = SeededRandom(seed: 3)
    let bytes: [UInt8] = [0, 1, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x7e, 0x7f, 0x80, 0xff]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...24, using: &random)
      check((0..<count).map { _ in bytes[Int.random(in: 0..<bytes.count, using: &random)] })
    }
  }

  private func check(_ text: [UInt8]) {
    let (span, start) = (text.span, min(2, text.count))
    let rest = text[start...]
    #expect(
      span.firstMarkOfJSON(from: start)
        == rest.firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }, "\(text)")
    #expect(
      span.firstIndex(of: 0x5c, from: start) == rest.firstIndex(of: 0x5c), "\(text)")
    #expect(span.isASCIIWithoutDelete == text.allSatisfy { $0 < 0x7f }, "\(text)")
    #expect(
      span.hasControlCharacter == text.contains { $0 < 0x20 || $0 == 0x7f }, "\(text)")
  }
}
