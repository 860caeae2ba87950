import LocationModel
import Testing

@testable import LocationEngine

@Suite("The tracker of circles")
struct ConditionTrackerTests {
  /// Walks the tracker through fixes and writes down what it decides.
  struct Walk {
    var tracker = ConditionTracker()
    var motion = MotionEstimator()
    var decisions: [(at: Double, slot: ConditionTracker.Slot, decision: Decision)] = []
    var seconds = 0.0

    mutating func fix(
      east: Double, accuracy: Double = 5, speed: Double? = nil, after step: Double = 1
    ) {
      seconds += step
      let fix = LocationEngineTests.fix(
        east: east, accuracy: accuracy, at: seconds, speed: speed)
      tracker.take(motion.observe(fix, at: moment(seconds)))
      for entry in tracker.observe(fix, at: moment(seconds)) {
        decisions.append((seconds, entry.slot, entry.decision))
      }
    }

    var need: PositionDemand { tracker.need(promising: .seconds(60)) }

    var crossings: [Crossing] {
      decisions.compactMap {
        if case .changed(let crossing) = $0.decision { crossing } else { nil }
      }
    }
  }

  private func standing(radius: Double = 100) -> (Walk, ConditionTracker.Slot) {
    var walk = Walk()
    let slot = walk.tracker.insert(Circle(center: place(), radius: radius))
    for _ in 0..<60 { walk.fix(east: 0) }
    return (walk, slot)
  }

  @Test("MON-22: settles a fresh condition with one clear fix")
  func fresh() {
    var walk = Walk()
    let near = walk.tracker.insert(Circle(center: place(), radius: 100))
    let far = walk.tracker.insert(Circle(center: place(east: 500), radius: 100))
    walk.fix(east: 0)
    #expect(walk.tracker.state(of: near) == .satisfied)
    #expect(walk.tracker.state(of: far) == .unsatisfied)
    #expect(walk.crossings.count == 2)
  }

  @Test("REG-18: tells a walker's exit once, within a minute of the crossing")
  func walkingExit() throws {
    var (walk, slot) = standing()
    for second in 1...200 { walk.fix(east: 1.4 * Double(second)) }
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
    let exits = walk.crossings.filter { $0.state == .unsatisfied }
    let exit = try #require(exits.first)
    #expect(exits.count == 1)
    let crossed = try #require(exit.evidence.crossed)
    let expected = UnixTime(seconds: 1_700_000_000 + 60 + 100 / 1.4)
    #expect(crossed.seconds(since: expected).magnitude < 10)
    #expect(exit.evidence.decided.seconds(since: expected) < 60)
    #expect(exit.evidence.policyDelay >= .seconds(20))
    #expect(exit.evidence.probability > 0.95)
  }

  @Test("ADMIN-3: says what speaks for a crossing that is not decided, and nothing once it is")
  func belief() throws {
    var (walk, slot) = standing()
    #expect(walk.tracker.belief(of: slot) == nil)
    var beliefs: [Belief] = []
    for second in 1...200 {
      walk.fix(east: 1.4 * Double(second))
      if let belief = walk.tracker.belief(of: slot) { beliefs.append(belief) }
    }
    let last = try #require(beliefs.last)
    #expect(beliefs.allSatisfy { $0.towards == .unsatisfied && $0.probability >= 0.5 })
    #expect(beliefs.map(\.probability) == beliefs.map(\.probability).sorted())
    #expect(abs(last.threshold - 0.9526) < 0.0001)
    #expect(last.earliest == last.since + .seconds(20))
    #expect(last.fixes > 10)
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
    #expect(walk.tracker.belief(of: slot) == nil)
  }

  @Test("REG-18: tells a walker's entry only after 20 seconds inside")
  func walkingEntry() throws {
    var walk = Walk()
    _ = walk.tracker.insert(Circle(center: place(), radius: 100))
    for second in 0...300 { walk.fix(east: 300 - 1.4 * Double(second)) }
    let entry = try #require(walk.crossings.last)
    #expect(entry.state == .satisfied)
    let boundary = UnixTime(seconds: 1_700_000_001 + 200 / 1.4)
    #expect(try #require(entry.evidence.crossed).seconds(since: boundary).magnitude < 3)
    #expect((20...40).contains(entry.evidence.decided.seconds(since: boundary)))
  }

  @Test("does not believe a receiver that claims 2 m and is 200 m wrong for five minutes")
  func confidentError() {
    var (walk, slot) = standing()
    for second in 0..<300 { walk.fix(east: 200 + Double(second % 7), accuracy: 2, speed: 0) }
    for _ in 0..<60 { walk.fix(east: 0, accuracy: 2) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
    #expect(walk.crossings.count == 1)
  }

  @Test("does not believe an error that grows within ten seconds and then stays")
  func growingError() {
    var (walk, slot) = standing()
    for second in 0..<300 { walk.fix(east: min(20 * Double(second), 200), accuracy: 2) }
    for _ in 0..<60 { walk.fix(east: 0, accuracy: 2) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
    #expect(walk.crossings.count == 1)
  }

  @Test(
    "does not believe an error that drifts away, however long the drift takes",
    arguments: [3.0, 10, 20, 25])
  func driftingError(seconds: Double) {
    var (walk, slot) = standing()
    for second in 0..<480 {
      walk.fix(east: 200 * min(Double(second) / seconds, 1), accuracy: 2)
    }
    for _ in 0..<60 { walk.fix(east: 0, accuracy: 2) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
    #expect(walk.crossings.count == 1)
  }

  @Test("does not take the step of a reflection for travel that a drift then completes")
  func driftAfterReflection() {
    var (walk, slot) = standing()
    for _ in 0..<25 { walk.fix(east: 55) }
    for _ in 0..<5 { walk.fix(east: 0) }
    for second in 0..<300 { walk.fix(east: min(10 * Double(second), 200), accuracy: 2) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
  }

  @Test(
    "REG-18: tells a walker's exit within a minute, from 30 m inside on", arguments: [30.0, 100])
  func shortWalk(inside: Double) throws {
    var walk = Walk()
    _ = walk.tracker.insert(Circle(center: place(), radius: 100))
    for _ in 0..<60 { walk.fix(east: 100 - inside) }
    for second in 1...150 { walk.fix(east: 100 - inside + 1.4 * Double(second)) }
    let exit = try #require(walk.crossings.last)
    let crossed = UnixTime(seconds: 1_700_000_060 + inside / 1.4)
    #expect(exit.state == .unsatisfied)
    #expect((20...60).contains(exit.evidence.decided.seconds(since: crossed)))
  }

  @Test("POW-2, POW-6: needs satellites on the way near a boundary, and none at rest")
  func tiers() {
    var (walk, _) = standing()
    #expect(walk.need.tier == .network)
    for second in 1...40 { walk.fix(east: 1.4 * Double(second), speed: 1.4) }
    #expect(walk.need.tier == .satellite)
    for _ in 0..<60 { walk.fix(east: 56, speed: 0) }
    #expect(walk.need.tier == .network)
    walk.fix(east: 80, accuracy: 65, after: 30)
    #expect(walk.need.tier == .network)
    walk.fix(east: 190, accuracy: 65, after: 30)
    #expect(walk.need.tier == .satellite)
    for _ in 0..<5 { walk.fix(east: 56) }
    #expect(walk.need.tier == .network)
  }

  @Test("waits for a good fix while it may come, and not for ever where there is no sky")
  func noSky() {
    var walk = Walk()
    _ = walk.tracker.insert(Circle(center: place(), radius: 100))
    for _ in 0..<100 { walk.fix(east: 80, accuracy: 65) }
    #expect(walk.need.tier == .satellite)
    for _ in 0..<60 { walk.fix(east: 80, accuracy: 65) }
    #expect(walk.need.tier == .network)
  }

  @Test("takes the network's errors at a place of rest for what they are")
  func restingByNetwork() {
    var random = SeededRandom(seed: 3)
    var (walk, slot) = standing()
    let entered = walk.tracker.insert(Circle(center: place(east: 150), radius: 100))
    for _ in 0..<60 { walk.fix(east: 0) }
    for _ in 0..<2000 { walk.fix(east: 25 + 15 * gaussian(&random), accuracy: 65, after: 30) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
    #expect(walk.tracker.state(of: entered) == .unsatisfied)
    #expect(walk.crossings.count == 2)
  }

  @Test("REG-20: a fix coarser than the circle and 200 m decides nothing at a place of rest either")
  func coarseAtRest() {
    var walk = Walk()
    let slot = walk.tracker.insert(Circle(center: place(), radius: 100))
    for _ in 0..<60 { walk.fix(east: 102) }
    for _ in 0..<60 { walk.fix(east: 102, accuracy: 400, after: 30) }
    #expect(walk.tracker.state(of: slot) == .unknown)
  }

  @Test("takes a place seen for a moment, and again an hour later, for no place of rest")
  func longSilence() {
    var walk = Walk()
    _ = walk.tracker.insert(Circle(center: place(), radius: 100))
    for _ in 0..<2 { walk.fix(east: 0) }
    walk.fix(east: 0, after: 3600)
    walk.fix(east: 0)
    #expect(walk.need.tier == .satellite)
  }

  @Test("looks for boundaries around the place of rest, not around the newest fix")
  func boundariesAroundRest() {
    var walk = Walk()
    for number in 0..<100 {
      _ = walk.tracker.insert(Circle(center: place(north: 5000 + Double(number)), radius: 100))
    }
    _ = walk.tracker.insert(Circle(center: place(east: 310), radius: 100))
    _ = walk.tracker.insert(Circle(center: place(north: 345), radius: 100))
    for _ in 0..<400 { walk.fix(east: 0) }
    let interval = walk.need.interval
    walk.fix(east: -50, accuracy: 65, after: 30)
    #expect(walk.need == PositionDemand(tier: .network, interval: interval))
    #expect(interval == .seconds(60))
  }

  @Test("POW-6: a device that lies still is looked for once a minute, one that sets out at once")
  func movedByItself() {
    var (walk, _) = standing()
    for _ in 0..<300 { walk.fix(east: 0) }
    func feel(_ kind: MotionActivity.Kind) {
      walk.tracker.take(walk.motion.take(MotionActivity(kind), at: moment(walk.seconds)))
    }
    feel(.stationary)
    #expect(walk.need == PositionDemand(tier: .network, interval: .seconds(60)))
    feel(.walking)
    #expect(walk.need.tier == .satellite)
    walk.fix(east: 0, after: 20)
    feel(.stationary)
    walk.fix(east: 0, after: 20)
    #expect(walk.need == PositionDemand(tier: .network, interval: .seconds(60)))
    feel(.unknown)
    #expect(walk.need == PositionDemand(tier: .network, interval: .seconds(30)))
  }

  @Test("asks for the same while a device rests, though every fix differs")
  func steadyDemand() {
    var random = SeededRandom(seed: 5)
    var (walk, _) = standing()
    for _ in 0..<300 { walk.fix(east: 0) }
    var demands: Set<PositionDemand> = []
    for _ in 0..<1000 {
      walk.fix(east: 5 * gaussian(&random), accuracy: .random(in: 4...12, using: &random), after: 5)
      demands.insert(walk.need)
    }
    #expect(demands == [PositionDemand(tier: .network, interval: .seconds(30))])
  }

  @Test("believes a jump once the device travels on from there")
  func confirmedJump() {
    var (walk, slot) = standing()
    for second in 0..<60 { walk.fix(east: 200 + 1.4 * Double(second), speed: 1.4) }
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
  }

  @Test("believes a jump that outlasts the errors of receivers")
  func longJump() {
    var (walk, slot) = standing()
    for _ in 0..<1000 { walk.fix(east: 250, accuracy: 2) }
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
  }

  @Test("waits a minute after a step that nobody watched")
  func gap() {
    var (walk, slot) = standing()
    walk.fix(east: 400, after: 120)
    for _ in 0..<30 { walk.fix(east: 400) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
    for _ in 0..<40 { walk.fix(east: 400) }
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
  }

  @Test(
    "tells what changed while no fix came with the first good ones: at once where no receiver errs as much, else within a minute",
    arguments: [(400.0, 25), (250, 65), (40_000, 25)])
  func hiddenWay(east: Double, seconds: Int) {
    var (walk, slot) = standing()
    walk.fix(east: east, speed: 0, after: 3600)
    for _ in 0..<seconds { walk.fix(east: east, speed: 0) }
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
    #expect(walk.crossings.count == 2)
  }

  @Test("does not believe the first fixes after a gap where they turn out to be errors")
  func errorAfterGap() {
    var (walk, slot) = standing()
    for _ in 0..<50 { walk.fix(east: 200, accuracy: 2, after: walk.seconds < 100 ? 3600 : 1) }
    for _ in 0..<60 { walk.fix(east: 0, accuracy: 2) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
    #expect(walk.crossings.count == 1)
  }

  @Test("REG-39: makes no pairs of events out of jitter around the boundary")
  func jitter() {
    var random = SeededRandom(seed: 11)
    var walk = Walk()
    _ = walk.tracker.insert(Circle(center: place(), radius: 100))
    for _ in 0..<7200 { walk.fix(east: 100 + 8 * gaussian(&random), accuracy: 8) }
    #expect(walk.crossings.count <= 2)
  }

  @Test("REG-20: ignores a fix coarser than the circle and 200 m")
  func coarse() {
    var (walk, slot) = standing()
    for _ in 0..<100 { walk.fix(east: 5000, accuracy: 1000, after: 60) }
    #expect(walk.tracker.state(of: slot) == .satisfied)
  }

  @Test("lets silence finish an entry, as a device at rest gives no more fixes")
  func silence() throws {
    var walk = Walk()
    let slot = walk.tracker.insert(Circle(center: place(), radius: 100))
    for second in 0...160 { walk.fix(east: 260 - 1.4 * Double(second)) }
    // 160 seconds on: 36 m; the entry is long decided. Leave and come back, then fall silent.
    for second in 0...200 { walk.fix(east: 36 + 1.4 * Double(second)) }
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
    for second in 0...170 { walk.fix(east: 316 - 1.4 * Double(second)) }
    #expect(walk.tracker.state(of: slot) == .unsatisfied)
    let deadline = try #require(walk.tracker.nextDeadline)
    let due = Double(deadline.nanoseconds) * 1e-9
    #expect(due < walk.seconds + 60)
    let decisions = walk.tracker.wake(at: moment(due))
    #expect(decisions.count == 1)
    #expect(walk.tracker.state(of: slot) == .satisfied)
    #expect(walk.tracker.nextDeadline == nil)
  }

  @Test("asks for fixes at once while undecided, and seldom while far away")
  func interval() {
    var (walk, _) = standing()
    #expect(walk.need.interval > .seconds(10))
    for second in 1...80 { walk.fix(east: 1.4 * Double(second)) }
    #expect(walk.need.interval == .zero)
    for second in 1...1000 { walk.fix(east: 112 + 10 * Double(second), speed: 10) }
    #expect(walk.need.interval >= .seconds(300))
  }
}
