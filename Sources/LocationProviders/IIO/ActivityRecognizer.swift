package import LocationModel

/// Recognizes from the acceleration how a device moves.
///
/// Once a second it analyzes the last four seconds. A finding is believed when it was made several
/// times in a row: random movement does not keep the same rate for long.
package struct ActivityRecognizer: Sendable {
  /// The result of analyzing the last seconds.
  package enum Finding: Hashable, Sendable {
    case still(MotionActivity.Confidence)
    case steps(Gait)
    /// Moved all the time, but not by steps.
    case stirred
    /// A knock, or too little movement to decide.
    case vague
  }

  /// The activity that is believed.
  package private(set) var activity = MotionActivity.unknown
  package private(set) var window = AccelerationWindow()
  private var latest: Finding?
  /// How many times in a row a finding like the latest was made.
  private var repeats = 0
  private var nextFinding = Instant.start

  package init() {}

  /// Forgets the readings and findings, but keeps the activity.
  package mutating func look() {
    window = AccelerationWindow()
    latest = nil
    repeats = 0
  }

  /// Forgets everything, including the activity, which is unknown from now on.
  package mutating func forget() { self = ActivityRecognizer() }

  /// Takes one acceleration in meters per second squared.
  /// - Returns: what was found, once a second while the window is full.
  package mutating func take(_ acceleration: DeviceVector, at now: Instant) -> Finding? {
    window.take(acceleration, at: now)
    guard window.isFull, latest == nil || now >= nextFinding else { return nil }
    nextFinding = now + Self.interval
    let finding = find()
    repeats = latest.map { Self.areAlike($0, finding) } ?? false ? repeats + 1 : 1
    latest = finding
    believe(finding)
    return finding
  }

  /// Whether a finding agrees with the activity.
  package func expects(_ finding: Finding) -> Bool {
    switch (finding, activity.kind) {
    case (.still, .stationary), (.steps, .walking), (.steps, .running): true
    case (.stirred, .unknown), (.vague, .unknown), (.vague, .stationary): true
    case (.still, _), (.steps, _), (.stirred, _), (.vague, _): false
    }
  }

  private func find() -> Finding {
    let stir = window.stir
    if stir < Self.stillness {
      guard Self.gravity.contains(window.mean.magnitude) else { return .vague }
      return .still(window.isFrozen ? .low : Self.confidence(ofStir: stir))
    }
    if let gait = window.gait, gait.strength >= Self.leastStrength,
      gait.clarity >= (isStepping ? Self.clarityToGoOn : Self.clarity)
    {
      return .steps(gait)
    }
    return window.lastingStir > Self.unrest ? .stirred : .vague
  }

  private mutating func believe(_ finding: Finding) {
    switch finding {
    case .still(let confidence) where activity.kind == .stationary || repeats >= Self.restful:
      believe(.stationary, confidence)
    case .steps(let gait) where isStepping || repeats >= Self.convincing:
      believe(gait.kind, gait.clarity >= Self.highClarity ? .high : .medium)
    case .stirred where activity.kind == .stationary: activity = .unknown
    case .vague where activity.kind == .stationary && repeats >= Self.restful: activity = .unknown
    case .still, .stirred, .vague:
      if isStepping && repeats >= Self.convincing { activity = .unknown }
    case .steps: break
    }
  }

  /// Sets the activity. While the kind stays, the confidence stays, except that a low one may rise.
  private mutating func believe(_ kind: MotionActivity.Kind, _ new: MotionActivity.Confidence) {
    guard activity.kind != kind || activity.confidence == .low else { return }
    activity = MotionActivity(kind, new)
  }

  private var isStepping: Bool { activity.kind == .walking || activity.kind == .running }

  /// Whether the second finding is like the first: for steps, at the same rate.
  private static func areAlike(_ first: Finding, _ second: Finding) -> Bool {
    switch (first, second) {
    case (.still, .still): true
    case (.steps(let first), .steps(let second)): abs(first.rate - second.rate) <= sameRate
    case (.stirred, .stirred), (.vague, .vague), (.stirred, .vague), (.vague, .stirred): true
    case (.still, _), (.steps, _), (.stirred, _), (.vague, _): false
    }
  }

  /// Meters per second squared: good chips at rest, cheap ones, and a table at which someone works.
  private static func confidence(ofStir stir: Double) -> MotionActivity.Confidence {
    if stir < 0.12 { return .high }
    return stir < 0.22 ? .medium : .low
  }

  /// The time between two analyses of the window.
  private static let interval = Duration.seconds(1)
  /// Findings in a row: six seconds of steps. Chosen: with two, a bad road counts as a walk.
  private static let convincing = 3
  /// Findings in a row: eight seconds. Chosen: longer than a person waits at a door.
  private static let restful = 5
  /// Meters per second squared. Chosen: above the noise of a cheap chip (0.17), below a car's seat.
  private static let stillness = 0.3
  /// Meters per second squared. Chosen: above the remaining effect of knocks on a table.
  private static let unrest = 0.4
  /// Meters per second squared. Chosen: the slowest walk with the device held by both hands.
  private static let leastStrength = 0.45
  /// Shares. Chosen: bad roads reach the first for a moment; a walk that is already believed may be
  /// less clear for a while.
  private static let clarity = 0.7
  private static let clarityToGoOn = 0.5
  private static let highClarity = 0.8
  /// Steps per second. Chosen: five steps of the search.
  private static let sameRate = 0.25
  /// Meters per second squared: gravity at rest, as a chip measures it whose scale is off by half.
  private static let gravity = 5.0...15.0
}

extension Gait {
  /// The kind of movement: running has a high step rate and strong impacts.
  fileprivate var kind: MotionActivity.Kind {
    rate > 2.5 && strength > 3 ? .running : .walking
  }
}
