package import LocationModel

/// A compass made of the kernel's magnetometer and accelerometer.
///
/// Ten times a second it requests the files of both sensors and computes a heading from them.
package struct IIOCompass: Machine {
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
    case observation(HeadingSample)
    case store(StateChange)
    case rejected(IIORejection)
  }

  private enum State: Sendable {
    case stopped
    /// The next reading is at `nextRead`; `last` holds the smoothed values so far.
    case running(nextRead: Instant, last: Smoothed?)
  }

  private struct Smoothed: Sendable {
    var field: DeviceVector
    var acceleration: DeviceVector
    var at: Instant

    mutating func follow(
      field newField: DeviceVector, acceleration new: DeviceVector, at now: Instant
    ) {
      let passed = now.seconds(since: at)
      let weight = passed > 1 ? 1 : 1 - exponential(-max(0, passed) / IIOCompass.memory)
      field = field + (newField - field) * weight
      acceleration = acceleration + (new - acceleration) * weight
      at = now
    }
  }

  private let magnetometer: IIOSensor
  private let accelerometer: IIOSensor
  private var calibrator: CompassCalibrator
  private var state = State.stopped

  /// `nil` when the tree lacks one of the two sensors. `stored` is the value under `key`.
  package init?(_ tree: IIODeviceTree, stored: (StateKey) -> [UInt8]?) {
    guard let magnetometer = tree.magnetometer, let accelerometer = tree.accelerometer else {
      return nil
    }
    self.magnetometer = magnetometer
    self.accelerometer = accelerometer
    let key = Self.key(of: magnetometer)
    calibrator = CompassCalibrator(
      calibration: stored(key).flatMap(CompassCalibration.init(encoded:)))
  }

  /// Returns the key under which a magnetometer's calibration is stored.
  package static func key(of magnetometer: IIOSensor) -> StateKey {
    StateKey(domain: domain, owner: "", name: magnetometer.name)
  }

  package static let domain = "compass"

  package var nextDeadline: Instant? {
    guard case .running(let nextRead, _) = state else { return nil }
    return nextRead
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch (input, state) {
    case (.start, .stopped):
      return read(after: nil, at: now.uptime)
    case (.wake, .running(let due, let last)) where now.uptime >= due:
      return read(after: last, at: now.uptime)
    case (.stop, _):
      state = .stopped
      return []
    case (.readings(let readings), .running(let due, let last)):
      return take(readings, due: due, last: last, at: now)
    case (.start, .running), (.wake, _), (.readings, .stopped):
      return []
    }
  }

  private mutating func read(after last: Smoothed?, at now: Instant) -> [Output] {
    state = .running(nextRead: now + Self.interval, last: last)
    return [.read(magnetometer.paths + accelerometer.paths)]
  }

  private mutating func take(
    _ readings: [SysfsReading], due: Instant, last: Smoothed?, at now: Moment
  ) -> [Output] {
    guard let raw = magnetometer.vector(in: readings),
      let acceleration = accelerometer.vector(in: readings)
    else { return [.rejected(.unreadable)] }
    guard Self.restful.contains(acceleration.magnitude) else { return [.rejected(.shaken)] }
    let hasLearned = calibrator.learn(raw)
    let field = calibrator.calibration?.field(raw) ?? raw
    var smoothed = last ?? Smoothed(field: field, acceleration: acceleration, at: now.uptime)
    // A new calibration gives other values for the same field, so the old ones are not smoothed in.
    if hasLearned { smoothed.field = field }
    smoothed.follow(field: field, acceleration: acceleration, at: now.uptime)
    state = .running(nextRead: due, last: smoothed)
    return (hasLearned ? store() : []) + observe(smoothed, field, at: now)
  }

  private func store() -> [Output] {
    guard let calibration = calibrator.calibration else { return [] }
    return [.store(.set(Self.key(of: magnetometer), calibration.encoded))]
  }

  private func observe(
    _ smoothed: Smoothed, _ field: DeviceVector, at now: Moment
  ) -> [Output] {
    guard
      let heading = TiltCompensation(field: smoothed.field, acceleration: smoothed.acceleration)
    else { return [.rejected(.fieldVertical)] }
    return [
      .observation(
        HeadingSample(
          magneticHeading: heading.magneticHeading, accuracy: accuracy(of: heading), field: field,
          inclination: heading.inclination, time: now.unixTime))
    ]
  }

  /// Degrees; `nil` before the first calibration.
  ///
  /// An error of the field counts relative to its horizontal part; an error of the vertical turns
  /// the vertical part into the horizontal one (docs/decisions/0023).
  private func accuracy(of heading: TiltCompensation) -> Double? {
    calibrator.calibration.map { calibration in
      let field = max(calibration.spread, Self.leastSpread) / heading.horizontalField
      let tilt = Self.tiltError * tan(Angle(degrees: heading.inclination))
      let error = Angle(radians: (field * field + tilt * tilt).squareRoot()).degrees
      return min(180, max(Self.leastAccuracy, error))
    }
  }

  /// Observed (linux.md 3.6): five to twenty reads a second need no buffer.
  private static let interval = Duration.milliseconds(100)
  /// Seconds: the time constant with which the heading follows a turn. Chosen.
  private static let memory = 0.2
  /// Meters per second squared; the range for a hand at rest, or walking.
  private static let restful = 5.0...15.0
  /// Microtesla. Chosen: the noise of a common chip.
  private static let leastSpread = 0.5
  /// Radians. Chosen: one degree, the accelerometer's offset and mounting.
  private static let tiltError = 0.0175
  /// Degrees. Chosen: no one has verified the mounting better than this.
  private static let leastAccuracy = 1.0
}

/// Why a reading did not result in a heading.
package enum IIORejection: Hashable, Sendable {
  /// A file is missing or holds no number.
  case unreadable
  /// The accelerometer measures more or less than gravity.
  case shaken
  /// The field is nearly vertical: too near to a magnetic pole, or to a magnet.
  case fieldVertical
}

extension IIOCompass: KernelSensor {
  static var quantity: SensorEvidence.Quantity { .heading }
}

extension IIOCompass.Input: KernelSensorInput {
  static func start(for demand: Demand) -> Self? { demand.magnetometer ? .start : nil }
}

extension IIOCompass.Output: KernelSensorOutput {
  var action: KernelSensorAction {
    switch self {
    case .read(let paths): .read(paths)
    case .observation(let sample): .report(.heading(sample))
    case .store(let change): .report(.store(change))
    case .rejected(let reason): .reject("\(reason)")
    }
  }
}
