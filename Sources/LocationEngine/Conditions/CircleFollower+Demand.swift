internal import LocationModel

// MARK: - Demand

extension CircleFollower {
  /// Returns meters to the nearest boundary that could be crossed next, at most `limit`.
  private func clearance(
    from point: GeocentricPoint, at coordinate: Coordinate, upTo limit: Double,
    _ circles: borrowing WatchedCircles
  ) -> Double {
    // A few are compared one by one; only for many is the search worth its cost.
    guard circles.shapes.count > ConditionIndex.few else {
      var nearest = limit
      for (slot, shape) in circles.shapes.enumerated() {
        guard let shape else { continue }
        guard isVerified(Slot(slot)) else { return 0 }
        let way = circles.distance(from: point, coordinate, to: Slot(slot), shape).magnitude
        nearest = min(nearest, way)
      }
      return nearest
    }
    var nearest = limit
    for entry in entries {
      guard let shape = circles[entry.slot] else { continue }
      guard entry.detector.isVerified else { return 0 }
      let way = circles.distance(from: point, coordinate, to: entry.slot, shape).magnitude
      nearest = min(nearest, way)
    }
    var radius = 250.0
    while radius / 4 < nearest {
      var near: [Slot] = []
      let reach = min(radius, limit)
      guard circles.index.collect(within: reach, of: coordinate, limit: 4096, into: &near) else {
        return 0
      }
      for slot in near where !has(slot, at: place(of: slot)) {
        guard let shape = circles[slot] else { continue }
        let way = circles.distance(from: point, coordinate, to: slot, shape).magnitude
        nearest = min(nearest, way)
      }
      if nearest <= reach || reach >= limit { break }
      radius *= 4
    }
    return nearest
  }

  /// Returns how soon the next fix is needed, and whether it must be a good one, to deliver
  /// crossings within `promise`.
  func need(
    promising promise: Duration, of circles: borrowing WatchedCircles
  ) -> PositionDemand {
    guard let last, !motion.isDoubting,
      !entries.contains(where: { $0.detector.excursion != nil })
    else { return PositionDemand(tier: .satellite) }
    if let rest, rest.isSettled, !motion.activity.isOnTheWay,
      motion.activity.isResting || !rest.isStraying
    {
      return need(resting: rest, of: circles)
    }
    let clearance = clearance(from: last.point, at: last.coordinate, upTo: 20_000, circles)
    let seconds = clearance / max(motion.speed * 1.5, 2)
    return PositionDemand(seconds <= promise.inSeconds ? .satellite : .network, within: seconds)
  }

  /// Returns the need of a device at rest: network fixes, often enough to notice a departure, and
  /// satellite fixes while they may still decide on which side of a boundary it rests.
  private func need(
    resting rest: Stay, of circles: borrowing WatchedCircles
  ) -> PositionDemand {
    let clearance = clearance(from: rest.center, at: rest.coordinate, upTo: 20_000, circles)
    if rest.bestAccuracy > max(Stay.coarse, clearance / 2), rest.length < Self.timeout {
      return PositionDemand(tier: .satellite)
    }
    let seconds = max(clearance / Self.startingSpeed, rest.samplingInterval, motion.activity.pause)
    return PositionDemand(.network, within: seconds)
  }

  /// Meters per second assumed for a device at rest until its next fix (chosen).
  private static let startingSpeed = 2.0
  /// Meters that a place of rest extends, in addition to the errors of its fixes.
  static let reach = 35.0
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
