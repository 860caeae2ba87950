import LocationModel

/// One stillness detector for each patience that somebody needs (LIVE-23, STD-39).
struct StillnessDesk: Sendable {
  /// The device became still, or moves, as one kind of client sees it.
  struct Change: Hashable, Sendable {
    var isStill: Bool
    var activity: ActivityKind
    /// For the automatic pause of managers; else for live updates.
    var isPause: Bool
  }

  private struct Watch: Sendable {
    var activity: ActivityKind
    var isPause: Bool
    var detector: StillnessDetector
  }

  private var watches: [Watch] = []
  private var audience = StillnessAudience()

  var nextDeadline: Instant? {
    watches.reduce(nil) { earliest($0, $1.detector.nextDeadline) }
  }

  /// Watches for exactly those kinds of client that there are now.
  mutating func settle(_ audience: StillnessAudience) {
    guard audience != self.audience else { return }
    self.audience = audience
    for activity in ActivityKind.allCases {
      settle(activity, isPause: false, wanted: audience.contains(.iterating(activity)))
      settle(activity, isPause: true, wanted: audience.contains(.pausing(activity)))
    }
  }

  private mutating func settle(_ activity: ActivityKind, isPause: Bool, wanted: Bool) {
    let place = watches.firstIndex { $0.activity == activity && $0.isPause == isPause }
    if let place {
      if !wanted { watches.remove(at: place) }
      return
    }
    guard wanted else { return }
    let patience =
      isPause
      ? StillnessDetector.Patience.pause(activity)
      : StillnessDetector.Patience.liveUpdates(activity)
    watches.append(
      Watch(
        activity: activity, isPause: isPause, detector: StillnessDetector(patience: patience)))
  }

  mutating func handle(_ input: StillnessDetector.Input, at now: Moment) -> [Change] {
    var changes: [Change] = []
    for index in watches.indices {
      for output in watches[index].detector.handle(input, at: now) {
        let isStill = if case .stationary = output { true } else { false }
        changes.append(
          Change(
            isStill: isStill, activity: watches[index].activity, isPause: watches[index].isPause))
      }
    }
    return changes
  }
}

/// For which activities somebody needs to know whether the device is still.
struct StillnessAudience: OptionSet, Hashable, Sendable {
  let rawValue: UInt16

  /// Loops over live updates that were begun for this activity.
  static func iterating(_ activity: ActivityKind) -> StillnessAudience {
    StillnessAudience(rawValue: 1 << activity.place)
  }

  /// Managers of this activity that may be paused (STD-39, STD-45).
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
