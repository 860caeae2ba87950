import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("Regions of a location manager")
struct RegionTests {
  var world = ConditionsWorld()

  private mutating func register(
    _ identifier: String, _ target: ConditionTarget = ConditionsWorld.circle(),
    _ notices: RegionNotices = RegionNotices()
  ) -> [String] {
    words(world.send(.register(ConditionsWorld.region(identifier), target, notices)))
  }

  @Test("REG-1, REG-22, REG-24: a region set while inside is determined, not entered")
  mutating func registeredInside() {
    #expect(register("home") == ["home started"])
    #expect(words(world.stay(east: 0)) == ["home determined satisfied"])
  }

  @Test("REG-17, REG-25: exit and entry are delivered once, and contain the state")
  mutating func exitAndEntry() {
    _ = register("home")
    _ = world.stay(east: 0)
    #expect(words(world.walk(from: 0, to: 400)) == ["home exited"])
    #expect(words(world.walk(from: 400, to: 0)) == ["home entered"])
  }

  @Test("REG-17: the notify flags hold events back, but not the state")
  mutating func notices() {
    _ = register("home", ConditionsWorld.circle(), RegionNotices(onEntry: true, onExit: false))
    _ = world.stay(east: 0)
    #expect(words(world.walk(from: 0, to: 400)) == ["home determined unsatisfied"])
  }

  @Test("REG-2: the twenty-first region fails and the others stay")
  mutating func limit() {
    for number in 1...20 { #expect(register("r\(number)") == ["r\(number) started"]) }
    #expect(register("r21") == ["r21 failed: limitExceeded"])
    #expect(world.bench.machine.regions(of: ConditionsWorld.app).count == 20)
    _ = world.send(.remove(ConditionsWorld.region("r3")))
    #expect(register("r21") == ["r21 started"])
  }

  @Test("REG-2: the switch lifts the limit")
  mutating func noLimit() {
    world = ConditionsWorld(limits: Conditions.Limits(perApp: nil))
    for number in 1...30 { #expect(register("r\(number)") == ["r\(number) started"]) }
  }

  @Test("REG-3: regions and conditions share the limit")
  mutating func sharedLimit() {
    for number in 1...19 { _ = register("r\(number)") }
    let first = ConditionsWorld.condition("first")
    _ = world.send(.add(first, ConditionsWorld.circle(), assuming: .unknown))
    #expect(register("r20") == ["r20 failed: limitExceeded"])
  }

  @Test("REG-5, REG-16: too large, empty, and misplaced regions fail")
  mutating func invalid() {
    #expect(
      register("big", ConditionsWorld.circle(radius: 1_000_001)) == ["big failed: radiusTooLarge"])
    #expect(register("none", ConditionsWorld.circle(radius: 0)) == ["none failed: invalid"])
    let nowhere = Circle(center: Coordinate(latitude: 91, longitude: 0), radius: 10)
    #expect(register("off", .circle(nowhere)) == ["off failed: invalid"])
    let nothing = Circle(center: Coordinate(latitude: .nan, longitude: 0), radius: 10)
    #expect(register("nan", .circle(nothing)) == ["nan failed: invalid"])
  }

  @Test("REG-7: nothing is registered for an app that is denied")
  mutating func denied() {
    _ = world.send(.access(ConditionsWorld.app, ConditionAccess(.authorizationDenied)))
    #expect(register("home") == ["home failed: denied"])
  }

  @Test("REG-4: another circle under the same name starts over, the same one does not")
  mutating func replaced() {
    _ = register("home")
    _ = world.stay(east: 0)
    #expect(register("home") == ["home started"])
    #expect(words(world.stay(east: 0)) == [])
    #expect(register("home", ConditionsWorld.circle(radius: 150)) == ["home started"])
    #expect(words(world.stay(east: 0)) == ["home determined satisfied"])
  }

  @Test("REG-27: the state on request is the cached one, unknown at first")
  mutating func requestState() {
    let home = ConditionsWorld.region("home")
    let circle = ConditionsWorld.circle()
    _ = register("home")
    #expect(words(world.send(.requestState(home, circle, seen: nil))) == ["home is unknown"])
    _ = world.stay(east: 0)
    #expect(words(world.send(.requestState(home, circle, seen: nil))) == ["home is satisfied"])
  }

  @Test("REG-33: what was missed while not in use comes as one event per region")
  mutating func catchUp() {
    _ = register("home")
    _ = world.stay(east: 0)
    _ = world.send(.access(ConditionsWorld.app, ConditionAccess(.insufficientlyInUse)))
    #expect(words(world.walk(from: 0, to: 400)) == [])
    #expect(words(world.send(.access(ConditionsWorld.app, ConditionAccess()))) == ["home exited"])
    _ = world.send(.access(ConditionsWorld.app, ConditionAccess(.insufficientlyInUse)))
    _ = world.walk(from: 400, to: 0)
    _ = world.walk(from: 0, to: 400)
    #expect(words(world.send(.access(ConditionsWorld.app, ConditionAccess()))) == [])
  }

  @Test("REG-36: reduced accuracy fails each region once and silences it")
  mutating func reduced() {
    _ = register("home")
    _ = world.stay(east: 0)
    #expect(
      words(world.send(.access(ConditionsWorld.app, ConditionAccess(.accuracyLimited)))) == [
        "home failed: denied"
      ])
    #expect(words(world.walk(from: 0, to: 400)) == [])
  }

  @Test("REG-10, REG-12: regions live on after a restart and tell only what changed")
  mutating func restart() {
    _ = register("home")
    _ = world.stay(east: 0)
    world.restart()
    let home = ConditionsWorld.region("home")
    let asked = world.send(.requestState(home, ConditionsWorld.circle(), seen: nil))
    #expect(words(asked) == ["home is unknown"])
    #expect(words(world.stay(east: 0)) == [])
    world.restart()
    #expect(words(world.stay(east: 900)) == ["home exited"])
  }

  @Test("REG-18, REG-39: after a restart one fix elsewhere is no crossing either")
  mutating func outlierAfterRestart() {
    _ = register("home")
    _ = world.stay(east: 0)
    world.restart()
    #expect(words(world.stay(east: 900, for: 15)) == [])
    #expect(words(world.stay(east: 0)) == [])
    #expect(words(world.walk(from: 0, to: -400)) == ["home exited"])
    world.restart()
    #expect(words(world.stay(east: 0, for: 15)) == [])
    #expect(words(world.stay(east: -400)) == [])
  }

  @Test("BEACON-24: a beacon region with that option is delivered when the display turns on")
  mutating func display() {
    let uuid = BeaconUUID(high: 1, low: 2)
    let coordinator = ConditionsWorld.region("shop")
    let target = ConditionTarget.beacon(BeaconConstraint(uuid: uuid))
    _ = register("shop", target, RegionNotices(onDisplay: true))
    #expect(world.bench.machine.watchedBeacons.map(\.key) == [coordinator])
    #expect(words(world.send(.display(user: nil))) == [])
    let now = world.bench.now.unixTime
    let seen = world.send(.beacon(coordinator, .satisfied, refinement: nil, seen: now))
    #expect(words(seen) == ["shop determined satisfied"])
    #expect(words(world.send(.display(user: nil))) == ["shop determined satisfied"])
  }

  @Test("hardware is off while nothing is watched")
  mutating func demand() {
    #expect(world.bench.machine.demand == .none)
    _ = register("home")
    #expect(world.bench.machine.demand.position?.interval == .zero)
    _ = world.stay(east: 0)
    #expect(world.bench.machine.demand.position != nil)
  }
}
