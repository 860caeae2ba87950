package import LocationModel

/// Tells from the kernel's accelerometer how a device moves: it lies still, is walked or run with,
/// or is moved in a way that has no name.
///
/// While it lies still, one reading a second is compared with those before (chosen: bursts of ten
/// would find a lift no sooner and wake the processor more often). One that differs begins a look:
/// readings at 17 Hz for four seconds and longer, until it is known what goes on. What goes on for a
/// minute is looked at for four seconds in every nine (chosen).
///
/// The kernel's own recognition (`in_activity_walking_input` and its kin) is left aside: of its
/// drivers, only mma9553 has it, and answers only after files were written that we do not write.
package struct IIOMotion: Machine {
  package enum Input: MachineInput {
    case start
    case stop
    /// What the files asked for say; a file that could not be read is left out.
    case readings([SysfsReading])
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Read these files and hand them back.
    case read([String])
    case activity(MotionActivity)
    case rejected(MotionRejection)
  }

  private enum State: Sendable {
    case stopped
    /// Reads fast, until it is known what goes on.
    case looking(nextRead: Instant)
    /// It lies still, and is felt as `gravity`.
    case resting(nextRead: Instant, gravity: DeviceVector)
    /// What goes on has gone on for a while; the next look is then.
    case pausing(until: Instant)
  }

  private let accelerometer: IIOSensor
  private var state = State.stopped
  private var recognizer = ActivityRecognizer()
  private var delivered = MotionActivity.unknown
  private var deliveredAt = Instant.start
  /// When the sensor last said something from which anything follows.
  private var heardAt = Instant.start
  /// Whether nothing was heard for so long that nobody knows any more.
  private var isDeaf = false
  /// How many readings were asked for: no two intervals of a few follow each other.
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
      (heardAt, isDeaf) = (now.uptime, false)
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
      return tell(at: now.uptime)
    case (.start, _), (.wake, _), (.readings, .stopped), (.readings, .pausing):
      return []
    }
  }

  // MARK: When to read

  private mutating func look(at now: Instant) -> [Output] {
    recognizer.look()
    if !isDeaf { heardAt = now }
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

  /// Half to one and a half of an interval: so that an engine's hum does not pass for a slow swing,
  /// nor a walk of two steps in a second for rest.
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
    // After a silence, any reading is a reason to look again.
    if isDeaf { (isDeaf, heardAt) = (false, now) }
    if case .resting(let due, let gravity) = state {
      heardAt = now
      return compare(acceleration, with: gravity, due: due, at: now)
    }
    // Readings too far apart to be a look say nothing, however many come.
    guard let finding = recognizer.take(acceleration, at: now) else { return [] }
    heardAt = now
    let news = tell(at: now)
    settle(finding, at: now)
    return news
  }

  private mutating func compare(
    _ acceleration: DeviceVector, with gravity: DeviceVector, due: Instant, at now: Instant
  ) -> [Output] {
    let change = acceleration - gravity
    // A chip that seemed to hang deserves another look as soon as it says anything new.
    let limit = recognizer.window.isFrozen ? Self.least : Self.lift
    guard change.magnitude <= limit else { return look(at: now) }
    state = .resting(nextRead: due, gravity: gravity + change * Self.following)
    return []
  }

  /// Looks on while what was found is news; else watches, or pauses when it is old.
  private mutating func settle(_ finding: ActivityRecognizer.Finding, at now: Instant) {
    guard recognizer.expects(finding) else { return }
    if delivered.kind == .stationary {
      guard case .still = finding else { return }
      state = .resting(nextRead: now + uneven(Self.watch), gravity: recognizer.window.mean)
    } else if now.seconds(since: deliveredAt) >= Self.lasting {
      state = .pausing(until: now + Self.pause)
    }
  }

  /// Nothing was heard for so long that nobody knows any more; `nil` while that is not so.
  private mutating func lament(at now: Instant) -> [Output]? {
    guard now.seconds(since: heardAt) >= Self.timeout else { return nil }
    recognizer.forget()
    isDeaf = true
    state = .pausing(until: now + Self.pause)
    return tell(at: now)
  }

  private mutating func tell(at now: Instant) -> [Output] {
    guard recognizer.activity != delivered else { return [] }
    if recognizer.activity.kind != delivered.kind { deliveredAt = now }
    delivered = recognizer.activity
    return [.activity(delivered)]
  }

  /// Seconds between two readings of a look. Chosen: twice as often as the second line of a run
  /// needs; linux.md 3.6 knows 5 to 20 Hz to work.
  private static let gaze = 0.06
  /// The fraction of the golden ratio, whose multiples fall evenly and never in a row.
  private static let goldenShare = 0.618_033_988_749_895
  /// Seconds between two readings of a device that lies still. Chosen: a walk is to be told within eight.
  private static let watch = 1.0
  /// Meters per second squared. Chosen: six times the noise of a cheap chip, a tilt by four degrees.
  private static let lift = 0.6
  /// Meters per second squared, below the step of any chip: rounding.
  private static let least = 1e-6
  /// The share of a change that is taken for drift: that of a chip that warms up.
  private static let following = 0.05
  /// Seconds after which what goes on is expected to go on. Chosen.
  private static let lasting = 60.0
  /// Between two looks at what goes on, or at a sensor that says nothing. Chosen.
  private static let pause = Duration.seconds(5)
  /// Seconds without a reading that can be. Chosen: a sensor that wakes up needs fewer.
  private static let timeout = 10.0
  /// Meters per second squared: no hand does that, and few chips measure it.
  private static let utmost = 80.0
}

/// Why a reading says nothing of how the device moves.
package enum MotionRejection: Hashable, Sendable {
  /// A file is missing or holds no finite number.
  case unreadable
  /// More than 80 meters per second squared.
  case absurd
}
