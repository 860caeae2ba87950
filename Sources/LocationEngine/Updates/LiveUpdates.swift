package import LocationModel

/// One loop over live updates: the locations and diagnostics it receives (LIVE-1 to LIVE-27).
package struct LiveUpdates: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    /// The diagnostics that bar or limit locations now; with the known coarse place, if the app has
    /// reduced accuracy.
    case diagnostics(Diagnostics, coarse: Fix? = nil)
    /// No provider can give a position now, or one can again.
    case outage(Bool)
    /// The device is stationary, as judged for this activity; repeated until it takes effect.
    case still(Bool)
    case wake
  }

  package typealias Output = LiveUpdate

  private enum State: Sendable, Hashable {
    /// A diagnostic bars every location.
    case barred
    /// Locations are permitted; none has come since `silentSince`.
    case waiting(silentSince: Instant)
    /// Locations are delivered; the last came at `lastAt`.
    case flowing(lastAt: Instant)
    /// It was delivered that no position is available (LIVE-17).
    case unavailable
    /// It was delivered that the device is stationary; paused (LIVE-23).
    case stationary
  }

  package let options: LiveOptions
  private var state: State
  private var diagnostics: Diagnostics
  /// The diagnostics of the last element, so that each change is delivered once (LIVE-19).
  private var delivered: Diagnostics?
  private var cached: Fix?
  private var isOut = false

  /// Creates a loop; `opening(at:)` returns its first element.
  package init(
    options: LiveOptions, diagnostics: Diagnostics, cached: Fix?, isOut: Bool, at now: Moment
  ) {
    self.options = options
    self.diagnostics = diagnostics
    self.cached = cached
    self.isOut = isOut
    state = .waiting(silentSince: now.uptime)
  }

  /// Returns the first element, if there is one at once: a recent fix (LIVE-9), or why there is
  /// none.
  package mutating func opening(at now: Moment) -> [Output] {
    guard diagnostics.isDisjoint(with: .barring) else {
      state = .barred
      return deliver(nil)
    }
    // A coarse place is valid until a newer one is due (LIVE-16).
    let life = isLimited ? CoarseLocator.life : Self.recent
    if let cached, now.unixTime.seconds(since: cached.time).magnitude < life.inSeconds {
      return deliver(cached, at: now)
    }
    return isOut ? becomeUnavailable() : []
  }

  package var nextDeadline: Instant? { silentSince.map { $0 + silence } }

  /// The silence after which the loop learns that no location is available: within the ten seconds
  /// of LIVE-18, and longer while radios find the place, which scan less often (RADIO-14).
  private var silence: Duration {
    guard case .flowing = state else { return PositionMethod.receiver.longestSilence }
    return (cached?.origin.method ?? .receiver).longestSilence
  }

  /// When the silence to be reported began (LIVE-18); `nil` where none is to be reported, as after
  /// `accuracyLimited` was delivered (LIVE-16).
  private var silentSince: Instant? {
    let isSeldomDelivered = isLimited && delivered?.contains(.accuracyLimited) ?? false
    switch state {
    case .waiting(let since), .flowing(let since): return isSeldomDelivered ? nil : since
    case .barred, .unavailable, .stationary: return nil
    }
  }

  private var isLimited: Bool { diagnostics.contains(.accuracyLimited) }

  package var isStationary: Bool { state == .stationary }

  var isBarred: Bool { state == .barred }

  /// Whether it has received no location yet, so that it needs even an unchanged place.
  var awaitsFix: Bool {
    switch state {
    case .waiting, .unavailable: true
    case .barred, .flowing, .stationary: false
    }
  }

  package var demand: Demand {
    switch state {
    case .barred: return .none
    case .waiting where isLimited: return CoarseLocator.demand(isFirst: true)
    case .flowing where isLimited, .unavailable where isLimited, .stationary where isLimited:
      return CoarseLocator.demand(isFirst: false)
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
    case (.diagnostics(let diagnostics, let coarse), _):
      return change(to: diagnostics, coarse: coarse, at: now)
    case (.outage(let isOut), _):
      return change(outage: isOut, at: now)
    case (.still(let isStill), _):
      return rest(isStill, at: now)
    case (.wake, .waiting), (.wake, .flowing):
      guard let nextDeadline, now.uptime >= nextDeadline else { return [] }
      return isLimited ? deliver(nil) : becomeUnavailable()
    case (.wake, .barred), (.wake, .unavailable), (.wake, .stationary):
      return []
    }
  }

  // MARK: Changes

  private mutating func deliver(_ fix: Fix, at now: Moment) -> [Output] {
    state = .flowing(lastAt: now.uptime)
    delivered = diagnostics
    return [LiveUpdate(fix: fix, diagnostics: diagnostics)]
  }

  private mutating func change(
    to diagnostics: Diagnostics, coarse: Fix?, at now: Moment
  ) -> [Output] {
    guard diagnostics != self.diagnostics else { return [] }
    let (since, wasLimited) = (silentSince ?? now.uptime, isLimited)
    self.diagnostics = diagnostics
    guard diagnostics.isDisjoint(with: .barring) else {
      state = .barred
      return deliver(nil)
    }
    switch state {
    case .barred: break
    // A fix cached with another accuracy is not what the loop may know, or requests, now.
    case .waiting, .flowing: guard isLimited != wasLimited else { return [] }
    case .unavailable, .stationary: return []
    }
    state = .waiting(silentSince: since)
    cached = coarse
    return opening(at: now)
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
    return deliver(.locationUnavailable)
  }

  /// Pauses while the device is stationary, after one normal element (LIVE-23, LIVE-27).
  private mutating func rest(_ isStill: Bool, at now: Moment) -> [Output] {
    switch state {
    case .flowing where isStill:
      guard let cached else { return [] }
      state = .stationary
      delivered = diagnostics
      return [LiveUpdate(fix: cached, stationary: true, diagnostics: diagnostics)]
    case .stationary where !isStill:
      state = .waiting(silentSince: now.uptime)
      return []
    case .barred, .waiting, .flowing, .unavailable, .stationary: return []
    }
  }

  /// Delivers an element without location, unless the last one was equal (LIVE-19, LIVE-20).
  private mutating func deliver(_ more: Diagnostics?) -> [Output] {
    let all = diagnostics.union(more ?? [])
    guard delivered != all else { return [] }
    delivered = all
    return [LiveUpdate(fix: nil, diagnostics: all)]
  }

  /// A fix younger than this opens a loop (LIVE-9).
  private static let recent = Duration.seconds(10)
}
