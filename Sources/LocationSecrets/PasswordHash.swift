internal import CSodium

/// What is stored in place of a password: argon2id with a salt of its own, as `crypto_pwhash_str` of
/// libsodium writes it.
package enum PasswordHash {
  /// What looking at a password costs.
  package enum Cost: Sendable {
    /// 64 MB and about 0.1 s: for a password that a person has chosen.
    case chosen
    /// 8 kB: for one of 128 random bits or more, which nobody finds by trying.
    case random
  }

  /// - Returns: `nil` where there is not enough memory.
  package static func make(_ password: [UInt8], _ cost: Cost) -> String? {
    guard Sodium.isReady else { return nil }
    let (steps, memory) =
      switch cost {
      case .chosen:
        (crypto_pwhash_opslimit_interactive(), crypto_pwhash_memlimit_interactive())
      case .random: (crypto_pwhash_opslimit_min(), crypto_pwhash_memlimit_min())
      }
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_strbytes()))
    let code = crypto_pwhash_str(
      &text, password.map { CChar(bitPattern: $0) }, UInt64(password.count), UInt64(steps), memory)
    guard code == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package static func verify(_ password: [UInt8], _ hash: String) -> Bool {
    guard Sodium.isReady else { return false }
    return crypto_pwhash_str_verify(
      hash, password.map { CChar(bitPattern: $0) }, UInt64(password.count)) == 0
  }
}
