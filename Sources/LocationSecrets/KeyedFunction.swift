internal import CSodium

/// A function that cannot be predicted without its key, even from earlier values: keyed BLAKE2b.
///
/// The same key and numbers give the same value on every machine (docs/decisions/0015). It takes
/// about a microsecond, and is never computed for a fix.
package struct KeyedFunction: Sendable {
  private let key: SecretKey

  /// Derives the function for one purpose; the values of one purpose reveal nothing about another.
  package init(_ secret: SecretKey, purpose: String) {
    key = SecretKey { room in
      Self.hash([UInt8](purpose.utf8), key: secret, into: room)
    }
  }

  /// - Returns: two numbers in `0..<1`, each a multiple of 2⁻⁵³.
  package func fractions(of numbers: Int...) -> (Double, Double) {
    let message = numbers.flatMap { Self.bytes(of: UInt64(bitPattern: Int64($0))) }
    let hash = Self.hash(message, key: key, length: 16)
    return (Self.fraction(hash.prefix(8)), Self.fraction(hash.suffix(8)))
  }

  /// A number in its place: the same for the same message, and unknown without the key.
  package func number(of message: UInt64) -> UInt64 {
    Self.word(Self.hash(Self.bytes(of: message), key: key, length: 16).prefix(8))
  }

  /// Sixteen bytes in place of a message: the same for the same message, and unknown without the key.
  package func name(of message: [UInt8]) -> [UInt8] { Self.hash(message, key: key, length: 16) }

  /// A key that nobody can compute without both: that of the function, and the other one.
  package func key(with other: SecretKey) -> SecretKey {
    var message = other.withUnsafeBytes { [UInt8]($0) }
    defer { wipe(&message) }
    return SecretKey { Self.hash(message, key: key, into: $0) }
  }

  private static func fraction(_ bytes: some Sequence<UInt8>) -> Double {
    Double(word(bytes) >> 11) * 0x1p-53
  }

  private static func bytes(of word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
  }

  private static func word(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func hash(_ message: [UInt8], key: SecretKey, length: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: length)
    bytes.withUnsafeMutableBytes { hash(message, key: key, into: $0) }
    return bytes
  }

  private static func hash(
    _ message: [UInt8], key: SecretKey, into room: UnsafeMutableRawBufferPointer
  ) {
    _ = Sodium.isReady
    let status = key.withPointer { key in
      room.withMemoryRebound(to: UInt8.self) { room in
        room.baseAddress.map {
          crypto_generichash(
            $0, room.count, message, UInt64(message.count), key, SecretKey.length)
        }
      }
    }
    // Fails only for lengths out of range, and these are constants.
    precondition(status == 0, "keyed BLAKE2b takes 16 to 64 bytes of key and of result")
  }
}
