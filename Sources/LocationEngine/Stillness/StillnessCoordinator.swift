import LocationModel

/// One stillness detector for each timeout that a subscriber needs (LIVE-23, STD-39).
struct StillnessCoordinator: Sendable {
  private struct Watch: Sendable {
    /// One kind of client.
    var kind: StillnessAudience
    var detector: StillnessDetector
    /// As the detector reported last.
    var isStationary = false
  }

  private var watches: [Watch] = []
  private var audience = StillnessAudience()
  private var motion = MotionEstimate()

  var nextDeadline: Instant? {
    watches.reduce(nil) { earliest($0, $1.detector.nextDeadline) }
  }

  var isIdle: Bool { watches.isEmpty }

  /// Runs detectors for exactly the present kinds of client.
  mutating func settle(_ audience: StillnessAudience) {
    guard audience != self.audience else { return }
    self.audience = audience
    for activity in ActivityKind.allCases {
      settle(.iterating(activity), StillnessDetector.Timeouts.liveUpdates(activity))
      settle(.pausing(activity), StillnessDetector.Timeouts.pause(activity))
    }
  }

  private mutating func settle(_ kind: StillnessAudience, _ timeout: Duration?) {
    let place = watches.firstIndex { $0.kind == kind }
    switch (place, audience.contains(kind)) {
    case (nil, true):
      watches.append(Watch(kind: kind, detector: StillnessDetector(timeout: timeout)))
    case (let place?, false): watches.remove(at: place)
    case (nil, false), (_?, true): break
    }
  }

  /// Takes the estimate of how the device moves.
  mutating func take(_ motion: MotionEstimate) { self.motion = motion }

  /// Demands good fixes as soon as the sensor reports a departure from rest: they decide whether
  /// the device has departed (POW-6).
  @inline(__always)
  var demand: Demand {
    motion.activity.isOnTheWay && watches.contains(where: \.isStationary)
      ? Demand(position: PositionDemand(tier: .satellite), motion: true) : .none
  }

  /// Returns the clients for which the device is stationary now.
  mutating func handle(
    _ input: StillnessDetector.Input, at now: Moment
  ) -> StillnessAudience {
    var still = StillnessAudience()
    for index in watches.indices {
      for output in watches[index].detector.handle(input, at: now) {
        if case .stationary = output {
          watches[index].isStationary = true
        } else {
          watches[index].isStationary = false
        }
      }
      if watches[index].isStationary { still.insert(watches[index].kind) }
    }
    return still
  }
}

/// The activities for which a subscriber needs the stationary state.
struct StillnessAudience: OptionSet, Hashable, Sendable {
  let rawValue: UInt16

  /// Loops over live updates with this activity.
  static func iterating(_ activity: ActivityKind) -> StillnessAudience {
    StillnessAudience(rawValue: 1 << activity.place)
  }

  /// Managers with this activity that may be paused (STD-39, STD-45).
  static func pausing(_ activity: ActivityKind) -> StillnessAudience {
    StillnessAudience(rawValue: 1 << (8 + activity.place))
  }
}

extension ActivityKind {
  fileprivate var place: UInt16 {
    switch self {
    case .other: 0
    case .automotiveNavigation: 1
    case .fitness: 2
    case .otherNavigation: 3
    case .airborne: 4
    }
  }
}
