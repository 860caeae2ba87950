import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("Visits with a motion sensor")
struct MovedVisitTests {
  private static let app = VisitsTests.app
  private static let satellites = PositionDemand(tier: .satellite)
  private var walk = VisitsTests.Walk()

  init() {
    walk.bench.send(.start(Self.app))
    walk.stay(600)
  }

  private mutating func feel(_ kind: MotionActivity.Kind) { walk.feel(kind) }

  private var demand: PositionDemand? { walk.bench.machine.demand.position }

  @Test("POW-6: good fixes are wanted as soon as the sensor says that the device has set out")
  mutating func setsOut() {
    #expect(demand == PositionDemand(tier: .network, interval: .seconds(30)))
    feel(.walking)
    #expect(demand == Self.satellites)
    // A moment that the sensor cannot name is no rest, a long while of it is.
    walk.stay(20)
    feel(.unknown)
    #expect(demand == Self.satellites)
    walk.stay(60)
    #expect(demand == PositionDemand(tier: .network, interval: .seconds(30)))
    feel(.stationary)
    #expect(demand == PositionDemand(tier: .network, interval: .seconds(60)))
  }

  @Test(
    "POW-5: what was seen of a walk fades, though no fix comes and the sensor knows nothing more")
  mutating func fades() {
    feel(.walking)
    walk.stay(60)
    feel(.unknown)
    #expect(demand == Self.satellites)
    walk.wait(200)
    #expect(demand == PositionDemand(tier: .network, interval: .seconds(30)))
    #expect(walk.bench.machine.nextDeadline == nil && walk.motion.nextDeadline == nil)
  }

  @Test("POW-6: knows that the device lies still when visits are stopped and begun again")
  mutating func anew() {
    feel(.stationary)
    walk.bench.send(.stop(Self.app))
    walk.bench.send(.start(Self.app))
    walk.stay(600)
    #expect(demand == PositionDemand(tier: .network, interval: .seconds(60)))
  }

  @Test("POW-6: a stray fix of the network wants no satellites while the device lies still")
  mutating func straysAtRest() {
    let stray = fix(
      east: 75, accuracy: 65, at: walk.bench.now.unixTime.seconds - 1_700_000_000)
    var restless = walk
    restless.send(stray)
    #expect(restless.bench.machine.demand.position == Self.satellites)
    feel(.stationary)
    walk.send(stray)
    #expect(demand == PositionDemand(tier: .network, interval: .seconds(60)))
  }

  @Test("VISIT-3: a departure is delivered sooner after a walk of a minute inside before the exit")
  mutating func tellsSooner() throws {
    var still = walk
    feel(.walking)
    walk.stay(60)
    walk.walk(to: 200)
    still.stay(60)
    still.walk(to: 200)
    let delivered = try [walk, still].map { walk in
      try #require(
        walk.bench.outputs.last {
          if case .visit(_, let visit) = $0.output { visit.departure != nil } else { false }
        }
      ).at
    }
    #expect(delivered[0] < delivered[1])
    #expect(delivered[1].seconds(since: delivered[0]) < 20, "the fixes decide, not the sensor")
  }

  @Test("VISIT-10: who walks about within a place does not leave it")
  mutating func walksAbout() {
    feel(.walking)
    for turn in 0..<20 { walk.walk(to: turn.isMultiple(of: 2) ? 12 : -12) }
    #expect(walk.visits(of: Self.app).count == 1)
  }

  @Test("VISIT-3: a receiver that errs does not carry away a device that lies still")
  mutating func errsAtRest() {
    var restless = walk
    feel(.stationary)
    walk.east = 30
    restless.east = 30
    walk.stay(60)
    restless.stay(60)
    #expect(restless.visits(of: Self.app).count == 2)
    #expect(walk.visits(of: Self.app).count == 1)
    walk.walk(to: 300)
    #expect(walk.visits(of: Self.app).count == 2, "far enough away, the fixes win")
  }
}
