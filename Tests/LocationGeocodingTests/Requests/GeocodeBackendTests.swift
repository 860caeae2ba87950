import LocationModel
import TestSupport
import Testing

@testable import LocationGeocoding

@Suite("The back end of geocoding")
struct GeocodeBackendTests {
  @Test(
    "is a web service when a URL says so",
    arguments: [
      ("nominatim+https://n.example/", WebService.Dialect.nominatim, "https://n.example"),
      ("photon+http://localhost:2322", .photon, "http://localhost:2322"),
      ("nominatim+https://n.example/path", .nominatim, "https://n.example/path"),
    ])
  func service(url: String, dialect: WebService.Dialect, server: String) throws {
    let service = try #require(WebService(url: url, userAgent: "test"))
    #expect(service.dialect == dialect)
    #expect(service.server.url == server)
    #expect(service.userAgent == "test")
  }

  @Test(
    "refuses a URL it cannot mean",
    arguments: [
      "https://n.example", "nominatim://n.example", "nominatim+ftp://n.example",
      "nominatim+https://", "photon+https:///x", "nominatim+https://a b", "google+https://x",
      "nominatim+https://user@host", "nominatim+https://host?key=1",
    ])
  func refused(url: String) {
    #expect(WebService(url: url, userAgent: "test") == nil)
    #expect(throws: GeocodeFailure.self) { _ = try GeocodeBackend(url: url, userAgent: "test") }
  }

  @Test(
    "is the indexes of this machine otherwise",
    .enabled(if: BuiltIndex.isThere, BuiltIndex.isMissing))
  func indexes() throws {
    let backend = try GeocodeBackend(url: nil, userAgent: "test")
    let berlin = GeocodeQuestion.reverse(
      Coordinate(latitude: 52.52, longitude: 13.405), PlaceLocale("de"))
    #expect(try backend.lookUp(berlin).get().first?.country == "Deutschland")
    let nowhere = GeocodeQuestion.forward("qqxzzyqwv", nil, .english)
    #expect(backend.lookUp(nowhere) == .failure(.nothingFound))
    #expect(backend.attribution.contains("GeoNames"))
  }

  @Test(
    "GEO-14: adds the time zone to what a web service says",
    .enabled(if: BuiltIndex.isThere, BuiltIndex.isMissing),
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
  func timeZone() throws {
    let server = LoopbackServer(answers: [[UInt8](try SharedData.bytes("osm/http/search.jsonv2"))])
    let backend = try GeocodeBackend(
      url: "nominatim+http://127.0.0.1:\(server.port)", userAgent: "test")
    let place = try #require(
      try backend.lookUp(.forward("Vaduz", nil, .english)).get().first)
    #expect(place.source == .nominatim)
    #expect(place.timeZone == "Europe/Vaduz")
    withExtendedLifetime(server) {}
  }
}
