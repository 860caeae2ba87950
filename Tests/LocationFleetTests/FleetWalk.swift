import LocationEngine
import LocationModel

@testable import LocationFleet

/// Random ways of a device among fences, from a seed.
struct FleetWalk {
  var fixes: [Fix] = []
  var fences: [FleetFence] = []

  static let origin = Coordinate(latitude: 46.52, longitude: 6.63)
  static let start = UnixTime(seconds: 1_767_600_000)

  static func place(east: Double, north: Double) -> Coordinate {
    Coordinate(
      latitude: origin.latitude + north / 111_200,
      longitude: origin.longitude + east / 76_600)
  }

  /// Stays and ways with good, coarse, and wildly wrong fixes, and silences.
  init(seed: UInt64, count: Int = 400) {
    var random = SeededRandom(seed: seed)
    for number in 0..<40 {
      let center = Self.place(
        east: .random(in: -3000...3000, using: &random),
        north: .random(in: -600...600, using: &random))
      fences.append(
        FleetFence(
          id: "fence-\(number)",
          circle: Circle(center: center, radius: .random(in: 50...400, using: &random)),
          dwell: number % 3 == 0 ? .seconds(300) : nil))
    }
    var (time, east, north) = (Self.start, 0.0, 0.0)
    var (speed, left) = (0.0, 0)
    for _ in 0..<count {
      if left == 0 {
        left = .random(in: 10...60, using: &random)
        speed = Bool.random(using: &random) ? 0 : .random(in: -15...15, using: &random)
      }
      left -= 1
      let silence = Int.random(in: 0..<40, using: &random) == 0
      let seconds = silence ? Double.random(in: 60...2000, using: &random) : 10
      time = time + .seconds(seconds)
      east += speed * min(seconds, 60)
      north += .random(in: -10...10, using: &random)
      let isWrong = Int.random(in: 0..<50, using: &random) == 0
      let isCoarse = Int.random(in: 0..<10, using: &random) == 0
      let error = isWrong ? 400.0 : isCoarse ? 60 : 5
      var fix = Fix(
        coordinate: Self.place(
          east: east + .random(in: -error...error, using: &random),
          north: north + .random(in: -error...error, using: &random)),
        horizontalAccuracy: isCoarse ? .random(in: 40...900, using: &random) : 8, time: time)
      if Bool.random(using: &random) { fix.speed = speed.magnitude }
      fixes.append(fix)
    }
    fixes[0].horizontalAccuracy = 8
  }

  func index() throws -> FleetFences {
    var index = FleetFences()
    for fence in fences { try index.insert(fence) }
    return index
  }
}

/// The detectors of one device alone, with an index of its own, in the order of the engine.
struct LoneDevice {
  private var tracker = ConditionTracker()
  private var motion = MotionEstimator()
  private var visits = VisitDetector()
  private var moves = SignificantChangeDetector(isRunning: true)
  private var names: [ConditionTracker.Slot: String] = [:]
  private var isInside: Set<String> = []
  private(set) var events: [String] = []

  init(_ fences: [FleetFence]) {
    for fence in fences { names[tracker.insert(fence.circle)] = fence.id }
  }

  mutating func take(_ fix: Fix) {
    let uptime = Instant(nanoseconds: fix.time.nanoseconds)
    while let due = earliest(
      earliest(tracker.nextDeadline, visits.nextDeadline), moves.nextDeadline), due < uptime
    {
      let now = Moment(uptime: due, unixTime: UnixTime(nanoseconds: due.nanoseconds))
      tell(moves.handle(.wake, at: now))
      if isDue(tracker.nextDeadline, now) { tell(tracker.wake(at: now)) }
      tell(visits.handle(.wake, at: now))
    }
    let now = Moment(uptime: uptime, unixTime: fix.time)
    tell(moves.handle(.fix(fix), at: now))
    let estimate = motion.observe(fix, at: now)
    tracker.take(estimate)
    tell(tracker.observe(fix, at: now))
    _ = visits.handle(.motion(estimate), at: now)
    tell(visits.handle(.fix(fix), at: now))
  }

  private mutating func tell(_ decisions: [(slot: ConditionTracker.Slot, decision: Decision)]) {
    for (slot, decision) in decisions {
      guard case .changed(let crossing) = decision, let name = names[slot] else { continue }
      if crossing.state == .satisfied {
        isInside.insert(name)
      } else {
        // The first state outside is not reported.
        guard isInside.remove(name) != nil else { continue }
      }
      events.append(Self.text(name, crossing.state == .satisfied, .crossing(crossing.evidence)))
    }
  }

  private mutating func tell(_ outputs: [VisitDetector.Output]) {
    events += outputs.map {
      switch $0 {
      case .arrived(let visit), .departed(let visit): Self.text(visit)
      }
    }
  }

  private mutating func tell(_ outputs: [SignificantChangeDetector.Output]) {
    for case .announce(let fix) in outputs { events.append("moved \(fix.time.nanoseconds)") }
  }

  static func text(_ name: String, _ isIn: Bool, _ evidence: EventEvidence?) -> String {
    "\(name) \(isIn) \(evidence.map { "\($0)" } ?? "")"
  }

  static func text(_ visit: Visit) -> String {
    "\(visit.coordinate.latitude) \(visit.coordinate.longitude) \(visit)"
  }

  static func text(_ event: FleetEvent) -> String? {
    switch event.kind {
    case .entered, .found: text(event.fence ?? "", true, event.evidence)
    case .exited: text(event.fence ?? "", false, event.evidence)
    case .arrived, .departed: event.visit.map { text($0) }
    case .moved: "moved \(event.time.nanoseconds)"
    case .dwelled, .ended: nil
    }
  }
}
