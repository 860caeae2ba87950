import LocationFleet
import LocationModel
import LocationSecrets

/// Looks at the passwords of devices, and remembers which were right: a device that connects again
/// costs no argon2id.
struct PasswordCheck {
  enum Glance {
    case known(DeviceAccount)
    case unknown
    /// Only the hash can say.
    case unclear
  }

  private var accounts: DeviceAccounts
  /// Of passwords that were right, by user, under a key of this process.
  private var seen: [String: [UInt8]] = [:]
  private let function: KeyedFunction
  /// When the next hash may be computed.
  private(set) var next: Instant = .start

  init(_ accounts: DeviceAccounts) {
    self.accounts = accounts
    function = KeyedFunction(.random(), purpose: "device password")
  }

  /// Takes another file of accounts, by which whoever waits for an answer is judged, too.
  mutating func replace(_ accounts: DeviceAccounts) { (self.accounts, seen) = (accounts, [:]) }

  func glance(_ user: String, _ password: [UInt8]) -> Glance {
    guard let account = accounts.byUser[user] else { return .unknown }
    return seen[user] == name(user, password) ? .known(account) : .unclear
  }

  /// Whether a hash may be computed now. Hashes have half of the time at most: somebody who tries
  /// passwords does not keep out those who are connected.
  func isFree(at now: Instant) -> Bool { now >= next }

  mutating func verify(
    _ user: String, _ password: [UInt8], clock: () -> Instant
  ) -> DeviceAccount? {
    guard let account = accounts.byUser[user] else { return nil }
    let begin = clock()
    let isRight = PasswordHash.verify(password, account.hash)
    let end = clock()
    next = end + .seconds(end.seconds(since: begin))
    guard isRight else { return nil }
    seen[user] = name(user, password)
    return account
  }

  private func name(_ user: String, _ password: [UInt8]) -> [UInt8] {
    function.name(of: Array(user.utf8) + [0] + password)
  }
}
