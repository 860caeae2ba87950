/// A server that a person has named, and that receives a place, or what tells one.
package struct WebServer: Hashable, Sendable {
  /// Its URL, without a slash at the end: `https://nominatim.example.org`.
  package var url: String

  /// - Parameter url: the URL; slashes at its end are dropped.
  package init(_ url: String) {
    self.url = url
    while self.url.hasSuffix("/") { self.url.removeLast() }
  }

  package static let mustBePrivate =
    "a place is sent over https only, or over http within this machine: write https"

  /// Whether nobody between this machine and the server can read a request.
  package var isPrivate: Bool {
    guard let origin else { return false }
    guard url.lowercased().hasPrefix("http://") else { return true }
    let host = origin.dropFirst("http://".count)
    if host.hasPrefix("[") { return host == "[::1]" || host.hasPrefix("[::1]:") }
    let name = host.prefix { $0 != ":" }
    return name == "localhost" || AddressRange(String(name))?.isLoopback == true
  }

  /// Whether it may redirect a request to this URL: only to itself.
  package func mayFollow(_ url: String) -> Bool {
    guard let origin else { return false }
    let url = url.lowercased()
    return url == origin || url.hasPrefix(origin + "/") || url.hasPrefix(origin + "?")
  }

  /// The beginning of the URL, up to its path, in lower case; `nil` where it is no URL of the web.
  package var origin: String? {
    let url = url.lowercased()
    guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else {
      return nil
    }
    let place = url.dropFirst(scheme.count).prefix { !"/?#\\".contains($0) }
    return place.isEmpty || place.contains("@") ? nil : scheme + place
  }

  /// What is wrong with the host or the port of the URL, as the end of a sentence; `nil` if nothing is, or it is no
  /// URL of the web.
  package var placeFault: String? {
    guard let origin, let scheme = origin.firstRange(of: "://") else { return nil }
    var rest = origin[scheme.upperBound...]
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      rest = rest[rest.index(after: end)...]
    } else {
      guard !rest.hasPrefix(":") else { return "has no host" }
      rest = rest.drop { $0 != ":" }
    }
    guard !rest.isEmpty else { return nil }
    let digits = rest.dropFirst()
    guard rest != ":" else { return "has a colon and no port behind it" }
    let isPort =
      rest.hasPrefix(":") && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      && Int(digits).map { (1...65_535).contains($0) } ?? false
    return isPort ? nil : "has \(rest) where a port from 1 to 65535 belongs"
  }
}

/// One request to a server on the web.
package struct WebRequest: Hashable, Sendable {
  /// The URL of the request, on `server`.
  package var url: String
  package var server: WebServer
  /// JSON to be posted; `nil` for a request that only gets.
  package var body: [UInt8]?
  /// Identifies the program and a contact, as the policies of public servers require.
  package var userAgent: String
  /// How long to wait for the answer.
  package var timeout: Duration
  /// A file of the certificates to trust; `nil` for the system's.
  package var authorities: String?
  /// Who asks; `nil` for nobody.
  package var credentials: WebCredentials?

  package init(
    _ url: String, of server: WebServer, body: [UInt8]? = nil, userAgent: String,
    timeout: Duration, authorities: String? = nil
  ) {
    self.url = url
    self.server = server
    self.body = body
    self.userAgent = userAgent
    self.timeout = timeout
    self.authorities = authorities
  }
}

/// Who asks a server: nothing of it is printed.
package enum WebCredentials: Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible
{
  /// By HTTP's Basic authentication.
  case password(user: String, String)
  /// By TLS, with the paths of the certificate and of its key.
  case certificate(String, key: String)

  package var description: String { "‹private›" }
  package var debugDescription: String { description }
}

/// The answer of a server, or the reason why there is none.
package enum WebAnswer: Hashable, Sendable {
  case response(status: Int, body: [UInt8], retryAfter: Duration?)
  /// No answer: no network, no such host, or a timeout; with the reason as text.
  case unreachable(String)
  /// The request is not allowed, there or anywhere; with the reason as text.
  case refused(String)
}
