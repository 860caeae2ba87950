import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("Being a beacon, in the engine")
struct AdvertisingDeliveryTests {
  private var bench = SignalsBench(.never)

  init() { bench.send(.setting(.beacon(SignalsBench.app, .allowed))) }

  @Test("is a demand on the radio until it is stopped, without any for locations")
  mutating func demand() {
    bench.send(.reception(.listening))
    bench.advertise(door)
    #expect(bench.demand.advert == door)
    bench.send(.advertising(.advertising))
    bench.request(.advertising(SignalsBench.manager, .stop))
    #expect(bench.demand == .none)
    #expect(bench.transcript == "00:00:00  advertising to 1\n00:00:00  stopped to 1")
  }

  @Test("BEACON-3: needs the foreground")
  mutating func foreground() {
    bench.send(.reception(.listening))
    bench.advertise(door)
    bench.send(.advertising(.advertising))
    bench.live(.background)
    #expect(bench.demand.advert == nil)
    bench.live(.foreground)
    #expect(bench.demand.advert == door)
    bench.send(.advertising(.advertising))
    #expect(
      bench.transcript == """
        00:00:00  advertising to 1
        00:00:00  stopped to 1
        00:00:00  advertising to 1
        """)
  }

  @Test("lets the second wait until the first has stopped")
  mutating func two() {
    bench.send(.reception(.listening))
    bench.advertise(door)
    bench.send(.advertising(.advertising))
    bench.advertise(hall, by: SubscriberID(2))
    bench.request(.end(SignalsBench.manager))
    #expect(bench.demand.advert == hall)
    bench.send(.advertising(.advertising))
    #expect(
      bench.transcript == """
        00:00:00  advertising to 1
        00:00:00  waiting to 2
        00:00:00  advertising to 2
        """)
  }

  @Test("is unavailable without a radio, and while the adapter is off")
  mutating func radio() {
    bench.advertise(door)
    bench.send(.reception(.listening))
    bench.send(.advertising(.unavailable))
    bench.send(.advertising(.advertising))
    bench.send(.advertising(.unavailable))
    #expect(
      bench.transcript == """
        00:00:00  unavailable to 1
        00:00:00  advertising to 1
        00:00:00  unavailable to 1
        """)
  }

  @Test("passes on the name of a refusal")
  mutating func refusal() {
    bench.send(.reception(.listening))
    bench.advertise(door)
    bench.send(.advertising(.refused("no")))
    #expect(bench.transcript == "00:00:00  refused(\"no\") to 1")
  }

  @Test("changes the beacon in place, and ends with the process")
  mutating func change() {
    bench.send(.reception(.listening))
    bench.advertise(door)
    bench.send(.advertising(.advertising))
    bench.advertise(hall)
    #expect(bench.demand.advert == hall)
    bench.send(.advertising(.stopped))
    bench.send(.advertising(.advertising))
    bench.send(.client(SignalsBench.client, .disconnected))
    #expect(bench.demand == .none)
    #expect(bench.transcript == "00:00:00  advertising to 1\n00:00:00  advertising to 1")
  }
}

private let uuid = BeaconUUID(high: 1, low: 2)
private let door = IBeaconAdvert(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 7))
private let hall = IBeaconAdvert(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 8))
