internal import CSodium

/// The seed of a user of NATS, as `nk -gen user` prints it: 32 bytes from which the key pair comes, with
/// what they are for and a checksum, in base32.
package enum NATSSeed {
  package enum Fault: Error, Hashable, Sendable {
    /// Not 58 letters and digits of base32 that begin with `S`, or the checksum is another one.
    case malformed
    /// Of a server, an account, or an operator.
    case notOfUser
  }

  /// The public key of a seed, as it stands in the server's configuration.
  package static func publicKey(of text: some StringProtocol) throws(Fault) -> String {
    guard var bytes = decode(text), bytes.count == 36, bytes[0] & 0xf8 == seedPrefix,
      checksum(bytes[..<34]) == UInt16(bytes[34]) | UInt16(bytes[35]) << 8
    else { throw .malformed }
    defer { wipe(&bytes) }
    guard bytes[0] & 7 == userPrefix >> 5, bytes[1] == (userPrefix & 31) << 3 else {
      throw .notOfUser
    }
    guard Sodium.isReady else { throw .malformed }
    var key = [UInt8](repeating: 0, count: Int(crypto_sign_publickeybytes()))
    var secret = [UInt8](repeating: 0, count: Int(crypto_sign_secretkeybytes()))
    crypto_sign_seed_keypair(&key, &secret, Array(bytes[2..<34]))
    wipe(&secret)
    let body = [userPrefix] + key
    let sum = checksum(body[...])
    return encode(body + [UInt8(truncatingIfNeeded: sum), UInt8(sum >> 8)])
  }

  /// A new seed; it is secret only if the key is.
  package static func text(of key: SecretKey) -> String {
    var body = key.withUnsafeBytes {
      [seedPrefix | userPrefix >> 5, (userPrefix & 31) << 3] + Array($0)
    }
    defer { wipe(&body) }
    let sum = checksum(body[...])
    return encode(body + [UInt8(truncatingIfNeeded: sum), UInt8(sum >> 8)])
  }

  private static let seedPrefix: UInt8 = 18 << 3
  private static let userPrefix: UInt8 = 20 << 3
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  private static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var (bytes, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for letter in text.utf8 {
      guard let value = letters.firstIndex(of: letter), bytes.count < 64 else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= 1 << count - 1
    }
    // One text for each seed.
    return bits == 0 && count < 5 ? bytes : nil
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    var (text, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(letters[Int(bits >> count & 31)])
      }
      bits &= 1 << count - 1
    }
    if count > 0 { text.append(letters[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// CRC-16 with the polynomial 0x1021.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0) { sum, byte in
      var sum = sum ^ UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
      return sum
    }
  }
}
