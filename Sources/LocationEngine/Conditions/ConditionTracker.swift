package import LocationModel

/// Follows any number of circles with the fixes of one device.
///
/// A distant circle costs nothing: only circles that contain the newest fix, and those that are
/// satisfied or undecided, are evaluated.
package struct ConditionTracker: Sendable {
  package typealias Slot = ConditionIndex.Slot

  private var circles = WatchedCircles()
  private var follower = CircleFollower()

  package init() {}

  package var count: Int { circles.count }

  /// Begins to follow a valid circle, in a state that an app assumes or an earlier engine stored.
  package mutating func insert(
    _ circle: Circle, assuming state: ConditionState = .unknown, isStored: Bool = false
  ) -> Slot {
    insert(.circle(circle), assuming: state, isStored: isStored)
  }

  /// Begins to follow a polygon, or a valid circle.
  package mutating func insert(
    _ area: Area, assuming state: ConditionState = .unknown, isStored: Bool = false
  ) -> Slot {
    let slot = circles.insert(area)
    follower.follow(slot, assuming: state, isStored: isStored)
    return slot
  }

  package mutating func remove(_ slot: Slot) {
    circles.remove(slot)
    follower.drop(slot)
  }

  package func state(of slot: Slot) -> ConditionState {
    circles[slot] == nil ? .unknown : follower.state(of: slot)
  }

  /// What speaks against the present state of a circle; `nil` while nothing does.
  package func belief(of slot: Slot) -> Belief? {
    circles[slot] == nil ? nil : follower.belief(of: slot)
  }

  /// The same of each circle where anything does, in the order of slots; cheap while nothing does.
  package var beliefs: [(slot: Slot, belief: Belief)] { follower.beliefs }

  /// Whether a fix has confirmed the state since the circle was inserted.
  package func isVerified(_ slot: Slot) -> Bool {
    circles[slot] != nil && follower.isVerified(slot)
  }

  /// Whether the state of a circle was confirmed, by this engine or an earlier one.
  func isConfirmed(_ slot: Slot) -> Bool { circles[slot] != nil && follower.isConfirmed(slot) }

  /// Takes the next fix, in order of time, and returns the decisions. The estimate for that fix is
  /// taken before it.
  package mutating func observe(_ fix: Fix, at now: Moment) -> [(slot: Slot, decision: Decision)] {
    follower.observe(fix, of: circles, at: now)
  }

  /// Takes the estimate of how the device moves.
  package mutating func take(_ motion: MotionEstimate) { follower.take(motion) }

  /// Returns the decisions that silence makes possible after the last fix.
  package mutating func wake(at now: Moment) -> [(slot: Slot, decision: Decision)] {
    follower.wake(at: now)
  }

  /// When silence can decide the first open question.
  @inline(__always)
  package var nextDeadline: Instant? { follower.nextDeadline }

  /// Returns how soon the next fix is needed, and whether it must be a good one, to deliver
  /// crossings within `promise`.
  package func need(promising promise: Duration) -> PositionDemand {
    follower.need(promising: promise, of: circles)
  }
}
