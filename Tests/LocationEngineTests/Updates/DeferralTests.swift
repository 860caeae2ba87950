import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("A deferral of updates")
struct DeferralTests {
  private var bench = Bench(StandardUpdates(flow: .open)) { UpdatesBench.line($0) }
  private let kilometer = UpdatesRequest.deferUpdates(
    until: DeferralEnd(distance: 1000, timeout: .seconds(60)))

  private mutating func start(_ options: UpdateOptions = UpdateOptions()) {
    bench.send(.request(.start(options)))
    bench.fix()
  }

  @Test("STD-54: is ended as canceled by the next one, and each ends once")
  mutating func oneEach() {
    start()
    bench.send(.request(kilometer))
    bench.send(.request(kilometer))
    bench.run(for: .seconds(600))
    #expect(
      bench.transcript == """
        00:00:00  0 m
        00:00:00  deferral canceled
        00:01:00  deferral ends
        """)
  }

  @Test("STD-55: is refused while nothing is updated, for low accuracy, and with a filter")
  mutating func refused() {
    bench.send(.request(kilometer))
    start(UpdateOptions(accuracy: .meters(10)))
    bench.send(.request(kilometer))
    bench.send(.request(.change(UpdateOptions(distanceFilter: 5))))
    bench.send(.request(kilometer))
    #expect(
      bench.transcript == """
        00:00:00  deferral notUpdating
        00:00:00  0 m
        00:00:00  deferral accuracyTooLow
        00:00:00  deferral distanceFiltered
        """)
  }

  @Test("STD-55: ends with the reason when it would now be refused")
  mutating func noLongerPossible() {
    start()
    bench.send(.request(kilometer))
    bench.send(.request(.change(UpdateOptions(accuracy: .meters(100)))))
    bench.send(.request(.change(UpdateOptions())))
    bench.run(for: .seconds(600))
    #expect(bench.transcript == "00:00:00  0 m\n00:00:00  deferral accuracyTooLow")
  }

  @Test("STD-57: has no end where a client names one that no clock counts to")
  mutating func endless() {
    start()
    bench.run(for: .seconds(10))
    bench.send(
      .request(
        .deferUpdates(until: DeferralEnd(distance: nil, timeout: .nanoseconds(Int64.max)))))
    bench.run(for: .seconds(86_400))
    #expect(bench.transcript == "00:00:00  0 m")
  }

  @Test("STD-56, STD-57: holds no fix back, and ends well at the distance")
  mutating func distance() {
    start()
    bench.send(.request(kilometer))
    for meters in [400.0, 999, 1001, 1500] {
      bench.run(for: .seconds(10))
      bench.fix(east: meters)
    }
    #expect(
      bench.transcript == """
        00:00:00  0 m
        00:00:10  400 m
        00:00:20  999 m
        00:00:30  1001 m
        00:00:30  deferral ends
        00:00:40  1500 m
        """)
  }

  @Test("STD-57: without bounds ends only when it is ended")
  mutating func boundless() {
    start()
    bench.send(.request(.deferUpdates(until: DeferralEnd(distance: nil, timeout: nil))))
    bench.run(for: .seconds(86_400))
    bench.fix(east: 100_000)
    #expect(bench.outputs.count == 2)
    bench.send(.request(.endDeferral))
    #expect(bench.transcript.hasSuffix("deferral canceled"))
  }

  @Test("STD-54: is canceled when updates stop or are denied")
  mutating func stopped() {
    start()
    bench.send(.request(kilometer))
    bench.send(.request(.stop))
    start()
    bench.send(.request(kilometer))
    bench.send(.flow(.denied))
    bench.run(for: .seconds(600))
    #expect(
      bench.transcript == """
        00:00:00  0 m
        00:00:00  deferral canceled
        00:00:00  0 m
        00:00:00  0 m
        00:00:00  failed denied
        00:00:00  deferral canceled
        """)
  }
}
