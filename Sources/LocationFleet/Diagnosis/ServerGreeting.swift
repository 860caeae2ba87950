internal import LocationProviders

/// What a server of NATS says first to whoever connects, before anybody proves who they are.
package struct ServerGreeting: Hashable, Sendable {
  package var name = ""
  package var version = ""
  package var hasJetStream = false
  package var needsTLS = false

  /// Bytes of the line.
  package static let longest = 65_536

  /// Reads the line `INFO {…}`; `nil` where it is another one.
  package init?(_ line: [UInt8]) {
    guard line.count <= Self.longest, line.starts(with: "INFO ".utf8) else { return nil }
    var copy = Self()
    var scanner = JSONScanner(Array(line.dropFirst(5)))
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "server_name": copy.name = try value.string() ?? ""
        case "version": copy.version = try value.string() ?? ""
        case "jetstream": copy.hasJetStream = try value.boolean() ?? false
        case "tls_required": copy.needsTLS = try value.boolean() ?? false
        default: try value.skip()
        }
      }
    } catch { return nil }
    guard !copy.version.isEmpty else { return nil }
    self = copy
  }

  private init() {}

  /// Whether it makes consumers as a fleet asks for them.
  package var isRecent: Bool {
    let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
    guard numbers.count == 2 else { return false }
    return (numbers[0], numbers[1]) >= (2, 9)
  }
}

/// Where a server is, as a `server` of the configuration says it.
package struct ServerAddress: Hashable, Sendable {
  /// A name or an address; one of IPv6 without brackets.
  package var host: String
  package var port = 4222
  /// Without a user or a token.
  package var shown: String

  package init?(_ server: String) {
    guard let scheme = server.firstRange(of: "://") else { return nil }
    var rest = server[scheme.upperBound...]
    if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
    shown = String(server[..<scheme.upperBound]) + rest
    rest = rest.prefix { $0 != "/" }
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      host = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
    } else {
      host = String(rest.prefix { $0 != ":" })
      rest = rest.dropFirst(host.count)
    }
    guard !host.isEmpty else { return nil }
    guard !rest.isEmpty else { return }
    guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()), (1...65_535).contains(number)
    else { return nil }
    port = number
  }
}
