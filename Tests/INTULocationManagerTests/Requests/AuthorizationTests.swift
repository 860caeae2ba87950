import CoreLocation
import INTULocationManager
import Testing

@Suite("A request made before the person has answered")
struct AuthorizationTests {
  var bench = RequestBench(.notDetermined)

  @Test("INTU-6: has the person asked")
  mutating func asks() {
    bench.request(1, .updates(.city))
    #expect(bench.answers == "00:00  ask auto")
  }

  @Test("INTU-7: has them asked what was preferred when it was made")
  mutating func preference() {
    bench.request(1, .updates(.city), asking: .whenInUse)
    bench.request(2, .updates(.city), asking: .always)
    bench.send(.services(.available))
    bench.request(3, .updates(.city), asking: .always)
    #expect(
      bench.answers == """
        00:00  ask whenInUse
        00:00  ask always
        """)
  }

  @Test("INTU-19: counts its time from the yes on, if so wished; else from the beginning")
  mutating func delayed() {
    bench.request(1, .once(.room, .limited(.seconds(10), fromAuthorization: true)))
    bench.request(2, .once(.room, .limited(.seconds(100), fromAuthorization: false)))
    bench.run(for: .seconds(60))
    bench.send(.services(.available))
    bench.request(3, .once(.room, .limited(.seconds(5), fromAuthorization: true)))
    bench.run(for: .seconds(600))
    #expect(
      bench.answers == """
        00:00  ask auto
        00:00  ask auto
        01:05  3 ends: timedOut, nowhere, none
        01:10  1 ends: timedOut, nowhere, none
        01:40  2 ends: timedOut, nowhere, none
        """)
  }

  @Test("INTU-20: begins to count once; a second yes changes nothing")
  mutating func secondYes() {
    bench.request(1, .once(.room, .limited(.seconds(10), fromAuthorization: true)))
    bench.send(.services(.available))
    bench.run(for: .seconds(6))
    bench.send(.services(.available))
    bench.run(for: .seconds(60))
    #expect(
      bench.answers == """
        00:00  ask auto
        00:10  1 ends: timedOut, nowhere, none
        """)
  }

  @Test("INTU-21: ends undetermined, not timed out, when time is up before the answer")
  mutating func undetermined() {
    bench.request(1, .once(.room, .limited(.seconds(10), fromAuthorization: false)))
    bench.run(for: .seconds(60))
    #expect(
      bench.answers == """
        00:00  ask auto
        00:10  1 ends: servicesNotDetermined, nowhere, none
        """)
  }

  @Test("INTU-21: puts the state of the services before a failure")
  mutating func precedence() {
    bench.request(1, .updates(.room))
    bench.request(2, .once(.room, .unlimited))
    bench.send(.failed(CLError(.network)))
    #expect(
      bench.answers == """
        00:00  ask auto
        00:00  ask auto
        00:00  2 ends: servicesNotDetermined, nowhere, none
        00:00  1 receives: servicesNotDetermined, nowhere, none
        """)
  }

  @Test("waits for the answer although an earlier grant, now expired, left a location")
  mutating func expiredGrant() {
    bench.send(.services(.available))
    bench.locate(within: 3)
    bench.send(.services(.notDetermined))
    bench.request(1, .once(.city, .unlimited))
    bench.locate(within: 3)
    #expect(
      bench.answers == """
        00:00  ask auto
        00:00  ignored: notAuthorized
        """)
  }
}
