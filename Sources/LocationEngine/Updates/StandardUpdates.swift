package import LocationModel

/// What authorization permits one subscriber now.
package enum Flow: Hashable, Sendable {
  /// Locations may be delivered.
  case open
  /// Only coarse places may be delivered (AUTH-41).
  case coarse
  /// The person has not answered yet; a start is remembered (STD-13).
  case undetermined
  /// Denied, restricted, or switched off (STD-12).
  case denied
  /// Authorized, but not in the present lifecycle state of the app.
  case notInUse

  /// Whether anything may be delivered.
  var isOpen: Bool { self == .open || self == .coarse }
}

/// The standard service of one manager: which fixes are delivered to it, and when (STD-1 to STD-34,
/// STD-54 to STD-57).
package struct StandardUpdates: Machine {
  package enum Input: MachineInput {
    case request(UpdatesRequest)
    case fix(Fix)
    case flow(Flow)
    /// No provider can give a position now.
    case outage(Failure)
    /// The device is stationary, as judged for this activity; repeated until it takes effect.
    case still(Bool)
    case wake
  }

  package typealias Output = UpdatesDelivery

  private enum State: Sendable {
    case idle
    /// `last` is the last fix delivered; `nil` until the first.
    case running(last: Fix?)
    /// Stationary: hardware off, until the app starts again or the device moves (STD-39, STD-42).
    case paused(last: Fix?)
    /// One fix is requested; `best` is the best so far, the deadline is set by the answer (STD-31).
    case once(best: Fix?, deadline: Instant?)
  }

  private var state = State.idle
  private var options = UpdateOptions()
  private var flow: Flow
  /// The newest current fix, of any provider.
  package var cached: Fix?
  /// Whether the app was in the foreground at its last request (STD-47, STD-48).
  var isInFront = true
  /// Whether a pause ends only when the app starts again, and not by movement (STD-42).
  var pauseNeedsRestart = false
  /// Whether updates were started in the foreground.
  private(set) var beganInFront = false
  /// When it was started or resumed; the full timeout counts from then (STD-41).
  private var beganAt = Instant.start
  /// Whether the present outage was delivered (STD-34).
  private var outageDelivered = false
  private var deferral: Deferral?

  package init(flow: Flow) {
    self.flow = flow
  }

  package var nextDeadline: Instant? {
    guard case .once(_, let deadline) = state else { return deferral?.deadline }
    return deadline
  }

  /// Whether the client has any request, permitted or not.
  package var isActive: Bool {
    if case .idle = state { return false }
    return true
  }

  /// Whether updates run from the view of the app: started, and not paused.
  package var isRunning: Bool {
    if case .running = state { return true }
    return false
  }

  /// Whether a single fix is requested.
  package var isOnce: Bool {
    if case .once = state { return true }
    return false
  }

  package var isPaused: Bool {
    if case .paused = state { return true }
    return false
  }

  package var currentOptions: UpdateOptions { options }

  /// Whether it has received no fix yet, so that it needs even an unchanged place.
  var awaitsFix: Bool {
    switch state {
    case .running(nil), .once: true
    case .idle, .running, .paused: false
    }
  }

  /// Whether the stationary state pauses it, or its end resumes it (STD-39, STD-45).
  var heedsStillness: Bool {
    guard options.pausesAutomatically, !isPaused || !pauseNeedsRestart else { return false }
    return isPaused || isRunning && flow.isOpen
  }

  package var demand: Demand {
    guard flow.isOpen else { return .none }
    switch state {
    case .idle: return .none
    case .running where isCoarse, .paused where isCoarse, .once where isCoarse:
      return CoarseLocator.demand(isFirst: awaitsFix)
    case .paused: return pauseNeedsRestart ? .none : StillnessDetector.demandAtRest
    case .running, .once:
      return Demand(position: PositionDemand(tier: options.accuracy.tier))
    }
  }

  /// Whether it may have, or requests, coarse places only (AUTH-41, AUTH-45).
  var isCoarse: Bool { flow == .coarse || options.accuracy == .reduced }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .request(let request): return handle(request, at: now)
    case .fix(let fix):
      cached = fix
      outageDelivered = false
      return take(fix) + finishDeferral { $0.isOver(at: fix.coordinate) }
    case .flow(let flow): return change(to: flow, at: now)
    case .outage(let failure): return announce(failure)
    case .still(let still):
      return still ? pause(at: now) : pauseNeedsRestart ? [] : resume(at: now)
    case .wake: return expire(at: now)
    }
  }

  // MARK: Requests

  private mutating func handle(_ request: UpdatesRequest, at now: Moment) -> [Output] {
    switch request {
    case .start(let options):
      self.options = options
      return start(at: now)
    case .change(let options):
      let keepsPause = options.pausesAutomatically && options.activity == self.options.activity
      self.options = options
      guard !isPaused else { return (keepsPause ? [] : resume(at: now)) + settleDeferral() }
      guard case .once(let best, _) = state else { return settleDeferral() }
      return settleRequest(options.accuracy == .reduced ? nil : best, at: now)
    case .stop:
      state = .idle
      return settleDeferral(.canceled)
    case .once(let options):
      return requestOnce(options, at: now)
    case .deferUpdates(let end):
      return settleDeferral(.canceled) + beginDeferral(until: end, at: now)
    case .endDeferral:
      return settleDeferral(.canceled)
    }
  }

  // MARK: Deferral

  /// Why updates cannot be deferred now (STD-55).
  private var deferralFault: DeferralFault? {
    switch (state, options.accuracy) {
    case (.idle, _), (.once, _): .notUpdating
    case (_, .meters), (_, .reduced): .accuracyTooLow
    case (_, .best), (_, .bestForNavigation):
      options.distanceFilter == nil ? nil : .distanceFiltered
    }
  }

  private mutating func beginDeferral(until end: DeferralEnd, at now: Moment) -> [Output] {
    if case .once = state { state = .idle }
    if let fault = deferralFault { return [.deferralFinished(fault)] }
    deferral = Deferral(end, from: cached?.coordinate, at: now.uptime)
    return []
  }

  /// Ends a running deferral for this reason, or because it would be refused now.
  private mutating func settleDeferral(_ fault: DeferralFault? = nil) -> [Output] {
    guard deferral != nil, let fault = fault ?? deferralFault else { return [] }
    deferral = nil
    return [.deferralFinished(fault)]
  }

  private mutating func finishDeferral(when isOver: (inout Deferral) -> Bool) -> [Output] {
    guard var running = deferral else { return [] }
    let ends = isOver(&running)
    deferral = ends ? nil : running
    return ends ? [.deferralFinished(nil)] : []
  }

  private mutating func start(at now: Moment) -> [Output] {
    switch state {
    case .running:
      beganInFront = beganInFront || isInFront
      return []
    case .paused(let last):
      (state, beganAt) = (.running(last: last), now.uptime)
      // Updates resumed in the background do not keep the app in use (STD-43).
      beganInFront = isInFront
      return [.resumed]
    case .idle, .once:
      guard flow != .denied else {
        state = .idle
        return [.failed(.denied)]
      }
      (state, beganAt) = (.running(last: nil), now.uptime)
      beganInFront = isInFront
      outageDelivered = false
      guard flow.isOpen, let cached else { return [] }
      return take(cached)
    }
  }

  private mutating func requestOnce(_ options: UpdateOptions, at now: Moment) -> [Output] {
    switch state {
    case .running, .paused, .once: return []
    case .idle:
      self.options = options
      guard flow != .denied else { return [.failed(.denied)] }
      state = .once(best: nil, deadline: flow.isOpen ? now.uptime + Self.oneShotTimeout : nil)
      return settleRequest(nil, at: now)
    }
  }

  /// Ends the request with the best fix so far, or else with the known one, if it is good enough.
  private mutating func settleRequest(_ best: Fix?, at now: Moment) -> [Output] {
    guard flow.isOpen, let known = best ?? cached, best != nil || isFresh(known, at: now) else {
      return []
    }
    return finishIfGoodEnough(known)
  }

  /// Whether a fix is fresh (STD-27); a coarse place is until the next one is due (STD-26a).
  private func isFresh(_ fix: Fix, at now: Moment) -> Bool {
    let limit = isCoarse ? CoarseLocator.life : Self.oneShotTimeout
    return now.unixTime.seconds(since: fix.time).magnitude < limit.inSeconds
  }

  // MARK: The world

  private mutating func take(_ fix: Fix) -> [Output] {
    guard flow.isOpen else { return [] }
    switch state {
    case .idle, .paused: return []
    case .running(let last):
      guard passes(fix, after: last) else { return [] }
      state = .running(last: fix)
      return [.fixes([fix])]
    case .once(let best, let deadline):
      let better = best.map { $0.horizontalAccuracy >= fix.horizontalAccuracy } ?? true
      state = .once(best: better ? fix : best, deadline: deadline)
      return finishIfGoodEnough(fix)
    }
  }

  /// Whether a fix passes the distance filter (STD-15, STD-16, STD-17).
  private func passes(_ fix: Fix, after last: Fix?) -> Bool {
    guard let last, let filter = options.distanceFilter, filter > 0 else { return true }
    if fix.horizontalAccuracy * 2 <= last.horizontalAccuracy { return true }
    return fix.coordinate.distance(to: last.coordinate) >= filter
  }

  private mutating func finishIfGoodEnough(_ fix: Fix) -> [Output] {
    guard flow == .coarse || fix.horizontalAccuracy <= options.accuracy.radius else { return [] }
    state = .idle
    return [.fixes([fix])]
  }

  private mutating func change(to flow: Flow, at now: Moment) -> [Output] {
    guard flow != self.flow else { return [] }
    self.flow = flow
    if flow == .coarse, case .once(_, let deadline) = state {
      state = .once(best: nil, deadline: deadline)
    }
    switch (flow, state) {
    case (_, .idle): return []
    case (.denied, .running), (.denied, .paused), (.denied, .once):
      state = .idle
      return [.failed(.denied)] + settleDeferral(.canceled)
    case (.open, .once(let best, let deadline)), (.coarse, .once(let best, let deadline)):
      state = .once(best: best, deadline: deadline ?? now.uptime + Self.oneShotTimeout)
      return settleRequest(best, at: now)
    case (.open, .running(nil)):
      return cached.map { take($0) } ?? []
    case (.coarse, .running(let last)) where last?.coordinate != cached?.coordinate:
      // After exact positions the coarse place is new, however long it has been known.
      state = .running(last: nil)
      return cached.map { take($0) } ?? []
    case (.open, _), (.coarse, _), (.undetermined, _), (.notInUse, _): return []
    }
  }

  private mutating func announce(_ failure: Failure) -> [Output] {
    guard flow.isOpen, case .running = state, !outageDelivered else { return [] }
    outageDelivered = true
    return [.failed(failure)]
  }

  private mutating func pause(at now: Moment) -> [Output] {
    guard flow.isOpen, options.pausesAutomatically, case .running(let last?) = state,
      let timeout = StillnessDetector.Timeouts.pause(options.activity),
      now.uptime >= beganAt + timeout
    else { return [] }
    state = .paused(last: last)
    return [.paused]
  }

  private mutating func resume(at now: Moment) -> [Output] {
    guard flow.isOpen, case .paused(let last) = state else { return [] }
    (state, beganAt) = (.running(last: last), now.uptime)
    return [.resumed]
  }

  private mutating func expire(at now: Moment) -> [Output] {
    guard case .once(let best, let deadline?) = state else {
      return finishDeferral { $0.isOver(at: now.uptime) }
    }
    guard now.uptime >= deadline else { return [] }
    state = .idle
    return [best.map { .fixes([$0]) } ?? .failed(.positionUnknown)]
  }

  /// Documented and observed (STD-26).
  package static let oneShotTimeout = Duration.seconds(10)
}
