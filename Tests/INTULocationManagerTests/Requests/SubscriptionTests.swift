import CoreLocation
import INTULocationManager
import Testing

@Suite("A subscription")
struct SubscriptionTests {
  var bench = RequestBench()

  @Test("INTU-29: receives every location, whatever its accuracy, and never runs out of time")
  mutating func everyLocation() {
    bench.request(1, .updates(.house))
    bench.locate(within: 20_000)
    bench.run(for: .seconds(3600))
    bench.locate(within: 3)
    #expect(
      bench.answers == """
        00:00  1 receives: success, 20000 m, none
        60:00  1 receives: success, 3 m, room
        """)
    #expect(bench.coordinator.nextDeadline == nil)
  }

  @Test("INTU-31: is canceled without a word when forced")
  mutating func forced() {
    bench.request(1, .updates(.house))
    bench.request(2, .significantChanges)
    bench.send(.forceComplete(1))
    bench.send(.forceComplete(2))
    bench.locate(within: 3)
    #expect(
      bench.answers == """
        00:00  1 forgotten
        00:00  2 forgotten
        """)
    #expect(bench.coordinator.isAtRest)
  }

  @Test("INTU-32: to significant changes receives every location that others have asked for")
  mutating func significantChanges() {
    bench.request(1, .significantChanges)
    bench.request(2, .once(.room, .unlimited))
    bench.locate(within: 80)
    #expect(bench.answers == "00:00  1 receives: success, 80 m, block")
  }

  @Test("INTU-33: receives the stored location when it begins, and not again when others begin")
  mutating func stored() {
    bench.locate(within: 80)
    bench.request(1, .updates(.house))
    bench.request(2, .updates(.house))
    bench.request(3, .once(.room, .unlimited))
    #expect(
      bench.answers == """
        00:00  1 receives: success, 80 m, block
        00:00  2 receives: success, 80 m, block
        """)
  }
}

@Suite("The hardware")
struct HardwareTests {
  var bench = RequestBench()

  @Test("INTU-12: is asked for what the most demanding request needs, and less when that ends")
  mutating func demand() {
    bench.request(1, .updates(.city))
    bench.request(2, .once(.room, .limited(.seconds(10), fromAuthorization: false)))
    bench.request(3, .once(.house, .unlimited))
    bench.locate(within: 12)
    bench.run(for: .seconds(10))
    bench.send(.cancel(1))
    bench.request(4, .updates(.city))
    #expect(
      bench.transcript == """
        00:00  hardware accuracy city
        00:00  hardware activity 1
        00:00  hardware on
        00:00  hardware accuracy room
        00:00  1 receives: success, 12 m, house
        00:00  3 ends: success, 12 m, house
        00:10  hardware accuracy city
        00:10  2 ends: timedOut, 12 m, house
        00:10  hardware off
        00:10  1 forgotten
        00:10  hardware on
        00:10  4 receives: success, 12 m, house
        """)
  }

  @Test("INTU-13: keeps the activity of the newest request")
  mutating func activity() {
    bench.request(1, .updates(.city), activityType: .fitness)
    bench.request(2, .updates(.city), activityType: .automotiveNavigation)
    bench.request(3, .significantChanges)
    bench.send(.cancel(2))
    #expect(
      bench.transcript == """
        00:00  hardware accuracy city
        00:00  hardware activity 3
        00:00  hardware on
        00:00  hardware activity 2
        00:00  hardware significant on
        00:00  2 forgotten
        """)
  }

  @Test("INTU-27: is switched by the first and the last request, for each service by itself")
  mutating func switches() {
    bench.request(1, .significantChanges)
    bench.request(2, .significantChanges)
    bench.request(3, .updates(.city))
    bench.send(.cancel(1))
    bench.send(.cancel(3))
    bench.send(.cancel(2))
    #expect(
      bench.transcript == """
        00:00  hardware significant on
        00:00  hardware accuracy city
        00:00  hardware activity 1
        00:00  hardware on
        00:00  1 forgotten
        00:00  hardware off
        00:00  3 forgotten
        00:00  hardware significant off
        00:00  2 forgotten
        """)
  }
}

@Suite("A heading subscription")
struct HeadingTests {
  var bench = RequestBench()

  @Test("INTU-35: ends at once without a compass")
  mutating func unavailable() {
    bench.send(.headingServices(.unavailable))
    bench.send(.requestHeading(1))
    #expect(bench.transcript == "00:00  1 ends: unavailable")
    #expect(bench.coordinator.isAtRest)
  }

  @Test("INTU-35: ends when the compass goes")
  mutating func unplugged() {
    bench.send(.requestHeading(1))
    bench.send(.requestHeading(2))
    bench.send(.headingServices(.unavailable))
    #expect(
      bench.transcript == """
        00:00  hardware heading on
        00:00  hardware heading off
        00:00  1 ends: unavailable
        00:00  2 ends: unavailable
        """)
  }

  @Test(
    "INTU-36: receives a heading if it is valid; exact north is",
    arguments: [
      (0.0, 0.0, INTUHeadingStatus.success), (359, 5, .success), (90, -1, .invalid),
      (-1, 5, .invalid),
    ])
  mutating func validity(_ degrees: Double, _ accuracy: Double, _ status: INTUHeadingStatus) {
    bench.request(1, .updates(.city))
    bench.send(.requestHeading(2))
    bench.send(.heading(HeadingReading(trueHeading: degrees, accuracy: accuracy)))
    #expect(bench.answers == "00:00  2 receives: \(status)")
  }

  @Test("INTU-36: receives a magnetic heading while nobody asks for locations")
  mutating func magnetic() {
    bench.send(.requestHeading(1))
    bench.send(.heading(HeadingReading(trueHeading: -1, accuracy: 5)))
    bench.send(.heading(HeadingReading(trueHeading: -1, accuracy: -1)))
    #expect(
      bench.answers == """
        00:00  1 receives: success
        00:00  1 receives: invalid
        """)
  }

  @Test("INTU-37: needs the compass until the last one is canceled")
  mutating func switches() {
    bench.send(.requestHeading(1))
    bench.send(.requestHeading(2))
    bench.send(.cancelHeading(1))
    bench.send(.cancelHeading(1))
    bench.send(.cancelHeading(2))
    #expect(
      bench.transcript == """
        00:00  hardware heading on
        00:00  1 forgotten
        00:00  hardware heading off
        00:00  2 forgotten
        """)
  }
}
