package import LocationModel

/// Decides when a device has been stationary for a timeout, and when it moves again.
///
/// Used with different timeouts by live updates (LIVE-23 to LIVE-29) and by the automatic pause of
/// a location manager (STD-39 to STD-45).
package struct StillnessDetector: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    /// No position is available, so nothing is known about stillness either (LIVE-25).
    case positionLost
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// It was stationary for the whole timeout; the fix is the newest.
    case stationary(Fix)
    /// It moves again, by this fix or, without one, because the position was lost.
    case moving(Fix?)
  }

  /// The timeouts after which a device counts as stationary.
  package enum Timeouts {
    /// Live updates by activity. Chosen (section 0.3); `nil` never.
    package static func liveUpdates(_ activity: ActivityKind) -> Duration? {
      switch activity {
      case .other: .seconds(180)
      case .fitness: .seconds(120)
      case .automotiveNavigation, .otherNavigation: .seconds(300)
      case .airborne: nil
      }
    }

    /// The automatic pause by activity. Chosen from reports of 10 to 20 minutes; `nil` never.
    package static func pause(_ activity: ActivityKind) -> Duration? {
      switch activity {
      case .fitness: .seconds(600)
      case .other, .automotiveNavigation, .otherNavigation: .seconds(900)
      case .airborne: nil
      }
    }
  }

  fileprivate struct Stay: Sendable {
    /// The weighted mean of the first fixes.
    var center: GeocentricPoint
    var weight: Double
    var since: Instant
    var latest: Fix
    var latestAt: Instant
    /// The number of successive fixes outside.
    var strays = 0
  }

  private enum State: Sendable {
    case unknown
    case watching(Stay)
    case stationary(Stay)
  }

  private var state = State.unknown
  private let timeout: Duration?

  /// - Parameter timeout: how long the device must be stationary; `nil` means that it is never
  ///   reported (STD-45).
  package init(timeout: Duration?) {
    self.timeout = timeout
  }

  package var isStationary: Bool {
    if case .stationary = state { return true }
    return false
  }

  package var nextDeadline: Instant? {
    guard let timeout, case .watching(let stay) = state else { return nil }
    let due = stay.since + timeout
    return due - stay.latestAt <= Self.longestSilence ? max(due, stay.latestAt) : nil
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    guard timeout != nil else { return [] }
    switch (input, state) {
    case (.fix(let fix), .unknown):
      begin(at: fix, now)
      return []

    case (.fix(let fix), .watching(var stay)):
      guard stay.holds(fix, at: now) else {
        begin(at: fix, now)
        return []
      }
      state = .watching(stay)
      return passStationary(at: now)

    case (.fix(let fix), .stationary(var stay)):
      guard stay.holds(fix, at: now) else {
        begin(at: fix, now)
        return [.moving(fix)]
      }
      state = .stationary(stay)
      return []

    case (.wake, .watching):
      return passStationary(at: now)

    case (.positionLost, .stationary):
      state = .unknown
      return [.moving(nil)]

    case (.positionLost, .watching):
      state = .unknown
      return []

    case (.wake, _), (.positionLost, .unknown):
      return []
    }
  }

  private mutating func begin(at fix: Fix, _ now: Moment) {
    state = .watching(
      Stay(
        center: GeocentricPoint(fix.coordinate), weight: 1, since: now.uptime, latest: fix,
        latestAt: now.uptime))
  }

  private mutating func passStationary(at now: Moment) -> [Output] {
    guard case .watching(let stay) = state, let timeout, now.uptime >= stay.since + timeout
    else { return [] }
    state = .stationary(stay)
    return [.stationary(stay.latest)]
  }

  /// The demand of a service while it rests: no satellites, but a motion sensor, and a network fix
  /// now and then (POW-6).
  package static let demandAtRest = Demand(
    position: PositionDemand(tier: .network, interval: .seconds(60)), motion: true)

  /// How long a stay lasts without a fix: a device at rest may give fewer (chosen).
  private static let longestSilence = Duration.seconds(60)
  /// After so long without a fix, a device may be anywhere (chosen, as for conditions).
  fileprivate static let longGap = Duration.seconds(180)
}

extension StillnessDetector.Stay {
  /// Adds a fix to the stay; returns `false` when it ends the stay.
  ///
  /// One fix outside is noise (LIVE-29); two in a row, one with good speed, or one after a long gap
  /// are movement.
  fileprivate mutating func holds(_ fix: Fix, at now: Moment) -> Bool {
    let point = GeocentricPoint(fix.coordinate)
    let radius = max(15, fix.horizontalAccuracy)
    let isWatched = now.uptime - latestAt <= StillnessDetector.longGap
    latest = fix
    latestAt = now.uptime
    guard point.distance(to: center) > radius else {
      strays = 0
      weight = min(weight + 1, 60)
      center = center.moved(towards: point, by: 1 / weight)
      return true
    }
    strays += 1
    return isWatched && strays < 2 && (fix.speed ?? 0) < 1
  }
}
