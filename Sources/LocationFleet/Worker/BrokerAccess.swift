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
  /// With what the names of its settings begin, where they are not those of the fleet's own servers.
  private let prefix: String?

  package init(servers: [String] = []) { (self.servers, prefix) = (servers, nil) }

  /// Of servers that are named by `prefix`, with settings whose names begin so.
  init(prefix: String) { self.prefix = prefix }

  /// With what the subjects of answers begin: each user's own, so that no other one can be let to read them.
  package var inboxPrefix: String { inbox ?? publicKey.map { "_INBOX_\($0)" } ?? Self.usualInbox }

  /// What every user of NATS has who says nothing else.
  private static let usualInbox = "_INBOX"

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

// MARK: - Settings

extension BrokerAccess {
  /// The settings of the fleet's own servers.
  static let keys = [
    "server", "credentials", "nkey-seed", "authorities", "certificate", "certificate-key", "inbox",
  ]

  /// How one of the settings is called in the configuration.
  package func name(of key: String) -> String {
    guard let prefix else { return key }
    return key == "server" ? prefix : "\(prefix)-\(key)"
  }

  /// Applies one of its settings.
  ///
  /// - Parameters:
  ///   - name: as the configuration has it; another one changes nothing.
  ///   - value: as the configuration has it.
  /// - Returns: what is wrong with it, or `nil`.
  mutating func take(_ name: String, _ value: String) -> String? {
    switch Self.keys.first(where: { self.name(of: $0) == name }) {
    case "server": addServer(value)
    case "credentials": SettingValue.path(&credentials, value, name)
    case "nkey-seed": SettingValue.path(&seed, value, name)
    case "authorities": SettingValue.path(&authorities, value, name)
    case "certificate": SettingValue.path(&certificate, value, name)
    case "certificate-key": SettingValue.path(&key, value, name)
    case "inbox": takeInbox(value)
    default: nil
    }
  }

  private mutating func addServer(_ value: String) -> String? {
    let isKnown = ["nats://", "tls://"].contains { value.hasPrefix($0) && value.count > $0.count }
    guard isKnown, !value.contains(where: \.isWhitespace), ServerAddress(value) != nil else {
      return "`\(name(of: "server"))` must be nats://HOST:PORT or tls://HOST:PORT"
    }
    guard servers.count < 16 else { return "more than 16 servers" }
    servers.append(value)
    return nil
  }

  /// Sets ``inbox``, which must not be among the subjects of the streams.
  private mutating func takeInbox(_ value: String) -> String? {
    let isPlain = value.utf8.allSatisfy { FleetAddress.isPlain($0) || $0 == UInt8(ascii: "_") }
    guard value.hasPrefix(Self.usualInbox), isPlain, value.utf8.count <= 128 else {
      return
        "`\(name(of: "inbox"))` must begin with _INBOX, and have letters, digits, -, and _ alone"
    }
    inbox = value
    return nil
  }

  /// What is wrong with all settings of the servers together.
  var faults: [String] {
    var causes: [String] = []
    if (certificate == nil) != (key == nil) {
      causes.append("`\(name(of: "certificate"))` and `\(name(of: "certificate-key"))` go together")
    }
    if seed != nil, credentials != nil {
      causes.append(
        "`\(name(of: "nkey-seed"))` and `\(name(of: "credentials"))` exclude each other")
    }
    if let server = exposed {
      causes.append(
        "\(server) is not on this computer: it needs tls:// or `\(name(of: "authorities"))`")
    }
    return causes
  }
}
