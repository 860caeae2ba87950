internal import LocationModel

/// How far the motion sensor speaks for a device that is on its way.
///
/// Nobody walks from one end to the other without a pause that the sensor cannot name, and a door
/// must be locked: so what it cannot name takes away a little of what was seen, and rest takes it
/// fast.
struct ActivityTrack: Hashable, Sendable {
  /// `nil` before the sensor said anything.
  private var latest: MotionActivity.Kind?
  private var since = Instant.start
  /// Seconds on the way until then, at most `enough`.
  private var travelled = 0.0

  mutating func take(_ activity: MotionActivity, at now: Instant) {
    pass(to: now)
    since = now
    latest = activity.confidence == .low ? .unknown : activity.kind
  }

  /// Time goes on, and nothing else is told.
  mutating func pass(to now: Instant) {
    guard latest != nil else { return }
    travelled = seconds(at: now)
    since = now
  }

  /// From 0, when it rests or nothing is known, to 1, when it has been on the way for a minute.
  func share(at now: Instant) -> Double { seconds(at: now) / Self.enough }

  /// Whether the sensor says now that the device is on its way.
  var isMoving: Bool { latest.map { $0.gain > 0 } ?? false }

  /// Whether the device is on its way, or was a moment before the latest pass of time.
  var isOnTheWay: Bool { isMoving || latest == .unknown && travelled > Self.moment }

  /// When what was seen of a way will have faded, if nothing more is told; `nil` when nothing fades.
  var nextDeadline: Instant? {
    guard latest == .unknown, travelled > Self.moment else { return nil }
    return since + .seconds((travelled - Self.moment) / -MotionActivity.Kind.unknown.gain + 1)
  }

  /// Meters per second that the device travels at most, zero while it lies still; `nil` when nobody
  /// knows.
  var pace: Double? { latest?.pace }

  /// Whether the sensor says that the device lies still.
  var isResting: Bool { latest == .stationary }

  /// Seconds in which nobody need look where the device is: while it lies still, the sensor tells of
  /// its leaving sooner than a fix of the network does (chosen).
  var pause: Double { isResting ? 60 : 0 }

  private func seconds(at now: Instant) -> Double {
    guard let latest else { return 0 }
    let passed = max(now.seconds(since: since), 0)
    return min(max(travelled + latest.gain * passed, 0), Self.enough)
  }

  /// Seconds (chosen on the shared car and bicycle days, runs 0 and 4).
  private static let enough = 60.0
  /// Seconds (chosen).
  private static let moment = 8.0
}

extension MotionActivity.Kind {
  /// Meters per second (chosen).
  fileprivate var pace: Double? {
    switch self {
    case .walking: 3
    case .running: 7
    case .cycling: 15
    case .automotive: 70
    case .stationary: 0
    case .unknown: nil
    }
  }

  /// What a second of it adds to the seconds on the way (chosen).
  fileprivate var gain: Double {
    switch self {
    case .walking, .running, .cycling, .automotive: 1
    case .unknown: -0.3
    case .stationary: -2
    }
  }
}
