internal import CSodium

/// Encrypts values so that nobody without the key can read or change them, or put one in another's
/// place: XChaCha20-Poly1305 of libsodium.
package enum Seal {
  /// The number of bytes of a nonce. So many random ones never come twice.
  package static let nonceLength = 24
  private static let tagLength = 16

  /// Encrypts a value.
  ///
  /// - Parameters:
  ///   - value: what nobody may read.
  ///   - place: where the value belongs; it does not open anywhere else.
  ///   - nonce: ``nonceLength`` bytes that are never used again with the key.
  ///   - key: the key.
  /// - Returns: the nonce, and the encrypted value with its tag.
  package static func seal(
    _ value: [UInt8], at place: [UInt8], nonce: [UInt8], with key: SecretKey
  ) -> [UInt8] {
    precondition(nonce.count == nonceLength, "a nonce of XChaCha20 has 24 bytes")
    let length = nonceLength + value.count + tagLength
    return [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
      _ = bytes.update(fromContentsOf: nonce)
      if let start = bytes.baseAddress {
        _ = key.withPointer { key in
          crypto_aead_xchacha20poly1305_ietf_encrypt(
            start + nonceLength, nil, value, UInt64(value.count), place, UInt64(place.count), nil,
            nonce, key)
        }
      }
      count = length
    }
  }

  /// Decrypts what ``seal(_:at:nonce:with:)`` has returned; `nil` if it was changed, belongs to
  /// another place, or is sealed with another key.
  package static func open(
    _ sealed: some Collection<UInt8>, at place: [UInt8], with key: SecretKey
  ) -> [UInt8]? {
    let bytes = Array(sealed)
    guard bytes.count >= nonceLength + tagLength else { return nil }
    let length = bytes.count - nonceLength - tagLength
    var isOpen = false
    let value = bytes.withUnsafeBufferPointer { bytes in
      // An array without room has no address.
      [UInt8](unsafeUninitializedCapacity: max(length, 1)) { value, count in
        guard let start = bytes.baseAddress, let target = value.baseAddress else { return }
        isOpen = key.withPointer { key in
          crypto_aead_xchacha20poly1305_ietf_decrypt(
            target, nil, nil, start + nonceLength, UInt64(length + tagLength), place,
            UInt64(place.count), start, key) == 0
        }
        count = isOpen ? length : 0
      }
    }
    return isOpen ? value : nil
  }
}
