internal import CSodium

/// A random key of 32 bytes: of the rows of a state, or that from which everything about coarse places is
/// derived (docs/decisions/0015).
///
/// The host makes it with the system's generator and stores it. It never appears in a log, and its
/// memory is in no swap file and no core dump (``KeyMemory``).
package struct SecretKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package static let length = 32
  private let memory: KeyMemory

  /// Has the memory of a key filled.
  init(filling fill: (UnsafeMutableRawBufferPointer) -> Void) {
    memory = KeyMemory(filling: fill)
  }

  /// - Returns: `nil` when there are not exactly ``length`` bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.init { $0.copyBytes(from: bytes) }
  }

  /// Creates a key with the system's generator.
  package static func random() -> SecretKey { SecretKey(filling: Sodium.fill) }

  /// Creates a key; it is secret only if the generator is made for secrets.
  package init(using generator: inout some RandomNumberGenerator) {
    self.init { room in
      for index in room.indices { room[index] = .random(in: 0 ... .max, using: &generator) }
    }
  }

  /// Creates the key of a simulation or a test: the same for the same seed, and not secret.
  package init(seed: UInt64) {
    self.init { room in
      for index in room.indices {
        room[index] = index < 8 ? UInt8(truncatingIfNeeded: seed >> (index * 8)) : 0
      }
    }
  }

  /// Creates a key from the text of ``hexadecimal``.
  ///
  /// - Returns: `nil` for anything but two hexadecimal digits for each of ``length`` bytes.
  package init?(hexadecimal text: String) { self.init(digits: text.utf8) }

  /// Creates a key from the bytes of ``hexadecimal``, of which no copy is made.
  package init?(digits: some Collection<UInt8>) {
    guard digits.count == 2 * Self.length, digits.allSatisfy({ Self.value(of: $0) != nil }) else {
      return nil
    }
    self.init { room in
      for (index, digit) in digits.enumerated() {
        let value = Self.value(of: digit) ?? 0
        room[index / 2] = index % 2 == 0 ? value << 4 : room[index / 2] | value
      }
    }
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Calls `body` with the bytes, which it must not copy.
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    memory.withBytes { body(UnsafeRawBufferPointer($0)) }
  }

  /// Calls `body` with the address of the bytes, for libsodium.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    memory.withBytes { bytes in
      bytes.withMemoryRebound(to: UInt8.self) { bytes in
        guard let start = bytes.baseAddress else { preconditionFailure("a key has an address") }
        return body(start)
      }
    }
  }

  /// The key as text, to be stored.
  package var hexadecimal: String { String(decoding: digits, as: UTF8.self) }

  /// The bytes of ``hexadecimal``; who stores them overwrites them afterward (``wipe(_:)``).
  package var digits: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 2 * Self.length) { text, count in
      withUnsafeBytes { bytes in
        for (index, byte) in bytes.enumerated() {
          for (place, value) in [byte >> 4, byte & 15].enumerated() {
            text[2 * index + place] = value + (value < 10 ? UInt8(ascii: "0") : 87)
          }
        }
      }
      count = 2 * Self.length
    }
  }

  package static func == (one: SecretKey, other: SecretKey) -> Bool {
    one.withPointer { one in other.withPointer { sodium_memcmp(one, $0, length) == 0 } }
  }

  package func hash(into hasher: inout Hasher) {
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  package var description: String { "‹private›" }

  package var customMirror: Mirror { Mirror(self, children: []) }
}
