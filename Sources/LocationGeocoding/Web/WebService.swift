import LocationModel

/// A web geocoder that the user has chosen, and its usage policy.
///
/// There is no default server: an address is sent to a server only if the user has configured it.
package struct WebService: Hashable, Sendable {
  package enum Dialect: Hashable, Sendable {
    case nominatim, photon
  }

  package var dialect: Dialect
  /// The server, without a slash at the end: `https://nominatim.example.org`.
  package var server: String
  /// Identifies the application and a contact, as the usage policy of Nominatim requires.
  package var userAgent: String
  /// The shortest time between two requests. Nominatim's usage policy: one second.
  package var interval = Duration.seconds(1)
  /// How long to wait for one answer. Chosen.
  package var timeout = Duration.seconds(10)
  /// The number of attempts when the server is down or busy. Chosen.
  package var attempts = 3
  /// How long an answer is cached; the usage policy requires caching. Chosen.
  package var memory = Duration.seconds(24 * 3600)
  /// A file of the certificates to trust; `nil` for the system's.
  package var authorities: String?

  package init(dialect: Dialect, server: String, userAgent: String) {
    self.dialect = dialect
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.userAgent = userAgent
  }

  /// Returns the URL of a request.
  func url(for question: GeocodeQuestion) -> String {
    let (path, fields) =
      switch dialect {
      case .nominatim: nominatim(question)
      case .photon: photon(question)
      }
    let query = fields.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
    return "\(server)/\(path)?\(query)"
  }

  private func nominatim(_ question: GeocodeQuestion) -> (String, [(String, String)]) {
    let common = [("format", "jsonv2"), ("addressdetails", "1")]
    switch question {
    case .reverse(let point, let locale, let accuracy):
      return (
        "reverse",
        common + position(point, accuracy) + [("accept-language", locale.language)]
      )
    case .forward(let text, let hint, let locale):
      var fields = common + [("q", text), ("limit", "10"), ("accept-language", locale.language)]
      if let hint {
        let box = Neighborhood(around: hint.center).boxes(radius: hint.radius)[0]
        let edges = [
          Self.rounded(box.west, .down), Self.rounded(box.south, .down),
          Self.rounded(box.east, .up), Self.rounded(box.north, .up),
        ]
        fields.append(("viewbox", edges.map { "\($0)" }.joined(separator: ",")))
      }
      return ("search", fields)
    }
  }

  private func photon(_ question: GeocodeQuestion) -> (String, [(String, String)]) {
    switch question {
    case .reverse(let point, let locale, let accuracy):
      return ("reverse", position(point, accuracy) + [("lang", locale.language)])
    case .forward(let text, let hint, let locale):
      let near = hint.map { position($0.center, steps: Self.hintSteps) } ?? []
      return ("api", [("q", text), ("limit", "10"), ("lang", locale.language)] + near)
    }
  }

  /// A place, as exactly as its address needs, and never more exactly than it is known.
  private func position(_ point: Coordinate, _ accuracy: Double) -> [(String, String)] {
    let steps: Double =
      switch accuracy {
      case 1000...: 100
      case 100...: 1000
      default: 10_000
      }
    return position(point, steps: steps)
  }

  private func position(_ point: Coordinate, steps: Double) -> [(String, String)] {
    let latitude = Self.rounded(point.latitude, .toNearestOrEven, steps: steps)
    let longitude = Self.rounded(point.longitude, .toNearestOrEven, steps: steps)
    return [("lat", "\(latitude)"), ("lon", "\(longitude)")]
  }

  /// Degrees in so many steps each.
  private static func rounded(
    _ degrees: Double, _ rule: FloatingPointRoundingRule, steps: Double = hintSteps
  ) -> Double {
    // What lies on a step but for 500 m stays there; zero has one sign.
    let slack = rule == .down ? 0.05 : rule == .up ? -0.05 : 0
    return (degrees * steps + slack).rounded(rule) / steps + 0
  }

  /// Steps of one degree for a region in which an answer probably lies. Chosen: 11 km.
  private static let hintSteps = 10.0

  // MARK: Privacy of the connection

  static let mustBePrivate =
    "a place is sent over https only, or over http within this machine: write https"

  /// Whether nobody between this machine and the server can read a request.
  package var isPrivate: Bool {
    guard let origin else { return false }
    guard server.lowercased().hasPrefix("http://") else {
      return server.lowercased().hasPrefix("https://")
    }
    let host = origin.dropFirst("http://".count)
    if host.hasPrefix("[") { return host == "[::1]" || host.hasPrefix("[::1]:") }
    let name = host.prefix { $0 != ":" }
    return name == "localhost" || AddressRange(String(name))?.isLoopback == true
  }

  /// Whether a server may send the question on to this URL: only to itself.
  func mayFollow(_ url: String) -> Bool {
    guard let origin else { return false }
    let url = url.lowercased()
    return url == origin || url.hasPrefix(origin + "/") || url.hasPrefix(origin + "?")
  }

  /// The beginning of the server's URL, up to its path, in lower case; `nil` where it is none.
  private var origin: String? {
    let server = server.lowercased()
    guard let scheme = ["https://", "http://"].first(where: { server.hasPrefix($0) }) else {
      return nil
    }
    let place = server.dropFirst(scheme.count).prefix { !"/?#\\".contains($0) }
    return place.isEmpty || place.contains("@") ? nil : scheme + place
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: ","):
        String(Unicode.Scalar(byte))
      default:
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

/// The answer of a server, or the reason why there is none.
package enum WebAnswer: Hashable, Sendable {
  case response(status: Int, body: [UInt8], retryAfter: Duration?)
  /// No answer: no network, no such host, or a timeout; with the reason as text.
  case unreachable(String)
  /// The request is not allowed, there or anywhere; with the reason as text.
  case refused(String)
}
