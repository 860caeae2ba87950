package import LocationModel

/// Follows any number of circles with the fixes of one device.
///
/// A distant circle costs nothing: only circles that contain the newest fix, and those that are
/// satisfied or undecided, are evaluated.
package struct ConditionTracker: Sendable {
  package typealias Slot = ConditionIndex.Slot

  private struct Followed: Sendable {
    var circle: Circle
    var center: GeocentricPoint
    var detector: CrossingDetector
    var isActive: Bool
    /// The distance from the boundary in the last fix evaluated; for the time of a crossing.
    var previous: (distance: Double, time: UnixTime)?
  }

  private var index = ConditionIndex()
  /// By slot; `nil` where a slot is free.
  private var followed: [Followed?] = []
  /// Circles to evaluate with the next fix, in the order in which they became active.
  private var active: [Slot] = []
  private var found: [Slot] = []
  private var last: (point: GeocentricPoint, fix: Fix, uptime: Instant)?
  /// The place of the device, if the newest fixes stay at one place.
  private var rest: Stay?
  private var motion = MotionEstimate()

  package init() {}

  package var count: Int { index.count }

  /// Begins to follow a valid circle, in a state that an app assumes or an earlier engine stored.
  package mutating func insert(
    _ circle: Circle, assuming state: ConditionState = .unknown, isStored: Bool = false
  ) -> Slot {
    let slot = index.insert(center: circle.center, radius: circle.radius)
    let entry = Followed(
      circle: circle, center: GeocentricPoint(circle.center),
      detector: CrossingDetector(assuming: state, isStored: isStored), isActive: true)
    if Int(slot) < followed.count { followed[Int(slot)] = entry } else { followed.append(entry) }
    active.append(slot)
    // The accuracy of the place must be established again.
    rest = nil
    return slot
  }

  package mutating func remove(_ slot: Slot) {
    index.remove(slot)
    if followed[Int(slot)]?.isActive == true { active.removeAll { $0 == slot } }
    followed[Int(slot)] = nil
  }

  package func state(of slot: Slot) -> ConditionState {
    followed[Int(slot)]?.detector.state ?? .unknown
  }

  /// Whether a fix has confirmed the state since the circle was inserted.
  package func isVerified(_ slot: Slot) -> Bool {
    followed[Int(slot)]?.detector.isVerified ?? false
  }

  /// Takes the next fix, in order of time, and returns the decisions. The estimate for that fix is
  /// taken before it.
  package mutating func observe(_ fix: Fix, at now: Moment) -> [(slot: Slot, decision: Decision)] {
    if let last, fix.time <= last.fix.time {
      guard fix.time.isSetBack(from: last.fix.time) else { return [] }
      beginAnew()
    }
    let point = GeocentricPoint(fix.coordinate)
    if motion.verdict == .returned { dismissExcursions() }
    if rest?.take(fix, point, reach: Self.reach) != true { rest = Stay(at: fix, point) }
    activate(at: fix.coordinate)
    let weight = last.map { min(fix.time.seconds(since: $0.fix.time), Self.longestWeight) }
    let sight = sight(of: fix, point)
    for slot in active {
      look(at: slot, sight, fix.time, weight: weight ?? Self.longestWeight)
    }
    last = (point, fix, now.uptime)
    guard motion.verdict != .doubted else { return [] }
    return decide(at: fix.time)
  }

  /// Takes the estimate of how the device moves.
  package mutating func take(_ motion: MotionEstimate) { self.motion = motion }

  /// Returns the decisions that silence makes possible after the last fix.
  package mutating func wake(at now: Moment) -> [(slot: Slot, decision: Decision)] {
    guard let last, !motion.isDoubting, let due = nextDeadline, due <= now.uptime else {
      return []
    }
    let time = last.fix.time + (now.uptime - last.uptime)
    for slot in active { followed[Int(slot)]?.detector.extend(to: time) }
    let decisions = decide(at: time)
    for slot in active { followed[Int(slot)]?.detector.dismissExcursion() }
    return decisions
  }

  /// When silence can decide the first open question.
  @inline(__always)
  package var nextDeadline: Instant? {
    guard let last, !motion.isDoubting else { return nil }
    var soonest: UnixTime?
    for slot in active {
      guard let due = followed[Int(slot)]?.detector.nextDecision else { continue }
      soonest = min(soonest ?? due, due)
    }
    return soonest.map { last.uptime + max($0 - last.fix.time, .zero) }
  }

  /// The greatest time in seconds for which one fix counts, however long the gap before it.
  private static let longestWeight = 10.0
}

// MARK: - One step

extension ConditionTracker {
  /// Starts anew after the clock was set back: earlier dates cannot be compared with later ones.
  private mutating func beginAnew() {
    last = nil
    rest = nil
    for slot in active {
      followed[Int(slot)]?.previous = nil
      followed[Int(slot)]?.detector.beginAnew()
    }
  }

  private mutating func activate(at coordinate: Coordinate) {
    found.removeAll(keepingCapacity: true)
    index.collect(at: coordinate, into: &found)
    for slot in found where followed[Int(slot)]?.isActive == false {
      let position = Int(slot)
      followed[position]?.isActive = true
      if let entry = followed[position] {
        followed[position]?.previous = last.map {
          ($0.point.distance(to: entry.center) - entry.circle.radius, $0.fix.time)
        }
      }
      active.append(slot)
    }
  }

  /// What a fix stands for, read once for all conditions.
  private struct Sight {
    var point: GeocentricPoint
    /// Meters.
    var accuracy: Double
    var fused: [PositionMethod]?
  }

  /// Returns the place and accuracy that a fix stands for. A network fix that agrees with the place
  /// of a device at rest stands for that place, with the accuracy of the fix.
  private func sight(of fix: Fix, _ point: GeocentricPoint) -> Sight {
    var sight = Sight(point: point, accuracy: fix.horizontalAccuracy, fused: fix.origin.fused)
    guard fix.horizontalAccuracy > Stay.coarse, let rest, rest.bestAccuracy <= Stay.coarse,
      rest.isSettled, !rest.isStraying
    else { return sight }
    sight.point = rest.center
    return sight
  }

  private mutating func look(
    at slot: Slot, _ sight: Sight, _ time: UnixTime, weight: Double
  ) {
    guard let entry = followed[Int(slot)] else { return }
    let radius = entry.circle.radius
    // A fix coarser than this cannot change the state (REG-20).
    guard sight.accuracy <= max(radius, 200) else { return }
    let distance = sight.point.distance(to: entry.center) - radius
    followed[Int(slot)]?.detector.observe(
      CrossingDetector.Sighting(
        distance: distance, spread: max(sight.accuracy, Self.finest), time: time,
        weight: weight, previous: entry.previous, travelled: motion.travelled,
        fused: sight.fused))
    followed[Int(slot)]?.previous = (distance, time)
  }

  /// Takes every decision that is due, and deactivates idle circles.
  private mutating func decide(at time: UnixTime) -> [(slot: Slot, decision: Decision)] {
    var decisions: [(slot: Slot, decision: Decision)] = []
    var kept = 0
    for slot in active {
      let decision = followed[Int(slot)]?.detector.decide(at: time)
      if let decision { decisions.append((slot, decision)) }
      if followed[Int(slot)]?.detector.isIdle ?? true {
        followed[Int(slot)]?.isActive = false
      } else {
        active[kept] = slot
        kept += 1
      }
    }
    active.removeSubrange(kept...)
    return decisions
  }

  private mutating func dismissExcursions() {
    for slot in active { followed[Int(slot)]?.detector.dismissExcursion() }
  }

  /// Meters: the best accuracy that is believed (chosen).
  private static let finest = 10.0
}

// MARK: - Demand

extension ConditionTracker {
  /// Returns meters to the nearest boundary that could be crossed next, at most `limit`.
  private func clearance(
    from point: GeocentricPoint, at coordinate: Coordinate, upTo limit: Double
  ) -> Double {
    // A few are compared one by one; only for many is the search worth its cost.
    guard followed.count > ConditionIndex.few else {
      return followed.reduce(limit) { nearest, entry in
        entry.map { min(nearest, Self.clearance(of: $0, from: point)) } ?? nearest
      }
    }
    var nearest = limit
    for slot in active {
      guard let entry = followed[Int(slot)] else { continue }
      nearest = min(nearest, Self.clearance(of: entry, from: point))
    }
    var radius = 250.0
    while radius / 4 < nearest {
      var near: [Slot] = []
      let reach = min(radius, limit)
      guard index.collect(within: reach, of: coordinate, limit: 4096, into: &near) else {
        return 0
      }
      for slot in near {
        guard let entry = followed[Int(slot)], !entry.isActive else { continue }
        nearest = min(nearest, Self.clearance(of: entry, from: point))
      }
      if nearest <= reach || reach >= limit { break }
      radius *= 4
    }
    return nearest
  }

  private static func clearance(of entry: Followed, from point: GeocentricPoint) -> Double {
    guard entry.detector.isVerified else { return 0 }
    return (point.distance(to: entry.center) - entry.circle.radius).magnitude
  }

  /// Returns how soon the next fix is needed, and whether it must be a good one, to deliver
  /// crossings within `promise`.
  package func need(promising promise: Duration) -> PositionDemand {
    guard let last, !motion.isDoubting,
      !active.contains(where: { followed[Int($0)]?.detector.excursion != nil })
    else { return PositionDemand(tier: .satellite) }
    if let rest, rest.isSettled, !motion.activity.isOnTheWay,
      motion.activity.isResting || !rest.isStraying
    {
      return need(resting: rest)
    }
    let clearance = clearance(from: last.point, at: last.fix.coordinate, upTo: 20_000)
    let seconds = clearance / max(motion.speed * 1.5, 2)
    return PositionDemand(seconds <= promise.inSeconds ? .satellite : .network, within: seconds)
  }

  /// Returns the need of a device at rest: network fixes, often enough to notice a departure, and
  /// satellite fixes while they may still decide on which side of a boundary it rests.
  private func need(resting rest: Stay) -> PositionDemand {
    let clearance = clearance(from: rest.center, at: rest.coordinate, upTo: 20_000)
    if rest.bestAccuracy > max(Stay.coarse, clearance / 2), rest.length < Self.timeout {
      return PositionDemand(tier: .satellite)
    }
    let seconds = max(clearance / Self.startingSpeed, rest.samplingInterval, motion.activity.pause)
    return PositionDemand(.network, within: seconds)
  }

  /// Meters per second assumed for a device at rest until its next fix (chosen).
  private static let startingSpeed = 2.0
  /// Meters that a place of rest extends, in addition to the errors of its fixes.
  private static let reach = 35.0
  /// Seconds after which a good fix is not awaited any more: none is available at that place.
  private static let timeout = 120.0
}

extension PositionDemand {
  /// Uses the longest interval of a fixed few that is not above this number of seconds, so that
  /// demand changes only when it matters.
  init(_ tier: PositionTier, within seconds: Double) {
    self.init(tier: tier, interval: Self.intervals.last { $0 <= .seconds(seconds) } ?? .zero)
  }

  private static let intervals: [Duration] = [0, 5, 10, 15, 20, 30, 60, 120, 300, 900].map {
    .seconds($0)
  }
}
