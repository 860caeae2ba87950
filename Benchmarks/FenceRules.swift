import LocationEngine
import LocationModel

/// A rule that says, fix by fix, whether a device is inside a circle; the plain ones only here.
protocol FenceRule {
  init(circle: Circle)
  /// Whether the device is believed inside after this fix.
  mutating func observe(_ fix: Fix, distance: Double, at now: Moment) -> Bool
  /// Takes what a motion sensor tells.
  mutating func feel(_ activity: MotionActivity, at now: Moment)
}

extension FenceRule {
  mutating func feel(_ activity: MotionActivity, at now: Moment) {}
}

/// Ours, with a motion sensor.
struct MovedEvidenceRule: FenceRule {
  private var evidence: EvidenceRule

  init(circle: Circle) {
    evidence = EvidenceRule(circle: circle)
  }

  mutating func observe(_ fix: Fix, distance: Double, at now: Moment) -> Bool {
    evidence.observe(fix, distance: distance, at: now)
  }

  mutating func feel(_ activity: MotionActivity, at now: Moment) {
    evidence.tracker.take(evidence.motion.take(activity, at: now))
  }
}

/// Ours: the tracker of the engine.
struct EvidenceRule: FenceRule {
  fileprivate var tracker = ConditionTracker()
  fileprivate var motion = MotionEstimator()
  private let slot: ConditionTracker.Slot

  init(circle: Circle) {
    slot = tracker.insert(circle)
  }

  mutating func observe(_ fix: Fix, distance: Double, at now: Moment) -> Bool {
    tracker.take(motion.observe(fix, at: now))
    _ = tracker.observe(fix, at: now)
    return tracker.state(of: slot) == .satisfied
  }
}

/// Inside when the fix is.
struct ContainmentRule: FenceRule {
  private let radius: Double

  init(circle: Circle) {
    radius = circle.radius
  }

  mutating func observe(_ fix: Fix, distance: Double, at now: Moment) -> Bool {
    distance <= radius
  }
}

/// Out beyond a margin of a fifth of the radius (20 to 200 m), in within the radius, for 20 s each.
struct DwellRule: FenceRule {
  private let radius: Double
  private var isInside = true
  private var since: Instant?

  init(circle: Circle) {
    radius = circle.radius
  }

  mutating func observe(_ fix: Fix, distance: Double, at now: Moment) -> Bool {
    let margin = min(max(0.2 * radius, 20), 200)
    guard isInside ? distance > radius + margin : distance <= radius else {
      since = nil
      return isInside
    }
    let start = since ?? now.uptime
    since = start
    if now.uptime - start >= .seconds(20) {
      isInside.toggle()
      since = nil
    }
    return isInside
  }
}

/// In when three quarters of the accuracy circle overlap, out when less than a quarter does.
struct OverlapRule: FenceRule {
  private let radius: Double
  private var isInside = true

  init(circle: Circle) {
    radius = circle.radius
  }

  mutating func observe(_ fix: Fix, distance: Double, at now: Moment) -> Bool {
    // Across its own diameter, which for small accuracy circles is the share of their area.
    let share = (radius + fix.horizontalAccuracy - distance) / (2 * fix.horizontalAccuracy)
    if share >= 0.75 { isInside = true }
    if share <= 0.25 { isInside = false }
    return isInside
  }
}

/// A change counts when the next fix agrees.
struct ConfirmationRule: FenceRule {
  private let radius: Double
  private var isInside = true
  private var last = true

  init(circle: Circle) {
    radius = circle.radius
  }

  mutating func observe(_ fix: Fix, distance: Double, at now: Moment) -> Bool {
    let contains = distance <= radius
    if contains == last { isInside = contains }
    last = contains
    return isInside
  }
}
