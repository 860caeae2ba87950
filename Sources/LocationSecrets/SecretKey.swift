/// The random key from which everything about coarse places is derived (docs/decisions/0015).
///
/// The host makes it once with the system's generator and stores it. It never appears in a log.
package struct SecretKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package static let length = 32
  package let bytes: [UInt8]

  /// - Returns: `nil` when there are not exactly ``length`` bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Creates a key; it is secret only if the generator is made for secrets.
  package init(using generator: inout some RandomNumberGenerator) {
    bytes = (0..<Self.length).map { _ in .random(in: 0 ... .max, using: &generator) }
  }

  /// Creates the key of a simulation or a test: the same for the same seed, and not secret.
  package init(seed: UInt64) {
    bytes = (0..<Self.length).map { $0 < 8 ? UInt8(truncatingIfNeeded: seed >> ($0 * 8)) : 0 }
  }

  /// Creates a key from the text of ``hexadecimal``.
  ///
  /// - Returns: `nil` for anything but two hexadecimal digits for each of ``length`` bytes.
  package init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count == 2 * Self.length else { return nil }
    self.init(
      bytes: (0..<Self.length).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) })
  }

  /// The key as text, to be stored.
  package var hexadecimal: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  package var description: String { "‹private›" }

  package var customMirror: Mirror { Mirror(self, children: []) }
}
