import LocationProviders
import LocationService
import LocationModel
import TestSupport
import Testing

@Suite("A receiver that may rest")
struct RestingDriverTests {
  private static func bench() -> Bench<RestingDriver> {
    Bench(RestingDriver(AttentiveReceiver())) { output in
      switch output {
      case .open: "on"
      case .close: "off"
      case .fix: nil
      default: "\(output)"
      }
    }
  }

  private static func demand(every seconds: Int) -> SourceInput {
    .demand(Demand(position: PositionDemand(tier: .network, interval: .seconds(seconds))))
  }

  private static func receive(_ bench: inout Bench<RestingDriver>) {
    bench.send(.channel(.bytes([])))
  }

  @Test("POW-6: is off between the fixes that are needed, and on in time for the next")
  func dutyCycle() {
    var bench = Self.bench()
    bench.send(Self.demand(every: 60))
    bench.run(for: .seconds(10))
    Self.receive(&bench)
    bench.run(for: .seconds(60))
    Self.receive(&bench)
    bench.run(for: .seconds(60))
    #expect(
      bench.transcript == """
        00:00:00  on
        00:00:13  off
        00:01:05  on
        00:01:13  off
        00:02:05  on
        """)
  }

  @Test("is on without a pause for those who need every fix")
  func continuous() {
    var bench = Self.bench()
    bench.send(Self.demand(every: 0))
    for _ in 0..<300 {
      bench.run(for: .seconds(1))
      Self.receive(&bench)
    }
    #expect(bench.transcript == "00:00:00  on")
  }

  @Test("wakes at once when somebody cannot wait")
  func urgent() {
    var bench = Self.bench()
    bench.send(Self.demand(every: 900))
    Self.receive(&bench)
    bench.run(for: .seconds(100))
    bench.send(Self.demand(every: 300))
    bench.run(for: .seconds(100))
    bench.send(Self.demand(every: 0))
    #expect(
      bench.transcript == """
        00:00:00  on
        00:00:03  off
        00:03:20  on
        """)
  }

  @Test("POW-5: is off when nobody needs it, resting or not")
  func nobody() {
    var bench = Self.bench()
    bench.send(Self.demand(every: 60))
    Self.receive(&bench)
    bench.run(for: .seconds(10))
    bench.send(.demand(.none))
    bench.run(for: .seconds(600))
    #expect(bench.transcript == "00:00:00  on\n00:00:03  off")
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("does not look for satellites in vain for longer than two minutes")
  func inVain() {
    var bench = Self.bench()
    bench.send(Self.demand(every: 600))
    bench.run(for: .seconds(1000))
    #expect(
      bench.transcript == """
        00:00:00  on
        00:02:00  off
        00:11:55  on
        00:13:55  off
        """)
  }

  @Test("rests after a search in vain as if there had been a fix, though there once was one")
  func garage() {
    var bench = Self.bench()
    bench.send(Self.demand(every: 300))
    Self.receive(&bench)
    bench.run(for: .seconds(900))
    #expect(
      bench.transcript == """
        00:00:00  on
        00:00:03  off
        00:04:55  on
        00:06:55  off
        00:11:50  on
        00:13:50  off
        """)
  }

  @Test("does not rest while its compass is needed")
  func compass() {
    var bench = Self.bench()
    var demand = Demand(position: PositionDemand(tier: .network, interval: .seconds(60)))
    demand.magnetometer = true
    bench.send(.demand(demand))
    Self.receive(&bench)
    bench.run(for: .seconds(600))
    #expect(bench.transcript == "00:00:00  on")
  }
}

/// Is on while positions are needed, and counts everything received as a fix.
private struct AttentiveReceiver: SourceDriver {
  private var isOn = false
  var rejections: [SourceRejection] { [] }
  var nextDeadline: Instant? { nil }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand):
      guard isOn != (demand.position != nil) else { return [] }
      isOn.toggle()
      return [isOn ? .open(.tcp(host: "receiver", port: 1)) : .close]
    case .channel:
      let place = Coordinate(latitude: 48, longitude: 11)
      return [.fix(Fix(coordinate: place, horizontalAccuracy: 5, time: now.unixTime))]
    case .stored, .kernel, .scan, .wake: return []
    }
  }
}
