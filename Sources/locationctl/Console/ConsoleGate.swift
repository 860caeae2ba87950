import LocationModel

/// Decides which requests reach the console (CONSOLE-2 to CONSOLE-5, CONSOLE-7).
///
/// It opens no socket and reads no clock: what it is asked, and when, are its arguments.
struct ConsoleGate: Sendable {
  /// What is decided.
  enum Verdict: Hashable, Sendable {
    case refused(ConsoleResponse)
    /// The token was exchanged: a redirect that sets the cookie.
    case admitted(ConsoleResponse)
    case passed(ConsoleRoute)
  }

  private let host: String
  private let cookie: String
  private let cookieName: String
  private let users: Set<UInt32>
  private let expiry: Instant
  /// `nil` once it has been used.
  private var token: String?

  /// A gate at a port of the loopback. The token is taken once, until ten minutes after `now`; `users`
  /// are those whose programs may connect.
  init(port: UInt16, token: String, cookie: String, users: Set<UInt32>, at now: Instant) {
    host = "127.0.0.1:\(port)"
    cookieName = "meridian-console-\(port)"
    self.token = token
    self.cookie = cookie
    self.users = users
    expiry = now + Self.validity
  }

  private var origin: String { "http://\(host)" }

  /// The address that a person opens.
  var address: String { token.map { "\(origin)/?token=\($0)" } ?? origin }

  /// Judges one request.
  mutating func judge(_ request: ConsoleRequest, at now: Instant) -> Verdict {
    if let refusal = refusal(of: request) { return .refused(refusal) }
    if let given = request.token, request.path == "/", request.method == "GET" {
      return exchange(given, at: now)
    }
    return admitted(request)
  }

  /// How many bytes of the body are worth reading, without using the token up; `nil` for a request that is
  /// refused whatever it contains.
  func limit(of request: ConsoleRequest) -> Int? {
    guard refusal(of: request) == nil else { return nil }
    if request.token != nil, request.path == "/" { return 0 }
    guard case .passed(let route) = admitted(request) else { return nil }
    return route.limit
  }

  // MARK: Rules

  /// Why the request cannot be of a page of this console, whoever sends it.
  private func refusal(of request: ConsoleRequest) -> ConsoleResponse? {
    guard let user = request.user, users.contains(user) else {
      return ConsoleResponse(403, "This console belongs to another user of this computer.")
    }
    guard request.host == host else {
      return ConsoleResponse(421, "This console is at \(origin) and nowhere else.")
    }
    guard request.method == "GET" || request.method == "POST" else {
      return ConsoleResponse(
        405, "Only GET and POST are answered.", headers: [.init("Allow", "GET, POST")])
    }
    let isForeign =
      request.isOriginAmbiguous || (request.origin.map { $0 != origin } ?? false)
      || (request.site.map { $0 != "same-origin" && $0 != "none" } ?? false)
    guard !isForeign, request.method == "GET" || request.origin == origin else {
      return ConsoleResponse(403, "Only this console's own page may ask.")
    }
    return nil
  }

  private mutating func exchange(_ given: String, at now: Instant) -> Verdict {
    guard let token, now < expiry, Self.areEqual(given, token) else {
      return .refused(
        ConsoleResponse(
          403, "This address has been used, or is too old. Run locationctl console again."))
    }
    self.token = nil
    return .admitted(
      ConsoleResponse(
        303, "The console is at \(origin)/",
        headers: [
          .init("Location", "/"),
          .init("Set-Cookie", "\(cookieName)=\(cookie); HttpOnly; SameSite=Strict; Path=/"),
        ]))
  }

  private func admitted(_ request: ConsoleRequest) -> Verdict {
    guard let given = value(in: request.cookie), Self.areEqual(given, cookie) else {
      return .refused(
        ConsoleResponse(401, "Open the address that locationctl console has printed."))
    }
    guard let route = ConsoleRoute(request.method, request.path) else {
      return .refused(ConsoleResponse(404, "There is nothing at this address."))
    }
    guard !request.isTooLong else {
      return .refused(
        ConsoleResponse(413, "This is too long: \(route.limit) bytes are read at most."))
    }
    return .passed(route)
  }

  private func value(in header: String?) -> String? {
    for pair in header?.split(separator: ";") ?? [] {
      let pair = pair.drop { $0 == " " }
      guard let sign = pair.firstIndex(of: "="), pair[..<sign] == cookieName else { continue }
      return String(pair[pair.index(after: sign)...])
    }
    return nil
  }

  /// Compares without ending early, so that the time says nothing of where they differ.
  private static func areEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Chosen: enough for a browser that starts slowly.
  private static let validity = Duration.seconds(600)
}
