internal import CSodium

/// SHA-256, and the code that it makes of a message with a key (HMAC), as others expect them.
package enum MessageDigest {
  package static func sha256(_ message: [UInt8]) -> [UInt8] {
    _ = Sodium.isReady
    var bytes = [UInt8](repeating: 0, count: crypto_hash_sha256_bytes())
    crypto_hash_sha256(&bytes, message, UInt64(message.count))
    return bytes
  }

  /// HMAC-SHA256, with a key of any length (RFC 2104).
  package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    _ = Sodium.isReady
    var state = crypto_auth_hmacsha256_state()
    var bytes = [UInt8](repeating: 0, count: crypto_auth_hmacsha256_bytes())
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    crypto_auth_hmacsha256_final(&state, &bytes)
    withUnsafeMutableBytes(of: &state) { sodium_memzero($0.baseAddress, $0.count) }
    return bytes
  }

  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  package static func base64(_ bytes: [UInt8]) -> String {
    let length = sodium_base64_encoded_len(bytes.count, Int32(sodium_base64_VARIANT_ORIGINAL))
    var text = [CChar](repeating: 0, count: length)
    sodium_bin2base64(
      &text, length, bytes, bytes.count, Int32(sodium_base64_VARIANT_ORIGINAL))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The bytes that base64 stands for; `nil` where it is none.
  package static func bytes(base64 text: String) -> [UInt8]? {
    let units = text.utf8.map { CChar(bitPattern: $0) }
    var bytes = [UInt8](repeating: 0, count: units.count)
    var count = 0
    let status = sodium_base642bin(
      &bytes, bytes.count, units, units.count, nil, &count, nil,
      Int32(sodium_base64_VARIANT_ORIGINAL))
    return status == 0 ? Array(bytes[..<count]) : nil
  }
}
