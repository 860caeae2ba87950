import Foundation
import LocationModel
import Testing

@testable import LocationGeocoding

@Suite("What a web geocoder receives, and over which protocol", .serialized)
struct WebPrivacyTests {
  private static let exact = Coordinate(latitude: 47.139_234_567, longitude: -9.522_765_432)

  private func service(_ dialect: WebService.Dialect = .nominatim) -> WebService {
    WebService(dialect: dialect, server: "https://n.example", userAgent: "test")
  }

  @Test(
    "border 22: a place is rounded to what its address needs, and to what is known of it",
    arguments: [
      (0, "lat=47.1392", "lon=-9.5228"), (65, "lat=47.1392", "lon=-9.5228"),
      (100, "lat=47.139", "lon=-9.523"), (1000, "lat=47.14", "lon=-9.52"),
      (8000, "lat=47.14", "lon=-9.52"),
    ] as [(Double, String, String)], [WebService.Dialect.nominatim, .photon])
  func reverse(
    row: (accuracy: Double, latitude: String, longitude: String), dialect: WebService.Dialect
  ) {
    let url = service(dialect).url(
      for: .reverse(Self.exact, .english, accuracy: row.accuracy))
    #expect(url.contains(row.latitude + "&") && url.contains(row.longitude + "&"), "\(url)")
  }

  @Test("border 22: a region in which an answer probably lies is sent to a tenth of a degree")
  func forward() {
    let hint = RegionHint(center: Self.exact, radius: 3000)
    let question = GeocodeQuestion.forward("Vaduz", hint, .english)
    #expect(service().url(for: question).hasSuffix("&viewbox=-9.6,47.1,-9.4,47.2"))
    #expect(service(.photon).url(for: question).hasSuffix("&lat=47.1&lon=-9.5"))
  }

  @Test("border 22: who moves within the rounding is not asked about again")
  func memory() {
    var coordinator = WebCoordinator(service())
    let now = Moment(uptime: .start, unixTime: UnixTime(nanoseconds: 0))
    _ = coordinator.handle(.ask(.reverse(Self.exact, .english), as: 1), at: now)
    let none = WebAnswer.response(status: 200, body: Array("[]".utf8), retryAfter: nil)
    _ = coordinator.handle(.answer(none), at: now)
    let near = Coordinate(latitude: 47.139_21, longitude: -9.522_77)
    #expect(
      coordinator.handle(.ask(.reverse(near, .english), as: 2), at: now)
        == [.finish(2, .failure(.nothingFound))])
  }

  @Test(
    "border 22: nothing is sent in the clear but within this machine",
    arguments: [
      ("https://n.example", true), ("HTTPS://n.example", true), ("http://localhost:2322", true),
      ("http://127.0.0.1", true), ("http://127.8.0.1:1", true), ("http://[::1]:2322/x", true),
      ("http://n.example", false), ("http://localhost.n.example", false),
      ("http://127.0.0.1.n.example", false), ("http://[::1].n.example", false),
      ("http://10.0.0.1", false), ("http://user@localhost", false), ("http://0.0.0.0", false),
      ("ftp://localhost", false), ("localhost", false),
    ])
  func privacy(server: String, isPrivate: Bool) {
    let service = WebService(dialect: .photon, server: server, userAgent: "test")
    #expect(service.server.isPrivate == isPrivate)
    #expect(
      (WebService(url: "photon+" + server, userAgent: "test") != nil) == isPrivate
        || server.hasPrefix("HTTPS"))
    guard !isPrivate else { return }
    #expect(
      WebGeocoder(service).lookUp(.reverse(Self.exact, .english))
        == .failure(.service(WebServer.mustBePrivate)))
  }

  @Test(
    "border 22: a server may send the question on to itself alone",
    arguments: [
      ("https://n.example/x?lat=1", true), ("https://N.example?lat=1", true),
      ("http://n.example/x", false), ("https://n.example.evil/x", false),
      ("https://n.example@evil/x", false), ("https://n.example:444/x", false),
      ("https://evil/https://n.example/", false), ("file:///etc/passwd", false),
    ])
  func redirects(url: String, isAllowed: Bool) {
    #expect(service().server.mayFollow(url) == isAllowed)
  }

  @Test(
    "border 22: https never becomes http, and never another server",
    .enabled(if: RecordingServer.isThere, "needs python3 and openssl"),
    arguments: [
      ("/reverse=302,{plain}/reverse", 1, "another server"),
      ("/reverse=307,{plain}/reverse", 1, "another server"),
      ("/reverse=301,{other}/reverse", 1, "another server"),
      ("/reverse=302,{own}/reverse", 4, "for ever"),
    ])
  func redirected(answer: String, requests: Int, reason: String) throws {
    let server = try RecordingServer([answer])
    let outcome = server.geocoder.lookUp(.reverse(Self.exact, .english))
    guard case .failure(.service(let said)) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(said.contains(reason))
    let asked = try server.end()
    #expect(asked.count == requests, "\(asked)")
    #expect(asked.allSatisfy { $0.hasPrefix("https /reverse?") }, "\(asked)")
    #expect(asked.allSatisfy { $0.contains("lat=47.1392&lon=-9.5228") }, "\(asked)")
  }

  @Test(
    "border 22: a server that sends the question on to itself is followed",
    .enabled(if: RecordingServer.isThere, "needs python3 and openssl"))
  func followed() throws {
    let server = try RecordingServer(["/reverse=302,{own}/reverse.php"])
    #expect(server.geocoder.lookUp(.reverse(Self.exact, .english)) == .failure(.nothingFound))
    #expect(
      try server.end().map { $0.prefix { $0 != "?" } } == ["https /reverse", "https /reverse.php"])
  }

  @Test(
    "border 22: a certificate that nobody has signed is refused",
    .enabled(if: RecordingServer.isThere, "needs python3 and openssl"))
  func unsigned() throws {
    let server = try RecordingServer([])
    var service = server.service
    service.authorities = nil
    guard case .failure(.service) = WebGeocoder(service).lookUp(.reverse(Self.exact, .english))
    else {
      Issue.record("a stranger was believed")
      return
    }
    #expect(try server.end().isEmpty)
  }
}

/// A real web server over TLS, with a certificate of its own, that tells what it was asked.
private final class RecordingServer {
  let service: WebService
  var geocoder: WebGeocoder { WebGeocoder(service) }
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private let folder = NSTemporaryDirectory() + "geocoder-\(UUID().uuidString)"

  init(_ answers: [String]) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Server/server.py")
    process.executableURL = URL(filePath: Self.python)
    process.arguments = [script.path, folder] + answers
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
      line.append(byte)
    }
    let port = String(decoding: line, as: UTF8.self).prefix { $0 != " " }
    var service = WebService(
      dialect: .nominatim, server: "https://localhost:\(port)", userAgent: "Meridian tests")
    service.interval = .zero
    service.attempts = 1
    service.authorities = folder + "/certificate.pem"
    self.service = service
  }

  deinit {
    process.terminate()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// What it was asked, one line each; it ends with that.
  func end() throws -> [String] {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static let python = "/usr/bin/python3"
  static let isThere = [python, "/usr/bin/openssl"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}
