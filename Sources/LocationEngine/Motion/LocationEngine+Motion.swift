import LocationModel

extension LocationEngine {
  // MARK: Motion

  /// Estimates how the device moves by a fix, for those that need it, before they take the fix.
  mutating func estimateMotion(_ fix: Fix, at now: Moment, to outputs: inout [Output]) {
    if !conditions.isEmpty || !visits.isIdle {
      pass(motion.observe(fix, at: now), at: now, to: &outputs)
    } else if !stillness.isIdle {
      stillness.take(motion.pass(to: now))
    }
  }

  /// Passes on how the device moves. It decides nothing by itself: it changes the sampling interval,
  /// and how the next fixes are interpreted (POW-6, decisions 0065 and 0077).
  mutating func pass(
    _ motion: MotionEstimate, at now: Moment, to outputs: inout [Output]
  ) {
    carry(conditions.handle(.motion(motion), at: now), at: now, to: &outputs)
    takeVisits(.motion(motion), at: now, to: &outputs)
    stillness.take(motion)
  }

  /// Whether something uses the estimate of how the device moves.
  @inline(__always)
  var needsMotion: Bool { !conditions.isEmpty || !visits.isIdle || !stillness.isIdle }

  @inline(__always)
  var motionDeadline: Instant? { needsMotion ? motion.nextDeadline : nil }

  // MARK: Stillness

  /// Delivers the stationary state at each look, because an app may subscribe while the device
  /// rests.
  mutating func watchStillness(
    _ input: StillnessDetector.Input, at now: Moment, to outputs: inout [Output]
  ) {
    let still = stillness.handle(input, at: now)
    for index in coordinators.indices {
      outputs += coordinators[index].settleStillness(still, at: now)
    }
  }

  /// The demand for the motion sensor while a subscriber waits for a device at rest to depart.
  var departureDemand: Demand {
    let demand = stillness.demand
    return demand.motion && coordinators.contains(where: \.rests) ? demand : .none
  }
}
