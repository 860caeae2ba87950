internal import CSodium

/// Encrypts messages that follow each other, so that nobody without the key can read, change, repeat,
/// leave out, or reorder them: `secretstream` of libsodium, XChaCha20-Poly1305.
///
/// A stream that was cut off shows it: its last message is not marked as the end.
package final class SecretStream {
  /// The number of bytes with which a stream begins.
  package static let headerLength = 24
  /// How many bytes longer an encrypted message is.
  private static let overhead = 17

  /// A message that was opened.
  package struct Message: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Whether it ends the stream.
    package var isLast: Bool
  }

  private let state = UnsafeMutablePointer<crypto_secretstream_xchacha20poly1305_state>.allocate(
    capacity: 1)

  deinit {
    sodium_memzero(state, MemoryLayout.size(ofValue: state.pointee))
    state.deallocate()
  }

  /// Begins a stream.
  ///
  /// - Parameters:
  ///   - key: the key, of any number of streams.
  ///   - header: is set to the ``headerLength`` bytes that whoever opens the stream needs first.
  package init(sealingWith key: SecretKey, header: inout [UInt8]) {
    _ = Sodium.isReady
    header = [UInt8](repeating: 0, count: Self.headerLength)
    _ = key.withPointer { key in
      crypto_secretstream_xchacha20poly1305_init_push(state, &header, key)
    }
  }

  /// Opens a stream; `nil` if the header has the wrong length, or could not be that of any stream.
  package init?(openingWith key: SecretKey, header: [UInt8]) {
    _ = Sodium.isReady
    guard header.count == Self.headerLength else { return nil }
    let status = key.withPointer { key in
      crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
    }
    guard status == 0 else { return nil }
  }

  /// Encrypts the next message.
  ///
  /// - Parameters:
  ///   - message: what nobody may read.
  ///   - place: where the message belongs; it does not open anywhere else.
  ///   - isLast: whether it ends the stream; nothing may follow.
  /// - Returns: the encrypted message.
  package func seal(_ message: [UInt8], at place: [UInt8], isLast: Bool = false) -> [UInt8] {
    let tag = isLast ? crypto_secretstream_xchacha20poly1305_tag_final() : 0
    let length = message.count + Self.overhead
    return [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
      _ = crypto_secretstream_xchacha20poly1305_push(
        state, bytes.baseAddress, nil, message, UInt64(message.count), place,
        UInt64(place.count), UInt8(tag))
      count = length
    }
  }

  /// Decrypts the next message; `nil` if it is not the one that follows, was changed, belongs to another
  /// place, or is of another key.
  package func open(_ sealed: [UInt8], at place: [UInt8]) -> Message? {
    guard sealed.count >= Self.overhead else { return nil }
    var tag: UInt8 = 0
    var isOpen = false
    let length = sealed.count - Self.overhead
    let bytes = sealed.withUnsafeBufferPointer { sealed in
      // An array without room has no address.
      [UInt8](unsafeUninitializedCapacity: max(length, 1)) { bytes, count in
        isOpen =
          crypto_secretstream_xchacha20poly1305_pull(
            state, bytes.baseAddress, nil, &tag, sealed.baseAddress, UInt64(sealed.count), place,
            UInt64(place.count)) == 0
        count = isOpen ? length : 0
      }
    }
    guard isOpen else { return nil }
    return Message(
      bytes: bytes, isLast: tag == crypto_secretstream_xchacha20poly1305_tag_final())
  }
}
