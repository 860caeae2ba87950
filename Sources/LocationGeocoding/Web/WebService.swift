import LocationModel

/// A web geocoder that the user has chosen, and how it wants to be used.
///
/// There is no default server: an address goes to a stranger only when somebody says so.
package struct WebService: Hashable, Sendable {
  package enum Dialect: Hashable, Sendable {
    case nominatim, photon
  }

  package var dialect: Dialect
  /// The server, without a slash at the end: `https://nominatim.example.org`.
  package var server: String
  /// Names the application and a contact, as the usage policy of Nominatim asks.
  package var userAgent: String
  /// The shortest time between two requests. Nominatim's usage policy: one second.
  package var interval = Duration.seconds(1)
  /// How long to wait for one answer. Chosen.
  package var timeout = Duration.seconds(10)
  /// How often to ask in all, when the server is down or busy. Chosen.
  package var attempts = 3
  /// How long an answer is good for, as the usage policy asks for caching. Chosen.
  package var memory = Duration.seconds(24 * 3600)

  package init(dialect: Dialect, server: String, userAgent: String) {
    self.dialect = dialect
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.userAgent = userAgent
  }

  /// The URL that asks a question.
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
    case .reverse(let point, let locale):
      return ("reverse", common + position(point) + [("accept-language", locale.language)])
    case .forward(let text, let hint, let locale):
      var fields = common + [("q", text), ("limit", "10"), ("accept-language", locale.language)]
      if let hint {
        let box = Neighborhood(around: hint.center).boxes(radius: hint.radius)[0]
        fields.append(("viewbox", "\(box.west),\(box.south),\(box.east),\(box.north)"))
      }
      return ("search", fields)
    }
  }

  private func photon(_ question: GeocodeQuestion) -> (String, [(String, String)]) {
    switch question {
    case .reverse(let point, let locale):
      return ("reverse", position(point) + [("lang", locale.language)])
    case .forward(let text, let hint, let locale):
      let near = hint.map { position($0.center) } ?? []
      return ("api", [("q", text), ("limit", "10"), ("lang", locale.language)] + near)
    }
  }

  private func position(_ point: Coordinate) -> [(String, String)] {
    [("lat", "\(point.latitude)"), ("lon", "\(point.longitude)")]
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

/// What a server said, or why it said nothing.
package enum WebAnswer: Hashable, Sendable {
  case response(status: Int, body: [UInt8], retryAfter: Duration?)
  /// No answer: no network, no such host, a timeout; in words.
  case unreachable(String)
}
