import Glibc

extension Double {
  /// The number with so many digits behind the point; with spaces before it for a width.
  func digits(_ count: Int, width: Int = 0) -> String {
    // The greatest number has 309 digits before the point.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400 + count + width) { buffer in
      let arguments: [any CVarArg] = [Int32(width), Int32(count), self]
      let written = withVaList(arguments) {
        vsnprintf(buffer.baseAddress, buffer.count, "%*.*f", $0)
      }
      return String(
        decoding: buffer.prefix(Int(written)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}

extension String {
  /// The text with spaces before it, or behind it, to a width.
  func padded(to width: Int, behind: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - count))
    return behind ? self + spaces : spaces + self
  }
}
