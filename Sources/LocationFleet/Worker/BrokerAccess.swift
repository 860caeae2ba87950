/// Where the program that keeps the messages is, and how one comes in.
package struct BrokerAccess: Hashable, Sendable {
  package var servers: [String] = []
  /// The file of a user's JWT and seed.
  package var credentials: String?
  /// The file of a user's seed, and the public key that belongs to it.
  package var seed: String?
  package var publicKey: String?
  /// The files of TLS.
  package var authorities, certificate, key: String?
  /// With what the subjects of answers begin, where the configuration says it.
  package var inbox: String?

  package init(servers: [String] = []) { self.servers = servers }

  /// With what the subjects of answers begin: each user's own, so that no other one can be let to read them.
  package var inboxPrefix: String { inbox ?? publicKey.map { "_INBOX_\($0)" } ?? Self.usualInbox }

  /// What every user of NATS has who says nothing else.
  private static let usualInbox = "_INBOX"

  /// Sets ``inbox``, which must not be among the subjects of the streams.
  ///
  /// - Parameter value: as the configuration has it.
  /// - Returns: what is wrong with it, or `nil`.
  mutating func takeInbox(_ value: String) -> String? {
    let isPlain = value.utf8.allSatisfy { FleetAddress.isPlain($0) || $0 == UInt8(ascii: "_") }
    guard value.hasPrefix(Self.usualInbox), isPlain, value.utf8.count <= 128 else {
      return "`inbox` must begin with _INBOX, and have letters, digits, -, and _ alone"
    }
    inbox = value
    return nil
  }

  /// Whether the way to every server is encrypted, and the servers have to prove who they are.
  package var isSecure: Bool {
    authorities != nil || certificate != nil || servers.contains { $0.hasPrefix("tls://") }
  }

  /// A server beyond this computer to which fixes would go for everybody to read.
  package var exposed: String? {
    isSecure ? nil : servers.first { !Self.isLoopback($0) }
  }

  private static func isLoopback(_ server: String) -> Bool {
    var rest = server[...]
    if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    // What stands before it is a user or a token.
    if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
    guard !rest.hasPrefix("[") else { return rest.hasPrefix("[::1]") }
    return isLoopback(host: rest.prefix { $0 != ":" && $0 != "/" })
  }

  /// Whether a name or an address is of this computer; one of IPv6 has no brackets.
  static func isLoopback(host: some StringProtocol) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    let isNumeric = numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
    return host == "localhost" || host == "::1" || (isNumeric && numbers[0] == "127")
  }
}
