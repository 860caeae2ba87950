/// One request of the page, as far as it decides the answer.
struct ConsoleRequest: Hashable, Sendable {
  var method = "GET"
  /// Without the query.
  var path = "/"
  /// `nil` where it is missing, or there more than once.
  var host: String?
  var origin: String?
  /// Whether there is more than one `Origin`.
  var isOriginAmbiguous = false
  /// The header `Sec-Fetch-Site`, which a page's script cannot set.
  var site: String?
  var cookie: String?
  /// The value `token` of the query.
  var token: String?
  /// The value `after` of the query.
  var after: Int?
  /// The value `name` of the query.
  var name: String?
  /// The value `box` of the query.
  var box: String?
  /// The user whose program holds the other end, by the kernel; `nil` where it names none.
  var user: UInt32?
  var body: [UInt8] = []
  /// Whether the body is longer than what is read of it.
  var isTooLong = false
}

/// What is answered.
struct ConsoleResponse: Hashable, Sendable {
  var status: Int
  var type = "text/plain; charset=utf-8"
  var body: [UInt8]
  /// Besides those that every answer has.
  var headers: [Header] = []

  struct Header: Hashable, Sendable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  init(_ status: Int, _ text: String, headers: [Header] = []) {
    self.status = status
    self.headers = headers
    body = Array((text + "\n").utf8)
  }

  init(type: String, _ body: [UInt8]) {
    status = 200
    self.type = type
    self.body = body
  }

  /// What every answer says to a browser: nothing from elsewhere, nothing kept, in nobody's frame.
  ///
  /// `tiles` is the one other origin, of a person's choice, whose images may be shown.
  static func protection(tiles: String?) -> [Header] {
    let images = ["'self'", "data:"] + (tiles.map { [$0] } ?? [])
    return [
      Header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          + "img-src \(images.joined(separator: " ")); base-uri 'none'; form-action 'none'; "
          + "frame-ancestors 'none'"),
      Header("Cross-Origin-Opener-Policy", "same-origin"),
      Header("Cross-Origin-Resource-Policy", "same-origin"),
      Header("Permissions-Policy", "geolocation=(), camera=(), microphone=()"),
      Header("Referrer-Policy", "no-referrer"),
      Header("X-Content-Type-Options", "nosniff"),
      Header("Cache-Control", "no-store"),
    ]
  }
}
