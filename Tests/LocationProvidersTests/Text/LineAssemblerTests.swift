import Testing

@testable import LocationProviders

@Suite("The line assembler")
struct LineAssemblerTests {
  private func lines(_ text: String, cutEvery size: Int) -> [String] {
    var assembler = LineAssembler(limit: 8)
    var lines: [String] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      assembler.append(Array(bytes[start..<min(start + size, bytes.count)])) { line in
        switch line {
        case .line(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
        case .tooLong: lines.append("too long")
        }
      }
    }
    return lines
  }

  @Test("makes the same lines wherever the bytes are cut", arguments: 1...40)
  func cutting(size: Int) {
    let text = "one\r\n\ntwo\n12345678\n123456789\n1234567890123456789\r\nthree\nrest"
    #expect(
      lines(text, cutEvery: size) == ["one", "two", "12345678", "too long", "too long", "three"])
  }
}
