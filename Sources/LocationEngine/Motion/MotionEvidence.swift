internal import LocationModel

/// Measures for how long a device has recently traveled.
///
/// A steadily growing error looks like a short quick trip that ends at once; people who leave a
/// place travel for longer. The distance over twenty seconds separates the two where the distance
/// between two fixes cannot.
struct MotionEvidence: Sendable {
  private struct Mark: Sendable {
    var point: GeocentricPoint
    var time: UnixTime
  }

  /// Places of the last half minute, or of the last minute where access points or beacons show them, oldest first; after
  /// a gap, the one before it.
  private var marks: [Mark] = []
  private var last: UnixTime?
  /// Seconds of travel; they decrease three times as fast while the device stands.
  private(set) var seconds = 0.0

  /// Seconds of travel that a crossing needs: more than an error takes to grow (chosen).
  static let enough = 46.0

  /// Counts travel as proven by other evidence.
  mutating func confirm() {
    seconds = 2 * Self.enough
  }

  /// Takes the next place; `pace` is the greatest speed by the motion sensor, in meters per second:
  /// zero at rest, `nil` if unknown.
  mutating func observe(
    _ point: GeocentricPoint, spread: Double, of fix: Fix, pace: Double?
  ) {
    let passed = min(last.map { fix.time.seconds(since: $0) } ?? 0, 30)
    last = fix.time
    let window = Self.window(of: fix.origin.method)
    while marks.count > 1, fix.time.seconds(since: marks[1].time) >= window { marks.removeFirst() }
    if let oldest = marks.first {
      let way = point.distance(to: oldest.point)
      if way <= min(max(spread * 1.8, 18), 40) {
        seconds = max(seconds - 3 * passed, 0)
      } else if isSteady(from: oldest, to: point, at: fix.time) {
        let lasted = fix.time.seconds(since: oldest.time)
        seconds = min(
          seconds + Self.credit(passed, way, lasted, speed: fix.speed, pace: pace),
          2 * Self.enough)
      }
    }
    if marks.last.map({ fix.time.seconds(since: $0.time) >= 5 }) ?? true {
      marks.append(Mark(point: point, time: fix.time))
    }
  }

  /// Seconds over which the distance is measured: those in which somebody on foot goes farther than the error
  /// of a place. What is received tells places apart only so far, and its errors do not grow steadily (chosen).
  private static func window(of method: PositionMethod) -> Double {
    switch method {
    case .accessPoints, .beacons: 60
    case .receiver, .cells, .service, .region: 20
    }
  }

  /// Returns the seconds of travel that a time counts. More, if the motion sensor or the measured
  /// speed confirms it; none, if only the sensor reports, and the way is faster than its report and
  /// no longer than a receiver error (chosen).
  private static func credit(
    _ passed: Double, _ way: Double, _ lasted: Double, speed: Double?, pace: Double?
  ) -> Double {
    let isMeasured = (speed ?? 0) >= 0.8
    guard let pace else { return isMeasured ? 2 * passed : passed }
    // The sensor reports the present activity, not that of a whole gap.
    if pace > 0, way <= pace * lasted { return passed + 2 * min(passed, 5) }
    if isMeasured { return 2 * passed }
    return way < OutlierGate.largestError ? 0 : passed
  }

  /// Whether half of the way took half of the time: a step is not travel.
  private func isSteady(from oldest: Mark, to point: GeocentricPoint, at time: UnixTime) -> Bool {
    let half = oldest.time.middle(to: time)
    guard
      let middle = marks.dropFirst().min(by: {
        ($0.time.seconds(since: half)).magnitude < ($1.time.seconds(since: half)).magnitude
      })
    else { return true }
    let before = middle.point.distance(to: oldest.point)
    let after = point.distance(to: middle.point)
    return min(before, after) >= 0.15 * max(before, after)
  }
}

// MARK: - Storing

extension MotionEvidence {
  /// Writes or reads every field.
  mutating func pass(_ coder: inout StateCoder) {
    let nowhere = GeocentricPoint(vector: .zero)
    let blank = Mark(point: nowhere, time: UnixTime(nanoseconds: 0))
    coder.pass(&marks, most: 1024, blank: blank) { coder, mark in
      coder.pass(&mark.point)
      coder.pass(&mark.time)
    }
    coder.pass(&last, blank: blank.time) { $0.pass(&$1) }
    coder.pass(&seconds)
  }
}
