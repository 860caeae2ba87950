package import LocationModel

/// The place that is set from outside, in place of all receivers (SIM-15).
///
/// A place that stays until it is cleared is repeated each second, as a receiver would; fixes of a
/// way come one by one from who computes it.
package struct SimulatedPosition: Machine {
  package enum Request: Hashable, Sendable {
    /// A fix on a way; the next one comes from outside.
    case fix(Fix)
    /// A place that stays until another request.
    case hold(Fix)
    case end
  }

  package enum Input: MachineInput {
    case request(Request)
    case wake
  }

  private enum State: Hashable, Sendable {
    /// Nothing is simulated.
    case idle
    /// The last fix of a way.
    case moving(Fix)
    /// A place that stays, and when it is repeated.
    case holding(Fix, again: Instant)
  }

  private var state = State.idle
  /// Whether a subscriber needs positions.
  var isNeeded = false

  package init() {}

  package var isActive: Bool { state != .idle }

  /// The last fix; `nil` while nothing is simulated.
  package var fix: Fix? {
    switch state {
    case .idle: nil
    case .moving(let fix), .holding(let fix, _): fix
    }
  }

  package var nextDeadline: Instant? {
    guard isNeeded, case .holding(_, let again) = state else { return nil }
    return again
  }

  /// Returns the fix that is the current one from now on; each says that it is simulated (SIM-6).
  package mutating func handle(_ input: Input, at now: Moment) -> [Fix] {
    switch (input, state) {
    case (.request(.fix(let fix)), _):
      let marked = Self.marked(fix, at: now)
      state = .moving(marked)
      return [marked]
    case (.request(.hold(let fix)), _):
      let marked = Self.marked(fix, at: now)
      state = .holding(marked, again: now.uptime + Self.interval)
      return [marked]
    case (.request(.end), _):
      state = .idle
      return []
    case (.wake, .holding(let fix, let again)) where now.uptime >= again:
      return handle(.request(.hold(fix)), at: now)
    case (.wake, .idle), (.wake, .moving), (.wake, .holding): return []
    }
  }

  /// The fix as one of now, whatever date and origin were sent with it.
  private static func marked(_ fix: Fix, at now: Moment) -> Fix {
    var fix = fix
    fix.time = now.unixTime
    fix.origin = Fix.Origin(isSimulated: true)
    return fix
  }

  /// Why a fix from outside is not a position; `nil` when it is.
  package static func fault(in fix: Fix) -> String? {
    guard fix.coordinate.isValid else { return "that place is not on earth" }
    guard fix.horizontalAccuracy > 0, fix.horizontalAccuracy.isFinite else {
      return "an accuracy must be greater than 0 m"
    }
    let numbers = [fix.altitude, fix.ellipsoidalAltitude, fix.verticalAccuracy, fix.speed]
    let accuracies = [fix.speedAccuracy, fix.courseAccuracy, fix.course]
    guard (numbers + accuracies).allSatisfy({ $0?.isFinite ?? true }) else {
      return "a number is not finite"
    }
    guard fix.speed ?? 0 >= 0, (0..<360).contains(fix.course ?? 0) else {
      return "a speed must not be negative, and a course must lie in 0..<360 degrees"
    }
    return nil
  }

  /// Documented: one update a second (SIM-8).
  package static let interval = Duration.seconds(1)
}
