package import LocationModel

/// Estimates how the device moves: once for each fix and each report of the motion sensor, for
/// conditions, visits, and stillness together.
package struct MotionEstimator: Sendable {
  private var estimate = MotionEstimate()
  private var gate = OutlierGate()
  /// The time of the newest fix.
  private var latest: UnixTime?

  package init() {}

  /// When the estimate changes without a new input; `nil` when it does not.
  package var nextDeadline: Instant? { estimate.activity.nextDeadline }

  /// Takes a report of the motion sensor.
  package mutating func take(_ activity: MotionActivity, at now: Moment) -> MotionEstimate {
    estimate.activity.take(activity, at: now.uptime)
    return estimate
  }

  /// Advances time without a new input.
  package mutating func pass(to now: Moment) -> MotionEstimate {
    estimate.activity.pass(to: now.uptime)
    return estimate
  }

  /// Takes the next fix. One that is not later than the one before changes nothing, unless the
  /// clock was set back: then the movement begins anew.
  package mutating func observe(_ fix: Fix, at now: Moment) -> MotionEstimate {
    observe(fix, GeocentricPoint(fix.coordinate), at: now)
  }

  /// The same for a caller that has the fix's point for other detectors, too.
  package mutating func observe(
    _ fix: Fix, _ point: GeocentricPoint, at now: Moment
  ) -> MotionEstimate {
    estimate.activity.pass(to: now.uptime)
    if let latest, fix.time <= latest {
      guard fix.time.isSetBack(from: latest) else { return estimate }
      gate = OutlierGate()
    }
    latest = fix.time
    estimate.verdict = gate.observe(point, of: fix, pace: estimate.activity.pace)
    estimate.isDoubting = gate.isDoubting
    estimate.speed = gate.speed
    estimate.travelled = gate.travelled
    return estimate
  }
}

/// How the device moves, as far as the fixes and the motion sensor show it.
package struct MotionEstimate: Sendable {
  /// What the motion sensor reports, over time.
  var activity = ActivityTrack()
  /// Whether the newest fix continues a plausible movement.
  var verdict = OutlierGate.Verdict.trusted
  /// Whether the newest fix awaits confirmation, so that the next ones should come soon.
  var isDoubting = false
  /// Meters per second by the last plausible steps; zero if unknown.
  var speed = 0.0
  /// Seconds for which the device has recently traveled, at most twice
  /// ``MotionEvidence/enough``.
  var travelled = 0.0

  package init() {}
}

// MARK: - Storing

extension MotionEstimator {
  /// The estimate after the newest input.
  package var latestEstimate: MotionEstimate { estimate }

  /// Writes or reads every field, for a device without a motion sensor: what a sensor reports is of
  /// the moment, and is not stored.
  package mutating func pass(_ coder: inout StateCoder) {
    coder.pass(&estimate.verdict)
    coder.pass(&estimate.isDoubting)
    coder.pass(&estimate.speed)
    coder.pass(&estimate.travelled)
    gate.pass(&coder)
    coder.pass(&latest, blank: UnixTime(nanoseconds: 0)) { $0.pass(&$1) }
  }
}
