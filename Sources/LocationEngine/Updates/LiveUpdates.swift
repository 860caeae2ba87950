package import LocationModel

/// One loop over live updates: what it hears, and why it hears nothing (LIVE-1 to LIVE-27).
package struct LiveUpdates: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    /// What stands between the app and its locations now, and what merely limits them.
    case standing(Diagnostics)
    /// No provider can give a position now, or one can again.
    case outage(Bool)
    /// The device is still, as judged for this activity.
    case still(Bool)
    case wake
  }

  package typealias Output = LiveUpdate

  private enum State: Sendable, Hashable {
    /// Something named in the standing bars every location.
    case barred
    /// Locations may flow; none came for as long as `silentSince` says.
    case waiting(silentSince: Instant)
    /// Locations flow; the last came at `lastAt`.
    case flowing(lastAt: Instant)
    /// Told that no position can be had (LIVE-17).
    case unavailable
    /// Told that the device is still; paused (LIVE-23).
    case stationary
  }

  package let options: LiveOptions
  private var state: State
  private var standing: Diagnostics
  /// What the last element said, so that a condition is told once per change (LIVE-19).
  private var told: Diagnostics?
  private var cached: Fix?
  private var isOut = false
  private var isStill = false

  /// Begins a loop; `opening(at:)` gives what it is told at once.
  package init(
    options: LiveOptions, standing: Diagnostics, cached: Fix?, isOut: Bool, at now: Moment
  ) {
    self.options = options
    self.standing = standing
    self.cached = cached
    self.isOut = isOut
    state = .waiting(silentSince: now.uptime)
  }

  /// The first element, where there is one to give at once: a recent fix (LIVE-9), or why there
  /// is none.
  package mutating func opening(at now: Moment) -> [Output] {
    guard standing.isDisjoint(with: .barring) else {
      state = .barred
      return tell(nil)
    }
    if let cached, now.unixTime.seconds(since: cached.time).magnitude < Self.recent {
      return deliver(cached, at: now)
    }
    return isOut ? becomeUnavailable() : []
  }

  package var nextDeadline: Instant? {
    switch state {
    case .waiting where isSeldomTold, .flowing where isSeldomTold: nil
    case .waiting(let since): since + Self.silence
    case .flowing(let last): last + Self.silence
    case .barred, .unavailable, .stationary: nil
    }
  }

  /// Whether the loop was told that it hears little, so that silence needs no word (LIVE-16).
  private var isSeldomTold: Bool {
    standing.contains(.accuracyLimited) && told?.contains(.accuracyLimited) ?? false
  }

  package var isStationary: Bool { state == .stationary }

  var isBarred: Bool { state == .barred }

  package var demand: Demand {
    switch state {
    case .barred: return .none
    case .stationary: return StillnessDetector.demandAtRest
    case .waiting, .flowing, .unavailable:
      let navigates =
        options.activity == .automotiveNavigation || options.activity == .otherNavigation
      return Demand(position: PositionDemand(tier: navigates ? .navigation : .satellite))
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch (input, state) {
    case (.fix(let fix), .barred), (.fix(let fix), .stationary):
      cached = fix
      return []
    case (.fix(let fix), .waiting), (.fix(let fix), .flowing), (.fix(let fix), .unavailable):
      cached = fix
      return deliver(fix, at: now)
    case (.standing(let standing), _):
      return change(to: standing, at: now)
    case (.outage(let isOut), _):
      return change(outage: isOut, at: now)
    case (.still(let isStill), _):
      self.isStill = isStill
      return settleStillness(at: now)
    case (.wake, .waiting), (.wake, .flowing):
      guard let nextDeadline, now.uptime >= nextDeadline else { return [] }
      return standing.contains(.accuracyLimited) ? tell(nil) : becomeUnavailable()
    case (.wake, .barred), (.wake, .unavailable), (.wake, .stationary):
      return []
    }
  }

  // MARK: Changes

  private mutating func deliver(_ fix: Fix, at now: Moment) -> [Output] {
    state = .flowing(lastAt: now.uptime)
    told = standing
    return [LiveUpdate(fix: fix, diagnostics: standing)] + settleStillness(at: now)
  }

  private mutating func change(to standing: Diagnostics, at now: Moment) -> [Output] {
    guard standing != self.standing else { return [] }
    // What was seen with full accuracy is not for an app that has it no more.
    if standing.contains(.accuracyLimited) && !self.standing.contains(.accuracyLimited) {
      cached = nil
    }
    self.standing = standing
    guard standing.isDisjoint(with: .barring) else {
      state = .barred
      isStill = false
      return tell(nil)
    }
    guard case .barred = state else { return [] }
    state = .waiting(silentSince: now.uptime)
    return isOut ? becomeUnavailable() : []
  }

  private mutating func change(outage: Bool, at now: Moment) -> [Output] {
    isOut = outage
    switch state {
    case .waiting where outage, .flowing where outage: return becomeUnavailable()
    case .stationary where outage:
      return becomeUnavailable()
    case .unavailable where !outage:
      state = .waiting(silentSince: now.uptime)
      return []
    case .barred, .waiting, .flowing, .unavailable, .stationary: return []
    }
  }

  private mutating func becomeUnavailable() -> [Output] {
    state = .unavailable
    return tell(.locationUnavailable)
  }

  /// Pauses while the device is still, after one normal element (LIVE-23, LIVE-27).
  private mutating func settleStillness(at now: Moment) -> [Output] {
    switch state {
    case .flowing where isStill:
      guard let cached else { return [] }
      state = .stationary
      told = standing
      return [LiveUpdate(fix: cached, stationary: true, diagnostics: standing)]
    case .stationary where !isStill:
      state = .waiting(silentSince: now.uptime)
      return []
    case .barred, .waiting, .flowing, .unavailable, .stationary: return []
    }
  }

  /// An element without location, unless the last one said just that (LIVE-19, LIVE-20).
  private mutating func tell(_ more: Diagnostics?) -> [Output] {
    let all = standing.union(more ?? [])
    guard told != all else { return [] }
    told = all
    return [LiveUpdate(fix: nil, diagnostics: all)]
  }

  /// Silence before the loop is told that no location can be had: within the ten seconds of
  /// LIVE-18. Chosen.
  private static let silence = Duration.seconds(9)
  /// Seconds; a fix younger than this opens a loop (LIVE-9).
  private static let recent = 10.0
}
