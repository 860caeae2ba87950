package import LocationModel

/// Turns a receiver off between the fixes that are needed (POW-5, POW-6).
///
/// While the longest acceptable time between two fixes is long, the driver closes the receiver's
/// channel soon after a fix, and opens it again in time for the next.
package struct RestingDriver: SourceDriver {
  private enum State: Hashable, Sendable {
    /// The receiver works while it is needed; where it may rest, at most until this time.
    case awake(until: Instant)
    case resting(until: Instant)
  }

  private var receiver: any SourceDriver
  private var demand = Demand.none
  private var state = State.awake(until: .start)
  /// The last fix since it woke.
  private var lastFix: Instant?
  /// When the rest began: at the last fix, if there was one.
  private var restsSince = Instant.start

  package init(_ receiver: any SourceDriver) {
    self.receiver = receiver
  }

  package var rejections: [SourceRejection] { receiver.rejections }
  package var evidence: SourceEvidence { receiver.evidence }
  package var sky: [Satellite] { receiver.sky }

  package var nextDeadline: Instant? {
    switch state {
    case .resting(let until): until
    case .awake(let until): earliest(receiver.nextDeadline, rest == nil ? nil : until)
    }
  }

  package mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch (input, state) {
    case (.demand(let demand), _): return settle(demand, at: now)
    case (.wake, .resting(let until)): return now.uptime >= until ? wake(at: now) : []
    case (.wake, .awake(let until)):
      let outputs = isDue(receiver.nextDeadline, now) ? pass(.wake, at: now) : []
      return rest == nil || now.uptime < until ? outputs : outputs + sleep(at: now)
    case (.channel, _), (.kernel, _), (.stored, _), (.scan, _): return pass(input, at: now)
    }
  }

  /// Handles a change of demand.
  private mutating func settle(_ demand: Demand, at now: Moment) -> [SourceOutput] {
    let couldRest = rest != nil
    self.demand = demand
    switch state {
    case .awake:
      if !couldRest { state = .awake(until: now.uptime + Self.search) }
      return pass(.demand(demand), at: now)
    case .resting:
      guard rest != nil, due > now.uptime else { return wake(at: now) }
      state = .resting(until: due)
      return []
    }
  }

  private mutating func wake(at now: Moment) -> [SourceOutput] {
    state = .awake(until: now.uptime + Self.search)
    lastFix = nil
    return pass(.demand(demand), at: now)
  }

  private mutating func sleep(at now: Moment) -> [SourceOutput] {
    restsSince = lastFix ?? now.uptime
    state = .resting(until: max(due, now.uptime + Self.settling))
    var less = demand
    less.position = nil
    return receiver.handle(.demand(less), at: now)
  }

  private mutating func pass(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    let outputs = receiver.handle(input, at: now)
    guard outputs.contains(where: \.isFix) else { return outputs }
    lastFix = now.uptime
    if case .awake(let until) = state {
      state = .awake(until: min(until, now.uptime + Self.settling))
    }
    return outputs
  }

  /// The time between two fixes, if it is long enough to rest; else `nil`.
  private var rest: Duration? {
    guard let interval = demand.position?.interval, !demand.magnetometer else { return nil }
    return interval >= Self.shortest ? interval : nil
  }

  /// When the receiver must work again.
  private var due: Instant {
    restsSince + (demand.position?.interval ?? .zero) - Self.lead
  }

  /// Chosen: a receiver that was on lately needs a few seconds for its first fix.
  private static let lead = Duration.seconds(5)
  /// Chosen: so that one bad fix is not the only one, and clients have time to ask for more.
  private static let settling = Duration.seconds(3)
  /// How long it searches for satellites. Chosen: more than a cold start under a clear sky.
  private static let search = Duration.seconds(120)
  /// Chosen: below this, finding satellites again would cost more than resting saves.
  private static let shortest = Duration.seconds(20)
}
