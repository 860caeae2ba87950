internal import LocationModel

/// Counts for how long a device has lately been seen to travel.
///
/// An error that grows steadily looks like a short quick trip that ends at once; people who leave a
/// place are on their way for longer. Distance over twenty seconds tells the two apart where the
/// distance between two fixes cannot.
struct TravelMeter: Sendable {
  private struct Mark: Sendable {
    var point: GeocentricPoint
    var time: UnixTime
  }

  /// Places of the last half minute, oldest first; after a gap, the one before it.
  private var marks: [Mark] = []
  private var last: UnixTime?
  /// Seconds of travel; they fade three times as fast while it stands.
  private(set) var seconds = 0.0

  /// Seconds of travel that a crossing needs: more than an error takes to grow (chosen).
  static let enough = 44.0

  /// Travel was proven otherwise.
  mutating func confirm() {
    seconds = 2 * Self.enough
  }

  mutating func observe(_ point: GeocentricPoint, spread: Double, of fix: Fix) {
    let passed = min(last.map { fix.time.seconds(since: $0) } ?? 0, 30)
    last = fix.time
    while marks.count > 1, fix.time.seconds(since: marks[1].time) >= 20 { marks.removeFirst() }
    if let oldest = marks.first {
      let moved = point.distance(to: oldest.point) > min(max(spread * 1.8, 18), 40)
      seconds = moved ? min(seconds + passed, 2 * Self.enough) : max(seconds - 3 * passed, 0)
    }
    if marks.last.map({ fix.time.seconds(since: $0.time) >= 5 }) ?? true {
      marks.append(Mark(point: point, time: fix.time))
    }
  }
}
