import Foundation
import LocationModel
import TestSupport
import Testing

@testable import LocationGeocoding

@Suite("The coordinator of a web geocoder")
struct WebCoordinatorTests {
  private static let service = WebService(
    dialect: .nominatim, server: "http://n.example/", userAgent: "test")
  private static let vaduz = GeocodeQuestion.forward("Vaduz", nil, .english)
  private static let none = WebAnswer.response(status: 200, body: Array("[]".utf8), retryAfter: nil)

  var bench = Bench(WebCoordinator(service)) { output in
    switch output {
    case .fetch: "fetch"
    case .finish(let request, .success(let places)): "\(request) found \(places.count)"
    case .finish(let request, .failure(let failure)): "\(request) failed: \(failure)"
    case .discarded: "discard"
    }
  }

  private mutating func answer(status: Int, after seconds: Int? = nil) {
    let pause = seconds.map { Duration.seconds($0) }
    bench.send(.answer(.response(status: status, body: [], retryAfter: pause)))
  }

  @Test("sends no two requests within a second, first come, first served")
  mutating func pace() {
    for request in 1...3 {
      bench.send(.ask(.forward("Place \(request)", nil, .english), as: request))
    }
    bench.send(.answer(Self.none))
    bench.run(for: .seconds(1))
    bench.send(.answer(Self.none))
    bench.run(for: .seconds(5))
    #expect(
      bench.transcript == """
        00:00:00  fetch
        00:00:00  1 failed: nothingFound
        00:00:01  fetch
        00:00:01  2 failed: nothingFound
        00:00:02  fetch
        """)
  }

  @Test("refuses a request when a hundred wait already (GEO-5)")
  mutating func full() {
    for request in 1...WebCoordinator.mostWaiting + 1 {
      bench.send(.ask(.forward("Place \(request)", nil, .english), as: request))
    }
    #expect(
      bench.transcript == """
        00:00:00  fetch
        00:00:00  101 failed: budgetSpent(retryAfter: 30.0 seconds)
        """)
    bench.send(.abandon(2))
    bench.send(.ask(Self.vaduz, as: 102))
    #expect(!bench.transcript.contains("102 failed"))
  }

  @Test("asks a server that is down three times, with growing pauses")
  mutating func retries() {
    bench.send(.ask(Self.vaduz, as: 1))
    bench.send(.answer(.unreachable("no network")))
    bench.run(for: .seconds(10))
    answer(status: 502)
    bench.run(for: .seconds(10))
    answer(status: 500)
    #expect(
      bench.transcript == """
        00:00:00  fetch
        00:00:02  fetch
        00:00:14  fetch
        00:00:20  1 failed: service("the server answered with HTTP status 500")
        """)
  }

  @Test("GEO-5: waits as long as the server asks, unless that is too long")
  mutating func retryAfter() {
    bench.send(.ask(Self.vaduz, as: 1))
    answer(status: 429, after: 7)
    bench.run(for: .seconds(8))
    answer(status: 429, after: 3600)
    #expect(
      bench.transcript == """
        00:00:00  fetch
        00:00:07  fetch
        00:00:08  1 failed: budgetSpent(retryAfter: 3600.0 seconds)
        """)
  }

  @Test("does not repeat what the server refuses", arguments: [400, 401, 403, 301])
  mutating func refused(status: Int) {
    bench.send(.ask(Self.vaduz, as: 1))
    answer(status: status)
    let failure = GeocodeFailure.service("the server answered with HTTP status \(status)")
    #expect(bench.outputs.last?.output == .finish(1, .failure(failure)))
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("remembers an answer for a day, and a failure not at all")
  mutating func memory() {
    bench.send(.ask(Self.vaduz, as: 1))
    answer(status: 403)
    bench.run(for: .seconds(1))
    bench.send(.ask(Self.vaduz, as: 2))
    bench.send(.answer(Self.none))
    bench.send(.ask(Self.vaduz, as: 3))
    bench.run(for: .seconds(24 * 3600))
    bench.send(.ask(Self.vaduz, as: 4))
    #expect(
      bench.transcript == """
        00:00:00  fetch
        00:00:00  1 failed: service("the server answered with HTTP status 403")
        00:00:01  fetch
        00:00:01  2 failed: nothingFound
        00:00:01  3 failed: nothingFound
        24:00:01  fetch
        """)
  }

  @Test("GEO-4: throws away the answer of an abandoned request, and goes on with the next")
  mutating func abandoned() {
    bench.send(.ask(Self.vaduz, as: 1))
    bench.send(.ask(.forward("Paris", nil, .english), as: 2))
    bench.send(.abandon(1))
    bench.run(for: .seconds(3))
    bench.send(.answer(Self.none))
    bench.send(.answer(Self.none))
    bench.send(.answer(Self.none))
    #expect(
      bench.transcript == """
        00:00:00  fetch
        00:00:03  discard
        00:00:03  fetch
        00:00:03  2 failed: nothingFound
        00:00:03  discard
        """)
  }

  @Test("GEO-10, GEO-12: asks in the service's words, language and region included")
  func urls() {
    let question = GeocodeQuestion.forward(
      "Käse & Brot", RegionHint(center: Coordinate(latitude: 0, longitude: 0), radius: 111_195),
      PlaceLocale("de"))
    #expect(
      Self.service.url(for: question).hasPrefix(
        "http://n.example/search?format=jsonv2&addressdetails=1&q=K%C3%A4se%20%26%20Brot"
          + "&limit=10&accept-language=de&viewbox=-1.0"))
    var photon = Self.service
    photon.dialect = .photon
    let here = GeocodeQuestion.reverse(Coordinate(latitude: 1.5, longitude: -2), .english)
    #expect(photon.url(for: here) == "http://n.example/reverse?lat=1.5&lon=-2.0&lang=en")
  }
}

@Suite("Reading a web geocoder")
struct WebReadingTests {
  private func outcome(
    _ dialect: WebService.Dialect, _ body: String, status: Int = 200
  ) -> GeocodeOutcome {
    WebReading(dialect).outcome(
      of: .response(status: status, body: Array(body.utf8), retryAfter: nil))
  }

  @Test("GEO-14: fills a place from Photon")
  func photon() throws {
    let places = try outcome(
      .photon,
      """
      {"type":"FeatureCollection","features":[{"type":"Feature",
       "geometry":{"type":"Point","coordinates":[9.5227,47.1392]},
       "properties":{"osm_key":"amenity","type":"house","name":"Torkel","street":"Hintergass",
        "housenumber":"9","postcode":"9490","city":"Vaduz","district":"Ebenholz",
        "state":"Oberland","country":"Liechtenstein","countrycode":"LI"}}]}
      """
    ).get()
    let place = try #require(places.first)
    #expect(place.thoroughfare == "Hintergass")
    #expect(place.subThoroughfare == "9")
    #expect(place.locality == "Vaduz")
    #expect(place.subLocality == "Ebenholz")
    #expect(place.isoCountryCode == "LI")
    #expect(place.areasOfInterest == ["Torkel"])
    #expect(place.coordinate == Coordinate(latitude: 47.1392, longitude: 9.5227))
    #expect(outcome(.photon, #"{"features":[]}"#) == .failure(.nothingFound))
  }

  @Test(
    "fails in words on what is no answer",
    arguments: [
      "", "<html>", "{", "null", "42", #"[{"lat":1}]"#, #"{"features":[{"geometry":{}}]}"#,
    ])
  func garbage(body: String) {
    let failure = GeocodeOutcome.failure(.service("the server's answer cannot be read"))
    #expect(outcome(.nominatim, body) == failure)
    #expect(outcome(.photon, body) == failure)
  }

  @Test("drops a result whose position is none")
  func position() {
    let far = #"[{"lat":"91","lon":"0","display_name":"x"}]"#
    #expect(outcome(.nominatim, far) == .failure(.nothingFound))
  }
}

@Suite(
  "A Nominatim on the loopback",
  .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
struct WebGeocoderTests {
  private let vaduz = GeocodeQuestion.forward("Vaduz", nil, .english)

  private func geocoder(_ fixtures: [String]) throws -> (WebGeocoder, LoopbackServer) {
    try geocoder(answers: fixtures.map { [UInt8](try SharedData.bytes("osm/http/\($0)")) })
  }

  private func geocoder(answers: [[UInt8]]) -> (WebGeocoder, LoopbackServer) {
    let server = LoopbackServer(answers: answers)
    var service = WebService(
      dialect: .nominatim, server: "http://127.0.0.1:\(server.port)", userAgent: "Meridian tests")
    service.interval = .zero
    service.attempts = 1
    service.timeout = .seconds(2)
    return (WebGeocoder(service), server)
  }

  @Test("GEO-14: finds a place, and asks for it once")
  func search() throws {
    let (geocoder, server) = try geocoder(["search.jsonv2"])
    for _ in 0..<2 {
      let place = try #require(try geocoder.lookUp(vaduz).get().first)
      #expect(place.locality == "Vaduz")
      #expect(place.subAdministrativeArea == "Oberland")
      #expect(place.postalCode == "9490")
      #expect(place.isoCountryCode == "LI")
      #expect(place.source == .nominatim)
      #expect(abs(place.coordinate.latitude - 47.1392862) < 1e-9)
    }
    withExtendedLifetime(server) {}
  }

  @Test("GEO-14: finds an address", arguments: ["search-structured.jsonv2"])
  func address(fixture: String) throws {
    let (geocoder, server) = try geocoder([fixture])
    let place = try #require(try geocoder.lookUp(vaduz).get().first)
    #expect(place.thoroughfare == "East Main Street")
    #expect(place.subThoroughfare == "1001")
    #expect(place.locality == "Prattville")
    withExtendedLifetime(server) {}
  }

  @Test("GEO-8: gives several results in their order")
  func several() throws {
    let (geocoder, server) = try geocoder(["search-viewbox-bounded.jsonv2"])
    let places = try geocoder.lookUp(vaduz).get()
    #expect(places.count == 5)
    #expect(places.first?.name == "Bahnhofstrasse")
    withExtendedLifetime(server) {}
  }

  @Test(
    "answers a reverse request at every level",
    arguments: [
      ("reverse.jsonv2", "Vaduz"), ("reverse-zoom10.jsonv2", "Vaduz"),
      ("reverse-zoom3.jsonv2", nil),
    ] as [(String, String?)])
  func reverse(fixture: String, locality: String?) throws {
    let (geocoder, server) = try geocoder([fixture])
    let point = Coordinate(latitude: 47.1397, longitude: 9.5225)
    let place = try #require(try geocoder.lookUp(.reverse(point, .english)).get().first)
    #expect(place.locality == locality)
    #expect(place.country == "Liechtenstein")
    withExtendedLifetime(server) {}
  }

  @Test(
    "GEO-7: maps every other answer to a failure",
    arguments: [
      ("search-empty.jsonv2", GeocodeFailure.nothingFound), ("reverse-none.jsonv2", .nothingFound),
      ("reverse-badlat.json", .service("the server answered with HTTP status 400")),
      ("reverse.xml", .service("the server's answer cannot be read")),
    ])
  func failures(fixture: String, failure: GeocodeFailure) throws {
    let (geocoder, server) = try geocoder([fixture])
    #expect(geocoder.lookUp(vaduz) == .failure(failure))
    withExtendedLifetime(server) {}
  }

  @Test("GEO-6: fails when nobody listens, and when the line breaks")
  func unreachable() {
    let (geocoder, server) = geocoder(answers: [
      Array("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n[".utf8)
    ])
    for _ in 0..<2 {
      guard case .failure(.service(let reason)) = geocoder.lookUp(vaduz) else {
        Issue.record("an answer from nobody")
        return
      }
      #expect(reason.contains("127.0.0.1"))
    }
    withExtendedLifetime(server) {}
  }

  @Test("GEO-5: passes on how long a busy server wants to be left alone")
  func busy() {
    let (geocoder, server) = geocoder(answers: [
      Array("HTTP/1.1 429 Too Many\r\nRetry-After: 90\r\ncontent-length: 0\r\n\r\n".utf8)
    ])
    #expect(geocoder.lookUp(vaduz) == .failure(.budgetSpent(retryAfter: .seconds(90))))
    withExtendedLifetime(server) {}
  }

  @Test("GEO-5: a busy server may also say until when it wants to be left alone")
  func busyUntil() {
    var (until, parts) = (time(nil) + 90, tm())
    gmtime_r(&until, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    let date = String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let (geocoder, server) = geocoder(answers: [
      Array(
        "HTTP/1.1 429 Too Many\r\nRetry-After: \(date)\r\ncontent-length: 0\r\n\r\n".utf8)
    ])
    guard case .failure(.budgetSpent(let pause)) = geocoder.lookUp(vaduz) else {
      Issue.record("no pause")
      return
    }
    #expect((.seconds(60)...(.seconds(90))).contains(pause))
    withExtendedLifetime(server) {}
  }
}
