package import LocationModel

/// Decides which headings one client receives, and when a person is asked to calibrate.
///
/// - Documented (HEAD-1): the first heading, then every change of at least the filter since the
///   last delivered one.
/// - Chosen: a heading whose accuracy or true north appeared or disappeared is delivered, too.
/// - Documented (HEAD-11): independent of authorization; without a declination the heading is
///   magnetic only.
package struct HeadingService: Machine {
  package enum Input: MachineInput {
    case start
    case stop
    /// Whether there is a compass (HEAD-2).
    case available(Bool)
    /// Whether the app is suspended (HEAD-10).
    case suspended(Bool)
    /// Degrees, not negative; `nil` delivers every heading.
    case filter(Double?)
    case orientation(HeadingOrientation)
    /// Degrees that true north lies east of magnetic north, here and now; `nil` while this
    /// client's location updates are off or have no fix (HEAD-4).
    case declination(Double?)
    case sample(HeadingSample)
    /// The app's answer whether to show the calibration display; an app without an answer says
    /// `false`.
    case calibrationAnswer(Bool)
    case dismissCalibration
    case wake
  }

  package enum Output: Hashable, Sendable {
    case deliver(Heading)
    case fail(HeadingFailure)
    /// Ask `locationManagerShouldDisplayHeadingCalibration` (HEAD-9).
    case askCalibration
    case showCalibration
    case hideCalibration
    case store(StateChange)
    case ignored(HeadingSample, HeadingRefusal)
  }

  private enum State: Sendable {
    case stopped
    /// `delivered` is the last heading. `isFailing` from a delivered failure to a good sample.
    case running(delivered: Heading?, isFailing: Bool)
  }

  private enum Calibration: Sendable {
    /// Nothing is asked or shown.
    case idle
    /// The app was asked and has not answered.
    case asked
    /// Shown until calibrated or dismissed.
    case shown
  }

  private let app: AppIdentity
  private var isFirst: Bool
  private var isAvailable: Bool
  private var isSuspended: Bool
  private var filter: Double? = HeadingService.defaultFilter
  private var offset = 0.0
  private var declination: Double?
  private var state = State.stopped
  private var calibration = Calibration.idle
  private var watch = FieldWatch()

  /// Creates a service; `isFirst` if the app never asked: no stored entry under ``key(of:)``.
  package init(
    app: AppIdentity, isFirst: Bool, isAvailable: Bool = true, isSuspended: Bool = false
  ) {
    self.app = app
    self.isFirst = isFirst
    self.isAvailable = isAvailable
    self.isSuspended = isSuspended
  }

  /// The entry that records that an app has asked for headings.
  package static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: "heading", owner: app.name, name: "asked")
  }

  package var nextDeadline: Instant? { nil }

  /// Whether the magnetometer must run for this client (POW-4).
  package var needsMagnetometer: Bool {
    guard case .running = state else { return false }
    return isAvailable && !isSuspended
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .start: return start()
    case .stop: return stop()
    case .available(let available): return setAvailable(available)
    case .suspended(let suspended): isSuspended = suspended
    case .filter(let degrees): filter = degrees.map { max(0, $0) }
    case .orientation(let orientation): offset = orientation.offset ?? offset
    case .declination(let degrees): declination = degrees
    case .sample(let sample): return take(sample, at: now)
    case .calibrationAnswer(let answer): return answerCalibration(answer)
    case .dismissCalibration: return hideCalibration()
    case .wake: break
    }
    return []
  }

  /// The last heading that was delivered, of the device's top edge.
  var latest: Heading? {
    guard case .running(var heading?, _) = state else { return nil }
    heading.magneticHeading = normalizedDegrees(heading.magneticHeading - offset)
    heading.trueHeading = heading.trueHeading.map { normalizedDegrees($0 - offset) }
    return heading
  }

  private mutating func start() -> [Output] {
    guard isAvailable, case .stopped = state else { return [] }
    state = .running(delivered: nil, isFailing: false)
    guard isFirst else { return [] }
    isFirst = false
    return [.store(.set(Self.key(of: app), Array("true".utf8)))] + askCalibration()
  }

  private mutating func stop() -> [Output] {
    state = .stopped
    return hideCalibration()
  }

  private mutating func setAvailable(_ available: Bool) -> [Output] {
    defer { isAvailable = available }
    guard isAvailable, !available, case .running(let delivered, let isFailing) = state else {
      return []
    }
    state = .running(delivered: delivered, isFailing: true)
    return hideCalibration() + (isFailing ? [] : [.fail(.compassLost)])
  }

  private mutating func take(_ sample: HeadingSample, at now: Moment) -> [Output] {
    guard case .running(let delivered, let isFailing) = state else {
      return [.ignored(sample, .stopped)]
    }
    guard !isSuspended else { return [.ignored(sample, .suspended)] }
    guard sample.magneticHeading.isFinite, sample.field?.isFinite ?? true else {
      return [.ignored(sample, .malformed)]
    }
    if let delivered, sample.time < delivered.time, !sample.time.isSetBack(from: delivered.time) {
      return [.ignored(sample, .outOfOrder)]
    }
    switch watch.judge(sample, at: now.uptime) {
    case .overwhelmed:
      state = .running(delivered: delivered, isFailing: true)
      return [.ignored(sample, .interference)] + (isFailing ? [] : [.fail(.interference)])
    case .disturbed:
      return deliver(heading(from: sample, isTrusted: false), after: delivered, sample)
    case .changed:
      let delivery = deliver(heading(from: sample, isTrusted: false), after: delivered, sample)
      return delivery + askCalibration()
    case .usual:
      let delivery = deliver(heading(from: sample, isTrusted: true), after: delivered, sample)
      return sample.accuracy == nil || !showsCalibration ? delivery : delivery + hideCalibration()
    }
  }

  private func heading(from sample: HeadingSample, isTrusted: Bool) -> Heading {
    let magnetic = normalizedDegrees(sample.magneticHeading + offset)
    return Heading(
      magneticHeading: magnetic,
      trueHeading: declination.map { normalizedDegrees(magnetic + $0) },
      accuracy: isTrusted ? sample.accuracy : nil,
      field: sample.field,
      time: sample.time)
  }

  private mutating func deliver(
    _ heading: Heading, after delivered: Heading?, _ sample: HeadingSample
  ) -> [Output] {
    guard hasChanged(heading, after: delivered) else {
      state = .running(delivered: delivered, isFailing: false)
      return [.ignored(sample, .withinFilter)]
    }
    state = .running(delivered: heading, isFailing: false)
    return [.deliver(heading)]
  }

  private func hasChanged(_ heading: Heading, after delivered: Heading?) -> Bool {
    guard let delivered, let filter else { return true }
    if (heading.accuracy == nil) != (delivered.accuracy == nil) { return true }
    if (heading.trueHeading == nil) != (delivered.trueHeading == nil) { return true }
    let turn = normalizedDegrees(heading.magneticHeading - delivered.magneticHeading)
    return min(turn, 360 - turn) >= filter
  }

  /// Whether the calibration display is shown.
  var showsCalibration: Bool {
    guard case .shown = calibration else { return false }
    return true
  }

  private mutating func askCalibration() -> [Output] {
    guard case .idle = calibration else { return [] }
    calibration = .asked
    return [.askCalibration]
  }

  private mutating func answerCalibration(_ answer: Bool) -> [Output] {
    guard case .asked = calibration else { return [] }
    calibration = answer ? .shown : .idle
    return answer ? [.showCalibration] : []
  }

  private mutating func hideCalibration() -> [Output] {
    defer { calibration = .idle }
    return showsCalibration ? [.hideCalibration] : []
  }

  /// Degrees. Documented: the default of `headingFilter`.
  package static let defaultFilter = 1.0
}

/// Why there is no heading although one was requested (`headingFailure`, HEAD-12).
package enum HeadingFailure: Hashable, Sendable {
  /// The field is stronger or weaker than the Earth's can be.
  case interference
  /// The compass was removed.
  case compassLost
}

/// Why a sample was not delivered as a heading.
package enum HeadingRefusal: Hashable, Sendable {
  case stopped
  case suspended
  case malformed
  case outOfOrder
  case interference
  case withinFilter
}
