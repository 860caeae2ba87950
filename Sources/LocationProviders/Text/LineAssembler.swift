/// Assembles lines from a byte stream that is cut at any place.
///
/// A line ends with a line feed; a carriage return before it is dropped, and so are empty lines.
struct LineAssembler {
  enum Line: Hashable {
    case line([UInt8])
    /// More than `limit` bytes without a line feed; dropped up to the next one.
    case tooLong
  }

  /// Bytes of the longest line that is kept.
  let limit: Int

  private var buffer: [UInt8] = []
  private var isSkipping = false

  init(limit: Int) {
    self.limit = limit
  }

  /// Takes the next bytes and calls `body` with each line that they complete.
  mutating func append(_ bytes: [UInt8], _ body: (Line) -> Void) {
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      take(bytes[start..<index], body)
      start = index + 1
      finish(body)
    }
    take(bytes[start...], body)
  }

  mutating func reset() {
    buffer.removeAll(keepingCapacity: true)
    isSkipping = false
  }

  private mutating func take(_ part: ArraySlice<UInt8>, _ body: (Line) -> Void) {
    guard !isSkipping else { return }
    guard buffer.count + part.count <= limit else {
      buffer.removeAll(keepingCapacity: true)
      isSkipping = true
      return body(.tooLong)
    }
    buffer.append(contentsOf: part)
  }

  private mutating func finish(_ body: (Line) -> Void) {
    if buffer.last == UInt8(ascii: "\r") { buffer.removeLast() }
    if !isSkipping && !buffer.isEmpty { body(.line(buffer)) }
    reset()
  }
}
