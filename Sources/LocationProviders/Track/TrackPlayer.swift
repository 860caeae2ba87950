package import LocationModel

/// Plays a path in time, as a simulated receiver.
///
/// There is a fix at each point of the file and, where points lie further apart than
/// ``interval``, one each ``interval`` on the straight line between them (SIM-1). There is no fix
/// between two segments of a track: the receiver was off. At the end the last point is held,
/// or the path begins again (SIM-3). It starts with its first wake, at which a fix is due at once.
package struct TrackPlayer: Machine {
  package enum Input: MachineInput {
    case wake
  }

  package enum Output: Sendable, Hashable {
    case fix(Fix)
    /// The last point has been reached finally; it is held from now on. Put out once.
    case finished
  }

  /// What happens at the end (SIM-3).
  package enum Ending: Hashable, Sendable {
    case hold
    case loop
    /// Back and forth without end.
    case reverse
  }

  /// The time between two fixes on a long leg, and while the last point is held.
  package static let interval = Duration.seconds(1)
  /// Meters. Chosen, for files without an accuracy.
  package static let standardAccuracy = 5.0

  /// Seconds, some thirty years. Dates of a malformed file may lie further apart than uptime
  /// can hold; points with later dates are reached at this time.
  private static let longestLap = 1e9

  private enum State: Sendable {
    /// The first lap begins with the first wake.
    case waiting
    /// The next lap begins here.
    case starting(lap: Moment)
    /// Travelling from stop `index` since a lap that began at `lap`; the next fix is due at `due`.
    case playing(lap: Moment, index: Int, due: Instant)
    /// At the end, with no further lap.
    case holding(due: Instant, origin: Moment)
    /// The path is empty.
    case idle
  }

  private var path: TrackPath
  private let factor: Double
  private let ending: Ending
  private var state: State

  /// `factor` is how many times faster than recorded the path is played, greater than zero.
  package init(_ path: TrackPath, factor: Double = 1, ending: Ending = .hold) {
    precondition(factor > 0 && factor.isFinite, "a path is played at a speed above zero")
    self.path = path
    self.factor = factor
    self.ending = ending
    state = path.isEmpty ? .idle : .waiting
  }

  package var nextDeadline: Instant? {
    switch state {
    case .waiting: .start
    case .starting(let lap): lap.uptime
    case .playing(_, _, let due), .holding(let due, _): due
    case .idle: nil
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch state {
    case .idle:
      return []
    case .waiting:
      return arrive(at: 0, lap: now)
    case .starting(let lap):
      return now.uptime >= lap.uptime ? arrive(at: 0, lap: lap) : []
    case .playing(let lap, let index, let due):
      guard now.uptime >= due else { return [] }
      let arrival = instant(of: index + 1, lap: lap)
      if due >= arrival { return arrive(at: index + 1, lap: lap) }
      return travel(lap: lap, index: index, due: due, arrival: arrival)
    case .holding(let due, let origin):
      guard now.uptime >= due else { return [] }
      state = .holding(due: due + Self.interval, origin: origin)
      return [.fix(held(at: due, origin: origin))]
    }
  }

  // MARK: On the way

  /// Returns a fix at a stop, and plans what follows.
  private mutating func arrive(at index: Int, lap: Moment) -> [Output] {
    let arrival = instant(of: index, lap: lap)
    let stop = path.stops[index]
    let isLast = index == path.stops.count - 1
    let leg = isLast || stop.endsSegment ? legBehind(index) : legAhead(index)
    let reached = Output.fix(fix(stop.point, on: leg, at: date(of: arrival, origin: lap)))
    guard isLast else {
      state = .playing(lap: lap, index: index, due: nextDue(after: arrival, index: index, lap: lap))
      return [reached]
    }
    return [reached] + end(at: Moment(uptime: arrival, unixTime: date(of: arrival, origin: lap)))
  }

  /// Returns a fix between two stops.
  private mutating func travel(lap: Moment, index: Int, due: Instant, arrival: Instant) -> [Output]
  {
    let departure = instant(of: index, lap: lap)
    let leg = Leg(from: path.stops[index].point, to: path.stops[index + 1].point)
    let share = due.seconds(since: departure) / arrival.seconds(since: departure)
    state = .playing(lap: lap, index: index, due: nextDue(after: due, index: index, lap: lap))
    let timed = (leg: leg, seconds: arrival.seconds(since: departure))
    return [.fix(fix(leg.point(at: share), on: timed, at: date(of: due, origin: lap)))]
  }

  private func nextDue(after instant: Instant, index: Int, lap: Moment) -> Instant {
    let arrival = self.instant(of: index + 1, lap: lap)
    return path.stops[index].endsSegment ? arrival : min(instant + Self.interval, arrival)
  }

  /// Returns what follows the last stop. A path without length cannot be repeated.
  private mutating func end(at now: Moment) -> [Output] {
    switch ending {
    case .hold: break
    case .loop where path.duration > 0:
      let next = Moment(
        uptime: now.uptime + Self.interval, unixTime: now.unixTime + Self.interval)
      state = .starting(lap: next)
      return []
    case .reverse where path.duration > 0:
      path = path.reversed
      state = .playing(
        lap: now, index: 0, due: nextDue(after: now.uptime, index: 0, lap: now))
      return []
    case .loop, .reverse: break
    }
    state = .holding(due: now.uptime + Self.interval, origin: now)
    return [.finished]
  }

  private func held(at due: Instant, origin: Moment) -> Fix {
    var point = path.stops[path.stops.count - 1].point
    point.speed = path.stops.count > 1 ? 0 : nil
    point.course = nil
    return fix(point, on: nil, at: date(of: due, origin: origin))
  }

  // MARK: Times and fixes

  private func instant(of index: Int, lap: Moment) -> Instant {
    let seconds = min(path.stops[index].offset / factor, Self.longestLap)
    return lap.uptime + .nanoseconds(Int64((seconds * 1e9).rounded()))
  }

  private func date(of instant: Instant, origin: Moment) -> UnixTime {
    origin.unixTime + (instant - origin.uptime)
  }

  private typealias TimedLeg = (leg: Leg, seconds: Double)

  private func legAhead(_ index: Int) -> TimedLeg? {
    let (start, end) = (path.stops[index], path.stops[index + 1])
    return (Leg(from: start.point, to: end.point), (end.offset - start.offset) / factor)
  }

  private func legBehind(_ index: Int) -> TimedLeg? {
    guard index > 0, !path.stops[index - 1].endsSegment else { return nil }
    return legAhead(index - 1)
  }

  /// Makes a fix of a point. Recorded motion takes precedence over the motion of the leg.
  private func fix(_ point: GPXPoint, on timed: TimedLeg?, at time: UnixTime) -> Fix {
    var fix = Fix(
      coordinate: point.coordinate,
      horizontalAccuracy: point.horizontalAccuracy ?? Self.standardAccuracy,
      time: time, origin: Fix.Origin(isSimulated: true))
    fix.altitude = point.elevation
    if point.elevation != nil {
      fix.verticalAccuracy = point.verticalAccuracy ?? Self.standardAccuracy
    }
    let pace = timed.flatMap { $0.seconds > 0 ? $0.leg.distance / $0.seconds : nil }
    fix.speed = point.speed.map { $0 * factor } ?? pace
    fix.course = point.course ?? timed.flatMap { $0.leg.bearing }
    return fix
  }
}
