import LocationModel

/// Joins what several providers say of one moment into one position (docs/decisions/0099).
///
/// Each provider counts with one fix, its last, because the errors of one source last: a second fix
/// of it shows the same error again. A fix that is older than the moment is moved by the measured
/// velocity, and counts less for what the device may have moved otherwise. Where the fixes lie farther
/// apart than their radii explain on average, the common radius grows by as much.
struct PositionFusion {
  /// The last fix of one provider.
  struct Witness: Sendable {
    var fix: Fix
    /// Seconds before the moment.
    var age: Double
  }

  /// A fix at the moment.
  private struct Estimate {
    var fix: Fix
    /// Meters from the middle of the plane.
    var place: SIMD2<Double>
    /// The square of the radius, in square meters.
    var square: Double

    init(_ witness: Witness, _ velocity: Velocity, in frame: LocalFrame) {
      fix = witness.fix
      let offset = frame.offset(of: fix.coordinate)
      place = SIMD2(offset.east, offset.north) + velocity.value * witness.age
      let way = velocity.spread * witness.age
      square = fix.horizontalAccuracy * fix.horizontalAccuracy + way * way
    }

    func squaredDistance(to other: Estimate) -> Double {
      let difference = place - other.place
      return (difference * difference).sum()
    }

    /// Takes another estimate, with the weight that makes the error of both together the least.
    mutating func add(_ other: Estimate, doubt: Double, correlation: Double) {
      let excess = max(1, doubt / PositionFusion.ordinary)
      let theirs = other.square * excess * excess
      let common = correlation * min(square, theirs)
      let total = square + theirs - 2 * common
      guard total > 0 else { return }
      place += (other.place - place) * ((square - common) / total)
      square = (square * theirs - common * common) / total
    }
  }

  /// How the device moves, by the newest fix that measured it.
  private struct Velocity {
    /// Meters per second, east and north.
    var value = SIMD2<Double>(0, 0)
    /// Meters per second: the radius that holds the error in 68 %.
    var spread = PositionFusion.walk

    init(_ witnesses: [Witness]) {
      let measured = witnesses.filter { $0.fix.speed != nil && $0.age <= PositionFusion.steady }
      guard let fix = measured.min(by: { $0.age < $1.age })?.fix, let speed = fix.speed
      else { return }
      spread = fix.speedAccuracy ?? 0.5 + 0.2 * speed
      if let course = fix.course {
        let angle = Angle(degrees: course)
        value = SIMD2(speed * sin(angle), speed * cos(angle))
      } else {
        spread += speed
      }
    }
  }

  /// Returns the position that a new fix gives together with the last fixes of other providers, or
  /// `nil` where none of them is as recent, as accurate, and agrees.
  static func fuse(_ fix: Fix, with others: [Witness]) -> Fix? {
    let witnesses = [Witness(fix: fix, age: 0)] + others.filter { isRecent($0, at: fix) }
    guard witnesses.count > 1 else { return nil }
    let velocity = Velocity(witnesses)
    let frame = LocalFrame(center: fix.coordinate)
    // The order of the providers decides between equal ones.
    let estimates = witnesses.map { Estimate($0, velocity, in: frame) }
    guard let best = estimates.min(by: { $0.square < $1.square }) else { return nil }
    var carriers = [best]
    var sum = best
    var doubts = 0.0
    for other in estimates.sorted(by: { $0.square < $1.square }).dropFirst() {
      let doubt = other.squaredDistance(to: best) / (other.square + best.square)
      guard other.square <= widest * widest * best.square, doubt <= farthest
      else { continue }
      let closest = carriers.map { correlation($0, other) }.max() ?? 0
      sum.add(other, doubt: doubt, correlation: closest)
      carriers.append(other)
      doubts += doubt
    }
    guard carriers.count > 1, carriers.contains(where: { $0.fix == fix }) else { return nil }
    sum.square *= max(1, doubts / Double(carriers.count - 1) / usual)
    return position(fix, sum, of: carriers, in: frame)
  }

  private static func isRecent(_ witness: Witness, at fix: Fix) -> Bool {
    let dates = fix.time.seconds(since: witness.fix.time)
    return witness.age <= longest && dates.magnitude <= longest
      && witness.fix.origin.isSimulated == fix.origin.isSimulated
  }

  /// The new fix at the common place, with what the others know besides.
  private static func position(
    _ fix: Fix, _ sum: Estimate, of carriers: [Estimate], in frame: LocalFrame
  ) -> Fix {
    var position = fix
    position.coordinate = frame.place(east: sum.place.x, north: sum.place.y)
    position.horizontalAccuracy = sum.square.squareRoot()
    position.origin.method = sum.fix.origin.method
    position.origin.fused = carriers.map(\.fix.origin.method)
    position.floor = fix.floor ?? carriers.lazy.compactMap(\.fix.floor).first
    return position
  }

  /// How far the errors of two sources are one error. Chosen: one map, or one sky, errs for all.
  private static func correlation(_ one: Estimate, _ other: Estimate) -> Double {
    switch (one.fix.origin.method, other.fix.origin.method) {
    case (.receiver, .receiver): 0.6
    case (.receiver, _), (_, .receiver): 0.1
    default: 0.8
    }
  }

  /// Seconds. Chosen: the longest time between two scans of a device that moves.
  private static let longest = 30.0
  /// Seconds for which a velocity lasts. Chosen.
  private static let steady = 5.0
  /// Meters per second of a device whose speed nobody measures. Chosen: a walk.
  private static let walk = 1.4
  /// How many times the radius of the best one another may have. Chosen: beyond it, it adds less
  /// than a seventh.
  private static let widest = 2.5
  /// The squared distance in squared radii beyond which two do not agree. Chosen: one honest pair
  /// of a hundred.
  private static let farthest = 4.0
  /// The mean of it if both radii hold 68 % of normal errors: the reciprocal of -log(1 - 0.68).
  private static let usual = 0.878
  /// From this one on, the less accurate of two counts less. Chosen: one honest pair of ten.
  private static let ordinary = 2.0
}
