import LocationCoding
import LocationLink
import LocationModel
import TestSupport
import Testing

@Suite("A stream of messages")
struct FrameTests {
  @Test("is cut at NUL, however it arrives")
  func frames() throws {
    var samples = Samples(seed: 11)
    let messages = samples.deliveries().map(\.json.bytes)
    let stream: [UInt8] = messages.flatMap { (message: [UInt8]) -> [UInt8] in message + [0] }
    var splitter = FrameSplitter(limit: 65_536)
    var received: [[UInt8]] = []
    var rest = stream[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + samples.pick(50))
      received += try splitter.take(piece)
      rest = rest.dropFirst(piece.count)
    }
    #expect(received == messages)
  }

  @Test("is refused when a message is longer than the limit, before its end has come")
  func tooLong() throws {
    var splitter = FrameSplitter(limit: 100)
    #expect(try splitter.take([UInt8](repeating: 0x20, count: 100)).isEmpty)
    #expect(throws: CodingFault.tooLong(limit: 100)) { try splitter.take([0x20]) }
  }
}
