import LocationModel
import Testing

@testable import locationctl

@Suite("The gate of the console")
struct ConsoleGateTests {
  private static let port: UInt16 = 8080
  private static let origin = "http://127.0.0.1:8080"
  private var gate = ConsoleGate(
    port: port, token: "a-token", cookie: "a-cookie", users: [1000], at: .start)

  /// A request of the page itself.
  private static func request(
    _ method: String = "GET", _ path: String = "/",
    cookie: String? = "meridian-console-8080=a-cookie"
  ) -> ConsoleRequest {
    var request = ConsoleRequest()
    (request.method, request.path, request.cookie) = (method, path, cookie)
    request.host = "127.0.0.1:8080"
    request.user = 1000
    if method == "POST" { request.origin = origin }
    return request
  }

  private func status(_ request: ConsoleRequest, at now: Instant = .start) -> Int? {
    var gate = gate
    switch gate.judge(request, at: now) {
    case .refused(let response), .admitted(let response): return response.status
    case .passed: return nil
    }
  }

  private static func changed(_ change: (inout ConsoleRequest) -> Void) -> ConsoleRequest {
    var request = request()
    change(&request)
    return request
  }

  @Test("lets the page's own requests pass")
  func own() {
    #expect(status(Self.request()) == nil)
    #expect(status(Self.request("POST", "/api/services")) == nil)
    #expect(status(Self.changed { $0.site = "same-origin" }) == nil)
    #expect(status(Self.changed { $0.cookie = "other=1; meridian-console-8080=a-cookie" }) == nil)
  }

  @Test("CONSOLE-2: takes a token once, for a cookie that scripts and other sites do not get")
  mutating func token() throws {
    var first = Self.request(cookie: nil)
    first.token = "a-token"
    guard case .admitted(let response) = gate.judge(first, at: .start) else {
      Issue.record("the token was not taken")
      return
    }
    #expect(response.status == 303)
    let cookie = try #require(response.headers.first { $0.name == "Set-Cookie" }?.value)
    #expect(cookie == "meridian-console-8080=a-cookie; HttpOnly; SameSite=Strict; Path=/")
    #expect(status(first) == 403, "a second time")
  }

  @Test(
    "CONSOLE-2: refuses a token that is wrong, or too late",
    arguments: [("a-tokem", 0), ("", 0), ("a-token-", 0), ("a-token", 600)])
  func wrongToken(token: String, seconds: Int) {
    var request = Self.request(cookie: nil)
    request.token = token
    #expect(status(request, at: .start + .seconds(seconds)) == 403)
  }

  @Test(
    "CONSOLE-2: refuses a request without the cookie, or with another",
    arguments: [
      nil, "", "meridian-console-8080=", "meridian-console-8080=a-cookiE",
      "meridian-console-8081=a-cookie",
      "x-meridian-console-8080=a-cookie",
    ])
  func cookie(value: String?) {
    #expect(status(Self.request(cookie: value)) == 401)
  }

  @Test(
    "CONSOLE-3: refuses every other name of the host, as rebinding has it",
    arguments: [
      nil, "", "127.0.0.1", "127.0.0.1:8081", "localhost:8080", "evil.example", "evil.example:8080",
      "127.0.0.1:8080.evil.example", "[::1]:8080", "127.0.0.1:8080 ", "0x7f.1:8080",
    ])
  func host(name: String?) {
    #expect(status(Self.changed { $0.host = name }) == 421)
  }

  @Test(
    "CONSOLE-4: refuses what another origin asks",
    arguments: [
      "http://evil.example", "null", "http://127.0.0.1:8081", "https://127.0.0.1:8080",
      "http://localhost:8080",
    ])
  func origin(name: String) {
    #expect(status(Self.changed { $0.origin = name }) == 403)
    var post = Self.request("POST", "/api/services")
    post.origin = name
    #expect(status(post) == 403)
  }

  @Test("CONSOLE-4: refuses to change anything for a request without an origin, or with two")
  func missingOrigin() {
    var post = Self.request("POST", "/api/services")
    post.origin = nil
    #expect(status(post) == 403)
    #expect(status(Self.changed { $0.isOriginAmbiguous = true }) == 403)
  }

  @Test(
    "CONSOLE-4: refuses what a page of another site has loaded",
    arguments: ["cross-site", "same-site"])
  func site(name: String) {
    #expect(status(Self.changed { $0.site = name }) == 403)
  }

  @Test(
    "CONSOLE-5: refuses programs of other users, and of nobody",
    arguments: [nil, 0, 1001] as [UInt32?])
  func user(number: UInt32?) {
    #expect(status(Self.changed { $0.user = number }) == 403)
    let request = Self.changed { $0.user = number }
    #expect(gate.limit(of: request) == nil, "nothing of it is read")
  }

  @Test(
    "CONSOLE-7: answers GET and POST alone",
    arguments: ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get", ""])
  func method(name: String) {
    #expect(status(Self.request(name)) == 405)
  }

  @Test(
    "CONSOLE-7: has nothing at other addresses",
    arguments: [
      ("GET", "/../etc/passwd"), ("GET", "/console"), ("GET", "/leaflet/../x"),
      ("GET", "/leaflet/"), ("GET", ""),
      ("GET", "/api/services"), ("POST", "/"), ("POST", "/api/live"), ("POST", "/api/rekey"),
    ])
  func elsewhere(method: String, path: String) {
    #expect(status(Self.request(method, path)) == 404)
  }

  @Test("CONSOLE-7: reads as much of a body as the address is worth, and nothing of a refused one")
  func limits() {
    #expect(gate.limit(of: Self.request("POST", "/api/services")) == 65_536)
    #expect(gate.limit(of: Self.request("POST", "/api/day")) == 67_108_864)
    #expect(gate.limit(of: Self.request("GET", "/api/live")) == 0)
    #expect(gate.limit(of: Self.request("POST", "/api/day", cookie: nil)) == nil)
    var long = Self.request("POST", "/api/services")
    long.isTooLong = true
    #expect(status(long) == 413)
  }

  @Test("CONSOLE-6: lets a browser load nothing from elsewhere, but the tiles of a person's choice")
  func protection() throws {
    func policy(_ tiles: String?) -> String {
      ConsoleResponse.protection(tiles: tiles).first { $0.name == "Content-Security-Policy" }?.value
        ?? ""
    }
    #expect(policy(nil).hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
    #expect(policy(nil).contains("img-src 'self' data:;"))
    #expect(!policy(nil).contains("unsafe"))
    let invocation = try Invocation(["console"])
    let settings = try ConsoleSettings(
      tiles: "https://tiles.example:8443/{z}/{x}/{y}.png", attribution: "them", as: invocation)
    #expect(
      policy(settings.tileOrigin).contains("img-src 'self' data: https://tiles.example:8443;"))
    for address in ["ftp://x/{z}", "tiles", "https://a b/", "https://x;script-src *"] {
      #expect(throws: Failure.self) {
        try ConsoleSettings(tiles: address, attribution: "them", as: invocation)
      }
    }
  }
}
