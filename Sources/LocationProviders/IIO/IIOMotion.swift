package import LocationModel

/// Recognizes from the kernel's accelerometer how a device moves: at rest, walking, running, or
/// moving in another way.
///
/// While the device is at rest, one reading a second is compared with those before (chosen: bursts
/// of ten would detect a lift no sooner and wake the processor more often). One that differs begins
/// a look: readings at 17 Hz for four seconds and longer, until the activity is known. An activity
/// that lasts for a minute is checked for four seconds in every nine (chosen).
///
/// The kernel's own recognition (`in_activity_walking_input` and others) is not used: of its
/// drivers, only mma9553 has it, and answers only after files were written that are not written
/// here.
package struct IIOMotion: Machine {
  package enum Input: MachineInput {
    case start
    case stop
    /// The contents of the requested files, without those that could not be read.
    case readings([SysfsReading])
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Read these files and pass their contents back.
    case read([String])
    case activity(MotionActivity)
    case rejected(MotionRejection)
  }

  private enum State: Sendable {
    case stopped
    /// Reads fast, until the activity is known.
    case looking(nextRead: Instant)
    /// The device is at rest, with `gravity` as its acceleration.
    case resting(nextRead: Instant, gravity: DeviceVector)
    /// The activity has lasted for a while; the next look is at `until`.
    case pausing(until: Instant)
  }

  private let accelerometer: IIOSensor
  private var state = State.stopped
  private var recognizer = ActivityRecognizer()
  private var delivered = MotionActivity.unknown
  private var deliveredAt = Instant.start
  /// When readings last allowed a conclusion.
  private var receivedAt = Instant.start
  /// Whether that is so long ago that the activity is unknown.
  private var isDeaf = false
  /// How many readings were requested; varies the interval, so that successive ones differ.
  private var reads = 0

  /// `nil` when the tree lacks an accelerometer.
  package init?(_ tree: IIODeviceTree) {
    guard let accelerometer = tree.motionSensor else { return nil }
    self.accelerometer = accelerometer
  }

  package var nextDeadline: Instant? {
    switch state {
    case .stopped: nil
    case .looking(let nextRead), .resting(let nextRead, _), .pausing(let nextRead): nextRead
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch (input, state) {
    case (.start, .stopped):
      (receivedAt, isDeaf) = (now.uptime, false)
      deliveredAt = now.uptime
      return look(at: now.uptime)
    case (.wake, .looking(let due)) where now.uptime >= due:
      return lament(at: now.uptime) ?? read(at: now.uptime)
    case (.wake, .resting(let due, let gravity)) where now.uptime >= due:
      return lament(at: now.uptime) ?? poll(gravity, at: now.uptime)
    case (.wake, .pausing(let due)) where now.uptime >= due:
      return look(at: now.uptime)
    case (.readings(let readings), .looking), (.readings(let readings), .resting):
      return take(readings, at: now.uptime)
    case (.stop, _):
      state = .stopped
      recognizer.forget()
      return report(at: now.uptime)
    case (.start, _), (.wake, _), (.readings, .stopped), (.readings, .pausing):
      return []
    }
  }

  // MARK: When to read

  private mutating func look(at now: Instant) -> [Output] {
    recognizer.look()
    if !isDeaf { receivedAt = now }
    return read(at: now)
  }

  private mutating func read(at now: Instant) -> [Output] {
    state = .looking(nextRead: now + uneven(Self.gaze))
    return [.read(accelerometer.paths)]
  }

  private mutating func poll(_ gravity: DeviceVector, at now: Instant) -> [Output] {
    state = .resting(nextRead: now + uneven(Self.watch), gravity: gravity)
    return [.read(accelerometer.paths)]
  }

  /// Returns half to one and a half of an interval. With even intervals, an engine's vibration
  /// would look like a slow oscillation, and a walk of two steps per second like rest.
  private mutating func uneven(_ seconds: Double) -> Duration {
    reads += 1
    let share = (Double(reads) * Self.goldenShare).truncatingRemainder(dividingBy: 1)
    return .seconds(seconds * (0.5 + share))
  }

  // MARK: What was read

  private mutating func take(_ readings: [SysfsReading], at now: Instant) -> [Output] {
    guard let acceleration = accelerometer.vector(in: readings) else {
      return [.rejected(.unreadable)] + (lament(at: now) ?? [])
    }
    guard acceleration.magnitude <= Self.utmost else {
      return [.rejected(.absurd)] + (lament(at: now) ?? [])
    }
    // After a silence, any reading begins a new look.
    if isDeaf { (isDeaf, receivedAt) = (false, now) }
    if case .resting(let due, let gravity) = state {
      receivedAt = now
      return compare(acceleration, with: gravity, due: due, at: now)
    }
    // Readings too far apart for a look give no finding, however many come.
    guard let finding = recognizer.take(acceleration, at: now) else { return [] }
    receivedAt = now
    let decisions = report(at: now)
    settle(finding, at: now)
    return decisions
  }

  private mutating func compare(
    _ acceleration: DeviceVector, with gravity: DeviceVector, due: Instant, at now: Instant
  ) -> [Output] {
    let change = acceleration - gravity
    // After a chip seemed to hang, any change of its readings begins a new look.
    let limit = recognizer.window.isFrozen ? Self.least : Self.lift
    guard change.magnitude <= limit else { return look(at: now) }
    state = .resting(nextRead: due, gravity: gravity + change * Self.following)
    return []
  }

  /// Goes on looking while a finding is unexpected; else watches, or pauses if it has lasted.
  private mutating func settle(_ finding: ActivityRecognizer.Finding, at now: Instant) {
    guard recognizer.expects(finding) else { return }
    if delivered.kind == .stationary {
      guard case .still = finding else { return }
      state = .resting(nextRead: now + uneven(Self.watch), gravity: recognizer.window.mean)
    } else if now.seconds(since: deliveredAt) >= Self.lasting {
      state = .pausing(until: now + Self.pause)
    }
  }

  /// Makes the activity unknown after too long without a conclusion; returns `nil` before.
  private mutating func lament(at now: Instant) -> [Output]? {
    guard now.seconds(since: receivedAt) >= Self.timeout else { return nil }
    recognizer.forget()
    isDeaf = true
    state = .pausing(until: now + Self.pause)
    return report(at: now)
  }

  private mutating func report(at now: Instant) -> [Output] {
    guard recognizer.activity != delivered else { return [] }
    if recognizer.activity.kind != delivered.kind { deliveredAt = now }
    delivered = recognizer.activity
    return [.activity(delivered)]
  }

  /// Seconds between two readings of a look. Chosen: twice as often as the second line of a run
  /// needs; by linux.md 3.6, 5 to 20 Hz work.
  private static let gaze = 0.06
  /// The fraction of the golden ratio: its multiples are spread evenly and never in sequence.
  private static let goldenShare = 0.618_033_988_749_895
  /// Seconds between two readings at rest. Chosen: a walk is to be detected within eight seconds.
  private static let watch = 1.0
  /// Meters per second squared. Chosen: six times the noise of a cheap chip, a tilt by 4 degrees.
  private static let lift = 0.6
  /// Meters per second squared, below the resolution of any chip: rounding.
  private static let least = 1e-6
  /// The share of a change that counts as drift, as of a chip that warms up.
  private static let following = 0.05
  /// Seconds after which an activity is expected to last. Chosen.
  private static let lasting = 60.0
  /// The time between two looks at a lasting activity, or at a sensor without readings. Chosen.
  private static let pause = Duration.seconds(5)
  /// Seconds without a conclusion that are normal. Chosen: a sensor that wakes up needs fewer.
  private static let timeout = 10.0
  /// Meters per second squared: no hand causes more, and few chips measure it.
  private static let utmost = 80.0
}

/// Why a reading says nothing about the movement of the device.
package enum MotionRejection: Hashable, Sendable {
  /// A file is missing or holds no finite number.
  case unreadable
  /// More than 80 meters per second squared.
  case absurd
}

extension IIOMotion: KernelSensor {
  static var quantity: SensorEvidence.Quantity { .motion }
}

extension IIOMotion.Input: KernelSensorInput {
  static func start(for demand: Demand) -> Self? { demand.motion ? .start : nil }
}

extension IIOMotion.Output: KernelSensorOutput {
  var action: KernelSensorAction {
    switch self {
    case .read(let paths): .read(paths)
    case .activity(let activity): .report(.sensor(.motion(activity)))
    case .rejected(let reason): .reject("motion: \(reason)")
    }
  }
}
