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
    case announced(Announced)
  }

  private struct Announced: Sendable {
    /// What was delivered last, and where that is.
    var last: Fix
    var point: GeocentricPoint
    var quietUntil: Instant
    /// The newest fix, or the one delivered.
    var latest: Fix
    /// Whether the newest is to be delivered when the quiet time ends.
    var hasMoved = false
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
    guard case .announced(let announced) = state else { return nil }
    if announced.hasMoved { return announced.quietUntil }
    return heartbeat.map { announced.quietUntil + max($0 - quiet, .zero) }
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
      if reduced, !isReduced, case .announced(var announced) = state {
        (announced.latest, announced.hasMoved) = (announced.last, false)
        state = .announced(announced)
      }
      isReduced = reduced
      return []

    case (.fix(let fix), _):
      return observe(fix, GeocentricPoint(fix.coordinate), at: now)

    case (.wake, .announced(let announced)):
      guard let due = nextDeadline, now.uptime >= due else { return [] }
      return announce(announced.latest, at: now)

    case (.wake, .stopped), (.wake, .silent):
      return []
    }
  }

  /// Takes a fix from a caller that has its point for other detectors, too.
  package mutating func observe(
    _ fix: Fix, _ point: GeocentricPoint, at now: Moment
  ) -> [Output] {
    switch state {
    case .stopped: return [.ignored(fix, .stopped)]
    case .silent: return announce(fix, point, at: now)
    case .announced(var announced):
      let latest = announced.latest.time
      guard fix.time > latest || fix.time.isSetBack(from: latest) else {
        return [.ignored(fix, .outOfOrder)]
      }
      let distance = point.distance(to: announced.point)
      let isFar = distance >= Self.distance
      let hasMoved =
        isFar
        && distance >= hypotenuse(fix.horizontalAccuracy, announced.last.horizontalAccuracy)
      if hasMoved && now.uptime >= announced.quietUntil { return announce(fix, point, at: now) }
      (announced.latest, announced.hasMoved) = (fix, hasMoved)
      state = .announced(announced)
      return isFar && !hasMoved ? [.ignored(fix, .coarse)] : []
    }
  }

  private mutating func announce(_ fix: Fix, at now: Moment) -> [Output] {
    announce(fix, GeocentricPoint(fix.coordinate), at: now)
  }

  private mutating func announce(
    _ fix: Fix, _ point: GeocentricPoint, at now: Moment
  ) -> [Output] {
    state = .announced(
      Announced(last: fix, point: point, quietUntil: now.uptime + quiet, latest: fix))
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
      var announced = Announced(
        last: blank, point: GeocentricPoint(vector: .zero), quietUntil: .start, latest: blank)
      if case .announced(let known) = state { announced = known }
      pass(&coder, &announced.last)
      coder.pass(&announced.quietUntil)
      pass(&coder, &announced.latest)
      coder.pass(&announced.hasMoved)
      if coder.isReading { announced.point = GeocentricPoint(announced.last.coordinate) }
      state = .announced(announced)
    default: coder.reject()
    }
  }
}
