import LocationEngine
import LocationFleet
import LocationModel
import TestSupport

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
    for fence in fences { names[tracker.insert(fence.area)] = fence.id }
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

extension FleetWalk {
  /// What a device of a fleet tells on the way.
  func events(
    of name: FleetDeviceName, _ settings: FleetDevice.Settings
  ) throws -> [FleetEvent] {
    let fences = try index()
    var device = FleetDevice(name)
    return fixes.flatMap { device.take($0, received: nil, fences, settings).events }
  }
}
