import Glibc
import LocationHost

/// The lines of a descriptor, one after the other; a line that is too long is not kept.
struct InputLines {
  private let descriptor: Int32
  private let longest: Int
  private var chunk: [UInt8]
  private var position = 0
  private var end = 0
  private var hasEnded = false

  init(_ descriptor: Int32, longest: Int) {
    self.descriptor = descriptor
    self.longest = longest
    chunk = [UInt8](repeating: 0, count: 1 << 18)
  }

  /// The next line without its end; one byte more than the longest for a longer one.
  ///
  /// - Throws: why the descriptor cannot be read.
  mutating func next() throws(Errno) -> [UInt8]? {
    var line: [UInt8] = []
    var hasBegun = false
    while try fill() {
      hasBegun = true
      let rest = chunk[position..<end]
      let stop = rest.firstIndex(of: UInt8(ascii: "\n"))
      let part = rest[..<(stop ?? end)]
      line += part.prefix(max(longest + 1 - line.count, 0))
      position = stop.map { $0 + 1 } ?? end
      if stop != nil { return line }
    }
    return hasBegun ? line : nil
  }

  private mutating func fill() throws(Errno) -> Bool {
    guard position == end else { return true }
    guard !hasEnded else { return false }
    var count = 0
    repeat {
      count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && InputFile.mayReadAgain(descriptor)
    guard count >= 0 else { throw Errno(last: "read") }
    (position, end) = (0, count)
    hasEnded = count == 0
    return !hasEnded
  }
}
