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

  var nextDeadline: Instant? {
    watches.reduce(nil) { earliest($0, $1.detector.nextDeadline) }
  }

  /// What must stay on to see a still device move again (POW-6).
  var demand: Demand { watches.reduce(.none) { $0.union($1.detector.demand) } }

  /// Watches for exactly those kinds of client that there are now.
  mutating func settle(_ desks: [AppDesk]) {
    // A desk is large and this is done for every fix: each is looked at once.
    var iterated: [ActivityKind] = []
    var paused: [ActivityKind] = []
    for desk in desks {
      for activity in ActivityKind.allCases {
        if desk.iterates(for: activity) { iterated.append(activity) }
        if desk.pauses(for: activity) { paused.append(activity) }
      }
    }
    for activity in ActivityKind.allCases {
      settle(activity, isPause: false, wanted: iterated.contains(activity))
      settle(activity, isPause: true, wanted: paused.contains(activity))
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

extension AppDesk {
  /// Whether a loop over live updates was begun for this activity.
  func iterates(for activity: ActivityKind) -> Bool {
    live.entries.contains { $0.service.options.activity == activity }
  }

  /// Whether a manager with this activity may be paused (STD-39, STD-45).
  func pauses(for activity: ActivityKind) -> Bool {
    standard.entries.contains {
      let options = $0.service.currentOptions
      return $0.service.isActive && options.pausesAutomatically && options.activity == activity
    }
  }
}
