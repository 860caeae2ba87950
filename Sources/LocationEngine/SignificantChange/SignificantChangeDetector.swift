package import LocationModel

/// Decides when a significant change is delivered to a client.
///
/// - Documented (SLC-2): a move of 500 m or more is delivered, at most once in five minutes.
/// - Chosen (SLC-3): a move during those five minutes is delivered when they end, with the position
///   of the device at that time.
package struct SignificantChangeDetector: Machine {
  package enum Input: MachineInput {
    /// Starts; a second start changes nothing (SLC-7). The cached fix is delivered at once (SLC-1).
    case start(cached: Fix?)
    case stop
    /// Whether the app has reduced accuracy (SLC-12).
    case reduced(Bool)
    case fix(Fix)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case announce(Fix)
    case ignored(Fix, Reason)
  }

  /// Why a fix was not delivered.
  package enum Reason: Hashable, Sendable {
    case stopped
    /// Not later than the last fix.
    case outOfOrder
    /// Too coarse to distinguish such a move from its own error.
    case coarse
  }

  private enum State: Sendable {
    case stopped
    /// Nothing was delivered yet: the first fix will be.
    case silent
    /// `last` was delivered last. `latest` came after it; `hasMoved` means that it is to be
    /// delivered when the quiet time ends.
    case announced(last: Fix, quietUntil: Instant, latest: Fix, hasMoved: Bool)
  }

  private var state = State.stopped
  private var isReduced = false
  /// The longest time without an event for a device at rest; `nil` for no limit (SLC-11).
  package var heartbeat: Duration?

  /// - Parameters:
  ///   - heartbeat: the longest time without an event for a device at rest; `nil` for no limit
  ///     (SLC-11).
  ///   - isRunning: whether it begins as started, without a cached fix.
  package init(heartbeat: Duration? = nil, isRunning: Bool = false) {
    self.heartbeat = heartbeat
    if isRunning { state = .silent }
  }

  package var isRunning: Bool {
    if case .stopped = state { false } else { true }
  }

  package var nextDeadline: Instant? {
    guard case .announced(_, let quietUntil, _, let hasMoved) = state else { return nil }
    if hasMoved { return quietUntil }
    return heartbeat.map { quietUntil + max($0 - quiet, .zero) }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch (input, state) {
    case (.start(let cached), .stopped):
      state = .silent
      return cached.map { announce($0, at: now) } ?? []

    case (.start, .silent), (.start, .announced):
      return []

    case (.stop, _):
      state = .stopped
      return []

    case (.reduced(let reduced), _):
      // A move that was seen exactly is not delivered to an app with reduced accuracy.
      if reduced, !isReduced, case .announced(let last, let quietUntil, _, _) = state {
        state = .announced(last: last, quietUntil: quietUntil, latest: last, hasMoved: false)
      }
      isReduced = reduced
      return []

    case (.fix(let fix), .stopped):
      return [.ignored(fix, .stopped)]

    case (.fix(let fix), .silent):
      return announce(fix, at: now)

    case (.fix(let fix), .announced(let last, let quietUntil, let latest, _)):
      guard fix.time > latest.time || fix.time.isSetBack(from: latest.time) else {
        return [.ignored(fix, .outOfOrder)]
      }
      return follow(fix, from: last, quietUntil: quietUntil, at: now)

    case (.wake, .announced(_, _, let latest, _)):
      guard let due = nextDeadline, now.uptime >= due else { return [] }
      return announce(latest, at: now)

    case (.wake, .stopped), (.wake, .silent):
      return []
    }
  }

  private mutating func follow(
    _ fix: Fix, from last: Fix, quietUntil: Instant, at now: Moment
  ) -> [Output] {
    let distance = GeocentricPoint(fix.coordinate).distance(to: GeocentricPoint(last.coordinate))
    let isFar = distance >= Self.distance
    let hasMoved =
      isFar && distance >= hypotenuse(fix.horizontalAccuracy, last.horizontalAccuracy)
    if hasMoved && now.uptime >= quietUntil { return announce(fix, at: now) }
    state = .announced(last: last, quietUntil: quietUntil, latest: fix, hasMoved: hasMoved)
    return isFar && !hasMoved ? [.ignored(fix, .coarse)] : []
  }

  private mutating func announce(_ fix: Fix, at now: Moment) -> [Output] {
    state = .announced(
      last: fix, quietUntil: now.uptime + quiet, latest: fix, hasMoved: false)
    return [.announce(fix)]
  }

  private var quiet: Duration { isReduced ? Self.reducedQuiet : Self.fullQuiet }

  /// Coarse sources only, about as often as a change can be delivered (POW-2).
  package var demand: Demand {
    switch state {
    case .stopped: .none
    case .silent where isReduced: CoarseLocator.demand(isFirst: true)
    case .announced where isReduced: CoarseLocator.demand(isFirst: false)
    case .silent: Demand(position: PositionDemand(tier: .network, interval: .zero))
    case .announced:
      Demand(position: PositionDemand(tier: .network, interval: quiet / 5))
    }
  }

  /// Meters. Documented (SLC-2).
  private static let distance = 500.0
  /// Documented (SLC-2).
  private static let fullQuiet = Duration.seconds(300)
  /// Four events an hour. Documented (SLC-12).
  private static let reducedQuiet = Duration.seconds(900)
}

// MARK: - Storing

extension SignificantChangeDetector {
  /// Writes or reads every field but the heartbeat, which is a setting.
  package mutating func pass(
    _ coder: inout StateCoder, _ pass: (inout StateCoder, inout Fix) -> Void
  ) {
    coder.pass(&isReduced)
    var kind: UInt8 =
      switch state {
      case .stopped: 0
      case .silent: 1
      case .announced: 2
      }
    coder.pass(&kind)
    switch kind {
    case 0: state = .stopped
    case 1: state = .silent
    case 2:
      let time = UnixTime(nanoseconds: 0)
      let blank = Fix(
        coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 1, time: time)
      var (last, until, latest, moved) = (blank, Instant.start, blank, false)
      if case .announced(let a, let b, let c, let d) = state {
        (last, until, latest, moved) = (a, b, c, d)
      }
      pass(&coder, &last)
      coder.pass(&until)
      pass(&coder, &latest)
      coder.pass(&moved)
      state = .announced(last: last, quietUntil: until, latest: latest, hasMoved: moved)
    default: coder.reject()
    }
  }
}
