package import LocationModel

/// A motion sensor as in phones: it reports an activity when that changes.
///
/// A walk is recognized after six seconds and rest after ten, as by the accelerometer of a real device
/// (`IIOMotion`), which virtual time need not read seventeen times a second.
package struct VirtualMotion: Hashable, Sendable {
  /// The activity that it reports however the device moves; `nil` to follow the device.
  package var held: MotionActivity?
  /// What the way looks like, and since when.
  private var seen = MotionActivity.unknown
  private var since = Instant.start
  private var delivered = MotionActivity.unknown
  /// `nil` while it is not needed.
  package private(set) var nextDeadline: Instant?

  package init() {}

  /// Returns the report when it is switched on or off; off, it forgets the activity.
  package mutating func want(_ isWanted: Bool, at now: Instant) -> MotionActivity? {
    guard isWanted != (nextDeadline != nil) else { return nil }
    nextDeadline = isWanted ? now + Self.interval : nil
    defer { (seen, delivered) = (.unknown, .unknown) }
    return delivered == .unknown ? nil : .unknown
  }

  /// Returns the report, if there is one, for a device with this speed in meters per second.
  package mutating func wake(at now: Instant, speed: Double) -> MotionActivity? {
    guard let due = nextDeadline, due <= now else { return nil }
    nextDeadline = now + Self.interval
    let activity = held ?? MotionActivity(MotionActivity.Kind(speed: speed))
    if activity != seen { (seen, since) = (activity, now) }
    let wait = activity.kind == .stationary ? Self.restful : Self.convincing
    guard seen != delivered, held != nil || now - since >= wait else { return nil }
    delivered = seen
    return delivered
  }

  /// How often it looks.
  private static let interval = Duration.seconds(2)
  /// How long it must look alike.
  private static let convincing = Duration.seconds(6)
  private static let restful = Duration.seconds(10)
}

extension MotionActivity.Kind {
  /// - Parameter speed: meters per second.
  fileprivate init(speed: Double) {
    switch speed {
    case ..<0.3: self = .stationary
    case ..<2.2: self = .walking
    case ..<5: self = .running
    default: self = .automotive
    }
  }
}
