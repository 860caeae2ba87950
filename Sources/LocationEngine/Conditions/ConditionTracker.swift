package import LocationModel

/// Follows any number of circles through the fixes of one device.
///
/// A circle believed to be far costs nothing: only circles that hold the newest fix, and those that
/// are satisfied or undecided, are looked at.
package struct ConditionTracker: Sendable {
  package typealias Slot = ConditionIndex.Slot

  private struct Followed: Sendable {
    var circle: Circle
    var center: GeocentricPoint
    var detector: CrossingDetector
    var isActive: Bool
    /// From the boundary in the last fix looked at; for the time of a crossing.
    var previous: (distance: Double, time: UnixTime)?
  }

  private var index = ConditionIndex()
  /// By slot; `nil` where a slot is free.
  private var followed: [Followed?] = []
  /// Circles that the next fix must look at, in the order they became so.
  private var active: [Slot] = []
  private var found: [Slot] = []
  private var continuity = OutlierGate()
  private var last: (point: GeocentricPoint, fix: Fix, uptime: Instant)?
  /// Where the device rests, if the newest fixes keep to one place.
  private var rest: Stay?
  private var activity = ActivityTrack()

  package init() {}

  package var count: Int { index.count }

  /// Begins to follow a valid circle, from a state that an app assumes or an earlier engine stored.
  package mutating func insert(
    _ circle: Circle, assuming state: ConditionState = .unknown, isStored: Bool = false
  ) -> Slot {
    let slot = index.insert(center: circle.center, radius: circle.radius)
    let entry = Followed(
      circle: circle, center: GeocentricPoint(circle.center),
      detector: CrossingDetector(assuming: state, isStored: isStored), isActive: true)
    if Int(slot) < followed.count { followed[Int(slot)] = entry } else { followed.append(entry) }
    active.append(slot)
    // It must be known anew how well the place is known.
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

  /// Whether a fix has borne the state out since the circle was inserted.
  package func isVerified(_ slot: Slot) -> Bool {
    followed[Int(slot)]?.detector.isVerified ?? false
  }

  /// Takes the next fix, in the order of time, and returns what it decided.
  package mutating func observe(_ fix: Fix, at now: Moment) -> [(slot: Slot, decision: Decision)] {
    if let last, fix.time <= last.fix.time {
      guard fix.time.isSetBack(from: last.fix.time) else { return [] }
      beginAnew()
    }
    activity.pass(to: now.uptime)
    let point = GeocentricPoint(fix.coordinate)
    let verdict = continuity.observe(point, of: fix, pace: activity.pace)
    if verdict == .returned { dismissExcursions() }
    if rest?.take(fix, point, reach: Self.reach) != true { rest = Stay(at: fix, point) }
    activate(at: fix.coordinate)
    let weight = last.map { min(fix.time.seconds(since: $0.fix.time), Self.longestWeight) }
    let sight = sight(of: fix, point)
    for slot in active {
      look(at: slot, sight, fix.time, weight: weight ?? Self.longestWeight)
    }
    last = (point, fix, now.uptime)
    guard verdict != .doubted else { return [] }
    return decide(at: fix.time)
  }

  package mutating func take(_ news: MotionActivity, at now: Moment) {
    activity.take(news, at: now.uptime)
  }

  /// Lets silence decide what the last fix left open.
  package mutating func wake(at now: Moment) -> [(slot: Slot, decision: Decision)] {
    activity.pass(to: now.uptime)
    guard let last, !continuity.isDoubting, let due = decisionDeadline, due <= now.uptime else {
      return []
    }
    let time = last.fix.time + (now.uptime - last.uptime)
    for slot in active { followed[Int(slot)]?.detector.extend(to: time) }
    let decisions = decide(at: time)
    for slot in active { followed[Int(slot)]?.detector.dismissExcursion() }
    return decisions
  }

  /// When silence will have decided the first open question.
  @inline(__always)
  package var nextDeadline: Instant? { earliest(decisionDeadline, activity.nextDeadline) }

  @inline(__always)
  private var decisionDeadline: Instant? {
    guard let last, !continuity.isDoubting else { return nil }
    var soonest: UnixTime?
    for slot in active {
      guard let due = followed[Int(slot)]?.detector.nextDecision else { continue }
      soonest = min(soonest ?? due, due)
    }
    return soonest.map { last.uptime + max($0 - last.fix.time, .zero) }
  }

  /// Seconds for which one fix speaks at most, however long ago the one before was.
  private static let longestWeight = 10.0
}

// MARK: - One step

extension ConditionTracker {
  /// The clock was set back: the dates before cannot be compared with those that follow.
  private mutating func beginAnew() {
    last = nil
    rest = nil
    continuity = OutlierGate()
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

  /// Where a fix says that the device is, and how well: one of the network that agrees with the
  /// place where it rests says that it still does, as well as it can.
  private func sight(
    of fix: Fix, _ point: GeocentricPoint
  ) -> (point: GeocentricPoint, accuracy: Double) {
    guard fix.horizontalAccuracy > Stay.coarse, let rest, rest.bestAccuracy <= Stay.coarse,
      rest.isSettled, !rest.isStraying
    else { return (point, fix.horizontalAccuracy) }
    return (rest.center, fix.horizontalAccuracy)
  }

  private mutating func look(
    at slot: Slot, _ sight: (point: GeocentricPoint, accuracy: Double), _ time: UnixTime,
    weight: Double
  ) {
    guard let entry = followed[Int(slot)] else { return }
    let radius = entry.circle.radius
    // A fix coarser than this cannot change the state (REG-20).
    guard sight.accuracy <= max(radius, 200) else { return }
    let distance = sight.point.distance(to: entry.center) - radius
    followed[Int(slot)]?.detector.observe(
      CrossingDetector.Sighting(
        distance: distance, spread: max(sight.accuracy, Self.finest), time: time,
        weight: weight, previous: entry.previous, travelled: continuity.travelled))
    followed[Int(slot)]?.previous = (distance, time)
  }

  /// Takes every decision that is due, and lets circles at rest go.
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

  /// Meters: no fix is believed to be better than this (chosen).
  private static let finest = 10.0
}

// MARK: - Demand

extension ConditionTracker {
  /// Meters from a place to the nearest boundary that could be crossed next, at most `limit`.
  private func clearance(
    from point: GeocentricPoint, at coordinate: Coordinate, upTo limit: Double
  ) -> Double {
    // A few are looked at one by one; only many are worth the search around the place.
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

  /// How soon the next fix is needed, and whether it must be a good one, for crossings to be told
  /// within `promise`.
  package func need(promising promise: Duration) -> PositionDemand {
    guard let last, !continuity.isDoubting,
      !active.contains(where: { followed[Int($0)]?.detector.excursion != nil })
    else { return PositionDemand(tier: .satellite) }
    if let rest, rest.isSettled, !activity.isOnTheWay, activity.isResting || !rest.isStraying {
      return need(resting: rest)
    }
    let clearance = clearance(from: last.point, at: last.fix.coordinate, upTo: 20_000)
    let seconds = clearance / max(continuity.speed * 1.5, 2)
    return PositionDemand(seconds <= promise.inSeconds ? .satellite : .network, within: seconds)
  }

  /// A device at rest needs the network only, often enough to be seen to leave; satellites while
  /// they may yet tell on which side of a boundary it rests.
  private func need(resting rest: Stay) -> PositionDemand {
    let clearance = clearance(from: rest.center, at: rest.coordinate, upTo: 20_000)
    if rest.bestAccuracy > max(Stay.coarse, clearance / 2), rest.length < Self.timeout {
      return PositionDemand(tier: .satellite)
    }
    let seconds = max(clearance / Self.startingSpeed, rest.samplingInterval, activity.pause)
    return PositionDemand(.network, within: seconds)
  }

  /// Meters per second that a device at rest may have when it is next seen (chosen).
  private static let startingSpeed = 2.0
  /// Meters that a place of rest extends, beside the errors of its fixes.
  private static let reach = 35.0
  /// Seconds after which a good fix is no longer waited for: none can be had where it rests.
  private static let timeout = 120.0
}

extension PositionDemand {
  /// The longest interval of a few that is not above this many seconds: what is asked of receivers
  /// changes only when it matters.
  init(_ tier: PositionTier, within seconds: Double) {
    self.init(tier: tier, interval: Self.intervals.last { $0 <= .seconds(seconds) } ?? .zero)
  }

  private static let intervals: [Duration] = [0, 5, 10, 15, 20, 30, 60, 120, 300, 900].map {
    .seconds($0)
  }
}
