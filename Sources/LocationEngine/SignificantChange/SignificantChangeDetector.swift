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

  private struct Announced: Sendable {
    /// What was delivered last, and where that is.
    var last: Fix
    var point: GeocentricPoint
    var quietUntil: Instant
    /// The newest fix, or the one delivered.
    var latest: Fix
    /// Whether the newest is to be delivered when the quiet time ends.
    var hasMoved = false

    /// What the next fix is.
    enum Step {
      case announcement
      /// Nothing to be delivered now, with the reason where it is not looked at further.
      case other(Reason?)
    }

    /// Takes the next fix where it is: copies would be counted in memory that is far away, with many devices.
    mutating func take(_ fix: Fix, _ point: GeocentricPoint, at now: Moment) -> Step {
      let before = latest.time
      guard fix.time > before || fix.time.isSetBack(from: before) else {
        return .other(.outOfOrder)
      }
      let way = point.distance(to: self.point)
      let isFar = way >= SignificantChangeDetector.distance
      let hasMoved =
        isFar && way >= hypotenuse(fix.horizontalAccuracy, last.horizontalAccuracy)
      if hasMoved && now.uptime >= quietUntil { return .announcement }
      (latest, self.hasMoved) = (fix, hasMoved)
      return .other(isFar && !hasMoved ? .coarse : nil)
    }
  }

  package private(set) var isRunning: Bool
  /// `nil` while nothing was delivered yet: the first fix will be.
  private var announced: Announced?
  private var isReduced = false
  /// The longest time without an event for a device at rest; `nil` for no limit (SLC-11).
  package var heartbeat: Duration?

  /// - Parameters:
  ///   - heartbeat: the longest time without an event for a device at rest; `nil` for no limit
  ///     (SLC-11).
  ///   - isRunning: whether it begins as started, without a cached fix.
  package init(heartbeat: Duration? = nil, isRunning: Bool = false) {
    self.heartbeat = heartbeat
    self.isRunning = isRunning
  }

  package var nextDeadline: Instant? {
    guard let quietUntil = announced?.quietUntil else { return nil }
    if announced?.hasMoved == true { return quietUntil }
    return heartbeat.map { quietUntil + max($0 - quiet, .zero) }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .start(let cached):
      guard !isRunning else { return [] }
      isRunning = true
      return cached.map { announce($0, at: now) } ?? []

    case .stop:
      (isRunning, announced) = (false, nil)
      return []

    case .reduced(let reduced):
      // A move that was seen exactly is not delivered to an app with reduced accuracy.
      if reduced, !isReduced, let last = announced?.last {
        announced?.latest = last
        announced?.hasMoved = false
      }
      isReduced = reduced
      return []

    case .fix(let fix): return observe(fix, GeocentricPoint(fix.coordinate), at: now)

    case .wake:
      guard let announced, let due = nextDeadline, now.uptime >= due else { return [] }
      return announce(announced.latest, at: now)
    }
  }

  /// Takes a fix from a caller that has its point for other detectors, too.
  package mutating func observe(
    _ fix: Fix, _ point: GeocentricPoint, at now: Moment
  ) -> [Output] {
    guard isRunning else { return [.ignored(fix, .stopped)] }
    switch announced?.take(fix, point, at: now) {
    case nil, .announcement: return announce(fix, point, at: now)
    case .other(let reason?): return [.ignored(fix, reason)]
    case .other(nil): return []
    }
  }

  private mutating func announce(_ fix: Fix, at now: Moment) -> [Output] {
    announce(fix, GeocentricPoint(fix.coordinate), at: now)
  }

  private mutating func announce(
    _ fix: Fix, _ point: GeocentricPoint, at now: Moment
  ) -> [Output] {
    announced = Announced(
      last: fix, point: point, quietUntil: now.uptime + quiet, latest: fix)
    return [.announce(fix)]
  }

  private var quiet: Duration { isReduced ? Self.reducedQuiet : Self.fullQuiet }

  /// Coarse sources only, about as often as a change can be delivered (POW-2).
  package var demand: Demand {
    guard isRunning else { return .none }
    let isFirst = announced == nil
    if isReduced { return CoarseLocator.demand(isFirst: isFirst) }
    return Demand(
      position: PositionDemand(tier: .network, interval: isFirst ? .zero : quiet / 5))
  }

  /// Meters. Documented (SLC-2).
  fileprivate static let distance = 500.0
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
    var kind: UInt8 = isRunning ? announced == nil ? 1 : 2 : 0
    coder.pass(&kind)
    isRunning = kind > 0
    switch kind {
    case 0, 1: announced = nil
    case 2:
      let time = UnixTime(nanoseconds: 0)
      let blank = Fix(
        coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 1, time: time)
      var known =
        announced
        ?? Announced(
          last: blank, point: GeocentricPoint(vector: .zero), quietUntil: .start, latest: blank)
      pass(&coder, &known.last)
      coder.pass(&known.quietUntil)
      pass(&coder, &known.latest)
      coder.pass(&known.hasMoved)
      if coder.isReading { known.point = GeocentricPoint(known.last.coordinate) }
      announced = known
    default: coder.reject()
    }
  }
}
