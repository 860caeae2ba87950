package import LocationModel

/// A web geocoder that the user has chosen, and its usage policy.
///
/// There is no default server: an address is sent to a server only if the user has configured it.
package struct WebService: Hashable, Sendable {
  package enum Dialect: Hashable, Sendable {
    case nominatim, photon
  }

  package var dialect: Dialect
  package var server: WebServer
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
    self.server = WebServer(server)
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
    return "\(server.url)/\(path)?\(query)"
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
