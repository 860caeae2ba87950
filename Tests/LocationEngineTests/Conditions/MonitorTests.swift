import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("Conditions of a monitor")
struct MonitorTests {
  var world = ConditionsWorld()

  init() {
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
  }

  private mutating func add(
    _ identifier: String, _ target: ConditionTarget = ConditionsWorld.circle(),
    assuming: ConditionState = .unknown
  ) -> [String] {
    words(world.send(.add(ConditionsWorld.condition(identifier), target, assuming: assuming)))
  }

  private mutating func next() -> [String] {
    words(world.next())
  }

  private func lastState(of identifier: String) -> MonitoredState? {
    world.bench.machine.record(of: identifier, in: ConditionsWorld.monitor)?.lastEvent.state
  }

  @Test("MON-2, MON-3, MON-40: a name has one opener, until it closes")
  mutating func opener() {
    let monitor = ConditionsWorld.monitor
    #expect(words(world.send(.open(monitor, opener: 2))) == ["refused by 1"])
    _ = world.send(.close(monitor, opener: 2))
    #expect(words(world.send(.open(monitor, opener: 2))) == ["refused by 1"])
    _ = world.send(.close(monitor, opener: 1))
    #expect(words(world.send(.open(monitor, opener: 2))) == ["opened"])
  }

  @Test("MON-9, MON-15, MON-22: a record exists at once, and the first state is an event")
  mutating func fresh() {
    #expect(lastState(of: "home") == nil)
    _ = add("home")
    #expect(lastState(of: "home") == .unknown)
    #expect(next() == [])
    #expect(words(world.stay(east: 0)) == ["home satisfied"])
  }

  @Test("MON-23: an event becomes the last one when the loop asks for the next")
  mutating func handled() {
    _ = add("home")
    _ = next()
    _ = world.stay(east: 0)
    #expect(lastState(of: "home") == .unknown)
    #expect(next() == [])
    #expect(lastState(of: "home") == .satisfied)
  }

  @Test("MON-23, MON-37a: an event is acknowledged to an engine that did not deliver it")
  mutating func acknowledgedLater() {
    _ = add("home")
    _ = next()
    #expect(words(world.stay(east: 0)) == ["home satisfied"])
    world.restart(keepingLoop: true)
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    #expect(next() == [])
    #expect(lastState(of: "home") == .satisfied)
    #expect(words(world.stay(east: 0)) == [])
    #expect(words(world.walk(from: 0, to: 500)) == ["home unsatisfied"])
  }

  @Test("MON-24: an event that the loop does not acknowledge is delivered again, and only that")
  mutating func notAcknowledged() {
    _ = add("home")
    _ = next()
    #expect(words(world.stay(east: 0)) == ["home satisfied"])
    for _ in 0..<2 {
      let again = world.send(.next(ConditionsWorld.monitor, after: .none))
      #expect(words(again) == ["home satisfied"])
    }
    // An earlier number, and one that was never used, acknowledge nothing.
    let stale = world.send(.next(ConditionsWorld.monitor, after: EventNumber(rawValue: 1)))
    #expect(words(stale) == ["home satisfied"])
    #expect(next() == [])
    #expect(lastState(of: "home") == .satisfied)
  }

  @Test(
    "MON-23, MON-37a: an event is handled when the loop asks, also if it may receive nothing more")
  mutating func handledInSilence() {
    _ = add("home")
    _ = next()
    _ = world.stay(east: 0)
    #expect(words(world.acknowledge()) == [])
    #expect(lastState(of: "home") == .satisfied)
    #expect(words(world.walk(from: 0, to: 400)) == ["waiting"])
    #expect(next() == ["home unsatisfied"])
  }

  @Test("MON-24: an event in hand when the loop is left comes again")
  mutating func left() {
    _ = add("home")
    _ = next()
    _ = world.stay(east: 0)
    _ = world.leave()
    #expect(lastState(of: "home") == .unknown)
    #expect(next() == ["home satisfied"])
  }

  @Test("MON-25, MON-26: while nobody awaits, a crossing and its return are no event")
  mutating func coalesced() {
    _ = add("home")
    _ = next()
    _ = world.stay(east: 0)
    _ = next()
    _ = world.leave()
    #expect(words(world.walk(from: 0, to: 400)) == ["waiting"])
    _ = world.walk(from: 400, to: 0)
    #expect(next() == [])
  }

  @Test("MON-27: an event for a monitor that nobody has open stays, and is corrected later")
  mutating func closed() {
    _ = add("home")
    _ = next()
    _ = world.stay(east: 0)
    _ = next()
    _ = world.send(.close(ConditionsWorld.monitor, opener: 1))
    _ = world.walk(from: 0, to: 400)
    _ = world.walk(from: 400, to: 0)
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    #expect(next() == ["home unsatisfied"])
    #expect(next() == ["home satisfied"])
    #expect(next() == [])
  }

  @Test("MON-27: a beacon that was gone for a while behind a pending event is no second event")
  mutating func flickered() {
    _ = add("shop", .beacon(Self.coordinator))
    _ = world.send(.close(ConditionsWorld.monitor, opener: 1))
    for state in [ConditionState.satisfied, .unsatisfied, .satisfied] { _ = see(state, "shop") }
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    #expect(next() == ["shop satisfied"])
    #expect(next() == [])
  }

  @Test("MON-12, MON-13: an assumed state is an event only when it is wrong")
  mutating func assumed() {
    _ = add("here", assuming: .satisfied)
    _ = add("there", ConditionsWorld.circle(east: 900), assuming: .satisfied)
    #expect(lastState(of: "here") == .satisfied)
    _ = next()
    #expect(words(world.stay(east: 0)) == ["there unsatisfied"])
    #expect(next() == [])
  }

  @Test("MON-10, MON-11: another circle starts over, the same one changes nothing")
  mutating func replaced() {
    _ = add("home")
    _ = next()
    _ = world.stay(east: 0)
    _ = next()
    #expect(add("home") == [])
    #expect(lastState(of: "home") == .satisfied)
    _ = add("home", ConditionsWorld.circle(radius: 200))
    #expect(lastState(of: "home") == .unknown)
  }

  @Test("MON-14: nothing is delivered of a condition after its removal")
  mutating func removed() {
    _ = add("home")
    _ = world.stay(east: 0)
    _ = world.send(.remove(ConditionsWorld.condition("home")))
    #expect(next() == [])
    #expect(lastState(of: "home") == nil)
    #expect(world.entries.isEmpty)
  }

  @Test("MON-16, MON-18, MON-19: the surplus is unmonitored until there is room")
  mutating func limit() {
    for number in 1...20 { _ = add("c\(number)", ConditionsWorld.circle(east: 5000)) }
    #expect(add("c21") == ["waiting"])
    #expect(next() == ["c21 unmonitored"])
    #expect(next() == [])
    #expect(
      world.bench.machine.record(of: "c21", in: ConditionsWorld.monitor)?.lastEvent.diagnostics
        == .conditionLimitExceeded)
    #expect(world.bench.machine.identifiers(of: ConditionsWorld.monitor).count == 21)
    _ = world.send(.remove(ConditionsWorld.condition("c7")))
    let events = words(world.stay(east: 0))
    #expect(events == ["c1 unsatisfied"])
    var all: [String] = []
    while let event = next().first { all.append(event) }
    #expect(all.count == 19)
    #expect(all.last == "c21 satisfied" || all.contains("c21 satisfied"))
  }

  @Test("MON-19: a condition replaced by one that cannot be watched leaves its room to the surplus")
  mutating func replacedByUnsupported() {
    for number in 1...21 { _ = add("c\(number)") }
    _ = add("c7", .unsupported)
    #expect(world.bench.machine.monitoredCounts[ConditionsWorld.app] == 20)
    _ = add("c8", ConditionsWorld.circle(radius: 1_000_001))
    #expect(world.bench.machine.monitoredCounts[ConditionsWorld.app] == 19)
  }

  @Test("MON-20: a condition of no known kind is unmonitored")
  mutating func unsupported() {
    _ = add("odd", .unsupported)
    #expect(next() == ["odd unmonitored"])
    _ = next()
    #expect(
      world.bench.machine.record(of: "odd", in: ConditionsWorld.monitor)?.lastEvent.diagnostics
        == .conditionUnsupported)
  }

  @Test("MON-33, MON-34: flags come once per change, with a state that looks like no crossing")
  mutating func diagnostics() throws {
    _ = add("home")
    _ = next()
    _ = world.stay(east: 0)
    _ = next()
    let delivered = world.send(.access(ConditionsWorld.app, ConditionAccess(.accuracyLimited)))
    guard case .event(_, _, let event) = try #require(delivered.first) else {
      Issue.record("no event")
      return
    }
    #expect(event.state == .unknown)
    #expect(event.diagnostics == .accuracyLimited)
    #expect(next() == [])
    #expect(words(world.walk(from: 0, to: 400)) == [])
    #expect(
      words(world.send(.access(ConditionsWorld.app, ConditionAccess()))) == ["home unsatisfied"])
  }

  @Test(
    "MON-42: nothing is measured for an app that may not know, and its states are confirmed afterwards",
    arguments: [
      .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted,
      .authorizationRequestInProgress,
    ] as [ConditionDiagnostics])
  mutating func barred(by flag: ConditionDiagnostics) {
    _ = add("home")
    _ = add("shop", .beacon(BeaconConstraint(uuid: BeaconUUID(high: 1, low: 2))))
    _ = next()
    #expect(words(world.stay(east: 0)) == ["home satisfied"])
    _ = next()
    _ = world.send(.access(ConditionsWorld.app, ConditionAccess(flag)))
    #expect(world.bench.machine.demand == .none)
    #expect(world.bench.machine.watchedBeacons.isEmpty)
    #expect(world.bench.machine.monitoredCounts[ConditionsWorld.app] == 2)
    for _ in 0...1 { _ = next() }
    #expect(words(world.walk(from: 0, to: 400)).isEmpty)
    #expect(lastState(of: "home") == .unknown)
    #expect(words(world.send(.access(ConditionsWorld.app, ConditionAccess()))).isEmpty)
    #expect(world.bench.machine.demand != .none)
    #expect(words(world.stay(east: 400)) == ["home unsatisfied"])
  }

  @Test(
    "MON-42: what was seen while an event waited for a loop is seen again after the app was barred")
  mutating func barredWhileFrozen() {
    _ = add("home")
    _ = next()
    #expect(words(world.stay(east: 0)) == ["home satisfied"])
    // Nobody handles that, and the device leaves.
    _ = world.send(.close(ConditionsWorld.monitor, opener: 1))
    _ = world.walk(from: 0, to: 500)
    _ = world.send(.access(ConditionsWorld.app, ConditionAccess(.authorizationDenied)))
    _ = world.send(.access(ConditionsWorld.app, ConditionAccess()))
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    _ = next()
    let key = ConditionsWorld.condition("home")
    #expect(world.bench.machine.conditions[key]?.observation.state == .satisfied)
    #expect(world.bench.machine.conditions[key]?.isVerified == false)
    #expect(words(world.stay(east: 500)).last == "home unsatisfied")
  }

  @Test("MON-30, MON-31: the beacon seen is delivered, and forgotten when it is gone")
  mutating func refinement() throws {
    let uuid = BeaconUUID(high: 1, low: 2)
    let coordinator = ConditionsWorld.condition("shop")
    _ = add("shop", .beacon(BeaconConstraint(uuid: uuid)))
    _ = next()
    let identity = BeaconIdentity(uuid: uuid, major: 3, minor: 4)
    let now = world.bench.now.unixTime
    let delivered = world.send(.beacon(coordinator, .satisfied, refinement: identity, seen: now))
    guard case .event(_, _, let event) = try #require(delivered.first) else {
      Issue.record("no event")
      return
    }
    #expect(event.refinement == identity)
    _ = next()
    let gone = world.send(.beacon(coordinator, .unsatisfied, refinement: identity, seen: now))
    guard case .event(_, _, let last) = try #require(gone.first) else {
      Issue.record("no event")
      return
    }
    #expect(last.refinement == nil)
  }

  @Test("MON-5, MON-36: a restart keeps unhandled events and delivers them once confirmed")
  mutating func restart() {
    _ = add("home")
    _ = world.stay(east: 0)
    world.restart()
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    #expect(next() == [])
    #expect(words(world.stay(east: 0)) == ["home satisfied"])
    _ = next()
    world.restart()
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    #expect(next() == [])
    #expect(words(world.stay(east: 0)) == [])
    #expect(lastState(of: "home") == .satisfied)
  }

  @Test("MON-29: after a restart events come in the order in which they were seen again")
  mutating func orderAfterRestart() {
    for name in ["first", "second"] { _ = add(name, .beacon(Self.coordinator)) }
    for name in ["first", "second"] { _ = see(.satisfied, name) }
    _ = add("odd", .unsupported)
    world.restart()
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    for name in ["second", "first"] { _ = see(.satisfied, name) }
    #expect(next() == ["odd unmonitored"], "which had to be delivered at once")
    #expect(next() == ["second satisfied"])
    #expect(next() == ["first satisfied"])
    #expect(next() == [])
  }

  @Test("MON-32: an event of a beacon is dated by the observation")
  mutating func observationDate() {
    _ = add("shop", .beacon(Self.coordinator))
    _ = next()
    let seen = world.bench.now.unixTime - .seconds(3600)
    let delivered = world.send(
      .beacon(ConditionsWorld.condition("shop"), .unsatisfied, refinement: nil, seen: seen))
    guard case .event(_, _, let event) = delivered.first else {
      Issue.record("no event")
      return
    }
    #expect(event.date == seen)
  }

  private static let coordinator = BeaconConstraint(uuid: BeaconUUID(high: 1, low: 2))

  private mutating func see(_ state: ConditionState, _ identifier: String) -> [String] {
    let condition = ConditionsWorld.condition(identifier)
    let now = world.bench.now.unixTime
    return words(world.send(.beacon(condition, state, refinement: nil, seen: now)))
  }

  @Test("MON-7: stored conditions that cannot be read are missing, which is said once")
  mutating func unreadable() throws {
    for name in ["home", "work", "gym/pool"] { _ = add(name) }
    for name in ["work", "gym/pool"] {
      let key = try #require(world.entries.keys.first { $0.name == "monitor/places/" + name })
      world.entries[key] = Array("{".utf8)
    }
    world.restart()
    _ = add("work", ConditionsWorld.circle(east: 900))
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    _ = next()
    let delivered = world.stay(east: 0)
    #expect(delivered.events.map(\.diagnostics) == [.persistenceUnavailable])
    let rest = (0..<2).flatMap { _ in world.next() }
    #expect(rest.events.map(\.diagnostics) == [[]])
    let names = world.entries.keys.map(\.name).sorted()
    let moved = names.filter { !$0.hasPrefix("monitor/") }
    #expect(names.suffix(2) == ["monitor/places/home", "monitor/places/work"])
    let places = ["work", "gym/pool"].map { " monitor/places/\($0)" }
    #expect(moved.map { String($0.drop { $0 != " " }) } == places)
    for key in world.entries.keys where moved.contains(key.name) {
      #expect(key.domain == Conditions.damagedDomain && world.entries[key] == Array("{".utf8))
    }
  }

  @Test("MON-6: while nothing can be stored each event says so")
  mutating func notKept() {
    world.entries[Conditions.notKept.key] = Conditions.notKept.value
    world.restart()
    _ = add("home")
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    _ = next()
    #expect(world.stay(east: 0).events.map(\.diagnostics) == [.persistenceUnavailable])
  }

  @Test("border 12: of 130 conditions that cannot be read, the last hundred are moved aside")
  mutating func manyUnreadable() {
    _ = add("home")
    guard let home = world.entries.keys.first(where: { $0.name == "monitor/places/home" }) else {
      return
    }
    for number in 100..<230 {
      var key = home
      key.name = "monitor/places/\(number)"
      world.entries[key] = Array("{".utf8)
    }
    world.restart()
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    _ = next()
    _ = world.stay(east: 0)
    // Acknowledges the event that says it.
    _ = next()
    let damaged = world.entries.keys.filter { $0.domain == Conditions.damagedDomain }
    #expect(damaged.count == Conditions.mostDamaged)
    #expect(damaged.allSatisfy { !$0.name.hasSuffix("/100") })
  }

  @Test("MON-37: a monitor receives nothing of regions")
  mutating func apart() {
    _ = world.send(
      .register(ConditionsWorld.region("home"), ConditionsWorld.circle(), RegionNotices()))
    _ = next()
    #expect(words(world.stay(east: 0)) == ["home determined satisfied"])
  }
}

extension [Conditions.Output] {
  fileprivate var events: [ConditionEvent] {
    compactMap { if case .event(_, _, let event) = $0 { event } else { nil } }
  }
}
