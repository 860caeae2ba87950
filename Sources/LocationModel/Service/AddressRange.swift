/// An address of the Internet, or all that begin like it: `192.168.1.20`, `10.0.0.0/8`, `fe80::/10`.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
  /// As it was typed.
  package let description: String
  /// Four or sixteen.
  private let bytes: [UInt8]
  /// How many bits must agree.
  private let length: Int

  /// `nil` for anything that is neither an address nor a range.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let bytes = Self.bytes(of: first) else { return nil }
    let most = bytes.count * 8
    guard parts.count == 2 else {
      (description, self.bytes, length) = (text, bytes, most)
      return
    }
    guard let length = Self.number(parts[1], atMost: most) else { return nil }
    (description, self.bytes, self.length) = (text, bytes, length)
  }

  /// Whether an address lies within, given as four or sixteen bytes; an address of IPv4 may be
  /// written as one of IPv6 (`::ffff:192.168.1.20`).
  package func contains(_ address: some Collection<UInt8>) -> Bool {
    var address = Array(address)
    if bytes.count == 4, address.starts(with: Self.mapped) { address.removeFirst(12) }
    guard address.count == bytes.count else { return false }
    return zip(address, bytes).enumerated().allSatisfy { index, pair in
      let bits = min(max(length - index * 8, 0), 8)
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
      return pair.0 & mask == pair.1 & mask
    }
  }

  /// Whether it is an address that only this machine can use.
  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Four bytes, or sixteen, of an address; `nil` for a range.
  package var single: [UInt8]? { length == bytes.count * 8 ? bytes : nil }

  private static func bytes(of text: Substring) -> [UInt8]? {
    text.contains(":") ? sixteen(text) : four(text)
  }

  private static func four(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { number($0, atMost: 255) }
    guard parts.count == 4, numbers.count == 4 else { return nil }
    return numbers.map { UInt8($0) }
  }

  /// Groups of four hexadecimal digits; the longest row of zeros may be `::`.
  private static func sixteen(_ text: Substring) -> [UInt8]? {
    let halves = text.pieces(between: "::")
    let parts = halves.map { groups($0) }
    guard parts.count <= 2, !parts.contains(nil), let first = parts[0] else { return nil }
    guard parts.count == 2, let last = parts[1] else { return first.count == 16 ? first : nil }
    let zeros = 16 - first.count - last.count
    return zeros > 0 ? first + [UInt8](repeating: 0, count: zeros) + last : nil
  }

  private static func groups(_ text: Substring) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    var bytes: [UInt8] = []
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, group) in groups.enumerated() {
      if index == groups.count - 1, group.contains(".") {
        guard let tail = four(group) else { return nil }
        return bytes + tail
      }
      guard (1...4).contains(group.utf8.count), group.allSatisfy(\.isHexDigit),
        let value = UInt16(group, radix: 16)
      else { return nil }
      bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
    }
    return bytes
  }

  private static func number(_ text: Substring, atMost most: Int) -> Int? {
    guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(text), value <= most
    else { return nil }
    return value
  }

  /// How an address of IPv4 begins that is written as one of IPv6.
  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}
