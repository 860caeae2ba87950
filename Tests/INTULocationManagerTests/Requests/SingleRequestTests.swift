import CoreLocation
import INTULocationManager
import Testing

@Suite("A request for one location")
struct SingleRequestTests {
  var bench = RequestBench()
  let tenSeconds = LocationRequest.Timeout.limited(.seconds(10), fromAuthorization: false)

  @Test("INTU-17: ends with the first location that is exact and recent enough, inclusively")
  mutating func success() {
    bench.request(1, .once(.block, tenSeconds))
    bench.locate(within: 100.1)
    bench.locate(within: 100, age: 60.1)
    bench.locate(within: 100, age: 60)
    bench.locate(within: 3)
    #expect(
      bench.transcript == """
        00:00  hardware accuracy block
        00:00  hardware activity 1
        00:00  hardware on
        00:00  hardware off
        00:00  1 ends: success, 100 m, block
        """)
    #expect(bench.coordinator.isAtRest)
  }

  @Test("INTU-18: ends when time is up, with whatever location there is")
  mutating func timeout() {
    bench.request(1, .once(.room, tenSeconds))
    bench.request(2, .once(.city, .limited(.seconds(5), fromAuthorization: false)))
    bench.run(for: .seconds(6))
    bench.locate(within: 80)
    bench.run(for: .seconds(60))
    #expect(
      bench.answers == """
        00:05  2 ends: timedOut, nowhere, none
        00:10  1 ends: timedOut, 80 m, block
        """)
  }

  @Test("INTU-18: without a timeout waits for ever, and can be ended")
  mutating func unlimited() {
    bench.request(1, .once(.room, .unlimited))
    bench.locate(within: 80)
    bench.run(for: .seconds(3600))
    #expect(bench.coordinator.nextDeadline == nil)
    bench.send(.forceComplete(1))
    #expect(bench.answers == "60:00  1 ends: timedOut, 80 m, none")
  }

  @Test("INTU-16: is answered at once by a location known already, without hardware")
  mutating func storedLocation() {
    bench.locate(within: 80)
    bench.run(for: .seconds(30))
    bench.request(1, .once(.block, tenSeconds))
    #expect(bench.transcript == "00:30  1 ends: success, 80 m, block")
  }

  @Test(
    "INTU-15: is refused at once while the app may not know the location",
    arguments: [
      (INTULocationServicesState.denied, INTULocationStatus.servicesDenied),
      (.restricted, .servicesRestricted), (.disabled, .servicesDisabled),
    ])
  mutating func refusal(_ state: INTULocationServicesState, _ status: INTULocationStatus) {
    bench.send(.services(state))
    bench.request(1, .once(.city, tenSeconds))
    bench.request(2, .updates(.city))
    bench.request(3, .significantChanges)
    #expect(
      bench.transcript
        == (1...3).map { "00:00  \($0) ends: \(status), nowhere, none" }
        .joined(separator: "\n"))
    #expect(bench.coordinator.isAtRest)
  }

  @Test(
    "INTU-22: ends when the app is refused later, as subscriptions do",
    arguments: [
      (INTULocationServicesState.denied, INTULocationStatus.servicesDenied),
      (.restricted, .servicesRestricted), (.disabled, .servicesDisabled),
    ])
  mutating func laterRefusal(_ state: INTULocationServicesState, _ status: INTULocationStatus) {
    bench.request(1, .once(.room, tenSeconds))
    bench.request(2, .updates(.city))
    bench.locate(within: 80)
    bench.send(.services(state))
    bench.send(.services(.available))
    bench.request(3, .once(.city, tenSeconds))
    bench.send(.forceComplete(3))
    #expect(
      bench.answers == """
        00:00  2 receives: success, 80 m, block
        00:00  1 ends: \(status), nowhere, none
        00:00  2 ends: \(status), nowhere, none
        00:00  3 ends: timedOut, nowhere, none
        """)
  }

  @Test("INTU-25: ends as timed out when forced; an unknown number is left alone")
  mutating func forced() {
    bench.request(1, .once(.room, tenSeconds))
    bench.locate(within: 80)
    bench.send(.forceComplete(7))
    bench.send(.forceComplete(1))
    bench.send(.forceComplete(1))
    bench.run(for: .seconds(60))
    #expect(bench.answers == "00:00  1 ends: timedOut, 80 m, block")
  }

  @Test("INTU-26: says nothing after it was canceled")
  mutating func canceled() {
    bench.request(1, .once(.room, tenSeconds))
    bench.send(.cancel(1))
    bench.send(.cancel(1))
    bench.locate(within: 3)
    bench.run(for: .seconds(60))
    #expect(bench.answers == "00:00  1 forgotten")
    #expect(bench.coordinator.isAtRest)
  }

  @Test("INTU-10: for `none` is a request for `city`")
  mutating func none() {
    bench.request(1, .once(.none, tenSeconds))
    bench.locate(within: 5_001)
    bench.locate(within: 5_000)
    #expect(bench.answers == "00:00  1 ends: success, 5000 m, city")
  }

  @Test("INTU-14, INTU-28: is not answered by a location that is none")
  mutating func invalid() {
    bench.request(1, .once(.city, tenSeconds))
    bench.send(.location(bench.location(within: -1)))
    bench.send(.location(bench.location(within: 3, latitude: 0, longitude: 0)))
    bench.send(.location(bench.location(within: 3, latitude: 91)))
    bench.run(for: .seconds(10))
    #expect(
      bench.answers == """
        00:00  ignored: negativeAccuracy
        00:00  ignored: nullIsland
        00:00  ignored: invalidCoordinate
        00:10  1 ends: timedOut, nowhere, none
        """)
  }
}

@Suite("A request, when services fail,")
struct FailureTests {
  var bench = RequestBench()
  let tenSeconds = LocationRequest.Timeout.limited(.seconds(10), fromAuthorization: false)

  @Test("INTU-23: ends with an error")
  mutating func failure() {
    bench.request(1, .once(.room, tenSeconds))
    bench.request(2, .once(.room, .unlimited))
    bench.locate(within: 80)
    bench.send(.failed(CLError(.network)))
    #expect(
      bench.answers == """
        00:00  1 ends: error, nowhere, none
        00:00  2 ends: error, nowhere, none
        """)
  }

  @Test("INTU-23: goes on while it has time and the failure passes; without limit it ends")
  mutating func transient() {
    bench.request(1, .once(.room, tenSeconds))
    bench.request(2, .once(.room, .unlimited))
    bench.send(.failed(CLError(.locationUnknown)))
    bench.locate(within: 80)
    bench.run(for: .seconds(10))
    #expect(
      bench.answers == """
        00:00  2 ends: error, nowhere, none
        00:10  1 ends: timedOut, 80 m, block
        """)
  }

  @Test("INTU-24: made after a failure ends with an error until there is a location again")
  mutating func flag() {
    bench.send(.failed(CLError(.network)))
    bench.request(1, .once(.room, tenSeconds))
    bench.send(.forceComplete(1))
    bench.locate(within: 80)
    bench.request(2, .once(.room, tenSeconds))
    bench.send(.forceComplete(2))
    #expect(
      bench.answers == """
        00:00  1 ends: error, nowhere, none
        00:00  2 ends: timedOut, 80 m, block
        """)
  }

  @Test("INTU-30: as a subscription is notified and goes on")
  mutating func subscription() {
    bench.request(1, .updates(.city))
    bench.request(2, .significantChanges)
    bench.send(.failed(CLError(.locationUnknown)))
    bench.send(.failed(CLError(.network)))
    bench.locate(within: 80)
    #expect(
      bench.answers == """
        00:00  1 receives: error, nowhere, none
        00:00  2 receives: error, nowhere, none
        00:00  1 receives: error, nowhere, none
        00:00  2 receives: error, nowhere, none
        00:00  1 receives: success, 80 m, block
        00:00  2 receives: success, 80 m, block
        """)
  }

  @Test("does not mind a failing compass; headings are then invalid")
  mutating func heading() {
    bench.request(1, .once(.room, .unlimited))
    bench.send(.requestHeading(2))
    bench.send(.failed(CLError(.headingFailure)))
    #expect(bench.answers == "00:00  2 receives: invalid")
  }
}
