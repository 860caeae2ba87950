package import LocationModel

/// Decides for each watched constraint whether a matching beacon is present.
///
/// This is the beacon half of conditions and regions; the conditions themselves decide which apps
/// receive events, and what is stored.
///
/// - Chosen (BEACON-21): the first matching advertisement satisfies at once.
/// - Chosen (BEACON-22): silence of thirty seconds ends it. Time in which the radio cannot receive
///   is not silence, so turning the radio off ends nothing.
/// - Documented (BEACON-25): one beacon may replace another without an event.
package struct BeaconDetector: Machine {
  package enum Input: MachineInput {
    /// Watches a constraint; starts over if it was watched already.
    case watch(BeaconConstraint)
    case unwatch(BeaconConstraint)
    case reception(BeaconReception)
    case sample(BeaconSample)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// The state has changed; the date is that of the observation (MON-32).
    case changed(BeaconConstraint, BeaconState, UnixTime)
    case ignored(BeaconSample, BeaconDetectorRefusal)
  }

  private struct Watch: Sendable {
    var constraint: BeaconConstraint
    var state: BeaconState
    /// When the state was observed; `nil` while nothing is known.
    var since: UnixTime?
    /// When a match was last received, or scanning began.
    var lastReceived: Instant
  }

  /// Sorted by constraint.
  private var watches: [Watch] = []
  private var reception = BeaconReception.listening

  package init() {}

  /// `nil` for a constraint that is not watched.
  package func state(of constraint: BeaconConstraint) -> BeaconState? {
    watches.first { $0.constraint == constraint }?.state
  }

  /// Returns the state of a constraint, and its date; `nil` while nothing is known.
  func known(of constraint: BeaconConstraint) -> (state: BeaconState, since: UnixTime)? {
    guard let watch = watches.first(where: { $0.constraint == constraint }), let since = watch.since
    else { return nil }
    return (watch.state, since)
  }

  /// How Bluetooth must scan (POW-3).
  package var scan: BeaconScan { watches.isEmpty ? .off : .passive }

  package var nextDeadline: Instant? {
    guard reception == .listening else { return nil }
    return watches.filter { $0.state != .unsatisfied }.map { $0.lastReceived + Self.silence }.min()
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .watch(let constraint): watch(constraint, at: now.uptime)
    case .unwatch(let constraint): watches.removeAll { $0.constraint == constraint }
    case .reception(let new): setReception(new, at: now.uptime)
    case .sample(let sample): return take(sample, at: now.uptime)
    case .wake: return endSilent(at: now)
    }
    return []
  }

  private mutating func watch(_ constraint: BeaconConstraint, at now: Instant) {
    watches.removeAll { $0.constraint == constraint }
    watches.append(Watch(constraint: constraint, state: .unknown, lastReceived: now))
    watches.sort { $0.constraint < $1.constraint }
  }

  private mutating func setReception(_ new: BeaconReception, at now: Instant) {
    if reception != .listening, new == .listening {
      for index in watches.indices { watches[index].lastReceived = now }
    }
    reception = new
  }

  private mutating func take(_ sample: BeaconSample, at now: Instant) -> [Output] {
    var isWatched = false
    var outputs: [Output] = []
    for index in watches.indices where watches[index].constraint.matches(sample.identity) {
      isWatched = true
      watches[index].lastReceived = now
      if case .satisfied = watches[index].state { continue }
      (watches[index].state, watches[index].since) = (.satisfied(sample.identity), sample.time)
      outputs.append(.changed(watches[index].constraint, watches[index].state, sample.time))
    }
    return isWatched ? outputs : [.ignored(sample, .unwanted)]
  }

  private mutating func endSilent(at now: Moment) -> [Output] {
    guard reception == .listening else { return [] }
    var outputs: [Output] = []
    for index in watches.indices where watches[index].state != .unsatisfied {
      guard now.uptime - watches[index].lastReceived >= Self.silence else { continue }
      (watches[index].state, watches[index].since) = (.unsatisfied, now.unixTime)
      outputs.append(.changed(watches[index].constraint, .unsatisfied, now.unixTime))
    }
    return outputs
  }

  /// Observed: 20 to 45 seconds; value chosen (BEACON-22).
  private static let silence = Duration.seconds(30)
}

/// The state of a beacon condition.
package enum BeaconState: Hashable, Sendable {
  /// No match was received, and the scan has not lasted long enough.
  case unknown
  /// A match is present; the full identity of the first one (MON-30).
  case satisfied(BeaconIdentity)
  /// No match is present.
  case unsatisfied
}

/// Why a sample changed no presence.
package enum BeaconDetectorRefusal: Hashable, Sendable {
  /// No watched constraint matches.
  case unwanted
}
