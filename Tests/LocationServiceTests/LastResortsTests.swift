import LocationEngine
import LocationModel
import LocationProviders
import LocationService
import TestSupport
import Testing

@Suite("Two last resorts at once")
struct LastResortsTests {
  private var bench: CoreBench
  private static let any = UpdateOptions(accuracy: .meters(3000))

  init() throws {
    bench = try CoreBench("geoip:/city.mmdb?address=81.2.69.142", "zone:")
  }

  private mutating func send(_ event: ChannelEvent, to provider: Int, opening: Int = 1) {
    bench.send(event, to: ChannelID(provider: ProviderID(provider), opening: opening))
  }

  private mutating func readZone() {
    send(.bytes(Array("/usr/share/zoneinfo/Europe/Berlin".utf8)), to: 1)
    send(.closed(.ended), to: 1)
  }

  private mutating func place(opening: Int = 1) {
    let entry = GeoIPEntry.place(latitude: 51.5, longitude: -0.1, kilometers: 20)
    send(.places(.entries([entry])), to: 0, opening: opening)
  }

  @Test("RADIO-63: the smaller one is given, and when its file is gone, the other one")
  mutating func loss() {
    place()
    readZone()
    #expect(bench.statuses == [.working, .working])
    bench.start(Self.any)
    #expect(bench.fixes.map(\.horizontalAccuracy) == [20_000])
    bench.stop()
    bench.run(seconds: 3600)
    send(.closed(.missing("open /city.mmdb: No such file or directory")), to: 0, opening: 2)
    bench.start(Self.any)
    #expect(bench.fixes.count == 2)
    #expect(bench.fixes.last?.horizontalAccuracy ?? 0 > 200_000)
    bench.stop()
    bench.run(seconds: 3600)
    place(opening: 3)
    bench.start(Self.any)
    #expect(bench.fixes.last?.horizontalAccuracy == 20_000)
  }

  @Test("RADIO-64: neither is given to a request for a better position, nor makes fences available")
  mutating func nothingElse() {
    place()
    readZone()
    bench.start(UpdateOptions(accuracy: .meters(100)))
    bench.run(seconds: 60)
    #expect(bench.fixes.isEmpty)
    let circle = Circle(center: Coordinate(latitude: 51.5, longitude: -0.1), radius: 1000)
    let region = RegionDescription(
      identifier: "city", target: .circle(circle), notices: RegionNotices())
    bench.engine(.client(ClientID(1), .request(.region(SubscriberID(1), .start(region)))))
    let failures = bench.bench.outputs.filter { entry in
      if case .engine(.deliver(_, .region(_, _, .failed(_)))) = entry.output { true } else { false }
    }
    #expect(failures.count == 1)
  }
}
