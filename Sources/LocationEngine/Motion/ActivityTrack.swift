internal import LocationModel

/// Measures how strongly the motion sensor indicates that the device is on its way.
///
/// A way has pauses in which the sensor reports no known activity, as when a door is locked. So an
/// unknown activity reduces the measured time slowly, and rest reduces it fast.
struct ActivityTrack: Hashable, Sendable {
  /// `nil` before the first report of the sensor.
  private var latest: MotionActivity.Kind?
  private var since = Instant.start
  /// Seconds on the way until then, at most `enough`.
  private var travelled = 0.0

  mutating func take(_ activity: MotionActivity, at now: Instant) {
    pass(to: now)
    since = now
    latest = activity.confidence == .low ? .unknown : activity.kind
  }

  /// Advances time without a new report.
  mutating func pass(to now: Instant) {
    guard latest != nil else { return }
    travelled = seconds(at: now)
    since = now
  }

  /// Returns 0, at rest or unknown, up to 1, after a minute on the way.
  func share(at now: Instant) -> Double { seconds(at: now) / Self.enough }

  /// What the sensor reports now; `nil` before its first report.
  var kind: MotionActivity.Kind? { latest }

  /// Whether the sensor reports now that the device is on its way.
  var isMoving: Bool { latest.map { $0.gain > 0 } ?? false }

  /// Whether the device is on its way, or was a moment before the latest advance of time.
  var isOnTheWay: Bool { isMoving || latest == .unknown && travelled > Self.moment }

  /// When the measured time will have faded without a new report; `nil` when nothing fades.
  var nextDeadline: Instant? {
    guard latest == .unknown, travelled > Self.moment else { return nil }
    return since + .seconds((travelled - Self.moment) / -MotionActivity.Kind.unknown.gain + 1)
  }

  /// The greatest speed of the device in meters per second, zero at rest; `nil` if unknown.
  var pace: Double? { latest?.pace }

  /// Whether the sensor reports that the device is at rest.
  var isResting: Bool { latest == .stationary }

  /// Seconds for which no fix is needed: at rest, the sensor detects a departure sooner than a
  /// network fix does (chosen).
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

  /// Seconds that one second of it adds to the time on the way (chosen).
  fileprivate var gain: Double {
    switch self {
    case .walking, .running, .cycling, .automotive: 1
    case .unknown: -0.3
    case .stationary: -2
    }
  }
}
